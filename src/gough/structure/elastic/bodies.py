"""Flexible bodies of a description: where things are attached to them, and their constants.

A frame tied to a flexible body becomes a massless link of its own ("deflection"); what is attached there hangs on it.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from gough.errors import ReductionWarning, StructureError, UsageError, warn
from gough.fem.elastic_body import ElasticBody, Slaved, TiedFrame
from gough.robot import Body, Pose, Robot
from gough.robot.expressions.varying import free_variables, put_slopes
from gough.robot.flexible import Flexible
from gough.robot.flexible.modes import ORIGIN
from gough.robot.tree import bodies, placed_joints, placed_loops, platform_joint, platform_name
from gough.scalar import array_of
from gough.scalar.slopes import real_part

NOTHING = 1e-12
"""A constant this small beside its largest possible value is a zero."""
LARGE = 0.03
"""Deflection relative to the body's size, or rotation (rad), that a coordinate's typical large amplitude makes."""
SMALLEST = 0.01
"""Smallest size of a body, relative to the robot's, that says how far it bends."""

Points = dict[str, np.ndarray]


def compose_base(base, pose) -> tuple[np.ndarray, np.ndarray]:
    """(R, p) of a pose given in a base frame (None: the identity); entries that follow variables are `VariedNumber`s."""
    rotation, position = pose.varied_rotation(), array_of(pose.position)
    if base is None:
        return rotation, position
    R = base.varied_rotation()
    return R @ rotation, array_of(base.position) + R @ position


def point_key(position: np.ndarray) -> str:
    """Name of the tied frame at a point of a body (body axes, m)."""
    return f"at {spell_point(position)}"


def spell_point(position: np.ndarray) -> str:
    """A point (m) in words: "0 0.1 -0.25"."""
    return " ".join(f"{x + 0.0:.9g}" for x in np.round(position.astype(float), 12))


def attached_points(robot: Robot) -> dict[str, Points]:
    """{body: {key: position (3,)}} of everything that is attached to flexible bodies: joints, loops, springs, frames."""
    points: dict[str, Points] = {name: {} for name, body in bodies(robot).items() if body.flexible is not None}

    platform = platform_name(robot)

    def add(body: str, position: np.ndarray) -> None:
        if body == "platform" and body not in points and platform is not None:
            body = platform
        if body in points:
            points[body][point_key(position)] = np.asarray(position, dtype=float)

    for joint in placed_joints(robot):
        if joint.joint.type != "free":  # what a joint carries must be held at its origin: see `demand_still`
            add(joint.body_name, np.zeros(3))
        add(joint.parent, compose_base(joint.base, joint.joint.placement)[1])
    for loop in placed_loops(robot):
        add(loop.first, compose_base(loop.first_base, loop.first_pose)[1])
        add(loop.second, compose_base(loop.second_base, loop.second_pose)[1])
    for spring in robot.springs:
        for end in (spring.from_, spring.to):
            add(end.body, np.asarray(end.position, dtype=float))
    for name, body in bodies(robot).items():
        for pose in body.frames.values():
            add(name, np.asarray(pose.position, dtype=float))
    return points


def turn_body(body: ElasticBody, axes: np.ndarray) -> ElasticBody:
    """The same body in axes whose directions are the columns of `axes` (3, 3) in the old ones."""
    A, slaved = axes.T, body.slaved

    def tensors(x: np.ndarray) -> np.ndarray:
        return np.einsum("ia,...ab,jb->...ij", A, x, A)

    def vectors(x: np.ndarray) -> np.ndarray:
        return np.einsum("ia,a...->i...", A, x)

    frames = {
        key: TiedFrame(
            A @ f.position,
            A @ f.rotation,
            A @ f.translation,
            A @ f.turning,
            None if f.second is None else vectors(f.second),
        )
        for key, f in body.frames.items()
    }
    return replace(
        body,
        MS=A @ body.MS,
        J=tensors(body.J),
        MSde=A @ body.MSde,
        N1=tensors(body.N1),
        N2=tensors(body.N2),
        frames=frames,
        slaved=None
        if slaved is None
        else replace(slaved, MSde=A @ slaved.MSde, N1=tensors(slaved.N1), products=tensors(slaved.products)),
    )


def clean_body(body: ElasticBody) -> ElasticBody:
    """The body with zeros where integrals only have rounding errors, judged by the bounds of Cauchy and Schwarz."""
    size = np.sqrt(real_part(np.diag(body.M)))  # of every Φ_k over the mass
    arm = np.sqrt(max(np.trace(body.J).real, 0.0) / 2)
    root = np.sqrt(body.mass.real)
    pairs = size[:, None] * size[None, :]
    stiffness = np.sqrt(np.abs(np.outer(np.diag(body.K), np.diag(body.K))))
    return replace(
        body,
        MS=_clean(body.MS, np.array(root * arm)),
        J=_clean(body.J, np.array(arm * arm)),
        MSde=_clean(body.MSde, root * size),
        N1=_clean(body.N1, arm * size[:, None, None]),
        N2=_clean(body.N2, pairs[:, :, None, None]),
        M=_clean(body.M, pairs),
        K=_clean(body.K, stiffness),
        frames=_clean_frames(body, size / root if body.mass > 0 else size, arm / root if body.mass > 0 else 0.0),
        slaved=None if body.slaved is None else _clean_slaved(body.slaved, size, arm, root),
    )


