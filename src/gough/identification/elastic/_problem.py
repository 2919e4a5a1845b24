"""What the three fits share: unknowns at a robot at rest, the search, what it leaves open, and the result."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import a_model, demand_one_of, floats, mapping, numbers, word, words
from gough.errors import IdentificationWarning, UsageError, warn
from gough.identification.elastic._doubts import note_followed
from gough.identification.elastic._least_squares import Solution, minimise_squares, read_prior
from gough.identification.elastic._rest import RestingRobot, resting_robot
from gough.identification.elastic._unknowns import DesignMap, ElasticUnknown, map_design
from gough.identification.elastic.fit import ElasticFit

if TYPE_CHECKING:
    from gough.model import Model

AGAINST = 4.0
"""Deviations between data and prior at which they contradict each other."""
SMALL = 0.01
"""Part of a number found, beside its typical size, below which its deviation says that it is told: far from the description a
number may be right, and its deviation larger than what was described."""
MOST = 1e100
"""Largest number that can be measured, and one over the smallest deviation: squares of larger ones are none."""
SHARED = {
    "model": a_model,
    "unknowns": word | words | mapping(word | words),
    "q": numbers,
    "drives": word | mapping(numbers),
    "prior": mapping(numbers),
    "start": mapping(numbers),
    "bounds": mapping(numbers),
    "about": word,
}
"""Kinds of the arguments that all fits have."""


@dataclass(frozen=True)
class FitProblem:
    """call: name of the fit. kind: what drives do; about: where the robot rests; prior: {name: (value, deviation)}."""

    call: str
    design: DesignMap
    kind: str
    about: str
    prior: Mapping[str, tuple[float, float]]
    started: bool

    @classmethod
    def of(
        cls,
        call: str,
        model: "Model",
        unknowns: str | Sequence[str] | Mapping[str, str | Sequence[str]],
        drives: Any,
        prior: Mapping[str, Any] | None,
        start: Mapping[str, float] | None,
        bounds: Mapping[str, Any] | None,
        about: str,
    ) -> "FitProblem":
        """From the arguments of a fit."""
        demand_one_of("about", about, ("equilibrium", "undeformed"))
        kind, servos = _read_drives(model, drives)
        design = map_design(model, unknowns, servos, start or {}, bounds or {})
        return cls(call, design, kind, about, read_prior(design.unknowns, prior or {}), bool(start))

    @property
    def unknowns(self) -> tuple[ElasticUnknown, ...]:
        """What is looked for."""
        return self.design.unknowns

    @cached_property
    def begin(self) -> np.ndarray:
        """(k,): where the search begins."""
        return np.array([u.start for u in self.unknowns])

    def robot_at(self, q: Any) -> RestingRobot:
        """The robot at rest near q (None: home)."""
        robot = resting_robot(self.design, q, self.kind, self.about)
        robot.demand_closed(self.begin)
        return robot

    def search(
        self,
        residual: Callable[[np.ndarray], np.ndarray],
        jacobian: Callable[[np.ndarray], np.ndarray],
        known: bool,
        begin: np.ndarray | None = None,
        spent: int = 0,
    ) -> Solution:
        """Least squares beside the prior; known: whether residuals are in their own deviations."""
        start = self.begin if begin is None else begin
        with np.errstate(over="ignore"):
            largest = float(np.abs(residual(start)).max(initial=0.0))
        if largest > np.sqrt(MOST):
            raise UsageError(
                f"{self.call}: at the start the model is {largest:.3g} deviations off what was measured: too many to compute "
                "with; state deviations (sigma) of the size of the noise, and measurements in SI units"
            )
        return minimise_squares(self.unknowns, residual, jacobian, self.prior, known, begin, spent)

    def result(
        self,
        found: Solution,
        measured: np.ndarray,
        fitted: np.ndarray,
        spread: np.ndarray,
        modes: np.ndarray,
        repeated: tuple[tuple[tuple[int, ...], ...], ...],
        left_open: tuple[str, ...],
        notes: Sequence[str],
    ) -> ElasticFit:
        """What was found, spread: what residuals were weighed by."""
        return ElasticFit(
            self.design.model,
            self.design.design(found.values)[0],
            self.unknowns,
            found.values,
            np.sqrt(np.diag(found.covariance)),
            found.covariance,
            measured,
            fitted,
            np.broadcast_to(spread * found.noise, measured.shape),
            modes,
            repeated,
            left_open,
            found.at_bounds,
            found.squares / found.free / found.noise**2 if found.free > 0 else float("nan"),
            (*notes, *note_followed(found.excess, notes)),
        )

    def left_open(self, found: Solution) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """(names of what the data leave open, notes); IdentificationWarning where something is to be doubted."""
        told = np.sqrt(np.diag(found.covariance))  # with the priors
        sizes = [max(u.size, SMALL * abs(float(x))) for u, x in zip(self.unknowns, found.values, strict=True)]
        names = tuple(u.name for u, s, x in zip(self.unknowns, found.from_data, sizes, strict=True) if not s < x)
        size = {u.name: (s, x) for u, s, x in zip(self.unknowns, told, sizes, strict=True)}
        lost = [n for n in names if n not in self.prior and not size[n][0] < size[n][1]]
        held = [n for n in names if n not in lost]
        notes = []
        if not found.converged:
            notes.append(
                f"the search stopped after {found.steps} evaluations without coming to rest: doubt the numbers"
            )
        if lost:
            notes.append(
                f"the data do not determine {', '.join(lost)}: leave some out, tie them, give a prior, or measure more"
            )
        if found.at_bounds:
            notes.append(f"{', '.join(found.at_bounds)} stand on their bounds: the data want them beyond")
        for u, x, s in zip(self.unknowns, found.values, found.from_data, strict=True):
            value, sigma = self.prior.get(u.name, (float(x), 1.0))
            wide = s / sigma if np.isfinite(s) else 0.0
            apart = abs(x - value) / sigma * np.hypot(1.0, wide)  # of what the data alone say, in deviations of both
            if apart > AGAINST:
                notes.append(
                    f"{u.name} is found as {x:.6g}, and what the data alone say is {apart:.3g} deviations from its prior "
                    f"{value:.6g} ± {sigma:.2g} {u.unit}: data and prior contradict each other"
                )
        for note in notes:
            warn(f"{self.call}: {note}", IdentificationWarning)
        if held:
            notes.append(f"the data alone do not determine {', '.join(held)}: it is the prior that does")
        return names, tuple(notes)


def read_deviations(what: str, given: Any, shape: tuple[int, ...], needed: np.ndarray | None = None) -> np.ndarray:
    """Standard deviations of that shape, positive and finite where they are needed (a mask)."""
    x = floats(what, given)
    try:
        x = np.broadcast_to(x, shape)
    except ValueError:
        raise UsageError(f"{what} has shape {x.shape}; give one number, or {shape}") from None
    own = x if needed is None else x[needed]
    if not ((own > 1 / MOST) & (own < MOST)).all():
        raise UsageError(f"{what}: give positive and finite numbers, {1 / MOST:g} … {MOST:g}")
    return x


def _read_drives(model: "Model", drives: Any) -> tuple[str, dict[str, np.ndarray]]:
    """("locked", "free" or "servo"; stiffness and damping (drives,) of servos)."""
    if isinstance(drives, str):
        demand_one_of("drives", drives, ("locked", "free"))
        return drives, {}
    count = len(model.layout.drive_names)
    if not isinstance(drives, Mapping) or set(drives) - {"stiffness", "damping"}:
        raise UsageError(f"drives={drives!r}; use 'locked', 'free' or {{'stiffness': …, 'damping': …}}")
    out = {}
    for key in ("stiffness", "damping"):
        given = floats(f"drives[{key!r}]", drives.get(key, 0.0))
        if given.shape not in ((), (count,)) or not (given >= 0).all():
            raise UsageError(f"drives[{key!r}]: give one number, not negative, or one for each of {count} drives")
        out[key] = np.broadcast_to(given, (count,)).copy()
    return "servo", out
