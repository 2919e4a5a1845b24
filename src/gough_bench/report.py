"""A result as Markdown and JSON."""

import json
import math
from pathlib import Path
from typing import Any

from gough.files import write_file


def write(result: dict[str, Any], folder: Path) -> tuple[Path, Path]:
    """Write `bench_ROBOT.json` and `.md` into a folder (made where it is not there)."""
    data, page = folder / f"bench_{result['robot']}.json", folder / f"bench_{result['robot']}.md"
    write_file(data, json.dumps(finite_values(result), indent=1, ensure_ascii=False, allow_nan=False) + "\n")
    write_file(page, markdown(result))
    return page, data


def markdown(result: dict[str, Any]) -> str:
    """The page of one result."""
    parts = [f"# {result['robot']}: measured times", "", *machine_lines(result["machine"]), ""]
    parts += [f"What is timed: {result['scope']}.", f"Share of the issue limit: {result['share']}.", ""]
    if result["interrupted"]:
        parts += ["**Interrupted**: what follows was measured before.", ""]
    for name, made in result["functions"].items():
        parts += [f"## {name}", "", *_count_lines(made), "", *table_lines(made), ""]
        parts += [f"**Doubtful**: {text}.", ""] if (text := doubt(made)) else []
        parts += [*_start_lines(made), *_gpu_lines(made), ""]
    parts += [f"{name}: {reason}" for name, reason in result["absent"].items()]
    return "\n".join(parts).rstrip() + "\n"


def machine_lines(machine: dict[str, Any]) -> list[str]:
    """CPU, date and versions."""
    versions = ", ".join(f"{name} {found}" for name, found in machine["versions"].items())
    text = (
        f"{machine['date']}, {machine['cpu']} ({machine['llvm_cpu']}), {machine['cores']} cores, {machine['lanes']} lanes of "
        f"doubles, {machine['system']}, Python {machine['python']}; {versions}."
    )
    return [text]


def rows(made: dict[str, Any]) -> list[tuple[str, ...]]:
    """(peer, call, threads, ns a state, spread, ratio, difference, note) of every row, as text."""
    shown = []
    for row in made["rows"]:
        timed = row["best_ns"] is not None
        shown.append(
            (
                row["peer"],
                row["call"] or "",
                str(row["threads"]),
                number(row["best_ns"]) if timed else "–",
                f"{100 * row['spread']:.0f} %" if timed else "–",
                number(row["ratio"]) if row["ratio"] else "–",
                f"{row['difference']:.0e}" if row["difference"] is not None else "–",
                row["reason"] or row["remark"],
            )
        )
    return shown


BUSY = 0.25
"""Spread above which a row's time, and so its ratio, is doubtful."""


def doubt(made: dict[str, Any]) -> str:
    """A warning where the machine was too busy for the figures to be trusted; "" where it was not."""
    spreads = [row["spread"] for row in made["rows"] if row["spread"] is not None]
    if not spreads or max(spreads) <= BUSY:
        return ""
    return (
        f"the machine was busy: medians lie up to {100 * max(spreads):.0f} % above the best times, so times and ratios are "
        f"doubtful; measure again when nothing else runs"
    )


COLUMNS = ("peer", "call", "threads", "ns a state", "spread", "times gough", "difference", "note")


def table_lines(made: dict[str, Any]) -> list[str]:
    """The rows as a Markdown table."""
    lines = ["| " + " | ".join(COLUMNS) + " |", "|" + "---|" * len(COLUMNS)]
    return lines + ["| " + " | ".join(row) + " |" for row in rows(made)]


def _count_lines(made: dict[str, Any]) -> list[str]:
    c = made["count"]
    text = f"{c['operations']} operations, {c['operations_fma']} with multiply-add, {c['instructions']} instructions a state"
    if made.get("share_of_issue_limit"):
        text += (
            f"; the issue limit is {made['issue_limit_ns']:.1f} ns at {made['peak_instructions_per_s'] / 1e9:.2f}e9 vector "
            f"instructions a second; reached: {100 * made['share_of_issue_limit']:.0f} %"
        )
    return [text + "."]


def _start_lines(made: dict[str, Any]) -> list[str]:
    s = made.get("start")
    if not s:
        return []
    text = (
        f"Trace and compile {s['compile_s']:.2f} s (tracing {s['trace_s']:.2f} s), the same from the cache "
        f"{s['cached_start_s']:.2f} s (of that loading the code {1e3 * s['cached_load_s']:.0f} ms)."
    )
    return [text]


def _gpu_lines(made: dict[str, Any]) -> list[str]:
    g = made.get("gpu")
    if not g:
        return []
    if g["reason"]:
        return [f"GPU: {g['reason']}."]
    text = (
        f"GPU {g['device']}: {g['states_per_s']:.3g} states a second, {100 * g['share_of_fp64_issue']:.0f} % of double-precision "
        f"issue, {100 * g['share_of_bandwidth']:.0f} % of memory bandwidth."
    )
    return [text]


def number(x: float) -> str:
    """Three digits, no exponent."""
    return f"{x:.0f}" if x >= 100 else f"{x:.3g}"


def finite_values(value: Any) -> Any:
    """The same with infinities and NaN as None: JSON has neither."""
    if isinstance(value, dict):
        return {k: finite_values(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [finite_values(v) for v in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
