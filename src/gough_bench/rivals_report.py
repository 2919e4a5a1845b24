"""The table of rivals as Markdown, JSON and CSV."""

import csv
import io
import json
from pathlib import Path
from typing import Any

from gough.files import write_file
from gough_bench.ours import OurC, Ours
from gough_bench.report import BUSY, finite_values, machine_lines, number
from gough_bench.rivals_words import is_scalar_loop, known_versions, out_of_place, reading_lines, why_wrong

OUR_BATCH, OUR_C = Ours.call, OurC.call
FIELDS = "robot function peer call threads single best_ns spread ratio_alike difference reason remark".split()
HEAD = ("rival", "call", "threads", "µs a state", "spread", "times gough", "times its C", "error", "note")


def write_rivals(result: dict[str, Any], folder: Path) -> tuple[Path, ...]:
    """Write `rivals.md`, `.json` and `.csv` into a folder (made where it is not there)."""
    paths = tuple(folder / f"rivals.{ending}" for ending in ("md", "json", "csv"))
    data = json.dumps(finite_values(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n"
    for path, text in zip(paths, (rivals_markdown(result), data, _csv(result)), strict=True):
        write_file(path, text)
    return paths


def rewrite_page(folder: str | Path) -> Path:
    """Write the files again from the `rivals.json` that is in a folder; the page."""
    result = json.loads((Path(folder) / "rivals.json").read_text(encoding="utf-8"))
    return write_rivals(result, Path(folder))[0]


def rivals_markdown(result: dict[str, Any]) -> str:
    """The page: a summary of both ways of calling, where gough is not ahead, then all rows."""
    there = {row["peer"] for _, _, row in rows_of(result) if row["difference"] is not None}
    machine = {**result["machine"], "versions": known_versions(result["machine"]["versions"], there)}
    parts = [
        "# Every rival in one table",
        "",
        *machine_lines(machine),
        "",
        f"What is timed: {result['scope']}.",
        "",
        *reading_lines(result),
        "",
    ]
    if result["interrupted"]:
        parts += ["**Interrupted**: what follows was measured before.", ""]
    parts += ["## Where gough is not ahead", "", *_behind_lines(result), ""]
    for function in dict.fromkeys(f for made in result["robots"].values() for f in made["functions"]):
        for single, how in ((True, "one state a call from Python"), (False, "many states at once, one thread")):
            parts += [f"## {function}, {how}", "", *_summary(result, function, single), ""]
    parts += ["## All rows", ""]
    for robot, made in result["robots"].items():
        for function, figures in made["functions"].items():
            parts += [f"### {made['what']}: {function}", "", *_all_rows(robot, figures), ""]
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
            figures = result["robots"][robot]["functions"][function]
            cells.setdefault((row["peer"], row["call"]), {})[robot] = _cell(row, figures)
    if not cells:
        return ["No rival."]
    lines = ["| | " + " | ".join(robots) + " |", "|" + "---|" * (len(robots) + 1)]
    lines += [
        f"| {peer}: {call} | " + " | ".join(found.get(r, "–") for r in robots) + " |"
        for (peer, call), found in cells.items()
    ]
    return lines


def _cell(row: dict[str, Any], figures: dict[str, Any]) -> str:
    error, wrong = _error(row, figures), "**wrong** " if is_wrong(row) else ""
    busy = " ?" if is_doubtful(row) else ""
    if row["best_ns"] is None:
        return f"{wrong}({error})"
    if row["peer"] == "gough":
        return f"{number(row['best_ns'] / 1e3)} µs{busy} ({error})"
    ratio, to_c = row["ratio_alike"], ratio_to_c(row, figures)
    times = f"{number(ratio)}×{f', C {number(to_c)}×' if to_c else ''}{busy} " if ratio else ""
    return f"{wrong}{times}({error})"


def _error(row: dict[str, Any], figures: dict[str, Any]) -> str:
    """Of gough's own calls, where nothing else judges, there is none."""
    if row["difference"] is None:
        return "not finite"
    itself = figures["judge"] == "gough" and row["peer"] == "gough" and row["call"] != OUR_C
    return "–" if itself else f"{row['difference']:.0e}"


def is_doubtful(row: dict[str, Any]) -> bool:
    """Whether the machine was too busy for the row's time."""
    return row["spread"] is not None and row["spread"] > BUSY


def ratio_to_c(row: dict[str, Any], figures: dict[str, Any]) -> float | None:
    """Time over that of gough's exported C, both a loop over states on one thread; None where there is none."""
    own = next((r["best_ns"] for r in figures["rows"] if r["call"] == OUR_C), None)
    alike = is_scalar_loop(row) and row["threads"] == 1 and row["best_ns"]
    return row["best_ns"] / own if own and alike else None


def _all_rows(robot: str, figures: dict[str, Any]) -> list[str]:
    lines = ["| " + " | ".join(HEAD) + " |", "|" + "---|" * len(HEAD)]
    for row in figures["rows"]:
        if row["reason"].startswith("does not have"):
            continue
        timed, wrong = row["best_ns"] is not None, why_wrong(row) if is_wrong(row) else ""
        notes = (row["reason"], wrong.partition(":")[0], row["remark"] if timed else "", out_of_place(robot, row))
        shown = (
            row["peer"],
            row["call"],
            str(row["threads"]),
            number(row["best_ns"] / 1e3) if timed else "–",
            f"{100 * row['spread']:.0f} %{' ?' if is_doubtful(row) else ''}" if timed else "–",
            number(row["ratio_alike"]) if row["ratio_alike"] else "–",
            number(to_c) if (to_c := ratio_to_c(row, figures)) else "–",
            _error(row, figures) if row["difference"] is not None else "–",
            "; ".join(text for text in notes if text),
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
