"""The robot and its readings about one place of a motion, linear and from sample to sample, with what disturbs it.

State s = (δ, δv, w): the motion away along v, the deviation of v, and what sensors remember of the sample before (of an
accelerometer the velocity of its frame). By exact derivatives
    δ', δv' = Φ (δ, δv) + Γ_τ f + Γ_a a,   w' = V (δ, δv),   y = C s + e                                                   (1)
f: unknown forces of the drives, a: unknown accelerations of all entries of v, both held for a period and another each; e: noise.
"""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.numbers import Numbers
from gough.dynamics.regrouping import regroup_inertia
from gough.errors import FrictionWarning
from gough.kinematics.retraction import step_units
from gough.program import Slot, trace
from gough.program.derivatives import derive
from gough.scalar import zeros
from gough.simulation.control.own_robot import Measured
from gough.simulation.control.sensed import channel_names
from gough.simulation.sensors.sensor import Sensor
from gough.structure.elastic.bodies import LARGE

if TYPE_CHECKING:
    from gough.model import LinearModel, Model

Vector = np.ndarray
WEIGHT = 9.81
"""m/s²"""
PART = 0.001
"""Of the force that accelerates a drive by WEIGHT: unknown forces where nothing is said."""


@dataclass(frozen=True, eq=False)
class Disturbances:
    """Standard deviations: forces (drives,) (N, N m), None: PART; acceleration (m/s²) of points of the robot."""

    forces: Vector | None
    acceleration: float


@dataclass(frozen=True, eq=False)
class LinearPlace:
    """Equation (1): transition (n, n) and Q (n, n) of s, C (m, n); noise (m,); linear: in continuous time. forces, accelerations:
    standard deviations of f and a. sizes (n,): typical ones of s. sensors: in words. period (s)."""

    linear: "LinearModel"
    transition: Vector
    Q: Vector
    C: Vector
    noise: Vector
    forces: Vector
    accelerations: Vector
    sizes: Vector
    sensors: str
    period: float


def linear_place(
    model: "Model",
    numbers: Vector,
    state: tuple[Vector, Vector, Vector],
    period: float,
    sensors: Sequence[Sensor],
    disturbances: Disturbances,
) -> LinearPlace:
    """The model with these numbers at a state (q, v, tau)."""
    from scipy import linalg

    q, v, tau = state
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FrictionWarning)
        linear = model.linearize(q, v, tau, parameters=numbers, friction="viscous")
    nv, drives = model.layout.nv, len(tau)
    M = np.array(model.mass_matrix(q, parameters=numbers))
    idle = list(model.mechanism.selection.without_inertia)
    M[idle, idle] = 1.0
    forces = disturbances.forces
    if forces is None:
        S = model.drive_map(q, parameters=numbers)
        felt = np.einsum("ij,ij->j", S, np.linalg.solve(M, S))
        lengths = np.array([model.size if unit == "N m" else 1.0 for unit in model.layout.drive_units])
        forces = PART * WEIGHT / lengths / np.maximum(felt, 1e-300)
    a = disturbances.acceleration * _typical_accelerations(model)
    whole = np.zeros((3 * nv + drives, 3 * nv + drives))
    whole[: 2 * nv, : 2 * nv] = linear.A
    whole[: 2 * nv, 2 * nv : 2 * nv + drives] = linear.B * forces
    whole[nv : 2 * nv, 2 * nv + drives :] = np.diag(a)
    held = linalg.expm(whole * period)
    pushed = held[: 2 * nv, 2 * nv :]
    C, V = _readings(model, numbers, q, v, period, sensors)
    n = 2 * nv + len(V)
    transition, Q = np.zeros((n, n)), np.zeros((n, n))
    transition[: 2 * nv, : 2 * nv], transition[2 * nv :, : 2 * nv] = held[: 2 * nv, : 2 * nv], V
    Q[: 2 * nv, : 2 * nv] = pushed @ pushed.T
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    sizes = np.concatenate([unit, unit, np.full(len(V), model.size)])
    told = ", ".join(channel_names(sensors))
    return LinearPlace(linear, transition, Q, C, reading_noise(model, sensors), forces, a, sizes, told, period)


def _typical_accelerations(model: "Model") -> Vector:
    """Acceleration (nv,) of each entry of v that moves points of the robot by about 1 m/s²."""
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    bends = np.arange(len(unit)) >= model.layout.rigid
    found = unit / np.where(bends, LARGE * model.size, model.size)
    found[list(model.mechanism.selection.without_inertia)] = 0.0
    return found


