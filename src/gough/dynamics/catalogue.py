"""The catalogue of a robot's functions: which inputs they take and which equations they are."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gough.dynamics import energies, forward, hybrid, inverse, loads, rates, reactions, terms, tilts
from gough.dynamics.legs.geometry import Branch, branched_joints, leg_joints
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.twists import frame_pose, frame_twist, joint_points, link_poses
from gough.dynamics.validity import check_state
from gough.errors import UsageError
from gough.structure import Structure

POSED = "@pose"
LOADS = ("wrench", "force")
"""Inputs that say what the surroundings do; see `load_sizes`."""


@dataclass(frozen=True)
class FunctionKey:
    """Which function is meant: its kind (a key of the catalogue, "frame_pose", "frame_twist" or "hybrid_dynamics"), the frames it
    is about, of hybrid dynamics the prescribed velocities, and whether it takes the platform's pose instead of q. People write
    "frame_pose:tool", "hybrid_dynamics:swing" and "inverse_dynamics@pose".

    leg, branches: of the functions that assembling asks for, which leg it is about, and the branch of each leg that has one.
    """

    kind: str
    frames: tuple[str, ...] = ()
    of_pose: bool = False
    leg: int | None = None
    branches: tuple[Branch | None, ...] = ()

    @classmethod
    def of(cls, name: "str | FunctionKey") -> "FunctionKey":
        """The key of a name as people write it."""
        if isinstance(name, FunctionKey):
            return name
        plain = name.removesuffix(POSED)
        kind, _, frames = plain.partition(":")
        return cls(kind, tuple(frames.split(",")) if frames else (), plain != name)

    def __str__(self) -> str:
        about = ",".join(self.frames) if self.leg is None else f"leg {self.leg}"
        return self.kind + (f":{about}" if about else "") + (POSED if self.of_pose else "")

    @property
    def of_q(self) -> "FunctionKey":
        """The same function of q."""
        return FunctionKey(self.kind, self.frames)


@dataclass(frozen=True)
class Entry:
    """A function: names of its inputs besides parameters, its equations, units of its outputs.

    Of `LOADS` a mechanism's program has those that `load_sizes` names; acceleration (mobility) is that of v without its
    idle and elastic rates, vdot (nv) that of all of v.
    """

    inputs: tuple[str, ...]
    equations: Callable[..., dict[str, Any]]
    units: dict[str, str]
    loads: int = 0
    """Length of the input "loads": wrenches at frames."""
    prescribed: int = 0
    """Length of the input "prescribed": accelerations of velocities by name."""
    regroups: bool = False
    """Whether inertia may be moved between links: all that follows from the kinetic energy and the work of gravity."""
    interpreted: bool = False
    """Whether it is asked for so few states, and so early, that compiling it does not pay."""
    locks: bool = False
    """Whether it makes use of velocities that geometry locks: it asks for no reactions, and makes no q."""
    of_structure: bool = False
    """Whether it is the same whatever velocities lead the mechanism."""


CATALOGUE: dict[str, Entry] = {
    "inverse_dynamics": Entry(
        ("q", "v", "acceleration", *LOADS),
        inverse.inverse_dynamics,
        {"tau": "N, N m", "idle_acceleration": "m/s2, rad/s2", "eddot": "SI"},
        regroups=True,
        locks=True,
    ),
    "forward_dynamics": Entry(
        ("q", "v", "tau", *LOADS), forward.forward_dynamics, {"vdot": "m/s2, rad/s2"}, regroups=True, locks=True
    ),
    "dynamics_residual": Entry(
        ("q", "v", "vdot", "tau", *LOADS), inverse.dynamics_residual, {"residual": "N, N m"}, regroups=True, locks=True
    ),
    "mass_matrix": Entry(("q",), terms.mass_matrix, {"M": "kg, kg m, kg m2"}, regroups=True, locks=True),
    "bias_force": Entry(("q", "v"), terms.bias_force, {"h": "N, N m"}, regroups=True, locks=True),
    "gravity_force": Entry(("q",), terms.gravity_force, {"g": "N, N m"}, regroups=True, locks=True),
    "drive_map": Entry(("q",), terms.drive_map, {"S": "1, m"}, locks=True),
    "energies": Entry(("q", "v"), energies.energies, {"kinetic": "J", "potential": "J", "losses": "W"}, locks=True),
    "joint_reactions": Entry(
        ("q", "v", "vdot", "tau", *LOADS),
        reactions.joint_reactions,
        {"joints": "N, N m", "cuts": "N, N m", "couplings": "N, N m", "teeth": "N"},
    ),
    "configuration_rate": Entry(("q", "v"), rates.configuration_rate, {"qdot": "m/s, 1/s, rad/s"}),
    "joint_motion": Entry(("q", "v", "vdot"), rates.joint_motion, {"u": "SI", "ud": "SI"}),
    "tree_rates": Entry(("q", "v"), rates.tree_rates, {"u": "SI"}),
    "tilt_cosines": Entry(("q",), tilts.tilt_cosines, {"cosines": "1"}, of_structure=True),
    "link_poses": Entry(("q",), link_poses, {"positions": "m", "rotations": "1"}, of_structure=True),
    "joint_points": Entry(("q",), joint_points, {"joints": "m", "cuts": "m"}, of_structure=True),
    "closure_residual": Entry(
        ("q",), rates.closure_residual, {"residual": "m, 1", "misalignment": "1"}, of_structure=True
    ),
    "closure_rows": Entry(
        ("q",),
        rates.closure_rows,
        {"residual": "m, 1", "G": "SI", "misalignment": "1", "A": "1"},
        interpreted=True,
        of_structure=True,
    ),
    "closing_step": Entry(("q", "v"), rates.closing_step, {"du": "m, rad", "residual": "m, 1"}),
}

FOR_ASSEMBLING: dict[str, Entry] = {
    "loop_matrices": Entry(("q",), rates.loop_matrices, {}),
    "leading_step": Entry(("q", "v"), rates.leading_step, {"next": "m, 1, rad", "du": "m, rad", "residual": "m, 1"}),
    "drive_step": Entry(("q", "drives"), rates.drive_step, {"next": "m, 1, rad", "du": "m, rad", "residual": "m, 1"}),
    "spring_lengths": Entry(("q",), loads.spring_lengths, {"length": "m"}, of_structure=True),
}
"""What assembling and its checks ask for beside it; with `leg_closures` and `leg_joints`, which are about legs."""

FOR_STUDIES: dict[str, Entry] = {
    "unbent_dynamics": replace(CATALOGUE["inverse_dynamics"], equations=inverse.unbent_dynamics),
}
"""Functions that studies of designs ask for beside it: of robots that bend."""

COUNTED = ("inverse_dynamics", "forward_dynamics", "mass_matrix", "bias_force", "drive_map")
"""Functions `gough count` shows."""


def frame_entry(kind: str, frame: str) -> Entry:
    """Entry of "frame_pose" or "frame_twist" of a named frame."""

    def pose(numbers: Numbers, q: Any) -> dict[str, Any]:
        posture = Posture(numbers, q)
        check_state(Loops(posture), moving=False)
        position, rotation = frame_pose(posture, frame)
        return {"position": position, "rotation": rotation}

    def twist(numbers: Numbers, q: Any, v: Any) -> dict[str, Any]:
        posture = Posture(numbers, q)
        loops = Loops(posture)
        check_state(loops)
        return {"twist": frame_twist(posture, loops.rates(v), frame)}

    if kind == "frame_pose":
        return Entry(("q",), pose, {"position": "m"})
    return Entry(("q", "v"), twist, {"twist": "m/s, rad/s"})


def loaded_reactions(frames: tuple[str, ...]) -> Entry:
    """Entry of joint reactions with wrenches at named frames."""
    plain = CATALOGUE["joint_reactions"]
    equations = partial(reactions.joint_reactions, frames=frames)
    return Entry((*plain.inputs, "loads"), equations, plain.units, 6 * len(frames))


def hybrid_entry(mechanism: Structure, names: tuple[str, ...]) -> Entry:
    """Entry of hybrid dynamics with prescribed accelerations of velocities by name, as many as there are drives or, where these
    share what they do, fewer."""
    known, drives = mechanism.layout.u_names, len(mechanism.drives)
    unknown = [name for name in names if name not in known]
    if unknown or len(set(names)) < len(names):
        what = f"no velocity {', '.join(map(repr, unknown))}" if unknown else "a velocity is named twice"
        raise UsageError(f"hybrid_dynamics: {what}; there are {', '.join(known)}")
    if not 0 < len(names) <= drives:
        raise UsageError(
            f"hybrid_dynamics: {len(names)} prescribed velocities for {drives} drives; name as many as there are drives "
            f"({', '.join(mechanism.layout.drive_names) or 'none: use forward_dynamics'})"
        )
    return Entry(
        ("q", "v", "prescribed", *LOADS),
        partial(hybrid.hybrid_dynamics, names=names),
        {"tau": "N, N m", "vdot": "m/s2, rad/s2", "driven": "SI"},
        prescribed=len(names),
        regroups=True,
        locks=True,
    )


def leg_entry(key: FunctionKey) -> Entry | None:
    """Entry of "leg_closures" of a leg, or "leg_joints" and "branched_joints" in branches; None for other keys."""
    if key.kind == "leg_closures" and key.leg is not None:
        return Entry(("q",), partial(rates.leg_closures, leg=key.leg), {}, of_structure=True)
    if key.kind == "leg_joints" and key.branches:
        return Entry(("pose",), partial(leg_joints, branches=key.branches), {"joints": "m, rad"}, of_structure=True)
    if key.kind == "branched_joints" and key.branches:
        equations = partial(branched_joints, branches=key.branches)
        return Entry(("pose",), equations, {"joints": "m, rad"}, of_structure=True)
    return None


def entry_of(mechanism: Structure, key: FunctionKey) -> Entry:
    """Entry of a function of a mechanism."""
    kind, frames = key.kind, key.frames
    own = FOR_ASSEMBLING.get(kind) or FOR_STUDIES.get(kind) or leg_entry(key)
    if own is not None:
        return own
    if kind == "hybrid_dynamics":
        return hybrid_entry(mechanism, frames)
    one_frame = kind in ("frame_pose", "frame_twist") and len(frames) == 1
    if not (one_frame or (kind == "joint_reactions" and frames) or (kind in CATALOGUE and not frames)):
        known = f"{', '.join(CATALOGUE)}, frame_pose:NAME, frame_twist:NAME, hybrid_dynamics:NAME,…"
        raise UsageError(f"no function {str(key.of_q)!r}; there are {known}")
    for frame in frames:
        if frame not in mechanism.frames:
            raise UsageError(f"no frame {frame!r}; there are {', '.join(mechanism.frames)}")
    if one_frame:
        return frame_entry(kind, frames[0])
    return loaded_reactions(frames) if frames else CATALOGUE[kind]
