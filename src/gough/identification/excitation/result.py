"""What `gough.excitation` found: a periodic motion, how much it tells beside an unoptimised one, and what it keeps."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from gough.arguments import checked, path, whole, word
from gough.files import write_file
from gough.identification.base_parameters import BaseParameters
from gough.identification.excitation._basis import PeriodicBasis
from gough.identification.excitation._measure import ExcitationMeasure
from gough.identification.excitation._search import ExcitationEnding, ExcitationStep
from gough.robot.writer import yaml_text
from gough.simulation.motion.motion import Motion, chain
from gough.simulation.motion.report import MotionReport


@dataclass(frozen=True)
class BoundUse:
    """How much of a bound a motion uses over a whole period: x runs from least to most within lower … upper (SI; infinite where
    a side is open); margin: to the nearer side, smallest at time `at` (s). source: "description", "user", or "singularity" for
    reciprocal conditions, whose lower bound is the smallest good distance."""

    name: str
    unit: str
    source: str
    lower: float
    upper: float
    least: float
    most: float
    margin: float
    at: float

    @property
    def kind(self) -> str:
        """stroke, speed, acceleration, force, cone or singularity."""
        return self.name.rsplit(" ", 1)[-1]

    @property
    def free(self) -> float:
        """The part of the bound that stays free: margin over half the range, or over the bound where a side is open."""
        half = (self.upper - self.lower) / 2
        one = abs(self.upper if np.isfinite(self.upper) else self.lower)
        return self.margin / (half if np.isfinite(half) else one or 1.0)

    def __str__(self) -> str:
        sides = f"{self.lower:.4g} … {self.upper:.4g}"
        sides = f"at most {self.upper:.4g}" if self.lower == -np.inf else sides
        sides = f"at least {self.lower:.4g}" if self.upper == np.inf else sides
        if self.source == "singularity":
            return f"{self.name}: {self.least:.3g} at {self.at:.3g} s, at least {self.lower:g}"
        return (
            f"{self.name}: {self.least:.4g} … {self.most:.4g} of {sides} {self.unit}, margin {self.margin:.3g} "
            f"at {self.at:.3g} s"
        )


@dataclass(frozen=True, eq=False)
class Excitation:
    """An exciting motion.

    motion: one period. condition, log_det: condition number and log det(WᵀW) of the base parameters' regressor W along it,
    columns multiplied by `scaling` (r,); before: the same measures, with the same scaling, of the unoptimised motion
    `before_motion` (random, of the same family, as large as the limits let it be); measure: all singular values after.
    limits: every bound over the whole period; report: what `gough.check_motion` found on the fine grid.
    history: the search; ending: how that ended.
    coefficients (size, m) of the family's functions. notes: what was assumed and what happened.
    """

    robot: str
    space: str
    objective: str
    basis: PeriodicBasis
    coefficients: np.ndarray = field(repr=False)
    motion: Motion
    base: BaseParameters = field(repr=False)
    measure: ExcitationMeasure = field(repr=False)
    before: ExcitationMeasure = field(repr=False)
    before_motion: Motion = field(repr=False)
    scaling: np.ndarray = field(repr=False)
    scaled_by: str
    limits: tuple[BoundUse, ...] = field(repr=False)
    report: MotionReport = field(repr=False)
    history: tuple[ExcitationStep, ...] = field(repr=False)
    notes: tuple[str, ...]
    ending: ExcitationEnding

    @property
    def condition(self) -> float:
        """Condition number of the scaled regressor along the motion."""
        return self.measure.condition

    @property
    def log_det(self) -> float:
        """log det(WᵀW) of the scaled regressor along the motion."""
        return self.measure.log_det

    @property
    def closest(self) -> tuple[BoundUse, ...]:
        """Of each kind of bound the one that is used most."""
        out: dict[str, BoundUse] = {}
        for use in self.limits:
            if use.kind not in out or use.free < out[use.kind].free:
                out[use.kind] = use
        return tuple(out.values())

    @checked(periods=whole(1))
    def repeat(self, periods: int) -> Motion:
        """The motion several times."""
        return chain([self.motion] * periods)

    def __str__(self) -> str:
        b, kind = self.basis, self.motion.kind
        what = "its drives" if kind == "drives" else " ".join(self.motion.names)
        head = f"{self.robot}: exciting motion of {what}, {b.family}, {b.harmonics} harmonics, {b.period:g} s"
        lines = [
            f"{head}, by {'condition number' if self.objective == 'condition' else 'D-optimality'}",
            f"  {self.base.rank} base parameters, columns scaled by {self.scaled_by}",
            f"  condition number {self.condition:.4g}, unoptimised {self.before.condition:.4g}",
            f"  log det {self.log_det:.4g}, unoptimised {self.before.log_det:.4g}",
            f"  kept over the whole period ({len(self.report.t)} samples), the closest of each kind:",
        ]
        lines += [f"    {use}" for use in self.closest]
        lines += [f"  note: {note}" for note in self.notes]
        return "\n".join(lines)

    def __repr__(self) -> str:
        return (
            f"<gough.Excitation {self.robot}: condition {self.condition:.4g}, unoptimised {self.before.condition:.4g}>"
        )

    @checked(name=word, periods=whole(1))
    def yaml(self, name: str = "excitation", periods: int = 1) -> str:
        """The motion, so many periods of it, as the text of a motion file."""
        title = f"exciting motion of {self.robot}: condition number {self.condition:.4g} of {self.base.rank} base parameters"
        one = self.basis.item(self.coefficients, self.motion.kind, self.motion.names)
        motion = one if periods == 1 else [one] * periods
        return yaml_text({"format": 1, "name": name, "title": title, "robot": self.robot, "motion": motion})

    @checked(path=path, name=word, periods=whole(1))
    def save(self, path: str | Path, name: str | None = None, periods: int = 1) -> Path:
        """Write a motion file of so many periods that `gough.load_motion` reads; name: default that of the file."""
        target = Path(path)
        return write_file(target, self.yaml(target.stem if name is None else name, periods))
