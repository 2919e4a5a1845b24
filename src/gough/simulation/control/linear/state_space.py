"""Any linear controller as a law: drive errors in, drive forces out; matrices, or a system of python-control.

    e = r - y (drives), ė where there is an input for it;   ẋ = A x + B e,   τ = C x + D e + what holds the weight          (1)
With a period the first is x' = A x + B e from sample to sample. One in continuous time on a clock is taken by the bilinear rule.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from gough.errors import UsageError
from gough.scalar import product
from gough.simulation.control.gravity_compensation import demand_drives, holding_forces
from gough.simulation.control.law import Action, Here, Inner, Law
from gough.simulation.control.linear._systems import ControllerMatrices, matrices_of
from gough.simulation.control.own_robot import demand_own_model
from gough.simulation.control.reference import drives_of

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.motion.motion import Motion

Vector = np.ndarray
SAME = 1e-9
"""Difference of periods, of one, that is none."""
SMALL = 1e-3
"""Error of a drive (rad; of the robot's size) by which the size of states is estimated."""


@dataclass(frozen=True, eq=False)
class TunedStateSpace:
    """For one robot, and a clock's period (s) or None."""

    matrices: ControllerMatrices
    period: float | None


@dataclass(frozen=True)
class StateSpace(Law):
    """A linear controller: errors of the drives (reference - measured) in, drive forces out.

    system: a `control.StateSpace` or `control.TransferFunction`, or the matrices (A, B, C, D); or A, B, C and D by name, D alone
    for a gain. Inputs are the errors of all drives, or these and then their rates; or inputs= names them: drives, "d/dt drive".
    outputs= names the drives of the outputs; names that a system of python-control has count, too. A system of one input (or an
    error and its rate) and one output is one for each drive. period (s): of a controller from sample to sample, which runs on
    such a clock, `gough.laws.Sampled(…, period)`; None: in continuous time, on a clock by the bilinear rule. gravity: forces that
    hold the robot's weight where it is are added. model: another one for geometry and weight; nominal, limit: see `Law`.
    """

    system: Any = None
    A: Any = field(default=None, kw_only=True)
    B: Any = field(default=None, kw_only=True)
    C: Any = field(default=None, kw_only=True)
    D: Any = field(default=None, kw_only=True)
    period: float | None = field(default=None, kw_only=True)
    inputs: Sequence[str] | None = field(default=None, kw_only=True)
    outputs: Sequence[str] | None = field(default=None, kw_only=True)
    gravity: bool = field(default=False, kw_only=True)
    model: "Model | None" = field(default=None, kw_only=True)
    name = "state space"
    kinds = ("drives", "pose", "joints", "point")
    dimensions: ClassVar = {"period": ("time",)}
    tuned: ClassVar[TunedStateSpace | None] = None

    def __post_init__(self) -> None:
        super().__post_init__()
        found = matrices_of(self.name, self)
        for key in ("A", "B", "C", "D"):
            object.__setattr__(self, key, tuple(map(tuple, getattr(found, key).tolist())))
        for key in ("inputs", "outputs"):
            given = getattr(found, key)
            object.__setattr__(self, key, None if given is None else tuple(given))
        object.__setattr__(self, "period", found.period)
        object.__setattr__(self, "system", None)
        if not isinstance(self.gravity, bool):
            raise UsageError(f"gravity={self.gravity!r}; give True or False")
        demand_own_model(self.model)

    def knows(self) -> "tuple[Any, Model | None]":
        """See `Law`."""
        return self.nominal, self.model

    @property
    def structure(self) -> Hashable:
        """See `Law`."""
        sizes = len(self.A), len(self.D[0]), len(self.D), self.inputs, self.outputs
        return self.gravity, sizes, None if self.tuned is None else self.tuned.period is None

    @property
    def any_velocities(self) -> bool:
        """See `Law`."""
        return not self.gravity

    def check(self, model: "Model", motion: "Motion | None") -> None:
        """See `Law`."""
        super().check(model, motion)
        if not model.mechanism.drives:
            raise UsageError(f"{self.name}: {model.robot.name} has no drives")
        if self.gravity:
            demand_drives(model, "gravity=True")
        self._fitted(model)
        if self.period is not None and (self.tuned is None or self.tuned.period is None):
            raise UsageError(
                f"{self.name}: a controller from sample to sample runs on a clock: give gough.laws.Sampled({self.name}, "
                f"{self.period:g}), and method='rk4', 'dp5' or 'bs3'"
            )

    @property
    def given(self) -> ControllerMatrices:
        """As they were given."""
        rows, columns, n = len(self.D), len(self.D[0]), len(self.A)
        A, B, C, D = (np.array(x, dtype=float) for x in (self.A, self.B, self.C, self.D))
        shaped = A.reshape(n, n), B.reshape(n, columns), C.reshape(rows, n), D
        return ControllerMatrices(*shaped, self.period, self.inputs, self.outputs)

    def _fitted(self, model: "Model") -> ControllerMatrices:
        """In the order of the robot's drives."""
        return self.given.for_drives(self.name, model.layout.drive_names)

    def tune(self, model: "Model", period: float | None = None) -> "Law":
        """See `Law`: matrices in the order of the drives; from sample to sample where a clock samples them."""
        found = self._fitted(model if self.model is None else self.model)
        if self.period is not None and period is not None and abs(self.period - period) > SAME * period:
            raise UsageError(
                f"{self.name}: it is a controller from sample to sample of {self.period:g} s, the clock samples every {period:g} "
                "s; give Sampled the same period, or make the controller anew for it"
            )
        made = replace(self)
        if period is not None and self.period is None:
            found = found.sample(self.name, period)
        clock = period if self.period is None else self.period
        object.__setattr__(made, "tuned", TunedStateSpace(found, clock if period is not None else None))
        return made

    def reference(self, model: "Model", motion: "Motion", parameters: Vector | None = None) -> "Motion":
        """See `Law`."""
        return drives_of(model, motion, parameters)

    def own_settings(self, model: "Model") -> Vector:
        """1/period (0 in continuous time), A, B, C, D."""
        if self.tuned is None:
            return self.tune(model).own_settings(model)
        found, period = self.tuned.matrices, self.tuned.period
        return np.concatenate([[0.0 if period is None else 1.0 / period], *(getattr(found, k).ravel() for k in "ABCD")])

    def own_poles(self, model: "Model") -> Vector:
        """See `Law`."""
        if self.tuned is None:
            return self.tune(model).own_poles(model)
        return np.linalg.eigvals(self.tuned.matrices.A) if self.tuned.matrices.A.size else np.zeros(0)

    def inner(self, model: "Model", q: Vector, v: Vector) -> Inner:
        """States of the controller, which begin at 0."""
        if self.tuned is None:
            return self.tune(model).inner(model, q, v)
        found, n = self.tuned.matrices, len(self.tuned.matrices.A)
        lengths = np.array([1.0 if unit == "N m" else model.size for unit in model.layout.drive_units])
        names = tuple(f"x{k + 1}" for k in range(n))
        return Inner(names, ("SI",) * n, np.zeros(n), found.typical(SMALL * lengths))

    def act(self, here: Here) -> Action:
        """See `Law`: equation (1)."""
        assert self.tuned is not None
        seen, now, found = here.measured, here.now, self.tuned.matrices
        parts, at = {}, 1
        for key in "ABCD":
            shape = getattr(found, key).shape
            size = shape[0] * shape[1]
            parts[key] = here.settings[at : at + size].reshape(shape)
            at += size
        error = now.position - seen.drives
        if found.B.shape[1] > len(error):
            error = np.concatenate([error, now.velocity - seen.drive_rates])
        x = here.inner
        tau, rates = product(parts["D"], error), np.zeros(0)
        if len(x):
            tau = tau + product(parts["C"], x)
            after = product(parts["A"], x) + product(parts["B"], error)
            rates = after if self.tuned.period is None else (after - x) * here.settings[0]
        if self.gravity:
            tau = tau + holding_forces(here)
        return Action(self.limited(here, tau), rates)

    def describe(self) -> dict[str, Any]:
        """What a result keeps about it."""
        told = {key: getattr(self, key) for key in ("A", "B", "C", "D", "gravity")}
        told |= {key: getattr(self, key) for key in ("period", "inputs", "outputs") if getattr(self, key) is not None}
        return super().describe() | told | ({} if self.model is None else {"model": self.model.robot.name})
