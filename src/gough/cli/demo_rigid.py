"""The last part of `gough demo`: rigid robots along their papers' motions, every known drive force compared."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from gough.cli.demo_section import Figure, Grid, Section, Tell
from gough.cli.opening import open_model

if TYPE_CHECKING:
    from gough.compilation import Model
    from gough.papers import Scenario, States

TIMED_STATES = 20_000


@dataclass(frozen=True)
class Prepared:
    """A model with what it cost to make."""

    model: "Model"
    operations: int
    derive_s: float
    compile_s: float


@dataclass(frozen=True)
class Row:
    """A scenario's result beside a number known from elsewhere."""

    scenario: str
    robot: str
    motion: str
    states: int
    operations: int
    derive_s: float
    compile_s: float
    microseconds: float
    largest: float
    quantity: str
    known: tuple[float, ...]
    difference: float
    tolerance: float
    origin: str
    within: bool


class Rigid:
    """All scenarios of `gough.papers`. folder: where the picture goes. rows: of JSON."""

    def __init__(self, folder: Path, tell: Tell) -> None:
        self.folder, self.tell = folder, tell
        self.rows: list[Row] = []
        self.forces: dict[str, tuple[States, np.ndarray]] = {}

    def parts(self) -> list[tuple[str, Callable[[Section], None]]]:
        """(title, what fills its section)."""
        return [("Rigid robots of four papers along their motions", self.tour)]

    def tour(self, section: Section) -> None:
        """Derive, compile and run every robot along its motion."""
        from gough.papers import SCENARIOS

        made: dict[str, Prepared] = {}
        warned: list[str] = []
        for name, scenario in SCENARIOS.items():
            self.tell(f"{scenario.robot}: {scenario.title} …")
            if scenario.robot not in made:
                made[scenario.robot], warnings = prepare(scenario.robot)
                warned += [scenario.robot] if warnings else []
            states = scenario.motion()
            tau, each = _run(made[scenario.robot].model, states)
            self.forces[name] = (states, tau)
            self.rows += _rows(name, scenario, made[scenario.robot], len(states), each, tau)
            section.grids = [_summary(self.rows), _whole(self.rows)]
            section.passed = [row.within for row in self.rows]
        if warned:
            section.said.append(
                f"Some printed inertias are not physical and are used as printed: {', '.join(warned)} (`gough check`)."
            )
        if {"pedrammehr2012_path3", "lopes_p1p2p1", "lopes_simplified_p1p2p1"} <= set(self.forces):
            from gough.cli.demo_figure_rigid import draw

            path = draw(self.forces, self.folder / "rigid_forces.png")
            section.figures.append(Figure(path, "Drive forces by inverse dynamics."))


def prepare(robot: str) -> tuple[Prepared, list[str]]:
    """(a gallery robot's model with its inverse dynamics compiled, warnings)."""
    start = time.perf_counter()
    model, warnings = open_model(robot, quiet=True)
    function = model.function("inverse_dynamics")
    derived = time.perf_counter()
    function.compile()
    compiled = time.perf_counter()
    return Prepared(model, model.count().operations, derived - start, compiled - derived), warnings


def _run(model: "Model", states: "States") -> tuple[np.ndarray, float]:
    """(drive forces (n, drives), seconds per state in a large batch)."""
    q = model.configuration(pose=states.pose)
    tau = model.inverse_dynamics(q, states.v, states.acceleration).tau
    again = np.resize(np.arange(len(states)), TIMED_STATES)
    many = (q[again], states.v[again], states.acceleration[again])
    times = []
    for _ in range(5):
        start = time.perf_counter()
        model.inverse_dynamics(*many)
        times.append(time.perf_counter() - start)
    return tau, min(times) / TIMED_STATES


def _rows(name: str, scenario: "Scenario", p: Prepared, states: int, each: float, tau: np.ndarray) -> list[Row]:
    largest = float(np.max(np.abs(tau)))
    head = (name, scenario.robot, scenario.title, states, p.operations, p.derive_s, p.compile_s, 1e6 * each, largest)
    return [
        Row(*head, k.quantity, k.value, k.difference(tau), k.tolerance, k.origin, k.within(tau)) for k in scenario.known
    ]


def _summary(rows: list[Row]) -> Grid:
    """A line a motion."""
    right = ("operations", "derive s", "compile s", "µs/state", "max |f| N")
    lines = []
    for name in dict.fromkeys(r.scenario for r in rows):
        of = [r for r in rows if r.scenario == name]
        r = of[0]
        costs = (str(r.operations), f"{r.derive_s:.2f}", f"{r.compile_s:.2f}", f"{r.microseconds:.2f}")
        verdict = "agrees" if all(x.within for x in of) else "DIFFERS"
        known = ", ".join(x.quantity for x in of)
        lines.append((r.robot, r.motion, *costs, f"{r.largest:.1f}", known, verdict))
    head = ("robot", "motion", *right, "known", "verdict")
    return Grid(head, tuple(lines), right, "Inverse dynamics, parameters as inputs; forces beside known ones")


def _whole(rows: list[Row]) -> Grid:
    """Every known number."""
    right = ("differs by N", "allowed")
    lines = [
        (
            r.robot,
            r.motion,
            f"{r.quantity}: {_values(r.known)}",
            f"{r.difference:.1g}",
            f"{r.tolerance:.1g}",
            "agrees" if r.within else "DIFFERS",
            r.origin,
        )
        for r in rows
    ]
    head = ("robot", "motion", "known number (N)", *right, "verdict", "known from")
    return Grid(head, tuple(lines), right, "Allowed: half a unit of the last digit, or rounding", only="report")


def _values(values: tuple[float, ...]) -> str:
    if len(values) > 2:
        return f"{values[0]:.6g} each" if len(set(values)) == 1 else ", ".join(f"{v:.6g}" for v in values)
    return " … ".join(f"{v:.7g}" for v in values)