def _clean_slaved(slaved: Slaved, size: np.ndarray, arm: float, root: float) -> Slaved:
    """Slaved shapes; size (m,): of the body's shapes, arm, root: of its places and its mass, each over the mass."""
    own = np.sqrt(np.maximum(real_part(np.diag(slaved.M[:, len(size) :])), 0.0))
    if slaved.rigid_motion:  # nothing is known of them but what they do with rigid motion
        own = np.maximum(np.abs(slaved.MSde).max(axis=0) / root, np.abs(slaved.N1).max(axis=(1, 2)) / arm)
    pairs = own[:, None] * np.concatenate([size, own])
    return replace(
        slaved,
        MSde=_clean(slaved.MSde, root * own),
        N1=_clean(slaved.N1, arm * own[:, None, None]),
        products=_clean(slaved.products, pairs[:, :, None, None]),
    )


def _clean(x: np.ndarray, bound: np.ndarray) -> np.ndarray:
    return np.where(np.abs(x) <= NOTHING * bound, 0.0, x)


def _clean_frames(body: ElasticBody, size: np.ndarray, arm: float) -> dict[str, TiedFrame]:
    """Tied frames, each coordinate judged by itself (some are metres, some radians, some m kg^½): by how far it moves the body.

    size (m,): displacement of the mass, its mean square; arm (m): of the mass, or of frames that lie farther out.
    """
    frames = body.frames
    arm = max([arm, *(float(np.linalg.norm(f.position)) for f in frames.values())]) or 1.0
    for f in frames.values():
        size = np.maximum(size, np.abs(f.translation).max(axis=0, initial=0.0))
        size = np.maximum(size, arm * np.abs(f.turning).max(axis=0, initial=0.0))
    pairs = np.multiply.outer(size, size) / arm

    return {
        key: replace(
            f,
            translation=_clean(f.translation, size),
            turning=_clean(f.turning, size / arm),
            second=None if f.second is None else _clean(f.second, pairs),
        )
        for key, f in frames.items()
    }


def typical_amplitudes(body: ElasticBody, size: float) -> tuple[float, ...]:
    """A large amplitude of every coordinate: the body then bends by LARGE of its size, or turns by LARGE rad at a tied frame
    or, where Ψ tells it (minus the square of slopes, summed along the way), on average inside. A body much smaller than the robot
    of `size` (m), a flexure between interfaces that all but coincide, is measured by the robot."""
    arm = abs(np.sqrt(max(np.trace(body.J), 0.0) / (2 * body.mass))) if body.mass > 0 else size or 1.0
    arm = max(arm, SMALLEST * size) or 1.0
    amplitudes = []
    for k in range(body.modes):
        rates = [abs(np.sqrt(body.M[k, k] / body.mass)) / arm if body.mass > 0 else 0.0]
        rates += [float(np.abs(f.turning[:, k]).max()) for f in body.frames.values()]
        rates += [float(np.linalg.norm(f.translation[:, k])) / arm for f in body.frames.values()]
        if body.MSdd is not None and body.mass > 0:
            rates.append(float(abs(np.sqrt(np.linalg.norm(body.MSdd[:, k, k]) / (body.mass * arm)))))
        largest = max(rates)
        amplitudes.append(LARGE / largest if largest > 0 else 1.0)
    return tuple(amplitudes)


def is_still(frame: TiedFrame) -> bool:
    """Whether a tied frame does not move with the elastic coordinates at all."""
    return not (frame.translation.any() or frame.turning.any() or (frame.second is not None and frame.second.any()))


def demand_still(name: str, body: ElasticBody, key: str) -> None:
    """Refuse a body whose own frame, which its joint carries, moves with the deformation."""
    frame = body.frames.get(key)
    if frame is not None and not is_still(frame):
        raise StructureError(
            f"{name}: its joint carries its origin, but the origin moves with the elastic coordinates; use shapes that are "
            f"held there (clamped at the origin)"
        )


def rigid_part(body: ElasticBody) -> np.ndarray:
    """(10,) parameters of the undeformed body about its origin."""
    J = body.J
    return np.array([body.mass, *body.MS, J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]])


MANY = 150
"""Elastic coordinates of a body whose programs take long to build."""


