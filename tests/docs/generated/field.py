"""What is measured beside other programs, from benchmarks/*.json: a part of docs/comparison.md, and paper/paper.md,
a report of two pages in the form of the Journal of Open Source Software."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable
from typing import Any

from docs.blocks import ROOT
from docs.generated.table import table

ROBOTS = {"hexapod": "hexapod", "delta": "Delta", "five_bar": "five-bar"}
SHORT = {"rnea, getConstraintsJacobian, NumPy's least squares": "rnea and loop Jacobians"}
"""Calls with a shorter name here."""
HEAD = """Times of one core, {date}, {cpu}; all take turns in one run, on the same states. A number is how many times
gough's own time a call took, called the same way; in brackets is the largest relative error. Programs in C and C++ take one
state after the other; gough's batches take {lanes} at once, the lanes of the CPU's vectors. Its exported C, one state at a time
as well, needs {scalar} times as long as a batch. [All rows](benchmarks.md#rivals)."""
ZOO = """Of {all} public robot files that nobody wrote for gough, {right} agree with another program that read the same file,
{differs} differ for known reasons, {read} are read and have no peer, and {refused} are refused with a reason."""
PAPER = (ROOT / "tests" / "docs" / "generated" / "paper.md").read_text(encoding="utf-8")


def comparison_part() -> str:
    """Tables of times and errors beside other programs, and files of others that were read."""
    rivals = _read("rivals")
    machine = rivals["machine"]
    names = list(ROBOTS)
    parts = [HEAD.format(**machine, scalar=_scalar_cost(rivals))]
    for function, words in (("inverse_dynamics", "Drive forces of a motion"), ("forward_dynamics", "Accelerations")):
        for single, way in ((True, "one state a call from Python"), (False, "many states at once")):
            rows = [
                [rival, *[_told(rivals, name, function, rival, single) for name in names]]
                for rival in _peers(rivals, names, function, single)
            ]
            parts += ["", f"**{words}, {way}**", "", table(["", *ROBOTS.values()], rows)]
    return "\n".join([*parts, "", _zoo_sentence()])


def paper() -> str:
    """The report; its numbers are those of the files."""
    rivals, studies = _read("rivals"), _read("studies")
    hexapod = rivals["robots"]["hexapod"]["functions"]
    bending = rivals["robots"]["flexible"]["functions"]["forward_dynamics"]["rows"]
    sweep, stiffer = studies["rows"][0], studies["bending"]
    best = {name: _of(hexapod[name]["rows"], "gough", False) for name in hexapod}
    words = {
        "version": tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"],
        "date": rivals["machine"]["date"],
        "cpu": rivals["machine"]["cpu"],
        "inverse_ns": f"{best['inverse_dynamics']['best_ns']:.0f}",
        "forward_ns": f"{best['forward_dynamics']['best_ns']:.0f}",
        "operations": str(hexapod["inverse_dynamics"]["count"]["operations"]),
        "inverse_pinocchio": _ratio(_of(hexapod["inverse_dynamics"]["rows"], "Pinocchio C++", False)),
        "forward_pinocchio": _ratio(_of(hexapod["forward_dynamics"]["rows"], "Pinocchio C++", False)),
        "forward_mujoco": _ratio(_of(hexapod["forward_dynamics"]["rows"], "MuJoCo", False)),
        "bending_ns": f"{_of(bending, 'gough', False)['best_ns']:.0f}",
        "lanes": str(rivals["machine"]["lanes"]),
        "scalar": _scalar_cost(rivals),
        "times": comparison_table(rivals),
        "zoo": _zoo_sentence(),
        "designs": f"{sweep['designs']:.0e}".replace("e+0", "e").replace("1e6", "10⁶"),
        "sweep_minutes": f"{sweep['seconds'] / 60:.1f}",
        "gradients": str(stiffer["gradients"]),
        "hertz_before": f"{stiffer['before']['frequency']:.1f}",
        "hertz_after": f"{stiffer['after']['frequency']:.1f}",
    }
    text = PAPER
    for name, value in words.items():
        text = text.replace(f"{{{{{name}}}}}", value)
    return text


def comparison_table(rivals: dict[str, Any]) -> str:
    """Forward dynamics of many states, the shortest way of each program."""
    names = list(ROBOTS)
    rows = [
        [rival, *[_told(rivals, name, "forward_dynamics", rival, False) for name in names]]
        for rival in _peers(rivals, names, "forward_dynamics", False)
    ]
    return table(["", *ROBOTS.values()], rows)


def _read(name: str) -> dict[str, Any]:
    return json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))


def _rows(rivals: dict[str, Any], robot: str, function: str, single: bool) -> list[dict[str, Any]]:
    rows = rivals["robots"][robot]["functions"][function]["rows"]
    return [row for row in rows if row["single"] == single and row["threads"] == 1 and row["best_ns"] is not None]


def _title(row: dict[str, Any]) -> str:
    return f"{row['peer']}: {SHORT.get(row['call'], row['call'])}"


def _peers(rivals: dict[str, Any], robots: Iterable[str], function: str, single: bool) -> list[str]:
    """Calls of gough first, then of the others in the order of the file."""
    found = {_title(row): None for robot in robots for row in _rows(rivals, robot, function, single)}
    return [name for name in found if not name.startswith("gough: exported")]


def _told(rivals: dict[str, Any], robot: str, function: str, title: str, single: bool) -> str:
    row = next((row for row in _rows(rivals, robot, function, single) if _title(row) == title), None)
    if row is None:
        return "–"
    if row["peer"] == "gough":
        return f"{_time(row['best_ns'])} ({row['difference']:.0e})"
    if row["reason"]:
        return f"wrong ({row['difference']:.0e})"
    own = next(r for r in _rows(rivals, robot, function, single) if r["peer"] == "gough")
    return f"{row['best_ns'] / own['best_ns']:.3g}× ({row['difference']:.0e})"


def _time(ns: float) -> str:
    return f"{ns / 1e3:.2g} µs" if ns >= 1e3 else f"{ns:.0f} ns"


def _of(rows: list[dict[str, Any]], peer: str, single: bool) -> dict[str, Any]:
    fitting = (row for row in rows if row["peer"] == peer and row["single"] == single and row["threads"] == 1)
    return next(row for row in fitting if row["best_ns"] is not None and not row["reason"])


def _scalar_cost(rivals: dict[str, Any]) -> str:
    """How many times a batch's time exported C takes, over the robots."""
    found = [
        row["ratio"]
        for robot in ROBOTS
        for function in ("inverse_dynamics", "forward_dynamics")
        for row in _rows(rivals, robot, function, False)
        if row["call"].startswith("exported C")
    ]
    return f"{min(found):.1f} to {max(found):.1f}"


def _ratio(row: dict[str, Any]) -> str:
    return f"{row['ratio']:.0f}"


def _zoo_sentence() -> str:
    verdicts = [row["verdict"] for row in _read("zoo")["files"]]
    kinds = ("right", "differs", "read", "refused")
    return ZOO.format(all=len(verdicts), **{kind: verdicts.count(kind) for kind in kinds})
