"""Newton's reading of a USD stage: masses, and joints as rows between free bodies of MuJoCo (`reference.peers.facts`).

Newton holds numbers in single precision, so agreement ends at about 1e-7. The motions of v are the model's (`frame_jacobian`),
the accelerations differences of them; Newton's joints say whether they are allowed, and whether there are others.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import newton  # pyright: ignore[reportMissingImports]
import numpy as np
import warp  # pyright: ignore[reportMissingImports]
from scipy.spatial.transform import Rotation

from reference.foreign.comparing import Reduced
from reference.peers.cuts import Side, cut_rows
from reference.peers.facts import WORLD, BodyFact, Facts, FreeBodies

SAME = 1e-5
"""Rows that differ by less are one: single precision."""
STEP = 1e-2


@dataclass(frozen=True)
class Link:
    """A joint of Newton: bodies, its frame in both (position, rotation), axes of its slides and of its turns, numbers of each."""

    name: str
    ends: tuple[str, str]
    frames: tuple[tuple[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]
    slides: tuple[np.ndarray, ...]
    turns: tuple[np.ndarray, ...]
    armature: tuple[float, ...]
    damping: tuple[float, ...]
    friction: tuple[float, ...]

    @property
    def axes(self) -> list[str]:
        """Names of its axes: the joint's own, or with transX, rotY and so on where there are several."""
        parts = [("trans", axis) for axis in self.slides] + [("rot", axis) for axis in self.turns]
        names = [f"{self.name}_{word}{'XYZ'[int(np.abs(axis).argmax())]}" for word, axis in parts]
        return names if len(names) > 1 else [self.name] * len(names)


@dataclass(frozen=True)
class _Held:
    type: str
    axis: Any = None
    axes: Any = None


class UsdReading:
    """The equations of a USD stage, its numbers by Newton, in the velocities of a model."""

    def __init__(self, file: Path, model: Any) -> None:
        warp.config.quiet = True
        self.own = model
        builder = newton.ModelBuilder()
        words = (newton.usd.SchemaResolverNewton(), newton.usd.SchemaResolverPhysx(), newton.usd.SchemaResolverMjc())
        builder.add_usd(str(file), schema_resolvers=list(words))
        old = dict(model.robot.source.get("renamed bodies", {}))
        labels = {label.rpartition("/")[2]: k for k, label in enumerate(builder.body_label)}
        if len(labels) < len(builder.body_label):
            raise ValueError("several bodies of one name")
        # massless bodies between the axes of one joint are the model's own
        self.names = {b.name: old.get(b.name, b.name).rpartition("/")[2] for b in model.robot.bodies}
        self.names = {ours: theirs for ours, theirs in self.names.items() if theirs in labels}
        if len(self.names) < len(labels):
            missing = sorted({*labels} - {*self.names.values()})
            raise ValueError(f"bodies that the model has not, or calls otherwise: {', '.join(missing)}")
        facts = {name: _body(builder, k) for name, k in labels.items()}
        self.free = FreeBodies(Facts(facts, {}, tuple(model.robot.gravity)))
        every = [WORLD if k < 0 else builder.body_label[k].rpartition("/")[2] for k in (-1, *range(len(labels)))]
        self.links = [link for j in range(len(builder.joint_type)) if (link := _link(builder, j, every)) is not None]
        old = dict(model.robot.source.get("renamed joints", {}))
        self.drives = [old.get(name, name).rpartition("/")[2] for name in model.layout.drive_names]
        missing = sorted({*self.drives} - {name for link in self.links for name in link.axes})
        if missing:
            raise ValueError(f"drives that the stage calls otherwise: {', '.join(missing)}")
        self.frames = {
            ours: f"{ours}.origin"
            if "origin" in (next(b for b in model.robot.bodies if b.name == ours).frames or {})
            else ours
            for ours in self.names
        }

    def reduced(self, q: np.ndarray, v: np.ndarray) -> Reduced:
        """M, h, S of Newton's bodies on the motions of the model."""
        free, n = self.free, len(v)
        N = self._motions(q)
        slopes = []
        step = STEP / max(1.0, float(np.abs(N @ v).max()))
        for k in (1, 2, 3):
            there, back = (self.own.integrate(q, v, s * k * step) for s in (1, -1))
            slopes.append((self._motions(there) @ v - self._motions(back) @ v) / (2 * k * step))
        a0 = 1.5 * slopes[0] - 0.6 * slopes[1] + 0.1 * slopes[2]
        free.set_state(self._places(q), N @ v)
        rows = [cut_rows(held, *self._sides(link))[0] for link in self.links for held in _held(link)]
        J = np.vstack([np.zeros((0, free.nv)), *rows])
        held = np.linalg.matrix_rank(J, tol=SAME * max(1.0, np.abs(J).max())) if len(J) else 0
        gap = float(np.abs(J @ N).max(initial=0.0)) / max(1.0, float(np.abs(N).max()))
        M, h = free.mass(), free.bias()
        at: dict[str, np.ndarray] = {}
        for link in self.links:
            for name, row, armature, damping, friction in self._rates(link):
                at[name] = row
                M = M + armature * np.outer(row, row)
                h = h + row * (damping * (row @ N @ v) + friction * np.sign(row @ N @ v))
        h = N.T @ (M @ a0 + h)
        S = N.T @ np.array([at[name] for name in self.drives]).reshape(-1, free.nv).T
        return Reduced(N.T @ M @ N, h, S.reshape(n, -1), free.nv - int(held), gap)

    def _places(self, q: np.ndarray) -> dict[str, np.ndarray]:
        found = {}
        for ours, theirs in self.names.items():
            X = np.eye(4)
            X[:3, 3], X[:3, :3] = self.own.frame_pose(q, self.frames[ours])
            found[theirs] = X
        return found

    def _motions(self, q: np.ndarray) -> np.ndarray:
        """MuJoCo's rates of free bodies: linear along the world's axes, angular along their own."""
        N = np.zeros((self.free.nv, self.own.layout.nv))
        for ours, theirs in self.names.items():
            J = self.own.frame_jacobian(q, self.frames[ours])
            R = self.own.frame_pose(q, self.frames[ours])[1]
            start = int(self.free.model.joint(theirs).dofadr[0])
            N[start : start + 6] = np.vstack([J[:3], R.T @ J[3:]])
        return N

    def _sides(self, link: Link) -> tuple[Side, Side]:
        first, second = (self.free.side(body, p, R) for body, (p, R) in zip(link.ends, link.frames, strict=True))
        return first, second

    def _rates(self, link: Link) -> list[tuple[str, np.ndarray, float, float, float]]:
        """(name, row of its rate, armature, damping, friction) of each axis of a joint."""
        first, second = self._sides(link)
        rows = []
        for axis in link.slides:
            along = first.R @ axis
            rows.append(along @ (second.Jp - first.Jp) + np.cross(along, second.p - first.p) @ first.Jr)
        for k, axis in enumerate(link.turns):
            other = link.turns[1 - k] if len(link.turns) == 2 else None
            about = (first.R if k == 0 else second.R) @ axis
            if other is not None:  # of two crossed axes each is turned about alone
                cross = (second.R if k == 0 else first.R) @ other
                about = about - cross * (cross @ about)
                about = about / (about @ ((first.R if k == 0 else second.R) @ axis))
            rows.append(about @ (second.Jr - first.Jr))
        return list(zip(link.axes, rows, link.armature, link.damping, link.friction, strict=True))


