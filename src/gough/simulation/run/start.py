"""The first state of a simulation."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.arguments import floats
from gough.errors import BadStateError, UsageError
from gough.kinematics.retraction import bad_quaternions
from gough.simulation.integration.drive_led import demand_begin
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.states import states_along

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
CLOSED = 1e-8
"""Accepted closure error of a first state, relative to the robot's size."""


def starting_state(plant: Plant, motion: Motion | None, q: Any, v: Any, start: str, parameters: Array) -> Array:
    """q, v, works, own states of the law, time, step, error (n,): where the motion begins, or home; elastic coordinates at rest
    or in equilibrium."""
    model = plant.model
    layout = model.layout
    first_q, first_v = model.home.copy(), np.zeros(layout.nv)
    if motion is not None and motion.kind != "forces":
        along = states_along(model, motion, np.zeros(1), parameters=parameters)
        first_q, first_v = along.q[0], along.v[0]
        if not np.isfinite(first_q).all():
            raise UsageError(f"{model.robot.name} does not reach where the motion begins; see gough.check_motion")
    elif motion is not None and motion.first is not None:
        first_q, first_v = motion.first
        if len(first_q) != layout.nq or len(first_v) != layout.nv:
            raise UsageError(f"the forces are those of a run of another robot than {model.robot.name}; give q= and v=")
    if q is not None:
        first_q = _vector("q", q, layout.nq)
        demand_quaternions(model, first_q[None])
    if start == "static":
        first_q = _at_rest(plant, first_q, parameters)
    if v is not None:
        first_v = _vector("v", v, layout.nv)
    gap = float(model.closure_error(first_q, parameters))
    if not gap <= CLOSED and q is None:  # home of the description, or where forces of a run began, in another design
        first_q = model.project(first_q, parameters)
    elif not gap <= CLOSED:
        raise UsageError(
            f"the first state is open: closure error {gap:.2e} of the robot's size; use model.project or configuration (with "
            "parameters= where the design is another one)"
        )
    if plant.law.prescribed and motion is not None and not (q is None and v is None):
        demand_begin(model, plant.law.reference(model, motion, parameters), first_q[None], first_v[None])
    inner = plant.inner_at(first_q, first_v).first
    return np.concatenate([first_q, first_v, np.zeros(len(WORKS)), inner, np.zeros(3)])


def demand_quaternions(model: "Model", q: Array) -> None:
    """UsageError for first states (runs, nq) that have a quaternion that is not of unit length: the rule of forward_dynamics."""
    names = bad_quaternions(model.mechanism, q)
    for k in np.flatnonzero(names != ""):
        of = f" of run {k}" if len(q) > 1 else ""
        raise UsageError(
            f"q{of}: the quaternion (qw qx qy qz) of {names[k]} is not of unit length to 1e-6; normalise it, or use model.project"
        )


def _at_rest(plant: Plant, q: Array, parameters: Array) -> Array:
    model = plant.model
    try:
        return static_equilibrium(model, q=q, wrench=plant.wrenches.by_load(model), parameters=parameters).q
    except BadStateError as problem:
        held = ", ".join(model.layout.v_names[: model.mobility])
        raise UsageError(
            f"start='static': {model.robot.name} finds no equilibrium while {held} are held where it begins; begin elsewhere, or "
            "as it is with start='given'"
        ) from problem


def _vector(name: str, value: Any, size: int) -> Array:
    out = floats(name, value)
    if out.shape != (size,) or not np.isfinite(out).all():
        raise UsageError(f"{name}: give {size} finite numbers, not an array of shape {out.shape}")
    return out.copy()