@dataclass(frozen=True, eq=False)
class _Reduced:
    """A flexible body, where something is attached, whether a joint carries it; what was made of it, and warnings."""

    body: Body
    points: Points
    carried: bool
    made: ElasticBody
    said: list[warnings.WarningMessage]

    def fits(self, body: Body, points: Points, carried: bool) -> bool:
        """Whether another body would come to the same: a described one, word for word."""
        return (
            isinstance(body.flexible, Flexible)
            and (carried, body.flexible, body.frames) == (self.carried, self.body.flexible, self.body.frames)
            and points.keys() == self.points.keys()
            and all(np.array_equal(at, self.points[key]) for key, at in points.items())
        )


def elastic_bodies(robot: Robot, again: bool = False, by: str | None = None) -> dict[str, ElasticBody]:
    """Constants of every flexible body by its full name, with a tied frame at every point where something is attached.

    Warnings name body, file and line; bodies that are alike share one. again: they were told when the model was built.
    by: a variable; numbers that follow it have slopes (`gough.scalar.slopes`), and the constants too.

    A `flexible` that is no description but a Python object makes its own: `elastic_body(points)` with points
    {key: position (3,) in m, body axes} returns a `fem.ElasticBody` with a frame under each key.
    """
    described, made = bodies(robot), {}
    said: dict[tuple[type[Warning], str, str], list[str]] = {}
    known: list[_Reduced] = []
    for name, points in attached_points(robot).items():
        body, carried = described[name], is_carried(robot, name)
        if by is not None:
            body = body.model_copy(update={"flexible": put_slopes(body.flexible, free_variables(robot), by)})
        same = next((one for one in known if one.fits(body, points, carried)), None)
        if same is None:  # the rods of legs alike are reduced once
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                warnings.simplefilter("error", np.exceptions.ComplexWarning)  # a slope that would be lost
                same = _Reduced(body, points, carried, _elastic_body(robot, name, body, points), caught)
            known.append(same)
        made[name] = same.made
        for one in same.said:
            text = in_words(str(one.message), described[name].frames, points)
            names = said.setdefault((one.category, robot.written(name), text), [])
            names += [name] * (name not in names)
    for (category, where, text), names in {} if again else said.items():
        others = f" (and {len(names) - 1} like it)" if len(names) > 1 else ""
        warn(f"{where}{': ' if where else ''}{names[0]}{others}: flexible: {text}", category)
    return made


def in_words(text: str, frames: Mapping[str, Pose], points: Points) -> str:
    """What is said of the keys of tied frames, in the words of the description: names of frames, or of points that lack one."""
    names = {point_key(np.zeros(3)): ORIGIN}
    names |= {point_key(np.array(pose.position)): name for name, pose in reversed(list(frames.items()))}
    lacking: dict[str, np.ndarray] = {}
    for key in sorted({*names, *points}, key=len, reverse=True):  # one may begin with another
        pattern = re.escape(key) + r"(?![0-9]|\.[0-9]|e[-+0-9])"
        if key not in names and re.search(pattern, text):
            lacking[f"point{len(lacking) + 1}"] = points[key]
            names[key] = f"point{len(lacking)}"
        if key in names:
            text = re.sub(pattern, names[key], text)
    if not lacking:
        return text
    where = ", ".join(f"{name}: {{position: {np.round(p, 9).tolist()}}}" for name, p in lacking.items())
    return f"{text}. Here {' and '.join(lacking)} need a name to be spoken of: write frames: {{{where}}} on the body"


def is_carried(robot: Robot, name: str) -> bool:
    """Whether a joint carries the body; else it is the free platform, whose frame may float."""
    if name != platform_name(robot):
        return True
    return platform_joint(robot) is None and any(j.body_name == name for j in placed_joints(robot))


def held_points(robot: Robot, name: str, points: Points) -> tuple[bool, Points]:
    """(whether a joint carries the body, the points that hold it: what is attached, and then its origin)."""
    carried = is_carried(robot, name)
    return carried, points | {point_key(np.zeros(3)): np.zeros(3)} if carried else points


def _elastic_body(robot: Robot, name: str, body: Body, points: Points) -> ElasticBody:
    flexible = body.flexible
    if not isinstance(flexible, Flexible):
        made = flexible.elastic_body(points)  # type: ignore[union-attr]
        _demand_frames(name, made, points)
        return made
    from gough.structure.elastic._reduction import described_body

    carried, held = held_points(robot, name, points)
    try:
        made = described_body(flexible, body.frames, held, carried, robot.origin)
    except UsageError as error:
        raise StructureError(f"{name}: flexible: {in_words(str(error), body.frames, held)}") from error
    if made.modes > MANY:
        warn(
            f"{made.modes} elastic coordinates: building the model and every evaluation take time with their square or more "
            "(minutes at 500). Reduce the body to modes, for instance modes: {number: 10}, or condense it to its frames",
            ReductionWarning,
        )
    return made


def _demand_frames(name: str, body: ElasticBody, points: Mapping[str, np.ndarray]) -> None:
    lost = [key for key in points if key not in body.frames]
    if lost:
        raise StructureError(
            f"{name}: its elastic_body(points) has no tied frame {', '.join(map(repr, lost))}, where something is attached; "
            "return one under each key"
        )
