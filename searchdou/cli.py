"""The command line: play, demo, advise, match, tournament, results, train, bench, bot."""

from __future__ import annotations

import dataclasses
import importlib
import io
import json
import math
import runpy
import shlex
import signal
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn

import searchdou
from searchdou import games
from searchdou.cluster import Cluster
from searchdou.errors import IllegalAction, SearchDouError, UnknownName

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False,
                  help="Agents for card games with hidden hands: DouDizhu and Gongzhu.")
bench = typer.Typer(no_args_is_help=True, help="Measure us beside what you would use instead.")
train = typer.Typer(no_args_is_help=True, help="Train nets from nothing (needs torch: the `train` extra).")
app.add_typer(bench, name="bench")
app.add_typer(train, name="train")

console = Console(highlight=False)
errors = Console(stderr=True, highlight=False)

GameOption = Annotated[str, typer.Option("--game", help="doudizhu or gongzhu")]
SeedOption = Annotated[int, typer.Option(help="the same seed gives the same deals and moves")]
RulesOption = Annotated[str, typer.Option(help="rule set of DouDizhu: standard, douzero, openspiel, botzone, rlcard")]
JsonOption = Annotated[bool, typer.Option("--json", help="print one JSON object instead of a table")]
WorkersOption = Annotated[int | None, typer.Option(help="processes to play in; 1 without it, with --ray one a CPU")]
RayOption = Annotated[str | None, typer.Option(metavar="[ADDRESS]", help="play on a Ray cluster: auto or host:port; without "
                                               "an address one on this machine")]
StoreOption = Annotated[Path | None, typer.Option(help="results file: deals found there are not played again, new ones are "
                                                       "added; $SEARCHDOU_STORE or the user's data folder without it")]
FreshOption = Annotated[bool, typer.Option("--fresh", help="play all deals again, kept as another attempt")]
MatchId = Annotated[int | None, typer.Option(min=1, max=2 ** 62, help="one match with its deals, by its id")]
LessId = Annotated[int | None, typer.Option(min=1, max=2 ** 62, help="with --match: how much more its side a has than "
                                            "that of this match, paired by deal")]
TimeOption = Annotated[float, typer.Option(help="seconds a move for cmd: programs")]


def main() -> None:
    """Run the command line; bad input is one line on stderr and status 2, Ctrl-C is status 130."""
    try:
        app(_words(sys.argv[1:]))
    except SearchDouError as error:
        errors.print(f"searchdou: {error}", markup=False, style="red", soft_wrap=True)
        sys.exit(2)
    except KeyboardInterrupt:
        errors.print("interrupted")
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(1)
    except OSError as error:  # a file of the user's that cannot be read or written
        errors.print(f"searchdou: {error}", markup=False, style="red", soft_wrap=True)
        sys.exit(2)


def _words(arguments: list[str]) -> list[str]:
    """The command line with a value for `--ray` where it stands alone: typer wants one."""
    following = [*arguments[1:], "-"]
    return ["--ray=" if word == "--ray" and after.startswith("-") else word
            for word, after in zip(arguments, following, strict=False)]


@app.command()
def version() -> None:
    """Print the version."""
    print(searchdou.__version__)


@app.command()
def play(game: GameOption = "doudizhu",
         seats: Annotated[str, typer.Option(help="who sits where: agent specs or you, by ; (or , without settings)")] = "",
         seed: SeedOption = 0, rules: RulesOption = "standard",
         bidding: Annotated[bool, typer.Option(help="bid for the landlord, else seat 0 is it")] = True,
         record: Annotated[Path | None, typer.Option(help="append the game to this file, a JSON line a game")] = None,
         ) -> None:
    """Play one game in the terminal: you against agents, or agents among themselves."""
    default = {"doudizhu": "you,rule,rule", "gongzhu": "you,greed,greed,greed"}
    _play(game, seats or default.get(game, ""), seed, rules, bidding, record)


@app.command()
def demo(game: GameOption = "doudizhu", seed: SeedOption = 7) -> None:
    """Watch agents finish one hand, all cards open."""
    default = {"doudizhu": "search:time=0.2;search:time=0.2;search:time=0.2",
               "gongzhu": "search:time=0.2;greed;search:time=0.2;greed"}
    _play(game, default.get(game, ""), seed, "standard", True, None, explain=True)


