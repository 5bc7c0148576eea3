"""Games drawn in the terminal with rich."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

_COLOURS = {"landlord": "red", "landlord_down": "green", "landlord_up": "blue"}
_SUIT_COLOURS = {"S": "white", "H": "red", "D": "yellow", "C": "green"}
SUIT_SIGNS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


def cards(text: str) -> Text:
    """A DouDizhu hand with a space between ranks and the jokers in colour."""
    drawn = Text()
    for i, char in enumerate(text):
        if i and text[i - 1] != char:
            drawn.append(" ")
        drawn.append(char, style={"B": "bold", "R": "bold red"}.get(char, ""))
    return drawn


def suited(cards_text: list[str]) -> Text:
    """Gongzhu cards with their suit signs."""
    drawn = Text()
    for i, card in enumerate(cards_text):
        if i:
            drawn.append(" ")
        drawn.append(SUIT_SIGNS[card[0]] + card[1:], style=_SUIT_COLOURS[card[0]])
    return drawn


def name_of(game: str, state: Any, seat: int) -> Text:
    """A seat as it is called at the table."""
    if game == "doudizhu" and state.landlord is not None:
        role = state.role_of(seat)
        return Text(role, style=_COLOURS[role])
    style = ("cyan", "magenta")[seat % 2] if game == "gongzhu" else ""
    return Text(f"seat {seat}", style=style)


def show_hands(game: str, state: Any, seats: list[str], console: Console, only: int | None = None) -> None:
    """The cards every seat holds, or only those of one seat."""
    table = Table(show_header=False, box=None, padding=(0, 2))
    for seat, hand in enumerate(state.hands):
        if only is None or seat == only:
            drawn = cards(hand) if game == "doudizhu" else suited(hand.split())
        else:
            held = len(hand) if game == "doudizhu" else len(hand.split())
            drawn = Text(f"{held} cards", style="dim")
        table.add_row(name_of(game, state, seat), Text(seats[seat], style="dim"), drawn)
    console.print(table)


def show_action(game: str, state: Any, seat: int, action: Any, console: Console) -> None:
    """One bid or move on a line, after it was made."""
    line = Text.assemble(name_of(game, state, seat), " ")
    line.pad_right(max(0, 16 - len(line)))
    if isinstance(action, int):
        line.append(f"bids {action}" if action else "passes the bidding")
    elif game == "gongzhu":
        line.append(suited([str(action)]))
        if not state.trick:
            line.append(f"   seat {state.turn} takes the trick", style="dim")
    elif action:
        line.append(cards(action.cards))
        left = len(state.hands[seat])
        line.append(f"   {action.category.words}, {left} left" if left else f"   {action.category.words}, out!", style="dim")
    else:
        line.append("pass", style="dim")
    console.print(line)


def show_end(game: str, state: Any, console: Console) -> None:
    """The result in a box."""
    if game == "doudizhu":
        if state.is_draw:
            words = "All passed: a draw, the cards are dealt again."
        else:
            who = "The landlord wins" if state.landlord_won else "The peasants win"
            extras = [f"{state.position.bombs} bombs"] if state.position.bombs else []
            extras += ["spring"] if state.spring else []
            words = f"{who}{' with ' + ' and '.join(extras) if extras else ''}. Points by seat: " + \
                ", ".join(f"{points:+d}" for points in state.payoffs())
    else:
        words = (f"Points by seat: {', '.join(f'{points:+d}' for points in state.points())}. "
                 f"Seats 0 and 2 are ahead by {state.difference():+d}.")
    console.print(Panel(words, expand=False))


def show_decision(decision: Any, console: Console, most: int = 12) -> None:
    """A decision with its evidence: candidates with bars, where the hidden cards are believed to be, the line."""
    ranked = decision.ranked()
    tried = [(action, estimate) for action, estimate in ranked if estimate.visits]
    if tried:
        low = min(estimate.mean for _, estimate in tried)
        high = max(estimate.mean for _, estimate in tried)
        table = Table(title=f"{decision.action} is chosen; points for its side, ± standard error")
        for column in ("move", "value", "", "deals"):
            table.add_column(column, justify="right" if column in ("value", "deals") else "left")
        for action, estimate in tried[:most]:
            width = round(24 * (estimate.mean - low) / (high - low)) if high > low else 24
            table.add_row(Text(str(action), style="bold" if action == decision.action else ""),
                          f"{estimate.mean:+.2f} ± {estimate.se:.2f}", Text("█" * max(1, width), style="green"),
                          str(estimate.visits))
        console.print(table)
        if len(ranked) > most:
            console.print(f"and {len(ranked) - most} more candidates", style="dim")
    else:
        console.print(f"{decision.action} is played; this agent gives no values")
    if decision.belief is not None and decision.belief.hidden.kinds:
        console.print(belief_table(decision.belief))
    if len(decision.line) > 1:
        console.print("expected on the likeliest deal: " + " ".join(map(str, decision.line)))
    weighed = 0 if decision.belief is None else len(decision.belief.hands)
    of = f" of {weighed} weighed" if weighed > decision.deals else ""
    console.print(f"{decision.deals} deals{of}, effective {decision.ess:.0f}; {decision.simulations} simulations, "
                  f"{decision.solved} endings solved, {decision.seconds:.3f} s", style="dim")


def belief_table(belief: Any) -> Table:
    """P(card in hand) for every hidden card, in percent."""
    hidden = belief.hidden
    title = "where the hidden cards are, % " + ("(all deals looked at)" if belief.exact else "")
    table = Table(title=title, padding=0, pad_edge=False)
    table.add_column("", no_wrap=True)
    columns = hidden.kinds if len(hidden.kinds) <= 15 else sorted(
        hidden.kinds, key=lambda kind: kind.label not in ("SQ", "DJ", "C10", "SA", "SK", "HA", "HK", "HQ", "DA", "DK"))[:15]
    for kind in columns:
        table.add_column(kind.label + (f" x{kind.copies}" if kind.copies > 1 else ""), justify="right")
    numbers = [hidden.kinds.index(kind) for kind in columns]
    for place, name in enumerate(hidden.places):
        table.add_row(name, *(f"{100 * belief.marginals[number, place]:.0f}" for number in numbers))
    return table
