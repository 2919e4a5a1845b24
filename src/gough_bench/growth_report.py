"""Growth as JSON, Markdown and a figure."""

import json
from pathlib import Path
from typing import Any

from gough.files import write_figure, write_file
from gough_bench.growth import exponent
from gough_bench.report import BUSY, finite, machine_lines, number

COLUMNS = {
    "size": "n",
    "operations": "operations",
    "instructions": "instructions",
    "best_ns": "ns a state",
    "spread": "spread",
    "build_s": "build s",
    "compile_s": "trace and compile s",
    "seconds": "seconds",
    "memory_bytes": "memory MB",
}

UNFITTED = ("size", "spread", "memory_bytes")


def write_growth(result: dict[str, Any], folder: Path) -> tuple[Path, ...]:
    """Write `growth.json`, `growth.md` and `growth.png` into a folder (made where it is not there)."""
    data, page, picture = (folder / f"growth.{end}" for end in ("json", "md", "png"))
    write_file(data, json.dumps(finite(result), indent=1, ensure_ascii=False) + "\n")
    write_file(page, growth_markdown(result))
    draw(result, picture)
    return page, data, picture


def growth_markdown(result: dict[str, Any]) -> str:
    """The page: one table a series, with the slope of log(time) against log(n) over the larger sizes (1: linear)."""
    parts = ["# How cost grows", "", *machine_lines(result["machine"]), "", "![growth](growth.png)", ""]
    if result["interrupted"]:
        parts += ["**Interrupted**: what follows was measured before.", ""]
    for name, series in result["series"].items():
        points = series["points"]
        parts += [f"## {name}: {series['what']}", ""]
        if not points:
            continue
        keys = [k for k in COLUMNS if k in points[0]]
        parts += ["| " + " | ".join(COLUMNS[k] for k in keys) + " |", "|" + "---|" * len(keys)]
        parts += ["| " + " | ".join(_cell(k, p[k]) for k in keys) + " |" for p in points]
        busy = max((p.get("spread", 0.0) for p in points), default=0.0)
        slopes = [f"{COLUMNS[k]} n^{s:.2f}" for k in keys if k not in UNFITTED and (s := exponent(points, k))]
        parts += ["", "Over the larger sizes: " + ", ".join(slopes) + "." if slopes else "", ""]
        if busy > BUSY:
            parts += [
                f"**Doubtful**: the machine was busy (spread up to {100 * busy:.0f} %); only the counts hold.",
                "",
            ]
    return "\n".join(parts).rstrip() + "\n"


def _cell(key: str, value: float) -> str:
    if key == "spread":
        return f"{100 * value:.0f} %"
    if key == "memory_bytes":
        return f"{value / 1e6:.0f}"
    if key.endswith("_s") or key == "seconds":
        return f"{value:.3g}"
    return number(value) if isinstance(value, float) else str(value)


def draw(result: dict[str, Any], path: Path) -> None:
    """Above: time of a state (of all states); below: trace and compile (memory). Dotted: proportional to n."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib.ticker import NullLocator

    filled = {name: s for name, s in result["series"].items() if s["points"]}
    if not filled:
        return
    figure, axes = plt.subplots(2, len(filled), figsize=(3.6 * len(filled), 6), layout="constrained", squeeze=False)
    for column, (name, series) in enumerate(filled.items()):
        points = series["points"]
        growing = name == "states"
        pairs = [("seconds", "seconds of the call"), ("memory_bytes", "memory it took (bytes)")]
        if not growing:
            pairs = [("best_ns", "ns a state, one core"), ("compile_s", "trace and compile (s)")]
        for row, (key, label) in enumerate(pairs):
            at = axes[row][column]
            n, y = [p["size"] for p in points], [p[key] for p in points]
            at.plot(n, y, "o-", color=("#0072B2", "#D55E00")[row])
            if key != "memory_bytes":
                at.plot(n, [y[-1] * k / n[-1] for k in n], ":", color="0.5", label="proportional to n")
                at.set_xscale("log")
                at.set_yscale("log")
                at.legend(frameon=False)
            elif growing:
                at.set_xscale("log")
                at.set_ylim(0, max(3e8, *y))
            if not growing:  # few sizes, each with its own tick
                at.set_xticks(n, [str(k) for k in n])
                at.xaxis.set_minor_locator(NullLocator())
            at.set(xlabel=series["axis"], ylabel=label)
            at.grid(True, which="both", alpha=0.3)
            if row == 0:
                at.set_title(name.replace("_", ", "), fontsize=10)
    write_figure(path, figure, 110)
    plt.close(figure)
