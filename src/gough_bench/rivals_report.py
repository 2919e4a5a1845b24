"""The table of rivals as Markdown, JSON and CSV."""

import csv
import io
import json
from pathlib import Path
from typing import Any

from gough.files import write_file
from gough_bench.ours import Ours
from gough_bench.report import finite_values, machine_lines, number

OUR_BATCH = Ours.call
FIELDS = "robot function peer call threads single best_ns spread ratio_alike difference reason remark".split()
HEAD = ("rival", "call", "threads", "µs a state", "spread", "times gough", "error", "note")


def write_rivals(result: dict[str, Any], folder: Path) -> tuple[Path, ...]:
    """Write `rivals.md`, `.json` and `.csv` into a folder (made where it is not there)."""
    paths = tuple(folder / f"rivals.{ending}" for ending in ("md", "json", "csv"))
    data = json.dumps(finite_values(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    for path, text in zip(paths, (rivals_markdown(result), data, _csv(result)), strict=True):
        write_file(path, text)
    return paths


def rivals_markdown(result: dict[str, Any]) -> str:
    """The page: a summary of both ways of calling, where gough is not ahead, then all rows."""
    parts = [
        "# Every rival in one table",
        "",
        *machine_lines(result["machine"]),
        "",
        f"What is timed: {result['scope']}.",
        "",
    ]
    if result["interrupted"]:
        parts += ["**Interrupted**: what follows was measured before.", ""]
    parts += ["## Where gough is not ahead", "", *_behind_lines(result), ""]
    for function in dict.fromkeys(f for made in result["robots"].values() for f in made["functions"]):
        for single, how in ((True, "one state a call from Python"), (False, "many states at once, one thread")):
            parts += [f"## {function}, {how}", "", *_summary(result, function, single), ""]
    parts += ["## All rows", ""]
    for made in result["robots"].values():
        for function, figures in made["functions"].items():
            parts += [f"### {made['what']}: {function}", "", *_all_rows(figures), ""]
    return "\n".join(parts).rstrip() + "\n"


def rows_of(result: dict[str, Any]) -> list[tuple[str, str, dict[str, Any]]]:
    """(robot, function, row) of everything."""
    return [
        (robot, function, row)
        for robot, made in result["robots"].items()
        for function, figures in made["functions"].items()
        for row in figures["rows"]
    ]


def is_wrong(row: dict[str, Any]) -> bool:
    """Whether the row's answer is."""
    return row["reason"].startswith("wrong answer")


def behind(result: dict[str, Any]) -> list[str]:
    """A sentence for every rival with a right answer that is as fast as gough or faster."""
    ahead = [
        (robot, function, row)
        for robot, function, row in rows_of(result)
        if row["ratio_alike"] and row["ratio_alike"] <= 1.0 and row["peer"] != "gough" and not is_wrong(row)
    ]
    return [
        f"{function} of `{robot}`: {row['peer']} ({row['call']}, {_threads(row)}) takes {number(row['ratio_alike'])} of "
        f"gough's time"
        for robot, function, row in ahead
    ]


def _threads(row: dict[str, Any]) -> str:
    return "one state a call" if row["single"] else f"{row['threads']} thread{'s' if row['threads'] > 1 else ''}"


def closer(result: dict[str, Any]) -> list[str]:
    """A sentence for every function of a robot in which rivals are nearer to the truth than gough's batch."""
    found = []
    for robot, made in result["robots"].items():
        for function, figures in made["functions"].items():
            own = next((row["difference"] for row in figures["rows"] if row["call"] == OUR_BATCH), None)
            near = {
                f"{row['peer']} ({row['call']}) {row['difference']:.1e}"
                for row in figures["rows"]
                if own and row["peer"] != "gough" and row["difference"] is not None and row["difference"] < own
            }
            if near and figures["judge"] != "gough":
                found.append(f"{function} of `{robot}`: gough {own:.1e}, {', '.join(sorted(near))}")
    return found


def idle_threads(result: dict[str, Any]) -> list[str]:
    """A sentence for every function of a robot whose batch gough evaluates no faster on more threads."""
    found = []
    for robot, made in result["robots"].items():
        for function, figures in made["functions"].items():
            times = {row["threads"]: row["best_ns"] for row in figures["rows"] if row["call"] == OUR_BATCH}
            more = {k: x for k, x in times.items() if k > 1 and x and times.get(1) and x >= times[1]}
            found += [
                f"{function} of `{robot}`: {number(x)} ns a state on {k} threads, {number(times[1])} ns on one"
                for k, x in more.items()
            ]
    return found


def _behind_lines(result: dict[str, Any]) -> list[str]:
    none = "in no row of this run; every rival with a right answer took longer than gough called the same way"
    parts = (
        ("Time", behind(result), none),
        ("Distance from the truth", closer(result), "in no row"),
        ("More threads that gain nothing", idle_threads(result), "nowhere"),
    )
    lines = []
    for what, found, otherwise in parts:
        lines += [f"{what}: {otherwise}.", ""] if not found else [f"{what}:", "", *(f"- {x}" for x in found), ""]
    starting = "gough traces and compiles a robot before its first batch (`growth.md` has the times)"
    return [*lines, f"Starting: {starting}; of the rivals only MJX and MuJoCo Warp do."]


def _summary(result: dict[str, Any], function: str, single: bool) -> list[str]:
    """Rivals down, robots across; in a cell times gough and the error."""
    robots = [name for name, made in result["robots"].items() if function in made["functions"]]
    cells: dict[tuple[str, str], dict[str, str]] = {}
    for robot, which, row in rows_of(result):
        if (
            which == function
            and row["single"] == single
            and row["threads"] == 1
            and (row["best_ns"] or row["difference"] is not None)
        ):
            cells.setdefault((row["peer"], row["call"]), {})[robot] = _cell(row)
    if not cells:
        return ["No rival."]
    lines = ["| | " + " | ".join(robots) + " |", "|" + "---|" * (len(robots) + 1)]
    lines += [
        f"| {peer}: {call} | " + " | ".join(found.get(r, "–") for r in robots) + " |"
        for (peer, call), found in cells.items()
    ]
    return lines


def _cell(row: dict[str, Any]) -> str:
    error = "not finite" if row["difference"] is None else f"{row['difference']:.0e}"
    wrong = "**wrong** " if is_wrong(row) else ""
    if row["best_ns"] is None:
        return f"{wrong}({error})"
    if row["peer"] == "gough":
        return f"{number(row['best_ns'] / 1e3)} µs ({error})"
    return f"{wrong}{number(row['ratio_alike'])}× ({error})" if row["ratio_alike"] else f"{wrong}({error})"


def _all_rows(figures: dict[str, Any]) -> list[str]:
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    for row in figures["rows"]:
        if row["reason"].startswith("does not have"):
            continue
        timed = row["best_ns"] is not None
        shown = (
            row["peer"],
            row["call"],
            str(row["threads"]),
            number(row["best_ns"] / 1e3) if timed else "–",
            f"{100 * row['spread']:.0f} %" if timed else "–",
            number(row["ratio_alike"]) if row["ratio_alike"] else "–",
            f"{row['difference']:.0e}" if row["difference"] is not None else "–",
            "; ".join(text for text in (row["reason"], row["remark"]) if text),
        )
        lines.append("| " + " | ".join(shown) + " |")
    return lines


def _csv(result: dict[str, Any]) -> str:
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(FIELDS)
    for robot, function, row in rows_of(result):
        known = {**row, "robot": robot, "function": function}
        writer.writerow([known[field] for field in FIELDS])
    return out.getvalue()