def _body(builder: Any, k: int) -> BodyFact:
    tensor = np.array(builder.body_inertia[k], float).reshape(3, 3)
    return BodyFact(float(builder.body_mass[k]), np.array(builder.body_com[k], float), 0.5 * (tensor + tensor.T))


def _link(builder: Any, j: int, bodies: list[str]) -> Link | None:
    kind = builder.joint_type[j].name
    if kind == "FREE":
        return None
    name = builder.joint_label[j].rpartition("/")[2]
    ends = (bodies[builder.joint_parent[j] + 1], bodies[builder.joint_child[j] + 1])
    frames = tuple(_frame(X[j]) for X in (builder.joint_X_p, builder.joint_X_c))
    start, (slides, turns) = builder.joint_qd_start[j], builder.joint_dof_dim[j]
    if kind == "BALL":
        return Link(name, ends, frames, (), tuple(np.eye(3)), (0.0,) * 3, (0.0,) * 3, (0.0,) * 3)  # type: ignore[arg-type]
    if kind == "DISTANCE":
        raise ValueError(f"joint {name}: a distance")
    axes = [np.array(builder.joint_axis[start + k], float) for k in range(slides + turns)]
    numbers = [
        tuple(float(values[start + k]) for k in range(slides + turns))
        for values in (builder.joint_armature, builder.joint_damping, builder.joint_friction)
    ]
    return Link(name, ends, frames, tuple(axes[:slides]), tuple(axes[slides:]), *numbers)  # type: ignore[arg-type]


def _frame(X: Any) -> tuple[np.ndarray, np.ndarray]:
    x = np.array(X, float)
    return x[:3], Rotation.from_quat(x[3:]).as_matrix()


def _held(link: Link) -> list[_Held]:
    """What a joint holds, in the words of `cut_rows`."""
    slides, turns = len(link.slides), len(link.turns)
    if (slides, turns) == (0, 0):
        return [_Held("fixed")]
    if (slides, turns) == (0, 1):
        return [_Held("revolute", link.turns[0])]
    if (slides, turns) == (1, 0):
        return [_Held("prismatic", link.slides[0])]
    if (slides, turns) == (0, 2):
        return [_Held("universal", axes=link.turns)]
    if (slides, turns) == (0, 3):
        return [_Held("spherical")]
    if (slides, turns) == (1, 1) and abs(link.slides[0] @ link.turns[0]) > 1 - SAME:
        return [_Held("cylindrical", link.slides[0])]
    raise ValueError(f"joint {link.name}: {slides} slides and {turns} turns")
