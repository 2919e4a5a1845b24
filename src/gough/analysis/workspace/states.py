"""What is known about one batch of samples: can they be assembled, are limits kept, how far is a singularity.

A robot under the control of its drives cannot pass a parallel singularity, where the motion is no longer determined by
the drives: where det G_b = 0, with G_b the columns of the closures that belong to the undriven velocities. With the
closures solved for the dependent velocities, G_d u_d + G_v v = 0, and drive rates Sᵀ v:

    det G_b = ± det G_d det S                                                                                      (1)

with a sign that never changes, because [G; E] (E picks the drives) has this determinant in either order of elimination.
So the product of the signs of det S and of the loops' blocks tells the side of the singularity, whatever v is.
"""

import threading
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

import numpy as np

from gough.analysis.conditions import determinant_signs, reciprocal_conditions
from gough.analysis.grids import MapSamples, arguments
from gough.kinematics.leading import COORDINATES
from gough.kinematics.singularity import block_matrices, scaled_maps
from gough.model import Model


class Verdict(IntEnum):
    """What a sample is, best first."""

    FREE = 0
    """Reachable, within all limits, conditions at least the threshold."""
    SINGULAR = 1
    """Reachable, within all limits, but a condition is below the threshold."""
    LIMIT = 2
    """A stated limit is violated."""
    UNREACHED = 3
    """No configuration was found; the status says why."""
    NOT_DONE = 4
    """The computation was interrupted before."""


COLUMNS: dict[str, tuple[type, float]] = {
    "verdict": (np.uint8, Verdict.NOT_DONE),
    "status": (np.uint8, 0),
    "place": (np.int16, -1),
    "parallel": (np.float64, np.nan),
    "serial": (np.float64, np.nan),
    "loop": (np.int16, -1),
    "aspect": (np.int8, 0),
    "mode": (np.int64, 0),
    "margin": (np.float64, np.nan),
    "limit": (np.int16, -1),
}
"""Arrays of a result, one entry a sample: their type and the value of a sample that is not done."""


def empty(n: int) -> dict[str, np.ndarray]:
    """The arrays of n samples that are not done."""
    return {name: np.full(n, value, dtype=kind) for name, (kind, value) in COLUMNS.items()}


class Names:
    """A growing list of names, safe to use by several threads; in another process it begins anew."""

    def __init__(self) -> None:
        self.all: list[str] = []
        self._index: dict[str, int] = {}
        self._lock = threading.Lock()

    def __reduce__(self) -> Any:
        return Names, ()

    def __call__(self, name: str) -> int:
        """The place of a name, which is added if it is new."""
        with self._lock:
            if name not in self._index:
                self._index[name] = len(self.all)
                self.all.append(name)
            return self._index[name]


@dataclass(frozen=True)
class Settings:
    """limits: whether they count. condition: smallest good reciprocal condition. orientations (k, 3): yaw pitch roll,
    each tried at every sample; every: whether all of them must be good, or one."""

    limits: bool
    condition: float
    orientations: np.ndarray | None = None
    every: bool = True


