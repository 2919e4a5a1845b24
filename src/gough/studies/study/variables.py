"""What a study varies: numbers of the design between bounds, and the designs that follow from them.

Points are rows x (n, k) in SI units. A variable with a step takes the values lower + i · step alone. Demands of the
description (a mass above 0) may fail inside of bounds: such points have a violation, by how much the number is beyond its bound
over what it is in the description.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.joints.springs import pushes_from
from gough.simulation.ensembles.physical import NOT_NEGATIVE, is_positive, pseudo_inertia
from gough.structure.parameters import UNIT_TOLERANCE
from gough.studies.study._following import home_formulas

if TYPE_CHECKING:
    from gough.model import Model

AT_BOUND = 1e-6
"""Part of a range within which a value is at its end."""
ROUNDING = 1e-9
"""Of a moment of inertia, over the size of those of its body."""
LEAST_VIOLATION = 1e-3
"""Of a number that no robot has: as of those that follow variables."""


@dataclass(frozen=True)
class StudyVariable:
    """A variable of the description, or a parameter by name: from lower to upper (SI), in steps where there is one."""

    name: str
    lower: float
    upper: float
    step: float | None = None
    unit: str = ""

    @property
    def count(self) -> int | None:
        """How many values it takes; None: any."""
        if self.step is None:
            return None
        return int(np.floor((self.upper - self.lower) / self.step * (1.0 + 1e-12) + 1e-9)) + 1

    def settle(self, x: np.ndarray) -> np.ndarray:
        """The nearest values that it takes."""
        x = np.clip(x, self.lower, self.upper)
        if self.step is None or self.count is None:
            return x
        steps = np.clip(np.round((x - self.lower) / self.step), 0, self.count - 1)
        return self.lower + steps * self.step


@dataclass(frozen=True)
class DesignSpace:
    """Variables of a study on a model, and the designs they make."""

    model: "Model"
    variables: tuple[StudyVariable, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Of the variables."""
        return tuple(v.name for v in self.variables)

    @property
    def lower(self) -> np.ndarray:
        """(k,)."""
        return np.array([v.lower for v in self.variables])

    @property
    def upper(self) -> np.ndarray:
        """(k,)."""
        return np.array([v.upper for v in self.variables])

    @property
    def start(self) -> np.ndarray:
        """The description's own values (k,)."""
        known, table = self.model.variables, self.model.mechanism.table
        return np.array(
            [
                known.values[known.names.index(n)] if n in known.names else self.model.parameters[table.names.index(n)]
                for n in self.names
            ]
        )

    def corners(self) -> np.ndarray:
        """Points (2 k, k): one variable after the other at its ends, the others as in the description."""
        start, k = self.start, len(self.variables)
        out = np.repeat(start[None], 2 * k, axis=0)
        out[np.arange(k), np.arange(k)] = self.lower
        out[np.arange(k, 2 * k), np.arange(k)] = self.upper
        return out

    def from_unit(self, unit: Any, module: Any = np) -> Any:
        """Points (n, k) of the box from those of the unit cube, settled on steps: every step has an equal share of the cube.
        Arrays of a module."""
        lower, upper = module.asarray(self.lower), module.asarray(self.upper)
        out = lower + unit * (upper - lower)
        for k, v in enumerate(self.variables):
            if v.step is not None and v.count is not None:
                out[:, k] = v.lower + np.minimum(np.floor(unit[:, k] * v.count), v.count - 1) * v.step
        return out

    def settle(self, x: np.ndarray) -> np.ndarray:
        """The nearest points (n, k) that are allowed."""
        return np.stack([v.settle(x[:, k]) for k, v in enumerate(self.variables)], axis=1)

    def variable_rows(self, x: np.ndarray) -> np.ndarray:
        """Values (n, variables) of all variables of the description at points (n, k)."""
        known = self.model.variables
        rows = np.repeat(known.values[None], len(x), axis=0)
        for k, name in enumerate(self.names):
            if name in known.names:
                rows[:, known.names.index(name)] = x[:, k]
        return rows

    def designs(self, x: np.ndarray, more: Mapping[str, np.ndarray] | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(parameters (n, m), violation (n,) of the description's demands: 0 where they hold) at points (n, k). more: {name:
        deviations (n,)} of other variables of the description."""
        model, known = self.model, self.model.variables
        P = np.repeat(model.parameters[None], len(x), axis=0)
        own = {name: x[:, k] for k, name in enumerate(self.names)}
        violation = np.zeros(len(x))
        moved = {n: x for n, x in own.items() if n in known.names}
        moved |= {n: known.values[known.names.index(n)] + d for n, d in (more or {}).items()}
        if moved:
            rows = np.repeat(known.values[None], len(x), axis=0)
            for name, values in moved.items():
                rows[:, known.names.index(name)] = values
            P, violation = model.designs_of_variables(rows)
        named = [name for name in self.names if name not in known.names]
        for name in named:
            P[:, model.mechanism.table.names.index(name)] = own[name]
        return P, violation + self.impossible(P, named)

    def impossible(self, P: np.ndarray, names: Sequence[str]) -> np.ndarray:
        """By how much (n,) designs (n, m) are beyond what a robot can have, where parameters are set by name: numbers below 0
        that cannot be, and bodies without a positive pseudo-inertia. What is not so in the description is not asked for."""
        model, out = self.model, np.zeros(len(P))
        if not names:
            return out
        places = {model.parameter_names.index(name) for name in names}
        for i in places:
            size = float(model.parameters[i])
            if size >= 0 and model.parameter_names[i].rpartition(".")[2] in NOT_NEGATIVE:
                out += np.where(P[:, i] < 0, np.abs(P[:, i]) / (size or 1.0) + LEAST_VIOLATION, 0.0)
        for link in model.mechanism.links:
            if link.ten is not None and link.elastic is None and places & set(link.ten):
                out += _unlike_matter(P[:, list(link.ten)], model.parameters[list(link.ten)])
        return out + _without_springs(model, P, places)


def _unlike_matter(tens: np.ndarray, described: np.ndarray) -> np.ndarray:
    """How far (n,) bodies (n, 10) are from a positive pseudo-inertia, over that of the description (10,); 0 where they have one.
    Where the description has none (a body of a plane with its one moment) its moments about the mass centre stay above 0, of a
    point mass from 0 on."""
    if not is_positive(described[None])[0]:
        own, now = _central_moments(described[None])[0], _central_moments(tens)
        size = float(np.einsum("ii->", pseudo_inertia(described[None])[0, :3, :3])) or 1.0
        kept = own > ROUNDING * size
        if not kept.any():
            kept, own = np.ones(3, dtype=bool), np.full(3, size)
        under = np.maximum(-now[:, kept] / own[kept] - ROUNDING, 0.0)
        return np.where(under > 0, under + LEAST_VIOLATION, 0.0).sum(axis=1)
    scale = np.sqrt(np.diagonal(pseudo_inertia(described[None])[0]))
    least = np.linalg.eigvalsh(pseudo_inertia(tens) / np.outer(scale, scale))[:, 0]
    return np.where(is_positive(tens), 0.0, np.maximum(-least, 0.0) + LEAST_VIOLATION)


def _central_moments(tens: np.ndarray) -> np.ndarray:
    """Moments of inertia (n, 3) about axes through the mass centres of bodies (n, 10)."""
    J = pseudo_inertia(tens)
    mass = np.where(J[:, 3, 3] > 0, J[:, 3, 3], np.inf)
    spread = np.einsum("nii->ni", J)[:, :3] - J[:, :3, 3] ** 2 / mass[:, None]
    return spread.sum(axis=1)[:, None] - spread


def _without_springs(model: "Model", P: np.ndarray, places: set[int]) -> np.ndarray:
    """How far (n,) designs (n, m) are from tables of springs that grow, one-sided springs that never push and quaternions of
    length 1, of those that some of the places are part of."""
    table, out = model.mechanism.table, np.zeros(len(P))
    for a, b in zip(*table.growing, strict=True):
        if places & {int(a), int(b)}:
            back = P[:, a] - P[:, b]
            out += np.where(back >= 0, back / (model.parameters[b] - model.parameters[a]) + LEAST_VIOLATION, 0.0)
    for own in table.cables:
        if places & set(own):
            for k in np.flatnonzero((P[:, own] < 0).any(axis=1)):
                pushed = pushes_from(P[k, own])
                out[k] += 0.0 if pushed is None else 1.0 / (1.0 + pushed / model.size) + LEAST_VIOLATION
    for own in table.turns:
        if places & set(own):
            off = np.abs(np.linalg.norm(P[:, own], axis=1) - 1.0)
            out += np.where(off > UNIT_TOLERANCE, off, 0.0)
    return out


def check_variables(
    model: "Model", variables: Sequence[StudyVariable], followed: Collection[str] = ()
) -> list[tuple[str, str]]:
    """(variable, what is wrong) of all that cannot be varied on a model, which has them. followed: by states of cases."""
    known, table, out = model.variables, model.mechanism.table, []
    folded = {table.names[i] for i in model.pattern}
    for v in variables:
        if v.name in folded:
            out.append((v.name, "a structural zero or right angle; build the model with free=[…] to vary it"))
        if not (np.isfinite(v.lower) and np.isfinite(v.upper)) or v.lower >= v.upper:
            out.append((v.name, f"from {v.lower:g} to {v.upper:g} is no range; lower must be below upper"))
        elif v.step is not None and not 0 < v.step <= (v.upper - v.lower) * (1 + 1e-9):
            out.append(
                (v.name, f"step {v.step:g} does not fit into a range of {v.upper - v.lower:g}; give one above 0")
            )
        never = _never(model, v)
        if never:
            out.append((v.name, f"from {v.lower:g} to {v.upper:g}: {never}"))
        if v.name in known.names and v.name not in followed and not model.moved_parameters(v.name):
            told = "nothing but limits or home follows it: other values change no equation"
            home = any(v.name in own for own in home_formulas(model).values())
            more = ", and no case is at home or relative to it (`relative: home`)" if home else ""
            out.append((v.name, told + more))
    return out


def _never(model: "Model", v: StudyVariable) -> str:
    """Why no number of a parameter's range can be; "" where some may, and for variables of the description."""
    if v.name in model.variables.names or v.upper >= 0 or model.parameters[model.parameter_names.index(v.name)] < 0:
        return ""
    kind = v.name.rpartition(".")[2]
    if kind in NOT_NEGATIVE:
        return "it is not negative; no design has one"
    i = model.parameter_names.index(v.name)
    bodies = [link for link in model.mechanism.links if link.ten is not None and i in link.ten]
    return "a moment of inertia is above 0; no body has one" if bodies and kind in ("XX", "YY", "ZZ") else ""
