"""Prescribed drives of any robot: the same robot with its drives' rates as velocities.

Drive accelerations that are given are constraints of the equations of motion, and drive forces their multipliers:
    [M  -S] [v̇]   [Q - h]
    [Sᵀ  0] [τ] = [a - b]                                                                                       (1)
a: given, b: what drives accelerate by at v̇ = 0. With the drives' rates (and elastic ones) as v, S is the identity and b is 0:
the rows of the drives give τ, the others the elastic accelerations, and drives are where they are to be without any drift. So
a robot with other velocities, a platform's twist for instance, is built once more with those; its states are told in the
velocities it has.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.simulation.coordinates import drive_of_entries
from gough.simulation.motion.motion import Motion

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
BEGIN = 1e-6
"""How far prescribed drives may begin beside their motion, of the robot's size (m) and 1 rad, and their values."""


def convert_velocities(
    model: "Model", of: "Model", q: Array, v: Array, acceleration: Array, parameters: Array
) -> tuple[Array, Array]:
    """(v (n, nv), v̇ (n, nv)) of one model from q, v and v̇ of the same robot with other velocities."""
    found = of.function("joint_motion").values(q=q, v=v, vdot=acceleration, parameters=parameters)
    own = list(model.mechanism.selection.independent)
    return found["u"][:, own], found["ud"][:, own]


def demand_begin(model: "Model", motion: Motion, q: Array, v: Array, time: float = 0.0) -> None:
    """UsageError where first states q (n, nq), v (n, nv) are not where prescribed drives begin, at a time (s): they would leap
    there."""
    drives = drive_of_entries(model.mechanism)
    if drives is None:
        return
    begin, layout = motion.at(np.array([time])), model.layout
    units = [layout.q_units[k] for k in model.drive_index]
    rates = np.zeros((len(v), len(drives)))
    rates[:, drives] = v[:, : len(drives)]
    pairs = (("q=", model.drives(q), begin.position[0], ""), ("v=", rates, begin.velocity[0], "/s"))
    for name, given, wanted, per in pairs:
        off = np.abs(given - wanted)
        sizes = np.array([model.size if unit == "m" else 1.0 for unit in units]) + np.abs(wanted)
        row, k = np.unravel_index(np.argmax(off / sizes), off.shape)
        if off[row, k] > BEGIN * sizes[k]:
            where, unit = f" of run {row}" if len(q) > 1 else "", units[k] + per
            raise UsageError(
                f"{name}: {layout.drive_names[k]}{where} begins at {given[row, k]:.6g} {unit}, its motion at {wanted[k]:.6g} "
                f"{unit}: drives that follow a motion are where it is; leave their first state out (q=, v=, at.…, rate.…), or "
                "give a controller, which brings them there"
            )


def first_velocity(model: "Model", to: "Model", q: Any, v: Any, parameters: Array) -> Any:
    """v (nv,) of a first state in the velocities of another model of the robot; None stays None."""
    if v is None or model is to or np.shape(v) != (model.layout.nv,):
        return v
    at = model.home if q is None else q
    u = model.function("tree_rates").values(q=np.asarray(at), v=np.asarray(v, dtype=float), parameters=parameters)["u"]
    return u[list(to.mechanism.selection.independent)]
