"""What the scripts that print a paper's tables share: matches that resume, tables, pictures, the command line's common part.

Every match and every game looked at is kept under benchmarks/runs/, so a run goes on where it was stopped and more deals
extend it: matches in results.sqlite there (`searchdou results --store benchmarks/runs/results.sqlite`), other games in a
file each. What is kept counts for the same specs with all settings of `search`, seed and nets' weights, not for the same
code: after a change of the code give another --runs.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import multiprocessing
import re
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import searchdou
from searchdou import agents
from searchdou.arena.match import MatchResult, MatchSettings, run_match
from searchdou.errors import SearchDouError
from searchdou.processes import end_with_parent
from searchdou.progress import Line, Progress, of_match

HERE = Path(__file__).parent
STORE = "results.sqlite"      # in the folder of the runs
LINE = Line(kept=True)        # of progress: every match leaves one


@dataclass(frozen=True)
class Bench:
    """How the parts of a paper are run."""

    game: str
    script: str             # file name, for the commands printed
    parts: dict[str, int]   # deals (or games) of a part when none are given
    with_nets: tuple[str, ...]      # agents that play by nets
    options: argparse.Namespace
    nets: str               # folder of the nets; without it those that came with the package
    digest: str             # of the nets' weights
    rules: str = "standard"

    def __hash__(self) -> int:
        return id(self)

    def __getattr__(self, name: str) -> Any:
        """An option of the command line."""
        return getattr(self.options, name)

    def number(self, part: str) -> int:
        """Deals of a part."""
        return int(self.options.deals or self.parts[part])

    def spec(self, text: str) -> str:
        """A spec with the folder of the nets where one is given."""
        if not self.nets or agents.Spec.parse(text).name not in self.with_nets:
            return text
        return f"{text}{',' if ':' in text else ':'}nets={self.nets}"

    def match(self, a: str, b: str, part: str, deals: int | None = None) -> MatchResult:
        """Side a against side b on the part's deals, resumed from the store."""
        settings = MatchSettings(self.game, self.spec(a), self.spec(b), deals or self.number(part), self.options.seed,
                                 self.rules)
        return run_match(settings, workers=self.options.workers, store=self.options.runs / STORE,
                         progress=of_match(f"{a} v {b}", settings.deals, LINE))

    def file(self, name: str, identity: str) -> Path:
        """Where something is kept: a name to read and a hash of all that decides it."""
        runs: Path = self.options.runs
        runs.mkdir(parents=True, exist_ok=True)
        readable = re.sub(r"[^a-z0-9.]+", "-", name.lower())[:120]
        return runs / f"{self.game}-{readable}-{hashlib.sha256(identity.encode()).hexdigest()[:12]}.jsonl"

    def head(self, title: str, part: str, *more: str) -> None:
        """The title of a part and the command that makes it."""
        given = self.options.nets
        words = [part, *([f"--deals {self.number(part)}"] if part in self.parts else []), *more,
                 *([f"--nets {given}"] if given else []), f"--seed {self.options.seed}"]
        nets = f" Weights {self.digest}." if self.digest else ""
        print(f"\n## {title}\n\n`python benchmarks/{self.script} {' '.join(words)}`\n\nSearchDou "
              f"{searchdou.__version__}.{nets}", flush=True)


@cache
def all_settings(game: str, spec: str) -> str:
    """A spec with all that `search` was left to decide by itself, so that a new default is another run."""
    settings = getattr(agents.make(game, spec), "settings", "") if spec.startswith("search") else ""
    return f"{spec} {settings}"


def table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    print()
    for row in (columns, ["---"] * len(columns), *rows):
        print(f"| {' | '.join(row)} |")
    print(flush=True)


def with_settings(name: str, settings: str) -> str:
    return f"{name}:{settings}" if settings else name


def plots() -> Any:
    import matplotlib
    matplotlib.use("Agg")
    from matplotlib import pyplot
    return pyplot