def reading_noise(model: "Model", sensors: Sequence[Sensor]) -> Vector:
    """Standard deviations (m,) of all readings: noise, and a digit's 1/√12."""
    return np.concatenate(
        [np.sqrt(x.entries("noise", model) ** 2 + x.entries("resolution", model) ** 2 / 12.0) for x in sensors]
    )


def carried_size(model: "Model", sensor: Sensor, period: float) -> int:
    """How many numbers a sensor remembers of the sample before that follow from the robot's state there."""
    memory = sensor.memory(model, period, np.zeros(2))
    return sum(len(memory[key]) for key in sensor.carried)


def split_carried(model: "Model", sensors: Sequence[Sensor], period: float, carried: Vector) -> list[dict[str, Vector]]:
    """What each sensor remembers, by name."""
    out, at = [], 0
    for sensor in sensors:
        memory, own = sensor.memory(model, period, np.zeros(2)), {}
        for key in sensor.carried:
            own[key] = carried[at : at + len(memory[key])]
            at += len(memory[key])
        out.append(own)
    return out


def ideal_readings(
    sensors: Sequence[Sensor], measured: Any, carried: list[dict[str, Vector]], given: list[Any], fresh: list[Any]
) -> Vector:
    """What ideal sensors would show of a robot (m,). given: their numbers; fresh: whether there was no sample yet."""
    parts = [
        sensor.truth(measured, own | {"line.fresh": first}, numbers)
        for sensor, own, numbers, first in zip(sensors, carried, given, fresh, strict=True)
    ]
    return np.concatenate([zeros(0), *parts])


def carry_state(sensors: Sequence[Sensor], measured: Any, carried: list[dict[str, Vector]]) -> Vector:
    """What they remember of this state at the next sample. carried: what they did before."""
    parts = [zeros(0)]
    for sensor, own in zip(sensors, carried, strict=True):
        if sensor.carried:
            found = sensor.remember(zeros(0), own, 1.0, measured)
            parts += [found[key] for key in sensor.carried]
    return np.concatenate(parts)


def _readings(
    model: "Model", numbers: Vector, q: Vector, v: Vector, period: float, sensors: Sequence[Sensor]
) -> tuple[Vector, Vector]:
    """(C (m, n), V (carried, 2nv)) by exact derivatives."""
    size = sum(carried_size(model, x, period) for x in sensors)
    layout = model.layout
    slots = [Slot("q", (layout.nq,)), Slot("v", (layout.nv,))] + ([Slot("w", (size,))] if size else [])
    slots.append(Slot("parameters", (len(model.parameters),)))
    given = [x.numbers(model, period) for x in sensors]

    def equations(q: Vector, v: Vector, parameters: Vector, w: Vector | None = None) -> dict[str, Vector]:
        measured = Measured(model, regroup_inertia(Numbers(model.mechanism, parameters)), q, v)
        carried = split_carried(model, sensors, period, zeros(0) if w is None else w)
        none = [np.zeros(1)] * len(sensors)
        found = {"reading": ideal_readings(sensors, measured, carried, given, none)}
        return found | ({"carried": carry_state(sensors, measured, carried)} if size else {})

    program = trace(equations, tuple(slots), "readings", {"parameters": model.pattern})
    by = ("q", "v", "w") if size else ("q", "v")
    slopes = Function(derive(model.order_solves(program), by), model.mechanism.table, dict(model.pattern))
    w = {"w": np.zeros(size)} if size else {}
    if size:
        values = Function(program, model.mechanism.table, dict(model.pattern))
        w = {"w": values.values(q=q, v=v, **w, parameters=numbers)["carried"]}
    found = slopes.values(q=q, v=v, **w, parameters=numbers)
    rate = model.cached("rates by v", lambda: model.function("configuration_rate").derivative("v"))
    N = rate.values(q=q, v=v, parameters=numbers)["qdot_v"]
    C = [found["reading_q"] @ N, found["reading_v"], *([found["reading_w"]] if size else [])]
    if not size:
        return np.concatenate(C, axis=1), np.zeros((0, 2 * layout.nv))
    return np.concatenate(C, axis=1), np.concatenate([found["carried_q"] @ N, found["carried_v"]], axis=1)
