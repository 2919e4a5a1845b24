"""docs/measured.md: figures that the maintainers' benchmarks recorded (benchmarks/*.json)."""

from __future__ import annotations

import json
from typing import Any

from docs.blocks import ROOT
from docs.generated.table import table

HEAD = """# Measured

Figures of the maintainers' runs, written from the files in [benchmarks](../benchmarks) by
`python tests/docs/refresh.py --generated`; a test keeps the page fresh. They carry the date and the machine of the run and are
not measured again by the tests. [Benchmarks](benchmarks.md) says what is timed, how, and how to do it on your machine.
"""


def page() -> str:
    """The whole page."""
    parts = [HEAD, _robot(), _growth(), _modes(), _simulation(), _precision(), _ensemble(), _gpu()]
    return "\n".join(parts)


def _read(name: str) -> dict[str, Any]:
    return json.loads((ROOT / "benchmarks" / f"{name}.json").read_text(encoding="utf-8"))


def _machine(m: dict[str, Any]) -> str:
    versions = ", ".join(
        f"{name} {v}" for name, v in m["versions"].items() if name in ("llvmlite", "pin", "mujoco", "casadi", "jax")
    )
    return f"{m['date']}, {m['cpu']}, {m['cores']} cores, Python {m['python']}, {versions}."


def _short(x: float | None, digits: int = 3) -> str:
    if x is None:
        return "–"
    return f"{x:.{digits}g}" if x < 10**digits else f"{x:.0f}"


def _robot() -> str:
    data = _read("bench_pedrammehr2012")
    parts = [
        "## One state, beside other programs",
        "",
        f"`gough bench {data['robot']}`. {_machine(data['machine'])}",
        "",
    ]
    parts += [
        f'{data["scope"][0].upper()}{data["scope"][1:]}. "Apart": largest relative difference from gough\'s answer.'
    ]
    parts += ["A peer whose answer is wrong is named and not timed.", ""]
    for name, function in data["functions"].items():
        rows = [
            [
                row["peer"],
                row["call"],
                str(row["threads"]),
                _short(row["best_ns"], 4),
                _short(row["ratio"]),
                _short(row["difference"], 2),
                row["reason"] or row["remark"],
            ]
            for row in function["rows"]
        ]
        parts += [
            f"### {name}",
            "",
            table(["program", "call", "threads", "ns a state", "times gough", "apart", "note"], rows),
            "",
        ]
        start = function["start"]
        text = (
            f"{function['count']['operations']} operations, {function['count']['instructions']} instructions, "
            f"{100 * function['share_of_issue_limit']:.0f} % of the issue limit of one core. Recorded in "
            f"{start['trace_s']:.2f} s, compiled in {start['compile_s']:.2f} s, from the cache in {start['cached_load_s']:.3f} s."
        )
        parts += [text, ""]
    return "\n".join(parts)


def _growth() -> str:
    data = _read("growth")
    parts = ["## Growth", "", f"`gough bench --growth`. {_machine(data['machine'])}", ""]
    for name, series in data["series"].items():
        if name == "states":
            rows = [
                [_short(p["size"]), f"{p['seconds']:.3g}", f"{p['memory_bytes'] / 1024:.0f}"] for p in series["points"]
            ]
            parts += [f"{series['what']}:", "", table([series["axis"], "seconds", "memory, KiB"], rows), ""]
            continue
        rows = [
            [str(p["size"]), str(p["operations"]), f"{p['compile_s']:.2f}", _short(p["best_ns"])]
            for p in series["points"]
        ]
        parts += [f"{series['what']}:", "", table([series["axis"], "operations", "compile, s", "ns a state"], rows), ""]
    parts.append("![Growth](../benchmarks/growth.png)\n")
    return "\n".join(parts)


def _modes() -> str:
    data = _read("modes_cost")
    parts = ["## Modes and elements", "", f"`python benchmarks/modes_cost.py`. {_machine(data['machine'])}", ""]
    for series in data["series"].values():
        rows = []
        for p in series["points"]:
            row = [str(p["size"]), str(p["nv"])]
            for name in ("inverse_dynamics", "forward_dynamics"):
                row += [
                    str(p[name]["operations"]),
                    f"{p[name]['automatic_compile_s']:.1f}",
                    _short(p[name]["automatic_us"]),
                ]
            rows.append(row)
        head = [
            series["axis"],
            "nv",
            "inverse: operations",
            "compile, s",
            "µs",
            "forward: operations",
            "compile, s",
            "µs",
        ]
        parts += [f"{series['what']}:", "", table(head, rows), ""]
    parts.append("![Cost against modes and elements](../benchmarks/modes_cost.png)\n")
    return "\n".join(parts)