def saved(bench: Bench, figure: Any, name: str) -> Path:
    bench.pictures.mkdir(parents=True, exist_ok=True)
    figure.savefig(bench.pictures / name, dpi=130)
    plots().close(figure)
    return bench.pictures / name


def each_game(work: Callable[[int], Any], games: int, workers: int, out: Path) -> list[Any]:
    """work(0) .. work(games - 1), in several processes, each answer written to `out` at once and not worked out again."""
    text = out.read_text() if out.exists() else ""
    whole = text[:text.rfind("\n") + 1]              # a last line cut short is dropped
    if whole != text:
        out.write_text(whole)
    done = {row["game"]: row["rows"] for row in map(json.loads, whole.splitlines())}
    todo = [number for number in range(games) if number not in done]
    found, told = len(done), Progress(out.stem, games, "games", LINE)
    told(games - len(todo))
    with out.open("a") as sink:
        def keep(number: int, rows: Any) -> None:
            done[number] = rows
            sink.write(json.dumps({"game": number, "rows": rows}) + "\n")
            sink.flush()
            told(games - len(todo) + len(done) - found)
        if workers == 1 or len(todo) < 4 * workers:
            for number in todo:
                keep(number, work(number))
        else:
            with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn"), end_with_parent) as pool:
                futures = {pool.submit(work, number): number for number in todo}
                try:
                    for future in as_completed(futures):
                        keep(futures[future], future.result())
                except BaseException:
                    pool.shutdown(cancel_futures=True)
                    raise
    return [done[number] for number in range(games)]


def frozen_nets(folder: str, files: Sequence[str], runs: Path) -> tuple[str, str]:
    """A copy of the nets of `folder` that no training changes, and a digest of the weights; both '' when there are none."""
    home = Path(folder) if folder else Path(searchdou.__file__).parent / "weights"
    paths = [home / name for name in files]
    missing = [path for path in paths if not path.exists()]
    if missing:
        if folder:
            raise SearchDouError(f"there is no {missing[0]}")
        return "", ""
    data = [path.read_bytes() for path in paths]
    digest = hashlib.sha256(b"".join(data)).hexdigest()[:12]
    if not folder:
        return "", digest
    copy = (runs / f"nets-{digest}").resolve()
    copy.mkdir(parents=True, exist_ok=True)
    for path, content in zip(paths, data, strict=True):
        (copy / path.name).write_bytes(content)
    return str(copy), digest


def parser_of(doc: str | None, parts: dict[str, Any], deals: dict[str, int]) -> argparse.ArgumentParser:
    """The options all papers have."""
    parser = argparse.ArgumentParser(description=doc, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", metavar="PART", nargs="+", choices=[*parts, "all"], help=", ".join([*parts, "all"]))
    parser.add_argument("--deals", type=int, help="deals (or games) of every part; " + ", ".join(
        f"{part} {number}" for part, number in deals.items()) + " when left out")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--nets", default="", help="folder of the nets; without it those that came with the package")
    parser.add_argument("--runs", type=Path, default=HERE / "runs", help="where matches are kept")
    parser.add_argument("--pictures", type=Path, default=HERE, help="where pictures go")
    parser.add_argument("--seed", type=int, default=2026)
    return parser


def run_parts(options: argparse.Namespace, parts: dict[str, Callable[[Bench], None]], make: Callable[[], Bench]) -> None:
    """Every part asked for; one that fails leaves the others."""
    name = Path(sys.argv[0]).stem
    try:
        if options.deals is not None and options.deals < 1:
            raise SearchDouError(f"--deals must be at least 1, not {options.deals}")
        bench = make()
    except SearchDouError as error:
        raise SystemExit(f"{name}: {error}") from None
    failed = []
    for part in parts if "all" in options.parts else dict.fromkeys(options.parts):
        try:
            parts[part](bench)
        except SearchDouError as error:              # the other parts may still be had
            failed.append(part)
            print(f"{name}: {part}: {error}", file=sys.stderr, flush=True)
    if failed:
        raise SystemExit(1)
