"""Coordinates of a robot that runs: which have an entry of v as their rate; in traced scalars quaternions of unit length, and
loops closed. And the units of q, v and u with those of elastic coordinates, which a layout leaves open.

Coordinates that are displacements or rotations of a node (`tip.x`, `tip.rz`) have theirs, m and rad. Amplitudes of mode shapes
have the unit their normalisation gives them: shapes of modal mass 1 are m/√kg, so that their amplitudes are m √kg. Amplitudes of
other shapes are pure numbers, "1": the shape has the length in it.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.dynamics.loops import Loops
from gough.scalar import dot, sqrt, zeros
from gough.structure import Mechanism

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
CLOSINGS = 2
"""Newton steps that close the loops after a time step: what is left is of the fourth order of a drift that is small itself."""
MASS_NORMALISED = "m kg^0.5"
ROUNDING = 1e-6
"""Difference of a modal mass from 1."""


def unit_quaternions(mechanism: Mechanism, q: Vector) -> Vector:
    """q (nq,) with all quaternions of unit length."""
    out = q.copy()
    for link in mechanism.links:
        if link.quaternion is not None:
            part = out[link.quaternion]
            out[link.quaternion] = part * (1.0 / sqrt(dot(part, part)))
    return out


def closed_coordinates(loops: Loops) -> Vector:
    """q (nq,) after one Newton step of the closures; the independent coordinates stay."""
    mechanism, q = loops.posture.mechanism, loops.posture.q
    if not mechanism.selection.blocks:
        return q
    return moved_coordinates(mechanism, q, loops.correction(zeros(mechanism.layout.nv)))


def moved_coordinates(mechanism: Mechanism, q: Vector, step: Vector) -> Vector:
    """q (nq,) moved by a small step (nu,) of the tree: a quaternion by its rate, then of unit length again."""
    out = q.copy()
    for link in mechanism.links:
        for place, rate in link.plain:
            out[place] = out[place] + step[rate]
        if link.quaternion is not None:
            was, turn = q[link.quaternion], _half(step[link.spin])
            out[link.quaternion] = _turned(was, turn) if link.motion.spins_in_body else _turned(turn, was)
        if link.elastic is not None:
            out[link.elastic.coordinates] = out[link.elastic.coordinates] + step[link.elastic.columns]
    return unit_quaternions(mechanism, out)


def _half(turn: Vector) -> Vector:
    """Quaternion of a small rotation vector, not of unit length: right to second order."""
    return np.array([1.0, *(0.5 * turn)], dtype=object)


def _turned(a: Vector, b: Vector) -> Vector:
    """Product of quaternions wxyz."""
    w = a[0] * b[0] - dot(a[1:], b[1:])
    x = [
        a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
        a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1],
        a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0],
    ]
    return np.array([w, *x], dtype=object)


def plain_coordinates(mechanism: Mechanism) -> list[tuple[int, int]]:
    """(place in q, place in u) of all coordinates that are no rotations in space: their rates are entries of u."""
    out: list[tuple[int, int]] = []
    for link in mechanism.links:
        out += link.plain
        if link.elastic is not None:
            places = range(mechanism.layout.nq)[link.elastic.coordinates]
            out += list(zip(places, link.elastic.columns, strict=True))
    return out


def plain_rates(mechanism: Mechanism) -> list[tuple[int, int]]:
    """(entry of q, entry of v that is its rate) for all entries of v that are rates of coordinates as they stand."""
    of_column = {column: place for place, column in plain_coordinates(mechanism)}
    own = mechanism.selection.independent
    return [(of_column[u], i) for i, u in enumerate(own) if u in of_column]


def elastic_places(mechanism: Mechanism) -> list[int]:
    """Entries of q of the elastic rates in v, in the order of v."""
    first = mechanism.layout.rigid
    return [place for place, entry in plain_rates(mechanism) if entry >= first]


def drive_of_entries(mechanism: Mechanism) -> list[int] | None:
    """Drive of every entry of v that is led where these are the drives' rates, in any order; None where they are not."""
    columns = [mechanism.links[d.link].u for d in mechanism.drives]
    rigid = mechanism.selection.independent[: mechanism.layout.mobility]
    return [columns.index(u) for u in rigid] if set(columns) == set(rigid) else None


@dataclass(frozen=True)
class Units:
    """q (nq,), u (nu,), v (nv,)."""

    q: tuple[str, ...]
    u: tuple[str, ...]
    v: tuple[str, ...]

    @property
    def acceleration(self) -> tuple[str, ...]:
        """Of v̇."""
        return tuple(f"{unit}2" if unit.endswith("/s") else unit for unit in self.v)


def units_of(model: "Model") -> Units:
    """The units of a model's coordinates and velocities."""
    return model.cached("units of runs", lambda: _made(model))


def _made(model: "Model") -> Units:
    layout = model.layout
    q, u = list(layout.q_units), list(layout.u_units)
    for link in model.mechanism.links:
        if link.elastic is None:
            continue
        masses = _modal_masses(model, link.elastic)
        for k in range(link.elastic.modes):
            unit = _unit(layout.q_names[link.elastic.q + k], masses[k])
            q[link.elastic.q + k] = unit
            u[link.elastic.u + k] = f"{unit}/s"
    v = tuple(u[c] for c in model.mechanism.selection.independent)
    return Units(tuple(q), tuple(u), v)


def _modal_masses(model: "Model", elastic) -> np.ndarray:
    """Diagonal of M_ee (m,)."""
    rows, columns = np.triu_indices(elastic.modes)
    places = np.array(elastic.M)[rows == columns]
    return np.where(places >= 0, model.parameters[places], 0.0)


def _unit(name: str, mass: float) -> str:
    label = name.rsplit(".", 1)[-1]
    if label in ("x", "y", "z"):
        return "m"
    if label in ("rx", "ry", "rz"):
        return "rad"
    return MASS_NORMALISED if abs(mass - 1.0) < ROUNDING else "1"
