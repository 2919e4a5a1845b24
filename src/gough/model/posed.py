"""Functions of the platform's pose instead of q: the joints of closed-form legs are part of the program.

"inverse_dynamics@pose" takes pose (7), v, acceleration, … . Angles of the legs appear in it only through their sines and
cosines, which follow from the geometry without trigonometry.
"""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.leg_geometry import closed_form_joints
from gough.dynamics.numbers import Numbers
from gough.dynamics.regrouping import regrouped
from gough.errors import UsageError
from gough.kinematics.catalogue import FunctionKey, entry_of, slots_of
from gough.program import Program, trace
from gough.program.graph import TangentGraph
from gough.spatial import rotation_from_quaternion_wxyz

if TYPE_CHECKING:
    from gough.model.model import Model


def trace_posed(
    model: "Model", key: FunctionKey, pattern: dict[int, float], fixed: dict[str, dict[int, float]] | None = None
) -> Program:
    """Program of NAME@pose, the legs in the branches of home; `fixed` as for `trace_entry`."""
    mechanism, geometry = model.mechanism, model.geometry
    if not geometry.by_legs or any(kind is None for kind in geometry.kinds):
        raise UsageError(
            f"{key}: the joints of {model.robot.name} have no closed form in the pose; use {key.of_q} with "
            f"q = model.configuration(pose=...)"
        )
    entry = entry_of(mechanism, key)
    branches: list[tuple[int, int] | None] = [*geometry.branches]

    def run(pose: Any, parameters: Any, **inputs: Any) -> dict[str, Any]:
        numbers = Numbers(mechanism, parameters)
        joints = closed_form_joints(numbers, pose, rotation_from_quaternion_wxyz(pose[3:7]), branches)
        q = np.concatenate([pose, joints])
        return entry.equations(regrouped(numbers) if entry.regroups else numbers, q=q, **inputs)

    slots = slots_of(mechanism, tuple("pose" if n == "q" else n for n in entry.inputs), entry.loads, entry.whole)
    title, values = f"{mechanism.name} {key}", {"parameters": dict(pattern), **(fixed or {})}
    return trace(run, slots, title, values, entry.units, TangentGraph())