@app.command()
def advise(game: GameOption = "doudizhu",
           position: Annotated[str, typer.Option(help="what a seat knows, as text: see InfoSet.from_text")] = "",
           record: Annotated[Path | None, typer.Option(help="a file of game records instead, a JSON line a game")] = None,
           line: Annotated[int, typer.Option(help="which line of the file, from 1")] = 1,
           move: Annotated[int, typer.Option(help="which action of that game, bids included, from 1")] = 1,
           agent: Annotated[str, typer.Option(help="agent spec")] = "search:time=1.0",
           seed: SeedOption = 0, as_json: JsonOption = False) -> None:
    """What to do in a position, and why: every candidate's value with its error, and the belief about hidden cards."""
    from searchdou import view
    from searchdou.agent import Agent
    module = games.load(game)
    if bool(position) == bool(record):
        raise SearchDouError("give either --position or --record")
    infoset = module.InfoSet.from_text(position) if position else _from_record(module, record, line, move)
    decision = Agent(game, agent, seed).analyze(infoset)
    if as_json:
        belief = decision.belief
        _print_json({
            "action": str(decision.action), "seconds": decision.seconds, "deals": decision.deals,
            "weighed": 0 if decision.belief is None else len(decision.belief.hands), "ess": decision.ess,
            "simulations": decision.simulations, "solved": decision.solved, "line": [str(a) for a in decision.line],
            "values": {str(a): {"mean": e.mean, "se": e.se, "visits": e.visits} if e.visits else None
                       for a, e in decision.values.items()},
            "belief": {kind.label: dict(zip(belief.hidden.places, map(float, row), strict=True))
                       for kind, row in zip(belief.hidden.kinds, belief.marginals, strict=True)} if belief else None})
    else:
        view.show_decision(decision, console)


