"""How a record tells where the robot is: by encoders of its drives, by other joints, or by the platform's pose."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.identification.data._filters import LowPass
from gough.identification.data._pieces import EvenPiece
from gough.kinematics.leading import COORDINATES, OF_TWIST
from gough.simulation.motion.paths import Sample
from gough.simulation.motion.targets import MotionTarget
from gough.spatial.charts import CONJUGATE, from_rotation_vector
from gough.spatial.euler import coordinates_of
from gough.spatial.poses import quaternion_product, rotation_vector

if TYPE_CHECKING:
    from gough.identification.data.record import Record
    from gough.model import Model

WAYS = ("auto", "drives", "joints", "pose")
RANK, AROUND = 1e-7, 5
"""Of the largest: what is held by less is open; states around home at which that is asked."""
FARTHEST = 0.9 * np.pi
"""Largest turn (rad) of a measured platform from its mean orientation."""


@dataclass(frozen=True)
class Way:
    """What is filtered and what the robot is led by. names: of the channels; exact: the part of them that leads where there are
    more than freedoms, which then are met as nearly as they can be; told: what to say of it."""

    model: "Model"
    kind: str
    target: MotionTarget
    names: tuple[str, ...]
    exact: MotionTarget | None = None
    told: str = ""

    def channels(self, piece: EvenPiece) -> tuple[np.ndarray, np.ndarray | None]:
        """(coordinates (n, k), orientation (4,) that rotation vectors are from, for poses)."""
        record = piece.record
        if self.kind != "pose":
            return np.stack([record.positions[n] for n in self.names], axis=1), None
        assert record.pose is not None
        if self.target.kind == "joints":
            x = coordinates_of(record.pose, "rpy_zyx")
            x[:, 3:] = np.unwrap(x[:, 3:], axis=0)
            return x[:, [COORDINATES.index(n) for n in self.names]], None
        base = record.pose[:, 3:].mean(axis=0)
        base /= np.linalg.norm(base)
        turned = rotation_vector(quaternion_product(record.pose[:, 3:], base * CONJUGATE))
        far = float(np.linalg.norm(turned, axis=1).max())
        if far > FARTHEST:
            raise UsageError(
                f"{record.name}: the platform turns by {far:.3g} rad from its mean orientation; split the record"
            )
        return np.concatenate([record.pose[:, :3], turned], axis=1), base

    def filtered_sample(self, piece: EvenPiece, low: LowPass, late: dict[str, float], rows: np.ndarray) -> Sample:
        """Filtered positions with their rates and accelerations, at some rows of a piece."""
        x, base = self.channels(piece)
        key = "pose" if self.kind == "pose" else "position"
        columns = []
        for k, name in enumerate(self.names):
            shift = late.get(f"{key} {name}", late.get(key, 0.0))
            columns.append([y[rows] for y in low.derivatives(x[:, k], piece.step, shift)])
        three = [np.stack(part, axis=1) for part in zip(*columns, strict=True)]
        if base is None:
            return Sample(*three)
        q, w, wd = from_rotation_vector(*(part[:, 3:] for part in three))
        position = np.concatenate([three[0][:, :3], quaternion_product(q, base)], axis=1)
        return Sample(
            position, np.concatenate([three[1][:, :3], w], axis=1), np.concatenate([three[2][:, :3], wd], axis=1)
        )


def choose_way(model: "Model", records: "Sequence[Record]", states: str) -> Way:
    """The way that all records allow; UsageError with the reason where there is none."""
    drives = model.layout.drive_names
    common = [n for n in records[0].positions if all(n in r.positions for r in records)]
    posed = all(r.pose is not None for r in records)
    by_drives = bool(drives) and all(d in common for d in drives) and len(drives) >= model.mobility
    if states == "auto":
        states = "drives" if by_drives else "joints" if len(common) >= model.mobility else "pose" if posed else "none"
    if states == "drives":
        lost = [d for d in drives if d not in common]
        if lost:
            raise UsageError(
                f"condition: states='drives' needs positions of all drives; {', '.join(lost)} are not in all records"
            )
        if len(drives) < model.mobility:
            raise UsageError(
                f"condition: {model.robot.name} has {len(drives)} drives and {model.mobility} freedoms; measure more joints"
            )
        return lead_by_joints(model, drives)
    if states == "joints":
        return lead_by_joints(model, tuple(common))
    if states == "pose" and posed:
        return _by_pose(model)
    have = ", ".join(common) or "no position"
    need = f"positions of all drives ({', '.join(drives[:6])}{' …' if len(drives) > 6 else ''})"
    need += ", or the platform's pose" if model.layout.n_pose else ", or of as many joints as it has freedoms"
    raise UsageError(
        f"condition: records do not tell where {model.robot.name} is: it takes {need}; all of them have {have}"
    )


def lead_by_joints(model: "Model", names: tuple[str, ...]) -> Way:
    layout, mechanism = model.layout, model.mechanism
    columns = {layout.q_names[link.q]: link.u for link in mechanism.links if link.nu == 1}
    own = tuple(d for d in layout.drive_names)
    driven = names == own
    target = MotionTarget(model, "drives" if driven else "joints", tuple(columns[n] for n in names), names=names)
    _demand_closed(target, names)
    if len(names) == model.mobility:
        return Way(model, "joints", target, names, told=f"states from positions of {', '.join(names)}")
    kept = _independent(target)
    some = tuple(names[k] for k in kept)
    exact = MotionTarget(model, "joints", tuple(columns[n] for n in some), names=some)
    target = MotionTarget(model, "joints", target.columns, names=names)
    told = f"states from positions of {', '.join(names)}, {len(names)} for {model.mobility} freedoms: least squares"
    return Way(model, "joints", target, names, exact, told)


def _independent(target: MotionTarget) -> list[int]:
    """Rows that determine all freedoms best at home."""
    from scipy.linalg import qr

    A = target.rows(target.model.home[None])[0] * target.scales[:, None]
    order = np.asarray(qr(A.T, pivoting=True, mode="r")[-1])
    return sorted(int(k) for k in order[: target.model.mobility])


def _by_pose(model: "Model") -> Way:
    if model.mobility >= 6:
        target = MotionTarget(model, "pose", tuple(range(6)))
        names = ("x", "y", "z", "rx", "ry", "rz")
    else:
        names = tuple(OF_TWIST[v] for v in model.layout.v_names[: model.mobility] if v in OF_TWIST)
        angles = tuple((row, COORDINATES.index(n) - 3) for row, n in enumerate(names) if n in COORDINATES[3:])
        target = MotionTarget(model, "joints", tuple(COORDINATES.index(n) for n in names), names=names, angles=angles)
    _demand_closed(target, ("the platform's pose",))
    told = f"states from the platform's {'pose' if model.mobility >= 6 else ', '.join(names)}"
    return Way(model, "pose", target, names, told=told)


def _demand_closed(target: MotionTarget, names: Sequence[str]) -> None:
    """Refuse coordinates that leave a freedom open, wherever it is: at home or around it they must determine all of v."""
    model = target.model
    states = np.concatenate([model.home[None], model.sampled_states["q"][:AROUND]])
    A = target.rows(states) * target.scales[:, None]
    A = A[np.isfinite(A).all(axis=(1, 2))]
    A = A / np.array([1.0 if unit == "m/s" else model.size for unit in model.layout.v_units[: model.mobility]])
    left = model.mobility - int(np.linalg.matrix_rank(A, rtol=RANK).max(initial=0))
    if left:
        raise UsageError(
            f"condition: {', '.join(names)} leave {left} of the {model.mobility} freedoms of {model.robot.name} open; measure "
            "positions of more joints"
        )
