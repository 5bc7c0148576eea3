"""What a results store holds, for people: the list of matches, one match with its deals, and all deals as CSV."""

from __future__ import annotations

import csv
import json
from datetime import UTC, datetime
from typing import IO, Any

import numpy as np
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from searchdou.arena.formats import format_of
from searchdou.arena.match import MatchResult, MatchSettings
from searchdou.arena.show import pm, show_match
from searchdou.arena.stats import ci95
from searchdou.arena.store import Store
from searchdou.arena.table import Clock
from searchdou.errors import SearchDouError

SIDES = ("a", "b")
WIDE = 120          # columns of a terminal that shows all there is


def utc(text: str) -> str:
    """A date or a time of day as the store writes it; without a zone it is UTC."""
    try:
        when = datetime.fromisoformat(text)
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise SearchDouError(f"--since takes a date such as 2026-01-31 or 2026-01-31T18:00, not {text!r}") from None
    return when.isoformat(timespec="seconds")


def list_matches(store: Store, **chosen: Any) -> list[dict[str, Any]]:
    """The matches chosen, each with its headline figure, the interval of that, and milliseconds a decision."""
    found = []
    for match in store.matches(**chosen):
        deals = store.deals(match["id"]).values()
        name, values = format_of(match["game"], match["rules"]).headline(np.array([deal.outcomes for deal in deals]))
        milliseconds = {side: 1000 * match.pop(f"{side}_seconds") / max(1, match.pop(f"{side}_decisions")) for side in SIDES}
        found.append({**match, "figure": name, "mean": float(values.mean()), "ci95": ci95(values),
                      "ms_per_decision": milliseconds})
    return found


def show_matches(matches: list[dict[str, Any]], console: Console) -> None:
    """One line a match; a narrow terminal shows what matters most."""
    table = Table(title="matches (figures of a, ± 95%)")
    columns = ["id", "game", "a", "b", "deals", "figure"]
    if console.width >= WIDE:
        columns += ["seed", "ms a decision", "version", "commit", "played (UTC)"]
    for column in columns:
        table.add_column(column, justify="right" if column in ("id", "seed", "deals", "ms a decision") else "left",
                         overflow="fold")
    for match in matches:
        commits = match["commits"]
        cells = {
            "id": f"{match['id']}" + (f" (attempt {match['attempt']})" if match["attempt"] > 1 else ""),
            "game": match["game"] + ("" if match["rules"] == "standard" else f" {match['rules']}"),
            "a": escape(match["a"]), "b": escape(match["b"]), "deals": str(match["deals"]), "seed": str(match["seed"]),
            "figure": f"{match['figure']} {pm(match['mean'], match['ci95'], 1 if match['game'] == 'gongzhu' else 3)}",
            "ms a decision": " / ".join(f"{match['ms_per_decision'][side]:.3g}" for side in SIDES),
            "version": match["version"], "played (UTC)": match["played"][:16].replace("T", " "),
            "commit": commits[0] if len(commits) == 1 else f"{len(commits)} commits: {', '.join(commits)}"}
        table.add_row(*(cells[column] for column in columns))
    console.print(table)


