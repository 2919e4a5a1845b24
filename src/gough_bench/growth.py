"""How cost grows: with legs, loops, links in a loop, and states. One core; every program compiled fresh."""

import json
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from gough import Model, Robot, build
from gough.files import write_figure, write_file
from gough.robots import four_bar_chain, hexapod
from gough_bench.machine import machine
from gough_bench.ours import Ours
from gough_bench.peer import Case
from gough_bench.report import BUSY, finite_values, machine_lines, number
from gough_bench.states import random_states

# ---- robots of any size: legs on a platform, links in one loop

CENTRAL = {"about": "center_of_mass"}
LOWER = {"mass": 2.0, "center_of_mass": (0.01, -0.02, 0.2)}
LOWER |= {"inertia": {**CENTRAL, "xx": 0.03, "yy": 0.04, "zz": 0.02, "xy": 0.001}}
UPPER = {"mass": 1.0, "center_of_mass": (0.02, 0.01, -0.2)}
UPPER |= {"inertia": {**CENTRAL, "xx": 0.02, "yy": 0.03, "zz": 0.02, "yz": 0.002}}
TOP = {"mass": 20.0, "center_of_mass": (0.02, 0.01, 0.05)}
TOP |= {"inertia": {**CENTRAL, "xx": 0.8, "yy": 0.9, "zz": 1.1, "xz": 0.02}}


def legs_on_platform(n: int) -> Robot:
    """A platform on n driven UPS legs, all with six freedoms: fewer than six leave some undriven, more share the load."""
    k = np.arange(n)
    base = 2 * np.pi * (k + 0.2 * (-1.0) ** k) / n
    top = 2 * np.pi * (k + 0.5 - 0.2 * (-1.0) ** k) / n
    rings = [
        np.stack([r * np.cos(a), r * np.sin(a), h + 0 * a], 1) for r, a, h in ((1.0, base, 0.0), (0.6, top, -0.05))
    ]
    robot = hexapod(*rings, platform=TOP, home=(0.05, 0.02, 1.0), lower=LOWER, upper=UPPER, name=f"legs{n}")
    return robot.model_copy(update={"velocities": "platform", "drive_sharing": "least_norm" if n > 6 else None})


def closed_chain(n: int) -> Robot:
    """One loop of n revolute links, axes in turn z and y, its tip held by a ball in the world; n - 3 freedoms, driven."""
    length = 2.0 / n
    X, p, angles = np.eye(3), np.zeros(3), []
    bodies, joints = [], []
    for i in range(n):
        axis, angle = (
            ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))[i % 2],
            (0.5 + 0.3 * np.sin(1.0 + i)) * (1.0 if i % 4 < 2 else -0.7),
        )
        c, s = np.cos(angle), np.sin(angle)
        turn = np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]] if i % 2 == 0 else [[c, 0, s], [0, 1, 0], [-s, 0, c]])
        start = (0.0, 0.0, 0.0) if i == 0 else (length, 0.0, 0.0)
        X, p = X @ turn, p + X @ np.array(start)
        inertia = {**CENTRAL, "xx": 0.004 / n, "yy": length**2 / (12 * n), "zz": length**2 / (11 * n)}
        middle = {"mass": 1.0 / n, "center_of_mass": (length / 2, 0.01 * length, 0.02 * length), "inertia": inertia}
        bodies.append({"name": f"link{i}", **middle})
        joint = {
            "name": f"turn{i}",
            "type": "revolute",
            "parent": f"link{i - 1}" if i else "world",
            "child": f"link{i}",
        }
        joint |= {"pose": {"position": start}, "axis": axis} | ({"drive": {}} if i < n - 3 else {})
        joints.append(joint)
        angles.append(float(angle))
    tip = {"body": f"link{n - 1}", "pose": {"position": (length, 0.0, 0.0)}}
    held = {"body": "world", "pose": {"position": tuple(p + X @ np.array((length, 0.0, 0.0)))}}
    loop = {"name": "tip", "type": "spherical", "first": tip, "second": held}
    home = {"joints": {f"turn{i}": (a,) for i, a in enumerate(angles)}}
    data = {"name": f"chain{n}", "bodies": bodies, "joints": joints, "loops": [loop], "home": home}
    return Robot.model_validate(data | {"velocities": "drives"})


BATCH = 4096
ROUNDS = 40
CHUNK = 1 << 16
"""States of one chunk where the states of a call grow."""


@dataclass(frozen=True)
class GrowthSeries:
    """Robots of growing size and the function timed on them."""

    axis: str
    what: str
    function: str
    robot: Callable[[int], Robot]
    sizes: tuple[int, ...]


SERIES = {
    "legs_forward": GrowthSeries(
        "legs",
        "forward dynamics of a platform on n UPS legs",
        "forward_dynamics",
        legs_on_platform,
        (3, 4, 6, 8, 12, 16, 24),
    ),
    "legs_inverse": GrowthSeries(
        "legs",
        "inverse dynamics of the same, least-norm forces",
        "inverse_dynamics",
        legs_on_platform,
        (6, 8, 12, 16, 24),
    ),
    "loops": GrowthSeries(
        "loops", "forward dynamics of n four-bars in a row", "forward_dynamics", four_bar_chain, (1, 2, 5, 10, 20, 50)
    ),
    "chain": GrowthSeries(
        "links", "inverse dynamics of one loop of n links", "inverse_dynamics", closed_chain, (6, 8, 12, 16, 24, 32)
    ),
}
STATES = tuple(10**k for k in range(9))