def _from_record(module: Any, path: Path | None, line: int, move: int) -> Any:
    """What the seat to act knew before action number `move` of the game on that line."""
    from searchdou.errors import BadRecord
    assert path is not None
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise BadRecord(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise BadRecord(f"{path} is not text in UTF-8: {error}") from None
    if not 1 <= line <= len(lines):
        raise BadRecord(f"{path} has {len(lines)} lines, there is no line {line}")
    final = module.load(lines[line - 1])
    actions = [*getattr(final, "bids", []), *(played for _, played in final.history)]
    if not 1 <= move <= len(actions):
        raise BadRecord(f"the game has {len(actions)} actions, there is no action {move}")
    state = final.game.start(final.deal, final.first)
    for action in actions[:move - 1]:
        state.act(action)
    return state.infoset()


def _play(game: str, seats: str, seed: int, rules: str, bidding: bool, record: Path | None, *,
          explain: bool = False) -> None:
    """One game drawn as it goes; `explain` shows the last real decision of a searching seat with its evidence."""
    from searchdou import view
    from searchdou.agent import Agent
    module = games.load(game)
    if game != "doudizhu" and rules != "standard":
        raise UnknownName(f"rule set of {game}", rules, ["standard"])
    table = module.Game(module.rule_set(rules), bidding=bidding) if game == "doudizhu" else module.Game()
    _check_outputs(record)
    names = _specs(seats)
    if len(names) != table.seats:
        raise SearchDouError(f"{game} has {table.seats} seats, {seats!r} names {len(names)}")
    players = [None if name == "you" else Agent(game, name, seed) for name in names]
    humans = [seat for seat, player in enumerate(players) if player is None]
    only = humans[0] if humans else None
    state = table.deal(seed)
    last: tuple[int, Any] | None = None
    view.show_hands(game, state, names, console, only)
    while not state.is_over:
        seat, phase = state.turn, state.phase
        player = players[seat]
        action: Any
        if player is None:
            action = _ask(game, state)
        elif explain:
            decision = player.analyze(state.infoset())
            action = decision.action
            if sum(estimate.visits > 0 for estimate in decision.values.values()) > 1:
                last = (seat, decision)
        else:
            action = player.act(state.infoset())
        made = state.act(action)
        view.show_action(game, state, seat, made.move if phase == "play" else made.bid, console)
        if phase == "bid" and state.phase == "play":
            console.print(f"The three cards are {state.deal.kitty}.")
            view.show_hands(game, state, names, console, only)
    view.show_end(game, state, console)
    if last:
        console.print(f"\nThe last decision with a choice, by seat {last[0]}:")
        view.show_decision(last[1], console)
    if record:
        with record.open("a", encoding="utf-8") as file:
            file.write(module.dump(state, agents=names, seed=seed) + "\n")


def _ask(game: str, state: Any) -> Any:
    """One legal action typed by a person; `?` lists them, the end of input ends the game."""
    from searchdou import view
    hand = state.hands[state.turn]
    console.print(view.cards(hand) if game == "doudizhu" else view.suited(hand.split()))
    while True:
        try:
            text = console.input(f"[bold]your {state.phase}[/] (? lists): ").strip()
        except EOFError:
            raise SearchDouError("the input ended before the game did") from None
        if text == "?":
            console.print(", ".join(map(str, state.legal_actions())))
            continue
        try:
            if state.phase == "bid":
                if text not in ("0", "1", "2", "3"):
                    raise IllegalAction(f"a bid is 0, 1, 2 or 3, not {text!r}")
                return state.verify_bid(int(text))
            return state.verify_play(text)
        except SearchDouError as error:
            console.print(str(error), style="red", markup=False)


@app.command()
def match(game: GameOption = "doudizhu", a: Annotated[str, typer.Option(help="agent spec")] = "rule",
          b: Annotated[str, typer.Option(help="agent spec")] = "random",
          deals: Annotated[int, typer.Option("--deals", "--decks", help="deals, each played twice")] = 100,
          seed: SeedOption = 0, rules: RulesOption = "standard", workers: WorkersOption = None,
          ray: RayOption = None, store: StoreOption = None, fresh: FreshOption = False, time_s: TimeOption = 1.0,
          as_json: JsonOption = False) -> None:
    """Side a against side b, every deal twice with sides swapped, with 95% intervals paired by deal."""
    from searchdou.arena.match import MatchSettings, run_match
    from searchdou.arena.show import show_match
    from searchdou.arena.store import default_path
    settings = MatchSettings(game, a, b, deals, seed, rules, time_s)
    path = store or default_path()
    found: list[int] = []
    with _cluster(ray, workers) as cluster, _progress() as progress:
        tell = _told(progress, f"{a} v {b}", deals)

        def update(done: int, values: Any) -> None:
            if not found:
                found.append(done)
                _tell_found(done, deals, path)
            tell(done, values)
        result = run_match(settings, workers=1 if workers is None else workers, store=path, fresh=fresh, cluster=cluster,
                           progress=update)
    if as_json:
        _print_json(result.summary())
    else:
        show_match(result.summary(), console)


@app.command()
def tournament(game: GameOption = "gongzhu",
               agents: Annotated[str, typer.Option(help="agent specs, separated by ; or, where none has settings, by ,")]
               = "random,if,greed",
               deals: Annotated[int, typer.Option("--deals", "--decks", help="deals, each played twice")] = 1024,
               seed: SeedOption = 0, rules: RulesOption = "standard", workers: WorkersOption = None,
               ray: RayOption = None, store: StoreOption = None, fresh: FreshOption = False,
               plot: Annotated[Path | None, typer.Option(help="draw the cross tables as heat maps into this file")] = None,
               markdown: Annotated[Path | None, typer.Option(help="write the ratings to this file, in Markdown")] = None,
               anchor: Annotated[str | None, typer.Option(help="the agent rated 0; without it the mean is 0")] = None,
               time_s: TimeOption = 1.0, as_json: JsonOption = False) -> None:
    """Every agent against every other on common deals: cross tables with errors, ratings, WPG, intransitivity."""
    from searchdou.arena.store import default_path
    from searchdou.arena.tournament import check_plot, markdown_of, plot_tournament, run_tournament, show_tournament
    specs = _specs(agents)
    _check_outputs(plot, markdown)
    if plot:
        check_plot(plot)
    if anchor is not None and anchor not in specs:
        raise UnknownName("anchor", anchor, specs)
    path = store or default_path()
    found: dict[str, int] = {}
    with _cluster(ray, workers) as cluster, _progress() as progress:
        tell: dict[str, Any] = {}
        pairs = len(specs) * (len(specs) - 1) // 2

        def update(pair: str, done: int, values: Any) -> None:
            if pair not in tell:
                found[pair] = done
                tell[pair] = _told(progress, f"{len(found)} of {pairs}, {pair}", deals)
            tell[pair](done, values)
        result = run_tournament(game, specs, deals, seed, rules, time_s=time_s, workers=1 if workers is None else workers,
                                store=path, fresh=fresh, cluster=cluster, progress=update)
    _tell_found(sum(found.values()), deals * len(found), path)
    result.anchor = anchor
    if as_json:
        _print_json(result.summary())
    else:
        show_tournament(result, console)
    if markdown:
        markdown.write_text(markdown_of(result), encoding="utf-8")
    if plot:
        plot_tournament(result, plot)


def _check_outputs(*paths: Path | None) -> None:
    """Say before any work that a file cannot be written, or that it holds results."""
    for path in paths:
        if path is None:
            continue
        if path.is_dir() or not path.parent.is_dir():
            why = "it is a folder" if path.is_dir() else "there is no such folder"
            raise SearchDouError(f"{path} cannot be written: {why}")
        if path.exists():
            with path.open("rb") as file:
                if file.read(15) == b"SQLite format 3":
                    raise SearchDouError(f"{path} is a database, such as results are kept in; it is not written over")


def _cluster(address: str | None, workers: int | None) -> AbstractContextManager[Cluster | None]:
    """The Ray cluster asked for, if any."""
    return nullcontext() if address is None else Cluster(address, workers)


def _tell_found(found: int, deals: int, path: Path) -> None:
    """Figures that are not all new say so."""
    if found:
        errors.print(f"{found} of {deals} deals from {path}", markup=False, soft_wrap=True)


@app.command()
def results(store: Annotated[Path | None, typer.Option(help="results file; $SEARCHDOU_STORE or the user's data folder "
                                                             "without it")] = None,
            game: Annotated[str, typer.Option(help="only matches of this game")] = "",
            agent: Annotated[str, typer.Option(help="only matches in which a spec has this in it")] = "",
            since: Annotated[str, typer.Option(help="only matches with deals since this date or time, UTC")] = "",
            match: MatchId = None, less: LessId = None,
            csv: Annotated[str, typer.Option(help="write one row a deal to this file, - is stdout")] = "",
            as_json: JsonOption = False) -> None:
    """List, look into, compare and export the matches that are kept."""
    from searchdou.arena import results as kept
    from searchdou.arena.store import Store, default_path
    if game:
        games.load(game)
    if csv and (less is not None or as_json):
        raise SearchDouError(f"--csv goes without {'--less' if less is not None else '--json'}")
    if csv and csv != "-":
        _check_outputs(Path(csv))
    with Store(store or default_path(), write=False) as opened:
        found = kept.list_matches(opened, game=game, agent=agent, since=kept.utc(since) if since else "", match=match)
        if match is not None and not found:
            raise SearchDouError(f"there is no such match {match} in {opened.path}")
        if less is not None:
            others = kept.list_matches(opened, match=less)
            if match is None or not others:
                raise SearchDouError("--less goes with --match" if match is None
                                     else f"there is no such match {less} in {opened.path}")
            more = kept.difference(opened, found[0], others[0])
            if as_json:
                _print_json(more)
            else:
                kept.show_difference(more, found[0], others[0], console)
        elif csv == "-":
            kept.write_csv(opened, found, sys.stdout)
        elif csv:
            part = Path(csv + ".part")
            with part.open("w", newline="", encoding="utf-8") as file:
                kept.write_csv(opened, found, file)
            part.replace(csv)
        elif as_json and match is not None:
            _print_json({**found[0], "summary": kept.summary_of(opened, found[0]), "deals": opened.rows(match)})
        elif as_json:
            _print_json({"matches": found})
        elif match is not None:
            kept.show_one(opened, found[0], console)
        else:
            kept.show_matches(found, console)


def _print_json(summary: dict[str, Any]) -> None:
    """One object on one line; a figure that a single deal cannot have (an error) is null."""
    print(json.dumps(_without_nan(summary), allow_nan=False))


def _without_nan(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_nan(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_without_nan(inner) for inner in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _specs(text: str) -> list[str]:
    """Agent specs separated by semicolons, or by commas where none has settings."""
    return [spec.strip() for spec in text.split(";" if ";" in text or ":" in text else ",") if spec.strip()]


def _progress() -> Progress:
    return Progress(SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(bar_width=16),
                    TextColumn("{task.fields[value]}", markup=False), console=errors, transient=True,
                    disable=not errors.is_terminal)


def _told(bars: Progress, name: str, deals: int) -> Callable[[int, Any], None]:
    """Progress of one match: a bar of its own on a terminal, else a line now and then."""
    from searchdou import progress
    if not errors.is_terminal:
        return progress.of_match(name, deals)
    short = progress.shortened(name, max(12, errors.width - 75))           # the figures stay whole
    counted, task = progress.Progress(name, deals, "deals"), bars.add_task(short, total=deals, value="")

    def update(done: int, values: Any) -> None:
        bars.update(task, completed=done, value=counted.rest(done, progress.interval(values)))
    return update


@app.command()
def bot(game: GameOption = "doudizhu", agent: Annotated[str, typer.Option(help="agent spec")] = "rule",
        seed: SeedOption = 0) -> None:
    """Speak the bot protocol: one JSON request a line on stdin, one answer a line on stdout (docs/bots.md)."""
    from searchdou.arena.bots import serve
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(encoding="utf-8", errors="replace")
    serve(game, agent, sys.stdin, sys.stdout, seed)


HoursOption = Annotated[float | None, typer.Option(help="of training in all, resumed runs counted; 2 without it")]
TrainSeedOption = Annotated[int | None, typer.Option(help="the same seed gives the same games; 0 without it")]
RunOption = Annotated[Path | None, typer.Option(help="folder of checkpoint, weights, curve and logs; runs/GAME without it")]
ResumeOption = Annotated[bool, typer.Option(help="go on from the checkpoint in the folder, with its settings where none "
                                            "are given")]
TrainRayOption = Annotated[str | None, typer.Option(metavar="[ADDRESS]", help="play on a Ray cluster: auto or host:port; "
                                                    "without an address one on this machine; the learner stays here")]
SetOption = Annotated[list[str] | None, typer.Option("--set", help="any other setting, name=value")]


@train.command("gongzhu")
def train_gongzhu(hours: HoursOption = None, out: RunOption = None, resume: ResumeOption = False,
                  seed: TrainSeedOption = None, ray: TrainRayOption = None, set_: SetOption = None) -> None:
    """Both nets of Gongzhu by self-play on two cores; Ctrl-C saves, --resume goes on (searchdou/train/scrofa.py)."""
    _train("gongzhu", "scrofa", "ScrofaSettings", set_ or [], ray, hours=hours, out=out, resume=resume, seed=seed)


@train.command("doudizhu")
def train_doudizhu(hours: HoursOption = None, out: RunOption = None, resume: ResumeOption = False,
                   seed: TrainSeedOption = None, ray: TrainRayOption = None, set_: SetOption = None) -> None:
    """The nets of DouDizhu by self-play on two cores; Ctrl-C saves, --resume goes on (searchdou/train/dmc.py)."""
    _train("doudizhu", "dmc", "DmcSettings", set_ or [], ray, hours=hours, out=out, resume=resume, seed=seed)


def _settings(kind: Any, items: list[str], **given: Any) -> dict[str, Any]:
    """Settings of a training from name=value words: what is given, by name."""
    known = {field.name: field for field in dataclasses.fields(kind)}
    own = ("hours", "out", "resume", "seed")
    for item in items:
        name, equals, text = item.partition("=")
        if not equals:
            raise SearchDouError(f"--set takes name=value, not {item!r}")
        if name in own:
            raise SearchDouError(f"{name} has an option of its own, --{name}")
        if name not in known:
            raise UnknownName("setting", name, known)
        convert: Any = type(known[name].default)
        try:
            given[name] = convert(text)
        except ValueError:
            raise SearchDouError(f"--set {name} takes {convert.__name__}, not {text!r}") from None
    return given


def _train(game: str, algorithm: str, settings: str, items: list[str], ray: str | None, **given: Any) -> None:
    """Run a training with one live line; whatever stops it, the last checkpoint is whole."""
    try:
        module = importlib.import_module(f"searchdou.train.{algorithm}")
    except ModuleNotFoundError as missing:
        raise SearchDouError(f"training needs {missing.name}: pip install -c constraints.txt -e '.[train]'") from None
    given["out"] = out = given["out"] or Path("runs") / game
    kind = getattr(module, settings)
    chosen = _settings(kind, items, **{name: value for name, value in given.items() if value is not None})
    if chosen["resume"]:
        if "start" in chosen:
            raise SearchDouError("--resume goes on from the checkpoint; start= is where another training begins")
        known = {field.name for field in dataclasses.fields(kind)}       # another training's are told by its checkpoint
        chosen = {**{name: value for name, value in module.Training.kept_settings(out).items() if name in known}, **chosen}
    with _cluster(ray, None) as cluster, errors.status("compiling") as status:
        def tell(line: str, lasting: bool) -> None:
            status.update(line)
            if lasting:
                console.print(line)
        training = module.Training(kind(**chosen), tell, cluster)
        signal.signal(signal.SIGINT, signal.default_int_handler)     # also where a shell started us with it ignored
        signal.signal(signal.SIGTERM, _interrupt)
        try:
            training.run()
        except KeyboardInterrupt:
            if training.saved:
                again = f"searchdou train {game} --resume --out {shlex.quote(str(out))}"
                console.print(f"stopped and saved; go on with: {again}", markup=False, soft_wrap=True)
            else:
                console.print("stopped before anything was trained; nothing was saved")
            raise
    console.print(f"weights and curve are in {out}", markup=False, soft_wrap=True)


def _interrupt(number: int, frame: Any) -> None:
    raise KeyboardInterrupt


@bench.command()
def engine(as_json: JsonOption = False,
           seconds: Annotated[float, typer.Option(help="CPU seconds a measurement")] = 1.0) -> None:
    """Games and legal moves a CPU second: our engine beside the others (benchmarks/engine.py)."""
    _benchmark("engine", as_json=as_json, seconds=seconds)


@bench.command()
def search(as_json: JsonOption = False,
           seconds: Annotated[float, typer.Option(help="CPU seconds a measurement")] = 1.0) -> None:
    """Simulations, deals and weighed deals a CPU second, beside OpenSpiel's MCTS (benchmarks/search.py)."""
    _benchmark("search", as_json=as_json, seconds=seconds)


@bench.command()
def nets(as_json: JsonOption = False) -> None:
    """Microseconds a net evaluation, compiled beside torch (benchmarks/nets.py)."""
    _benchmark("nets", as_json=as_json)


@bench.command()
def budgets(game: GameOption = "gongzhu",
            quick: Annotated[bool, typer.Option("--quick", help="a few cells of few deals, under five minutes")] = False,
            workers: WorkersOption = None, ray: RayOption = None,
            store: Annotated[Path | None, typer.Option(help="results file; one in benchmarks/runs without it")] = None,
            target: Annotated[float | None, typer.Option(help="half width of the interval at which a cell stops")] = None,
            most: Annotated[int | None, typer.Option(help="deals of a cell at most")] = None,
            parts: Annotated[str, typer.Option(help="some of grid,time,leaf,deals,threads; all without it")] = "",
            seed: SeedOption = 2026,
            pictures: Annotated[Path | None, typer.Option(help="folder of the pictures, benchmarks/ without it")] = None,
            as_json: JsonOption = False) -> None:
    """Strength of `search` by samples, simulations, time, leaf, weights and threads (benchmarks/budgets.py)."""
    if workers is not None and workers < 1:
        raise SearchDouError(f"a match needs at least one worker, not {workers}")
    with _cluster(ray, workers) as cluster:
        _benchmark("budgets", game=game, quick=quick, workers=2 if workers is None else workers, store=store,
                   cluster=cluster, target=target, most=most, parts=parts, seed=seed, pictures=pictures, as_json=as_json)


@bench.command()
def soak(count: Annotated[int, typer.Option("--games", help="how many games")] = 10_000, seed: SeedOption = 1,
         first: Annotated[int, typer.Option(help="number of the first game, to repeat one that failed")] = 0,
         as_json: JsonOption = False) -> None:
    """Mixed games with hostile programs and bad files: crashes, illegal moves and leaks must be 0 (benchmarks/soak.py)."""
    _benchmark("soak", games=count, seed=seed, first=first, as_json=as_json)


def _benchmark(name: str, **settings: Any) -> None:
    if not 0 < settings.get("seconds", 1.0) <= 3600:
        raise SearchDouError(f"a measurement takes seconds above 0 and up to an hour, not {settings['seconds']}")
    script = Path(searchdou.__file__).parent.parent / "benchmarks" / f"{name}.py"
    if not script.exists():
        raise UnknownName("benchmark", str(script), ["those in the folder benchmarks/ of the source tree"])
    sys.path.insert(0, str(script.parent))       # benchmarks share code among themselves
    runpy.run_path(str(script))["run"](**settings)


if __name__ == "__main__":
    main()
