"""Cases made of motions, poses and grids: what is prescribed in the description, and what of it follows the design.

Poses: a coordinate that a pose does not name is as at home, each design's own home; an expression of variables has its value
in each design. Relative to home, all coordinates are added to those of each design's home.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.kinematics.leading import COORDINATES, NamedCoordinates
from gough.model.coordinates import coordinate_targets, pose_at_coordinates, pose_of_coordinates
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.targets import MotionTarget, target_of
from gough.spatial.euler import euler_matrix
from gough.studies.study._following import FollowedStates, demand_same_turn, formula_of, home_formulas
from gough.studies.study._grid import PoseGrid
from gough.studies.study._prescribed import unmoved_coordinates
from gough.studies.study.cases import UNFELT, StudyCase

if TYPE_CHECKING:
    from gough.model import Model
    from gough.robot.body import Payload

TEN = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")


def motion_case(
    name: str,
    model: "Model",
    motion: Motion,
    samples: int = 100,
    wrench: Any = None,
    payload: "Payload | None" = None,
    designs: np.ndarray | None = None,
    varied: frozenset[str] | None = None,
) -> StudyCase:
    """States at equal times along a motion, both ends included. varied: names of what the study varies, where the motion is
    relative to home; None where it is not. designs (n, m): some that the study may ask for; where a frame
    is elsewhere on the platform in them, it is the frame that is led, in every design by its own kinematics."""
    if motion.kind == "forces":
        raise UsageError(f"case {name!r}: its motion is one of forces; prescribe poses, drives or joints")
    whole = model.unlocked
    target = target_of(whole, motion)
    if target.on_platform is not None and _moves(whole, str(motion.frame), designs):
        target = replace(target, columns=None, frame=motion.frame, on_platform=None)
    time = np.linspace(0.0, motion.duration, samples)
    sample, follows = target.wanted_sample(motion.at(time)), None
    if varied is not None:
        sample, follows = _from_home(name, whole, target, sample, varied)
    if target.kind == "joints" and set(target.names) == set(COORDINATES):
        sample = _pose_sample(sample, target.names)
        target = MotionTarget(whole, "pose", tuple(range(6)))
    kind = {"pose": "pose", "drives": "drives"}.get(target.kind, "coordinates")
    added = payload_numbers(whole, payload)
    return StudyCase(
        name, whole, kind, target.names, sample.position, target, sample, time, wrench, added, follows=follows
    )


def _from_home(
    name: str, model: "Model", target: MotionTarget, sample: Sample, varied: frozenset[str]
) -> tuple[Sample, FollowedStates | None]:
    """A motion that is written relative to home, and what of it follows each design's home."""
    if target.kind not in ("pose", "joints") or target.columns is None or target.on_platform is not None:
        raise UsageError(
            f"case {name!r}: relative to home are motions of the platform's pose and of named coordinates; leave relative out"
        )
    demand_same_turn(model, varied, name)
    pose, at = target.kind == "pose", sample.position.copy()
    if pose and np.abs(pose_at_coordinates(model, {})[3:] - [1.0, 0.0, 0.0, 0.0]).max() > UNFELT:
        raise UsageError(
            f"case {name!r}: its motion has whole orientations, and home is turned; write it in x y z yaw pitch roll"
        )
    names = COORDINATES[:3] if pose else target.names
    at[:, : len(names)] += NamedCoordinates(model, list(names)).values(model.home)
    columns = COORDINATES if pose or set(names) == set(COORDINATES) else names
    held = np.repeat(np.array([n in names and n not in COORDINATES[3:] for n in columns])[None], len(at), axis=0)
    return replace(sample, position=at), _followed(model, columns, held, {})


def _followed(
    model: "Model", names: Sequence[str], at_home: np.ndarray, texts: Mapping[tuple[int, int], str]
) -> FollowedStates | None:
    """None where nothing follows variables."""
    formulas = home_formulas(model)
    moved = at_home & np.array([n in formulas for n in names])
    return FollowedStates(model, tuple(names), moved, texts) if moved.any() or texts else None


def _moves(model: "Model", frame: str, designs: np.ndarray | None) -> bool:
    """Whether a frame on the platform is elsewhere on it in some of the designs (n, m)."""
    if designs is None:
        return False
    P = np.concatenate([model.parameters[None], designs])
    found = model.function(f"frame_pose:{frame}").values(q=np.repeat(model.home[None], len(P), axis=0), parameters=P)
    return any(not np.allclose(x[1:], x[0], rtol=0.0, atol=1e-12) for x in found.values())