class Surveyor:
    """Evaluates batches of samples of one model."""

    def __init__(self, model: Model, samples: MapSamples, settings: Settings) -> None:
        self.model, self.samples, self.settings = model, samples, settings
        self.places = Names()
        stated = model.limit_margins(model.home)
        self.limit_names = stated.names
        self.limit_units = tuple(limit.unit for limit in stated.limits)
        self._limit_scales = np.array([model.size if u == "m" else 1.0 for u in self.limit_units])
        self.loop_names, _ = block_matrices(model, model.home, model.parameters, model.size)
        _, _, signs = self._measures(model.home[None])
        self._home_signs = np.where(signs == 0, 1, signs)

    @property
    def led(self) -> bool:
        """Whether states are found by following from others, not each by itself from a pose."""
        return not (self.model.geometry.legs_reach and {*self.samples.names, *self.samples.fixed} <= set(COORDINATES))

    def survey(self, x: np.ndarray, near: np.ndarray | None = None) -> tuple[dict[str, np.ndarray], np.ndarray]:
        """(arrays, q (n, nq)) at values x (n, axes) of the coordinates that vary; near: where to start from."""
        values = dict(zip(self.samples.names, x.T, strict=True)) | self.samples.fixed
        if self.settings.orientations is None:
            return self._states(values, len(x), near)
        found, q = None, None
        for angles in self.settings.orientations.tolist():
            new, new_q = self._states(values | dict(zip(COORDINATES[3:], angles, strict=True)), len(x), near)
            if found is None or q is None:
                found, q = new, new_q
            else:
                self._merge(found, q, new, new_q)
        assert found is not None and q is not None
        return found, q

    def _states(self, values: dict, n: int, near: np.ndarray | None) -> tuple[dict[str, np.ndarray], np.ndarray]:
        model, settings = self.model, self.settings
        values = {name: np.broadcast_to(x, n) for name, x in values.items()}
        made = model.assemble(**arguments(model, values), near=near, on_bad_state="mark")
        out = empty(n)
        out["status"][:] = made.status
        bad = np.flatnonzero(made.status)
        known = {name: self.places(name) for name in set(made.places[bad].tolist())}
        out["place"][bad] = [known[name] for name in made.places[bad].tolist()]
        out["verdict"][:] = Verdict.UNREACHED
        good = np.flatnonzero(made.status == 0)
        within = self._limits(out, made.q, good) if self.limit_names else good
        out["verdict"][good] = Verdict.LIMIT
        if not settings.limits:
            within = good
        if len(within):
            parallel, serial, signs = self._measures(made.q[within])
            out["parallel"][within] = parallel
            lowest = np.ones(len(within))
            if serial.shape[1]:
                out["loop"][within] = serial.argmin(axis=1)
                lowest = serial.min(axis=1)
            out["serial"][within] = lowest
            relative = signs * self._home_signs
            out["aspect"][within] = np.prod(relative, axis=1)
            flipped = relative[:, 1 : 1 + 62] < 0
            out["mode"][within] = flipped @ (1 << np.arange(flipped.shape[1], dtype=np.int64))
            free = np.minimum(parallel, lowest) >= settings.condition
            out["verdict"][within] = np.where(free, Verdict.FREE, Verdict.SINGULAR)
        return out, made.q

    def _limits(self, out: dict[str, np.ndarray], q: np.ndarray, good: np.ndarray) -> np.ndarray:
        """Note the smallest margin (lengths over the robot's size compared with angles); samples within all limits."""
        if not len(good):
            return good
        margins = self.model.limit_margins(q[good]).margins
        scaled = np.where(np.isfinite(margins), margins / self._limit_scales, -np.inf)
        worst = scaled.argmin(axis=1)
        out["limit"][good] = worst
        out["margin"][good] = margins[np.arange(len(good)), worst]
        return good[scaled.min(axis=1) >= 0]

    def _measures(self, q: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(parallel (n,), serial (n, loops), signs (n, 1 + loops) of det S and of the loops' blocks) as
        `model.singularity` has them; the sign of S is 1 where it is not square (no side to tell)."""
        model = self.model
        maps = scaled_maps(model, q, model.parameters, model.size)
        S = maps.felt
        signs = [determinant_signs(S) if S.shape[1] == S.shape[2] else np.ones(len(q), np.int8)]
        signs += [determinant_signs(a) for a in maps.loops]
        parallel, serial = maps.conditions(reciprocal_conditions)
        stacked = np.stack(serial, axis=1) if serial else np.ones((len(q), 0))
        return parallel, stacked, np.stack(signs, axis=1)

    def _merge(self, kept: dict[str, np.ndarray], q: np.ndarray, new: dict[str, np.ndarray], new_q: np.ndarray) -> None:
        """Keep the worse (every) or the better of two orientations of each sample."""
        sign = -1.0 if self.settings.every else 1.0
        better = sign * (_score(new) - _score(kept)) > 0
        mixed = (kept["aspect"] != new["aspect"]) & (kept["verdict"] <= Verdict.SINGULAR)
        mixed &= new["verdict"] <= Verdict.SINGULAR
        for name, x in kept.items():
            x[better] = new[name][better]
        if self.settings.every:
            kept["aspect"][mixed] = 0
        q[better] = new_q[better]


def _score(x: dict[str, np.ndarray]) -> np.ndarray:
    """Larger is better: by verdict, among equals by condition, or by how little a limit is violated."""
    condition = np.nan_to_num(np.minimum(x["parallel"], x["serial"]))
    little = 1.0 / (1.0 + np.abs(np.nan_to_num(x["margin"])))
    return -2.0 * x["verdict"] + np.where(x["verdict"] == Verdict.LIMIT, little, condition)
