"""What a motion asks of a robot: rows of its velocities, and where they must be.

pose      of the platform; of a frame on a rigid platform moved to the platform's origin; of a frame elsewhere as it is
point     of any frame. Where a point leaves freedoms of the robot open, the frame's orientation stays as at home
drives, joints   their coordinates; beside joints also those of x y z yaw pitch roll of the platform that are the robot's own
          (of a tripod z, pitch and roll)
What else can move while all that is wanted stands still would depend on the way the robot came: such motions are refused.
Velocities: a matrix A (m, mobility) with A v = wanted rate, and A v̇ = wanted acceleration - bias; elastic rates are 0.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from gough.dynamics.catalogue import FunctionKey
from gough.errors import UsageError
from gough.kinematics.following import tree_rates
from gough.kinematics.leading import COORDINATES, coordinate_units
from gough.kinematics.mobility import neighbours
from gough.model.tangent import tangent_derivative
from gough.robot.units import as_written, misfit
from gough.simulation.motion.motion import Motion
from gough.simulation.motion.paths import Sample
from gough.spatial import quaternion_wxyz_from_rotation
from gough.spatial.charts import CONJUGATE, rotate
from gough.spatial.euler import euler_angles, euler_matrix
from gough.spatial.poses import pose_difference, quaternion_product

if TYPE_CHECKING:
    from gough.model import Model

NOTHING, RANK = 1e-9, 1e-7
"""Of the largest: what moves less takes no part; what is held by less is open."""
NEIGHBOURS = 4
"""States around home that are looked at: home alone may be singular."""


@dataclass(frozen=True, eq=False)
class MotionTarget:
    """One motion asked of one model. columns: tree velocities that are wanted, or None for those of `frame`.
    order: columns of the motion in the order of the model's drives, for drives. on_platform (7,): pose of the frame on the
    platform that the motion speaks of. parameters (n,): of the design, None for the model's. turned (4,): quaternion of the frame
    whose point is wanted, where it is held."""

    model: "Model"
    kind: str
    columns: tuple[int, ...] | None
    frame: str | None = None
    names: tuple[str, ...] = ()
    order: tuple[int, ...] = ()
    on_platform: np.ndarray | None = None
    parameters: np.ndarray | None = None
    turned: np.ndarray | None = None
    angles: tuple[tuple[int, int], ...] = ()
    """(row, which of yaw pitch roll) of the platform's angles among named coordinates."""

    @property
    def numbers(self) -> np.ndarray:
        """Parameters (n,) of the design."""
        return self.model.parameters if self.parameters is None else self.parameters

    @property
    def size(self) -> int:
        """Number of wanted velocities."""
        return len(self.columns) if self.columns is not None else 3 if self.kind == "point" else 6

    @property
    def scales(self) -> np.ndarray:
        """What one metre or radian of each wanted velocity counts (m): angles of poses times the robot's size."""
        size = self.model.size
        if self.kind == "pose":
            return np.array([1.0] * 3 + [size] * 3)
        if self.columns is None:
            return np.ones(3)
        return np.array([1.0 if self.model.layout.u_units[c] == "m/s" else size for c in self.columns])

    @property
    def told_too_much(self) -> str:
        """Where a point is wanted whose frame is held, of a robot that has not the freedoms for both: that, and the remedy."""
        model = self.model
        if self.turned is None or not model.mobility < self.size:
            return ""
        name = self.frame or "the platform"
        named = f"name {model.mobility} of its coordinates {' '.join(COORDINATES)} that it can follow (joints={{…}})"
        if not model.mechanism.has_platform:
            body = name.rpartition(".")[0] or name
            how = f"make {body} the platform (of another program's file: gough.load(…, platform={body!r})) and {named}"
        elif self.frame is None or self.on_platform is not None:
            how = named
        else:
            how = "give a motion of more joints"
        return (
            f"a point alone leaves freedoms open, so that {name} keeps the orientation that it has at home: 3 coordinates and 3 "
            f"angles are {self.size} demands on {model.mobility} freedoms, which cannot meet them all. Instead {how}; or give a "
            "motion of the drives"
        )

    def wanted_sample(self, sample: Sample) -> Sample:
        """A motion's sample (n, …) in terms of the model: drives in its order, poses of the platform itself."""
        if self.kind == "drives":
            order = list(self.order)
            return Sample(sample.position[:, order], sample.velocity[:, order], sample.acceleration[:, order])
        sample = sample if self.turned is None else _held(sample, self.turned)
        return sample if self.on_platform is None else _of_platform(sample, self.on_platform)

    def rows(self, q: np.ndarray) -> np.ndarray:
        """A (n, size, mobility) at q (n, nq), of the rigid velocities alone; the loops may be a little open."""
        model = self.model
        if self.columns is not None:
            u = tree_rates(model, q, self.numbers[None], model.mobility)
            out = u[:, list(self.columns)]
            for row, k in self.angles:
                out[:, row] = np.einsum("nj,njv->nv", _angle_rates(q)[:, k], u[:, 3:6])
            return out
        found = model.function(FunctionKey("frame_twist", (str(self.frame),))).values(
            q=q[:, None, :], v=np.eye(model.layout.nv)[: model.mobility], parameters=self.numbers
        )["twist"]
        return np.swapaxes(found, 1, 2)[:, : self.size]

    def bias(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Accelerations (n, size) of what is wanted when v does not change."""
        model = self.model
        if self.columns is not None:
            still = np.zeros((1, model.layout.nv))
            found = model.function("joint_motion").values(q=q, v=v, vdot=still, parameters=self.numbers)
            out = found["ud"][:, list(self.columns)]
            if self.angles:
                u = np.einsum("nuv,nv->nu", tree_rates(model, q, self.numbers[None], model.layout.nv), v)
                accelerations = _angle_accelerations(q, u[:, 3:6], found["ud"][:, 3:6])
                for row, k in self.angles:
                    out[:, row] = accelerations[:, k]
            return out
        along = tangent_derivative(model, FunctionKey("frame_twist", (str(self.frame),)), ("q",), "jvp")
        return along.values(q=q, v=v, d_q=v, parameters=self.numbers)["d_twist"][:, : self.size]

    def missing(self, q: np.ndarray, position: np.ndarray) -> np.ndarray:
        """What is left (n, size) of the way from q to wanted positions, for a frame."""
        found = self.model.function(FunctionKey("frame_pose", (str(self.frame),))).values(q=q, parameters=self.numbers)
        if self.kind == "point":
            return position - found["position"]
        whole = np.full((len(q), 7), np.nan)
        good = np.isfinite(found["rotation"]).all(axis=(1, 2))
        whole[:, :3] = found["position"]
        whole[good, 3:] = quaternion_wxyz_from_rotation(found["rotation"][good])
        return pose_difference(whole, position)


def target_of(model: "Model", motion: Motion, parameters: np.ndarray | None = None) -> MotionTarget:
    """What the motion asks of the model; UsageError where it cannot be asked. parameters (n,): of another design."""
    target = replace(_asked(model, motion, parameters), parameters=parameters)
    if target.kind == "drives" or not open_freedoms(target):
        return target
    if target.kind == "point":
        held = _asked(model, motion, parameters, "pose")
        found = model.function(FunctionKey("frame_pose", (str(motion.frame),))).values(
            q=model.home, parameters=target.numbers
        )
        turned = quaternion_wxyz_from_rotation(found["rotation"])
        held = replace(held, parameters=parameters, turned=turned)
        if not open_freedoms(held):
            return held
    what = {"pose": "its pose", "point": "its point"}.get(target.kind, "moving " + ", ".join(target.names))
    what = what if target.frame is None else f"{what.replace('its', 'the')} of {target.frame}"
    raise UsageError(
        f"{model.robot.name}: {what} leaves {open_freedoms(target)} of its {model.mobility} freedoms open, so that the rest "
        "would depend on the way it came; say more: a motion of drives or of more joints"
        + (", or of its pose" if target.kind != "pose" and model.mechanism.has_platform else "")
    )


def open_freedoms(target: MotionTarget) -> int:
    """In how many ways what takes part in a target can move while all that is wanted stands still, around home."""

    def found() -> int:
        model = target.model
        n = model.mobility
        states = np.concatenate([model.home[None], neighbours(model, model.home, model.null_space, NEIGHBOURS)])
        A = replace(target, parameters=None).rows(states) * target.scales[:, None]
        A = A[np.isfinite(A).all(axis=(1, 2))]
        A = A / np.array([1.0 if unit == "m/s" else model.size for unit in model.layout.v_units[:n]])
        part = np.abs(A).max(axis=(0, 1), initial=0.0) > NOTHING * np.abs(A).max(initial=NOTHING)
        return int(part.sum() - np.linalg.matrix_rank(A[:, :, part], rtol=RANK).max(initial=0)) if part.any() else 0

    return target.model.cached(("open freedoms", target.kind, target.columns, target.frame), found)


def _asked(model: "Model", motion: Motion, parameters: np.ndarray | None, kind: str = "") -> MotionTarget:
    layout, mechanism, kind = model.layout, model.mechanism, kind or motion.kind
    if motion.kind == "drives":
        order = drive_order(model, motion)
        return MotionTarget(model, "drives", tuple(mechanism.links[d.link].u for d in mechanism.drives), order=order)
    if motion.kind == "joints":
        columns = {layout.q_names[link.q]: link.u for link in mechanism.links if link.nu == 1}
        columns |= {name: k for k, name in enumerate(COORDINATES)} if mechanism.has_platform else {}
        unknown = [n for n in motion.names if n not in columns]
        if unknown:
            raise UsageError(
                f"{model.robot.name} has no scalar joint {', '.join(unknown)}; there are {', '.join(columns)}"
            )
        _demand_units(model, motion)
        turns = COORDINATES[3:] if mechanism.has_platform else ()
        angles = tuple((row, turns.index(n)) for row, n in enumerate(motion.names) if n in turns)
        return MotionTarget(model, "joints", tuple(columns[n] for n in motion.names), names=motion.names, angles=angles)
    if motion.frame is None:
        if not mechanism.has_platform:
            raise UsageError(f"{model.robot.name} has no platform: a pose must name its frame (frame=)")
        return MotionTarget(model, "pose", tuple(range(6)))
    if motion.frame not in mechanism.frames:
        raise UsageError(f"{model.robot.name} has no frame {motion.frame!r}; there are {', '.join(mechanism.frames)}")
    on = mechanism.frames[motion.frame].link
    while mechanism.links[on].tie is not None:  # a frame tied to nodes of a flexible body
        on = mechanism.links[on].parent
    if kind == "pose" and mechanism.has_platform and on == 0:
        if mechanism.links[0].elastic is not None:
            raise UsageError(
                f"{motion.frame!r} is a frame of a flexible platform: no drive forces follow from its motion in general (see "
                f"gough.zero_dynamics); give the pose of the platform itself (no frame=), its floating frame, or the motion of "
                "the drives that gough.stable_inversion finds"
            )
        return MotionTarget(
            model, "pose", tuple(range(6)), on_platform=_frame_on_platform(model, motion.frame, parameters)
        )
    return MotionTarget(model, kind, None, motion.frame)


def unit_problems(model: "Model", motion: Motion) -> list[tuple[str, str]]:
    """(channel, what is wrong) of all channels that are written in a unit which the robot's drive or joint has not."""
    layout, places = model.layout, coordinate_units(model)
    known = places if motion.kind in ("drives", "joints") else {}
    if motion.kind == "forces":
        known = dict(zip(layout.drive_names, layout.drive_units, strict=True))
    if motion.kind != "joints" and not set(motion.names) & set(layout.drive_names):  # an array without names
        known = {f"drive{k}": known[name] for k, name in enumerate(layout.drive_names) if name in known}
    units = zip(motion.names, motion.units, strict=True)
    found = [(n, misfit(as_written(unit), known[n], n)) for n, unit in units if n in known]
    return [(name, problem) for name, problem in found if problem]


def _demand_units(model: "Model", motion: Motion) -> None:
    for _, problem in unit_problems(model, motion):
        raise UsageError(f"the motion does not fit to {model.robot.name}: {problem}")


def drive_order(model: "Model", motion: Motion) -> tuple[int, ...]:
    """Columns of a motion of drives, or of forces, in the order of the robot's drives."""
    _demand_units(model, motion)
    own = model.layout.drive_names
    if len(motion.names) == len(own) and motion.names == tuple(f"drive{k}" for k in range(len(own))):
        return tuple(range(len(own)))  # an array without names
    if set(motion.names) != set(own):
        raise UsageError(
            f"the motion moves the drives {', '.join(motion.names)}; those of {model.robot.name} are {', '.join(own)}"
        )
    return tuple(motion.names.index(n) for n in own)


def _angle_rates(q: np.ndarray) -> np.ndarray:
    """E⁻¹ (n, 3, 3) at q (n, nq): rates of yaw, pitch, roll = E⁻¹ ω."""
    E = euler_matrix("rpy_zyx", euler_angles("rpy_zyx", q[:, 3:7]))
    out = np.full_like(E, np.nan)  # beside pitches of a quarter turn, where yaw and roll are one
    good = np.isfinite(E).all(axis=(1, 2)) & (np.abs(np.linalg.det(np.nan_to_num(E))) > NOTHING)
    out[good] = np.linalg.inv(E[good])
    return out


def _angle_accelerations(q: np.ndarray, w: np.ndarray, wd: np.ndarray) -> np.ndarray:
    """Accelerations (n, 3) of yaw, pitch, roll for ω and ω̇ (n, 3): E⁻¹ (ω̇ - Ė rates), the axes of E carried along."""
    E, back = euler_matrix("rpy_zyx", euler_angles("rpy_zyx", q[:, 3:7])), _angle_rates(q)
    rates = np.einsum("nij,nj->ni", back, w)
    by_yaw = rates[:, :1] * E[:, :, 0]
    by_both = by_yaw + rates[:, 1:2] * E[:, :, 1]
    carried = rates[:, 1:2] * np.cross(by_yaw, E[:, :, 1]) + rates[:, 2:] * np.cross(by_both, E[:, :, 2])
    return np.einsum("nij,nj->ni", back, wd - carried)


def _frame_on_platform(model: "Model", frame: str, parameters: np.ndarray | None) -> np.ndarray:
    numbers = model.parameters if parameters is None else parameters
    found = model.function(FunctionKey("frame_pose", (frame,))).values(
        q=model.home, parameters=numbers
    )  # legs do not matter here
    position, rotation = found["position"], found["rotation"]
    back = model.home[3:7] * CONJUGATE
    q = quaternion_product(back, quaternion_wxyz_from_rotation(rotation))
    return np.concatenate([rotate(back, position - model.home[:3]), q])


def _held(sample: Sample, turned: np.ndarray) -> Sample:
    """Motion of a frame that keeps its orientation, from that of its point."""
    n = len(sample.position)
    position = np.concatenate([sample.position, np.broadcast_to(turned, (n, 4))], axis=1)
    rates = [np.concatenate([x, np.zeros((n, 3))], axis=1) for x in (sample.velocity, sample.acceleration)]
    return Sample(position, *rates)


def _of_platform(sample: Sample, on_platform: np.ndarray) -> Sample:
    """Motion of the platform's origin from that of a frame fixed to it: v_P = v_F + ω × r and its derivative."""
    q = quaternion_product(sample.position[:, 3:], on_platform[3:] * CONJUGATE)
    r = -rotate(q, on_platform[:3])
    w, wd = sample.velocity[:, 3:], sample.acceleration[:, 3:]
    v = sample.velocity[:, :3] + np.cross(w, r)
    a = sample.acceleration[:, :3] + np.cross(wd, r) + np.cross(w, np.cross(w, r))
    position = np.concatenate([sample.position[:, :3] + r, q], axis=1)
    return Sample(position, np.concatenate([v, w], axis=1), np.concatenate([a, wd], axis=1))