def _pose_sample(sample: Sample, names: tuple[str, ...]) -> Sample:
    """Pose, twist and acceleration from all six coordinates of the platform: ω = E rates, α = E accelerations + Ė rates."""
    order = [names.index(n) for n in COORDINATES]
    x, xd, xdd = (part[:, order] for part in (sample.position, sample.velocity, sample.acceleration))
    pose = pose_of_coordinates(x.T)
    E = euler_matrix("rpy_zyx", x[:, 3:])
    by_yaw = xd[:, 3:4] * E[:, :, 0]
    by_both = by_yaw + xd[:, 4:5] * E[:, :, 1]
    carried = xd[:, 4:5] * np.cross(by_yaw, E[:, :, 1]) + xd[:, 5:] * np.cross(by_both, E[:, :, 2])
    turn, turned = (np.einsum("nij,nj->ni", E, y[:, 3:]) for y in (xd, xdd))
    return Sample(
        pose, np.concatenate([xd[:, :3], turn], axis=1), np.concatenate([xdd[:, :3], turned + carried], axis=1)
    )


def pose_case(
    name: str,
    model: "Model",
    poses: Sequence[Mapping[str, float | str]],
    wrench: Any = None,
    payload: "Payload | None" = None,
    grid: PoseGrid | None = None,
    relative: bool = False,
) -> StudyCase:
    """States at rest, at coordinates {name: number, or expression of variables} of the platform, of joints or drives; what a pose
    does not name is as at home. relative: all of them are added to those of home."""
    whole = model.unlocked
    written = [dict(pose) for pose in poses] or [{}]
    listed = [{n: float(formula_of(whole, x)[0]) if isinstance(x, str) else x for n, x in p.items()} for p in written]
    keys = list(dict.fromkeys(key for pose in listed for key in pose))
    unmoved = unmoved_coordinates(whole)
    for key, value in ((k, x) for pose in listed for k, x in pose.items() if k in unmoved):
        if abs(value - (0.0 if relative else unmoved[key])) > UNFELT * max(1.0, whole.size):
            raise UsageError(
                f"{key} of {whole.robot.name} stays at {unmoved[key]:.6g}, not {value:g}; leave it out of the pose"
            )
    listed = [{k: x for k, x in pose.items() if k not in unmoved} for pose in listed]
    keys = [k for k in keys if k not in unmoved]
    coordinate_targets(whole, dict.fromkeys(keys, 0.0))  # unknown names are told here
    home = dict(zip(keys, NamedCoordinates(whole, keys).values(whole.home).tolist(), strict=True))
    listed = [home | {k: x + home[k] if relative else x for k, x in pose.items()} for pose in listed]
    if relative and grid is not None:
        moved = zip(grid.names, grid.values, strict=True)
        grid = replace(grid, values=tuple(x + home.get(n, 0.0) for n, x in moved))
    added = payload_numbers(whole, payload)
    free = set(range(6)) <= set(whole.mechanism.selection.independent) or whole.geometry.legs_reach
    if whole.mechanism.has_platform and set(keys) <= set(COORDINATES) and free:
        position = np.stack([pose_at_coordinates(whole, pose) for pose in listed])
        follows = _following_poses(whole, COORDINATES, written, relative)
        return StudyCase(name, whole, "pose", (), position, wrench=wrench, added=added, grid=grid, follows=follows)
    rows = [coordinate_targets(whole, pose) for pose in listed]
    position, names = np.stack([x for _, x in rows]), tuple(rows[0][0])
    follows = _following_poses(whole, names, written, relative)
    return StudyCase(
        name, whole, "coordinates", names, position, wrench=wrench, added=added, grid=grid, follows=follows
    )


def _following_poses(
    model: "Model", names: Sequence[str], written: Sequence[Mapping[str, float | str]], relative: bool
) -> FollowedStates | None:
    """What of poses, as they are written, follows the design."""
    at_home = np.array([[relative or n not in pose for n in names] for pose in written])
    texts = {
        (s, k): x for s, pose in enumerate(written) for k, n in enumerate(names) if isinstance(x := pose.get(n), str)
    }
    return _followed(model, names, at_home, texts)


def payload_numbers(model: "Model", payload: "Payload | None") -> np.ndarray | None:
    """What a payload on the platform adds to the design (m,)."""
    if payload is None:
        return None
    if not model.mechanism.has_platform:
        raise UsageError(
            f"payload: {model.robot.name} has no platform that carries it; vary the mass of a body instead"
        )
    if model.mechanism.platform.elastic is not None:
        raise UsageError(
            f"payload: the platform of {model.robot.name} is flexible, its modes carry what is on it; describe a body of its "
            "own, fixed to a frame of the platform"
        )
    added = np.zeros(len(model.parameters))
    for key, value in zip(TEN, np.asarray(payload.ten_parameters(), dtype=float), strict=True):
        place = model.parameter_names.index(f"{model.mechanism.platform.name}.{key}")
        if value and place in model.pattern:
            own = model.parameter_names[place]
            raise UsageError(f"payload: {own} is a structural zero; build the model with free=[{own!r}]")
        added[place] = value
    return added
