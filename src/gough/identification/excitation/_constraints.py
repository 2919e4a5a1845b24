"""What an exciting motion must keep, as smooth functions of the state that are not negative where it is kept, with gradients.

A bound on both sides: 1 - ((x - middle) / half)², half less its margin; on one side: (bound - x) / scale. Cones: the tilt's
cosine less that of the cone. Singularities: reciprocal conditions less the smallest distance, over what they are at home.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from gough.dynamics.tilts import tilting_joints
from gough.identification.excitation._bounds import MotionBound
from gough.identification.excitation._led import LeadingSpace, LedDerivatives, LedStates
from gough.kinematics.leading import COORDINATES
from gough.kinematics.singularity import block_scales, drive_map_scales, driven_rows, has_even_screws, scaled_maps
from gough.model.tangent import tangent_derivative

Rows = tuple[np.ndarray, np.ndarray, np.ndarray]
"""Gradients (n, k, nv) by θ, v and v̇."""


class Constraints:
    """All that is to be kept along a motion. names (k): of bounds, then of singularities.

    margin: {word: part of a bound that stays free}. distance: smallest good reciprocal condition. screwed: whether a loop has a
    screw that is measured by what it does, whose distance from singularities is not among the functions.
    """

    def __init__(
        self, space: LeadingSpace, bounds: tuple[MotionBound, ...], margin: Mapping[str, float], distance: float
    ) -> None:
        self.space, self.model, self.bounds, self.distance = space, space.model, bounds, distance
        self.free = np.array([margin[b.word] * b.scale for b in bounds])
        self._with_force = any(b.word == "force" for b in bounds)
        self._tilts = list(tilting_joints(self.model.mechanism)) if any(b.word == "cone" for b in bounds) else []
        maps = scaled_maps(self.model, self.model.home[None], self.model.parameters, self.model.size)
        self._maps = {} if maps.by_drives else {"drives": "S"}  # led by its drives the map is the identity
        self.screwed = has_even_screws(self.model.mechanism, self.model.size)
        self._maps |= {} if self.screwed else {name: f"J{k}" for k, name in enumerate(maps.loop_names)}
        at_home = self.conditions(self.model.home[None])[0]
        self._usual = np.maximum(at_home, 2.0 * distance)
        self.names = (*map(str, bounds), *(f"{name} singularity" for name in self._maps))

    def values(self, states: LedStates) -> np.ndarray:
        """What bounds are about (n, bounds), SI; tilts as angles."""
        space, model = self.space, self.model
        x = np.empty((len(states.q), len(self.bounds)))
        at = {name: k for k, name in enumerate(space.columns)}
        positions = space.positions(states.q)
        rates, accelerations = space.rates(states.q, states.v, states.vdot)
        tau = self._forces(states) if self._with_force else None
        tilt = np.arccos(np.clip(self._cosines(states.q), -1.0, 1.0)) if self._tilts else None
        for k, b in enumerate(self.bounds):
            if b.word == "force" and tau is not None:
                x[:, k] = tau[:, model.layout.drive_names.index(b.name)]
            elif b.word == "cone" and tilt is not None:
                x[:, k] = tilt[:, self._tilts.index(b.name)]
            else:
                x[:, k] = {"stroke": positions, "speed": rates, "acceleration": accelerations}[b.word][:, at[b.name]]
            if b.word == "stroke" and b.unit == "rad" and b.name in COORDINATES:  # an angle up to whole turns
                x[:, k] -= 2 * np.pi * np.round((x[:, k] - b.middle) / (2 * np.pi))
        return x

    def conditions(self, q: np.ndarray) -> np.ndarray:
        """Reciprocal conditions (n, maps)."""
        return np.stack([_ratio(a)[0] for a in self._matrices(q)], axis=1) if self._maps else np.zeros((len(q), 0))

    def slacks(self, states: LedStates) -> np.ndarray:
        """The functions (n, k), not negative where all is kept."""
        x, out = self.values(states), []
        for k, b in enumerate(self.bounds):
            out.append(_kept(b, self.free[k], x[:, k])[0])
        near = (self.conditions(states.q) - self.distance) / self._usual
        return np.concatenate([np.stack(out, axis=1) if out else np.zeros((len(x), 0)), near], axis=1)

    def gradients(self, states: LedStates, d: LedDerivatives) -> Rows:
        """Their gradients (n, k, nv) by θ, v and v̇."""
        n, nv = states.v.shape
        theta, v, a = (np.zeros((n, len(self.names), nv)) for _ in range(3))
        at = {name: k for k, name in enumerate(self.space.columns)}
        x = self.values(states)
        forces = self._force_rows(states) if self._with_force else None
        tilts = self._tilt_rows(states.q) if self._tilts else None
        for k, b in enumerate(self.bounds):
            slope = _kept(b, self.free[k], x[:, k])[1][:, None]
            if b.word == "force" and forces is not None:
                i = self.model.layout.drive_names.index(b.name)
                theta[:, k], v[:, k], a[:, k] = (slope * rows[:, i] for rows in forces)
            elif b.word == "cone" and tilts is not None:
                theta[:, k] = slope * tilts[:, self._tilts.index(b.name)]
            elif b.word == "stroke":
                theta[:, k] = slope * d.rates_v[:, at[b.name]]
            elif b.word == "speed":
                theta[:, k], v[:, k] = slope * d.rates_q[:, at[b.name]], slope * d.rates_v[:, at[b.name]]
            else:
                i = at[b.name]
                theta[:, k], v[:, k] = slope * d.accelerations_q[:, i], slope * d.accelerations_v[:, i]
                a[:, k] = slope * d.rates_v[:, i]
        first = len(self.bounds)
        for k, row in enumerate(self._condition_rows(states.q)):
            theta[:, first + k] = row / self._usual[k]
        return theta, v, a

    def _forces(self, states: LedStates) -> np.ndarray:
        return self.model.function("inverse_dynamics").values(**self._inputs(states))["tau"]

    def _force_rows(self, states: LedStates) -> Rows:
        by = tangent_derivative(self.model, "inverse_dynamics", ("q", "v", "acceleration"))
        found = by.values(**self._inputs(states))
        return found["tau_q"], found["tau_v"], found["tau_acceleration"]

    def _inputs(self, states: LedStates) -> dict[str, Any]:
        slots = {s.name: s.shape for s in self.model.function("inverse_dynamics").program.inputs}
        loads = {name: np.zeros(shape) for name, shape in slots.items() if name in ("wrench", "force")}
        state = {"q": states.q, "v": states.v, "acceleration": states.vdot}
        return state | loads | {"parameters": self.model.parameters}

    def _cosines(self, q: np.ndarray) -> np.ndarray:
        return self.model.function("tilt_cosines").values(q=q, parameters=self.model.parameters)["cosines"]

    def _tilt_rows(self, q: np.ndarray) -> np.ndarray:
        by = tangent_derivative(self.model, "tilt_cosines", ("q",))
        return by.values(q=q, parameters=self.model.parameters)["cosines_q"]

    def _matrices(self, q: np.ndarray) -> list[np.ndarray]:
        maps = scaled_maps(self.model, q, self.model.parameters, self.model.size)
        return [
            *([maps.felt] if "drives" in self._maps else []),
            *maps.loops[: len(self._maps) - ("drives" in self._maps)],
        ]

    def _condition_rows(self, q: np.ndarray) -> list[np.ndarray]:
        """Gradients (n, nv) of the reciprocal conditions by θ."""
        model, out = self.model, []
        scales = block_scales(model.mechanism, model.size)
        rows, columns = drive_map_scales(model, model.size)
        for (name, slot), matrix in zip(self._maps.items(), self._matrices(q), strict=True):
            bar = _ratio(matrix)[1]
            if name == "drives":
                whole = np.zeros((len(q), model.layout.nv, len(model.mechanism.drives)))
                felt = driven_rows(model)
                whole[:, felt] = bar / rows[felt, None] * columns
                by = tangent_derivative(model, "drive_map", ("q",), "vjp")
                out.append(by.values(q=q, bar_S=whole, parameters=model.parameters)["bar_q"])
                continue
            by = tangent_derivative(model, "loop_matrices", ("q",), "vjp")
            slots = {s.name: s.shape for s in by.program.inputs if s.name.startswith("bar_")}
            bars = {n: np.zeros(shape) for n, shape in slots.items()}
            per_row, per_column = scales[int(slot[1:])]
            bars[f"bar_{slot}"] = bar * per_row * per_column
            out.append(by.values(q=q, **bars, parameters=model.parameters)["bar_q"])
        return out


def _kept(b: MotionBound, free: float, x: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(function, its slope by x) of a bound; of cones x is the angle, and the slope that by its cosine."""
    if b.word == "cone":
        scale = 1.0 - float(np.cos(b.upper - free))
        return (np.cos(x) - np.cos(b.upper - free)) / scale, np.full_like(x, 1.0 / scale)
    if np.isfinite(b.lower) and np.isfinite(b.upper):
        half = b.scale - free
        off = (x - b.middle) / half
        return 1.0 - off * off, -2.0 * off / half
    sign, bound = (1.0, b.upper) if np.isfinite(b.upper) else (-1.0, b.lower)
    return (sign * (bound - x) - free) / b.scale, np.full_like(x, -sign / b.scale)


def _ratio(a: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(smallest over largest singular value (n,), its derivative (n, rows, columns) by the entries)."""
    finite = np.asarray(np.isfinite(a).all(axis=(1, 2)))
    u, s, vt = np.linalg.svd(np.where(finite[:, None, None], a, 0.0), full_matrices=False)
    largest = np.maximum(s[:, 0], 1e-300)
    small = u[:, :, -1, None] * vt[:, -1, None, :]
    if s.shape[1] == 1:  # a number alone is compared with 1
        over = np.maximum(largest, 1.0)
        bar = small * (s[:, :1, None] < 1.0)
        return np.where(finite, s[:, 0] / over, np.nan), bar
    large = u[:, :, 0, None] * vt[:, 0, None, :]
    ratio = s[:, -1] / largest
    return np.where(finite, ratio, np.nan), (small - ratio[:, None, None] * large) / largest[:, None, None]