def show_one(store: Store, match: dict[str, Any], console: Console) -> None:
    """A match with all that decided it, and its deals."""
    show_match(summary_of(store, match), console)
    for side in SIDES:
        weights = f", weights {match[f'{side}_weights'][:12]}" if match[f"{side}_weights"] else ""
        settings = json.dumps(match[f"{side}_settings"])
        console.print(f"{side}: {match[side]} {settings}{weights}", markup=False, soft_wrap=True)
    console.print(f"rules {match['rules']}, version {match['version']}, {match['time_s']:g} s a move for programs "
                  f"({match['start_s']:g} s more to start), attempt {match['attempt']}, begun {match['begun']}")
    if len(match["commits"]) > 1:
        console.print(f"[bold yellow]its deals come from {len(match['commits'])} commits[/]: {', '.join(match['commits'])}")
    table = Table(title=f"deals of match {match['id']}, outcomes of a")
    for column in ("deal", "game 1", "game 2", "s of a", "s of b", "forfeits", "commit", "played (UTC)"):
        table.add_column(column, justify="left" if column in ("commit", "played (UTC)") else "right")
    for row in store.rows(match["id"]):
        a, b = row["clocks"]
        table.add_row(str(row["number"]), f"{row['outcome_1']:g}", f"{row['outcome_2']:g}", f"{a['seconds']:.3f}",
                      f"{b['seconds']:.3f}", str(sum(a["forfeits"].values()) + sum(b["forfeits"].values())),
                      row["git_commit"], row["played"][:19].replace("T", " "))
    console.print(table)


def summary_of(store: Store, match: dict[str, Any]) -> dict[str, Any]:
    """The figures that the match itself printed."""
    deals = list(store.deals(match["id"]).values())
    settings = MatchSettings(match["game"], match["a"], match["b"], len(deals), match["seed"], match["rules"],
                             match["time_s"], match["start_s"])
    clocks = {side: Clock() for side in SIDES}
    for deal in deals:
        for clock, part in zip(clocks.values(), deal.clocks, strict=True):
            clock.add(part)
    result = MatchResult(settings, np.array([deal.outcomes for deal in deals]), clocks)
    return {**result.summary(), "version": match["version"]}


def difference(store: Store, one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """What side a of one match has over side a of another, paired by deal on the deals that both have played."""
    for what in ("game", "rules", "seed"):
        if one[what] != other[what]:
            raise SearchDouError(f"matches {one['id']} and {other['id']} have no deals in common: their {what} is "
                                 f"{one[what]} and {other[what]}")
    played = [store.deals(match["id"]) for match in (one, other)]
    numbers = sorted(played[0].keys() & played[1].keys())
    if not numbers:
        raise SearchDouError(f"matches {one['id']} and {other['id']} have no deals in common")
    summary = format_of(one["game"], one["rules"]).headline
    (name, values), (_, less) = (summary(np.array([deals[number].outcomes for number in numbers])) for deals in played)
    return {"match": one["id"], "less": other["id"], "deals": len(numbers), "figure": name,
            "mean": float((values - less).mean()), "ci95": ci95(values - less)}


def show_difference(found: dict[str, Any], one: dict[str, Any], other: dict[str, Any], console: Console) -> None:
    """The difference in a line."""
    digits = 1 if one["game"] == "gongzhu" else 3
    console.print(f"{one['a']} v {one['b']} less {other['a']} v {other['b']}: {found['figure']} "
                  f"{pm(found['mean'], found['ci95'], digits)}, paired by deal, {found['deals']} common deals", markup=False,
                  soft_wrap=True)


def write_csv(store: Store, matches: list[dict[str, Any]], file: IO[str]) -> None:
    """One row a deal with everything that is known of it, for an audit by other tools."""
    whole = ("id", "identity", "attempt", "game", "rules", "seed", "a", "b", "a_settings", "b_settings", "a_weights",
             "b_weights", "version", "time_s", "start_s", "begun")
    clock = ("decisions", "seconds", "forfeits", "reasons")
    sink = csv.writer(file, lineterminator="\n")
    sink.writerow(["match", *whole[1:], "deal", "outcome_1", "outcome_2",
                   *(f"{side}_{key}" for side in SIDES for key in clock), "commit", "played"])
    for match in matches:
        head = [_cell(match[key]) for key in whole]
        for row in store.rows(match["id"]):
            sink.writerow([*head, row["number"], row["outcome_1"], row["outcome_2"],
                           *(_cell(part[key]) for part in row["clocks"] for key in clock), row["git_commit"], row["played"]])


def _cell(value: Any) -> Any:
    return json.dumps(value) if isinstance(value, (dict, list)) else value
