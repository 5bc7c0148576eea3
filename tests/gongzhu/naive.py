"""The slow obvious twin of the Gongzhu rules: cards are strings, hands are lists, written from the rule book."""

RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "J", "Q", "K", "A"]
DECK = [suit + rank for suit in "SHDC" for rank in RANKS]
HEARTS = ["H" + rank for rank in RANKS]
VALUE = {"H2": 0, "H3": 0, "H4": 0, "H5": -10, "H6": -10, "H7": -10, "H8": -10, "H9": -10, "H10": -10, "HJ": -20,
         "HQ": -30, "HK": -40, "HA": -50, "SQ": -100, "DJ": 100}
SCORING = [*VALUE, "C10"]


def score(pile):
    scoring = [card for card in pile if card in SCORING]
    if scoring == ["C10"]:
        return 50
    points = sum(VALUE[card] for card in scoring if card != "C10")
    if all(heart in scoring for heart in HEARTS):
        points += 400                                   # +200 instead of -200
    return 2 * points if "C10" in scoring else points


def legal(hand, trick):
    if trick:
        same = [card for card in hand if card[0] == trick[0][0]]
        if same:
            return same
    return list(hand)


def trick_winner(trick):
    """Which of the four cards takes the trick."""
    followed = [card for card in trick if card[0] == trick[0][0]]
    return trick.index(max(followed, key=lambda card: RANKS.index(card[1:])))


class Game:
    def __init__(self, hands, first):
        self.hands = [sorted(hand, key=DECK.index) for hand in hands]
        self.piles = [[], [], [], []]
        self.trick = []
        self.leader = self.turn = first

    def copy(self):
        twin = Game(self.hands, self.leader)
        twin.piles = [list(pile) for pile in self.piles]
        twin.trick, twin.turn = list(self.trick), self.turn
        return twin

    def is_over(self):
        return not any(self.hands)

    def legal(self):
        return legal(self.hands[self.turn], self.trick)

    def play(self, card):
        self.hands[self.turn].remove(card)
        self.trick.append(card)
        self.turn = (self.turn + 1) % 4
        if len(self.trick) == 4:
            winner = (self.leader + trick_winner(self.trick)) % 4
            self.piles[winner] += self.trick
            self.trick = []
            self.leader = self.turn = winner

    def points(self):
        return [score(pile) for pile in self.piles]

    def difference(self):
        p = self.points()
        return p[0] + p[2] - p[1] - p[3]


def perft(game, depth):
    if depth == 0 or game.is_over():
        return 1
    nodes = 0
    for card in game.legal():
        after = game.copy()
        after.play(card)
        nodes += perft(after, depth - 1)
    return nodes