def _cheapest(rows: list[dict[str, Any]], error: float) -> list[list[str]]:
    """Of each method the cheapest run whose error is small enough."""
    best: dict[str, dict[str, Any]] = {}
    for row in rows:
        good = row.get("error") is not None and row["error"] <= error and row.get("stopped", "finished") == "finished"
        if good and (row["method"] not in best or row["cpu_s"] < best[row["method"]]["cpu_s"]):
            best[row["method"]] = row
    ordered = sorted(best.items(), key=lambda item: item[1]["cpu_s"])
    return [[name, f"{row['cpu_s']:.3g}", str(row.get("steps", "–")), f"{row['error']:.1e}"] for name, row in ordered]


def _simulation() -> str:
    data = _read("simulate_dualemps")
    rows = _cheapest(data["whole"], 1e-3)
    text = (
        f"Scenario `{data['scenario']}`, 25 s of DualEMPS with vibrating links; the cheapest run of each method with an error "
        "of at most 1e-3:"
    )
    head = ["method", "CPU s", "steps", "error"]
    where = f"`python benchmarks/simulate_dualemps.py`. {data['date']}, {data['machine']}, Python {data['python']}."
    return "\n".join(["## Simulation of a flexible robot", "", where, "", text, "", table(head, rows), ""])


def _precision() -> str:
    data = _read("work_precision")
    where = f"`python benchmarks/work_precision.py`. {data['date']}, {data['machine']}, Python {data['python']}."
    parts = ["## Work and precision", "", where, ""]
    for name, what in (("rigid", "a rigid robot"), ("flexible", "a flexible one")):
        part = data[name]
        rows = _cheapest(part["rows"], 1e-6)
        text = (
            f"The cheapest run of each method on {what} with an error of at most 1e-6 (references of different methods "
            f"{part['references_apart']:.1e} apart, Exudyn {part['exudyn_apart']:.1e} from them):"
        )
        parts += [text, "", table(["method", "CPU s", "steps", "error"], rows), ""]
    parts.append("![Work and precision](../benchmarks/work_precision.png)\n")
    return "\n".join(parts)


def _ensemble() -> str:
    data = _read("ensemble_hexapod")
    cpu, gpu = data["cpu"], data["gpu"]
    seconds = min(gpu["computing_s"])
    rows = [
        [
            cpu["cpu"],
            str(cpu["runs"]),
            f"{cpu['computing_s']:.0f}",
            _short(cpu["runs_per_s"]),
            f"{cpu['steps_per_s']:.2g}",
        ],
        [gpu["gpu"], str(gpu["runs"]), f"{seconds:.0f}", _short(gpu["runs_per_s"]), f"{gpu['steps_per_s']:.2g}"],
    ]
    head = ["machine", "runs", "s", "runs a second", "steps a second"]
    where = f"`python benchmarks/ensemble_hexapod.py`. {data['date']}; robot `{data['robot']}`, steps of "
    where += f"{data['step_s'] * 1e6:.0f} µs."
    return "\n".join(["## Ten thousand runs of a flexible hexapod", "", where, "", table(head, rows), ""])


def _gpu() -> str:
    data = _read("cuda_h200")
    largest: dict[str, dict[str, Any]] = {}
    for row in data["timed"]:
        if row["name"] not in largest or row["states"] > largest[row["name"]]["states"]:
            largest[row["name"]] = row
    rows = [
        [
            f"`{name}`",
            f"{row['states_per_s']:.2e}",
            "–" if row["issue_share"] is None else f"{100 * row['issue_share']:.0f} %",
            f"{100 * row['memory_share']:.0f} %",
        ]
        for name, row in largest.items()
        if "block" not in name
    ]
    checked = data["checked"]
    text = (
        f"{data['gpu'].split(',')[0]}, {data['date']}, cupy {data['cupy']}. {checked['functions']} functions of "
        f"{len(checked['robots'])} robots agree with the interpreter to {checked['largest_error']:.1e}."
    )
    head = ["function", "states a second", "share of double-precision issue", "share of memory bandwidth"]
    return "\n".join(["## On a GPU", "", text, "", table(head, rows), ""])