def grow(quick: bool = False, say: Callable[[str], None] = lambda text: None) -> dict[str, Any]:
    """Points of all series; Ctrl-C ends early with what is done. quick: two sizes of each, up to 1e4 states."""
    result: dict[str, Any] = {"format": 1, "machine": machine(), "series": {}, "interrupted": False}
    try:
        _warm()
        for name, series in SERIES.items():
            points: list[dict[str, Any]] = []
            result["series"][name] = {"axis": series.axis, "what": series.what, "points": points}
            for size in series.sizes[:2] if quick else series.sizes:
                say(f"{series.what}, n = {size}")
                points.append(point(series, size, 2 if quick else ROUNDS))
        points = []
        result["series"]["states"] = {
            "axis": "states",
            "what": f"inverse dynamics of 6 legs, chunks of {CHUNK} states, all cores",
            "points": points,
        }
        model = _quiet(legs_on_platform, 6)
        for n in STATES[:5] if quick else STATES:
            say(f"{n} states")
            points.append(states_point(model, n))
    except KeyboardInterrupt:
        result["interrupted"] = True
    return result


def point(series: GrowthSeries, size: int, rounds: int) -> dict[str, Any]:
    """build_s, compile_s (trace and compile), operations, instructions, best_ns of one state on one core, its spread."""
    start = time.perf_counter()
    model = _quiet(series.robot, size)
    built = time.perf_counter()
    with no_cache():
        model.function(series.function).compile()
    compiled = time.perf_counter()
    case = Case(model, series.function, random_states(model, 64))
    ours = Ours(BATCH)
    ours.prepare(case)
    times = [ours.seconds(0.002) for _ in range(rounds)]
    count = model.count(series.function)
    return {
        "size": size,
        "build_s": built - start,
        "compile_s": compiled - built,
        "operations": count.operations,
        "instructions": count.instructions,
        "best_ns": min(times) * 1e9,
        "spread": float(np.median(times)) / min(times) - 1,
    }


def states_point(model: Model, n: int) -> dict[str, Any]:
    """seconds of n states, given as a view that repeats some, and how much the process' memory grew (bytes)."""
    function = model.function("inverse_dynamics").compile()
    few = min(n, 500)
    states = random_states(model, few)
    inputs = Case(model, "inverse_dynamics", states).inputs(states)
    wide: dict[str, Any] = {
        k: np.broadcast_to(inputs[k], (n // few, few, inputs[k].shape[-1])) for k in ("q", "v", "acceleration")
    }
    before = _memory()
    start = time.perf_counter()
    done = 0
    for part in function.chunks(CHUNK, **{**inputs, **wide}):
        done += part.batch[0]
    took = time.perf_counter() - start
    assert done == n
    return {"size": n, "seconds": took, "memory_bytes": _memory() - before}


def exponent(points: list[dict[str, Any]], key: str) -> float | None:
    """Slope of log(key) against log(size) over the larger half of the sizes: 1 is linear."""
    rest = [p for p in points if p.get(key)][len(points) // 2 :]
    if len(rest) < 2:
        return None
    return float(np.polyfit(np.log([p["size"] for p in rest]), np.log([p[key] for p in rest]), 1)[0])


@contextmanager
def no_cache() -> Iterator[None]:
    """Compile as if nothing had been compiled before."""
    before = os.environ.get("GOUGH_CACHE_DIR")
    os.environ["GOUGH_CACHE_DIR"] = ""
    try:
        yield
    finally:
        if before is None:
            del os.environ["GOUGH_CACHE_DIR"]
        else:
            os.environ["GOUGH_CACHE_DIR"] = before


def _quiet(robot: Callable[[int], Robot], size: int) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(robot(size))


def _warm() -> None:
    """The compiler's own start is no robot's cost."""
    with no_cache():
        _quiet(four_bar_chain, 1).function("mass_matrix").compile()


def _memory() -> int:
    """Largest resident memory of this process so far (bytes); 0 where the system does not tell."""
    try:
        import resource
    except ImportError:
        return 0
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return used if sys.platform == "darwin" else used * 1024


# ---- as JSON, Markdown and a figure

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
    write_file(data, json.dumps(finite_values(result), indent=1, ensure_ascii=False) + "\n")
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
        pairs = [("seconds", "seconds of the call"), ("memory_bytes", "memory it took (MB)")]
        if not growing:
            pairs = [("best_ns", "ns a state, one core"), ("compile_s", "trace and compile (s)")]
        for row, (key, label) in enumerate(pairs):
            at = axes[row][column]
            size = 1e-6 if key == "memory_bytes" else 1.0
            n, y = [p["size"] for p in points], [size * p[key] for p in points]
            at.plot(n, y, "o-", color=("#0072B2", "#D55E00")[row])
            if key != "memory_bytes":
                at.plot(n, [y[-1] * k / n[-1] for k in n], ":", color="0.5", label="proportional to n")
                at.set_xscale("log")
                at.set_yscale("log")
                at.legend(frameon=False)
            elif growing:
                at.set_xscale("log")
                at.set_ylim(0, max(300, *y))
            if not growing:  # few sizes, each with its own tick
                at.set_xticks(n, [str(k) for k in n])
                at.xaxis.set_minor_locator(NullLocator())
            at.set(xlabel=series["axis"], ylabel=label)
            at.grid(True, which="both", alpha=0.3)
            if row == 0:
                at.set_title(name.replace("_", ", "), fontsize=10)
    write_figure(path, figure, 110)
    plt.close(figure)
