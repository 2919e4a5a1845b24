"""Forces of a run as arrows: where they act, which way and how large.

Drive forces   at the origin of the driven link, along the drive's axis, as they push that link; torques along the axis too,
               right-handed.
Reactions      the force of the wrench through every joint, at the origin of the joint's body: that of the antecedent on the
               body; of a cut joint at the cut point: that of the leg on the platform (see `dynamics.reactions`).
"""

from dataclasses import dataclass

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.dynamics.reactions import joint_links
from gough.simulation.results.run import Run
from gough.structure import WORLD, Mechanism

Array = np.ndarray


@dataclass(frozen=True)
class Arrows:
    """Some arrows at one time. points (n, 3): where they act (m); vectors (n, 3): in `unit`, world axes."""

    points: Array
    vectors: Array
    unit: str

    def segments(self, metres: float) -> Array:
        """Start and end of each arrow (n, 2, 3), `metres` long a unit."""
        return np.stack([self.points, self.points + metres * self.vectors], axis=1)


class ForceArrows:
    """The arrows of a run. drives: which have a force ("N") and which a torque ("N m")."""

    def __init__(self, run: Run) -> None:
        self.run = run
        mechanism = run.model.mechanism
        self._drive_links = np.array([d.link for d in mechanism.drives], dtype=int)
        self._axes = np.array([drive_axis(mechanism, i) for i in self._drive_links]).reshape(-1, 3)
        self._pushes = np.array([d.unit == "N" for d in mechanism.drives], dtype=bool)
        self._joint_links = np.array(joint_links(mechanism), dtype=int)
        self._cuts = [cut_point(mechanism, k, run.design) for k in range(len(mechanism.cuts))]
        names = [mechanism.links[i].joint for i in self._joint_links] + [c.name for c in mechanism.cuts]
        self._reaction_channels = [f"{name}.reaction" for name in names]

    @property
    def has_forces(self) -> bool:
        """Whether a drive pushes."""
        return bool(self._pushes.any())

    @property
    def has_torques(self) -> bool:
        """Whether a drive turns."""
        return bool((~self._pushes).any())

    def drives(self, time: float, position: Array, rotation: Array, torques: bool) -> Arrows:
        """Forces (or torques) of the drives at a time, links at position (links, 3) and rotation (links, 3, 3)."""
        at = self._pushes != torques
        links, axes = self._drive_links[at], self._axes[at]
        along = np.einsum("nij,nj->ni", rotation[links], axes)
        vectors = along * self._sampled(self.run.tau, time)[at, None]
        return Arrows(position[links], np.nan_to_num(vectors), "N m" if torques else "N")

    def reactions(self, time: float, position: Array, rotation: Array) -> Arrows:
        """Forces through all joints at a time; the first call computes those of the whole run."""
        forces = self._sampled(self.reaction_forces(), time).reshape(-1, 3)
        n = len(self._joint_links)
        here = np.einsum("nij,nj->ni", rotation[self._joint_links], forces[:n])
        cut_points = [p if link == WORLD else position[link] + rotation[link] @ p for link, p in self._cuts]
        points = np.concatenate([position[self._joint_links], np.array(cut_points).reshape(-1, 3)])
        return Arrows(points, np.nan_to_num(np.concatenate([here, forces[n:]])), "N")

    def reaction_forces(self) -> Array:
        """Of all joints, then cuts (n, 3 · joints): those of joints in body axes, those of cuts in world axes."""
        return self.run.cached(
            "reaction forces",
            lambda: (
                np.concatenate([self.run[name][:, :3] for name in self._reaction_channels], axis=1)
                if self._reaction_channels
                else np.zeros((len(self.run), 0))
            ),
        )

    def largest(self, kind: str) -> float:
        """The largest arrow of a kind over the run: "force", "torque" (of drives) or "reaction"; 0.0 for none."""
        if kind == "reaction":
            found = self.reaction_forces().reshape(len(self.run), -1, 3)
            return _largest(np.linalg.norm(found, axis=2))
        return _largest(np.abs(self.run.tau[:, self._pushes == (kind == "force")]))

    def _sampled(self, values: Array, time: float) -> Array:
        """values (n, k) at a time: straight between stored states, or held from the one before."""
        stored = self.run.time
        i = max(int(np.searchsorted(stored, time, side="right")) - 1, 0)
        if i + 1 >= len(stored) or time <= stored[i] or self.run.tau_held:
            return values[i]
        s = (time - stored[i]) / (stored[i + 1] - stored[i])
        return (1 - s) * values[i] + s * values[i + 1]


def drive_axis(mechanism: Mechanism, link: int) -> Array:
    """Axis (3,) of a link's motion in its own axes, as described."""
    moved = mechanism.links[link]
    return moved.sign * moved.to_user[:, moved.axis]


def cut_point(mechanism: Mechanism, cut: int, parameters: Array) -> tuple[int, Array]:
    """(link, point (3,) in its axes as described) where the reaction of a cut joint acts; WORLD: in the world."""
    joint = mechanism.cuts[cut]
    point = np.asarray(Numbers(mechanism, parameters).placement(joint.on_second)[1], dtype=float)
    axes = np.eye(3) if joint.second == WORLD else mechanism.links[joint.second].to_user
    return joint.second, axes @ point


def _largest(values: Array) -> float:
    finite = values[np.isfinite(values)]
    return float(finite.max()) if finite.size else 0.0


def arrow_scale(largest: float, size: float, part: float = 0.3) -> float:
    """Metres a unit so that the largest arrow has this part of the robot's size (m)."""
    return part * size / largest if largest > 0 else 0.0


def round_below(value: float) -> float:
    """The largest of 1, 2, 5 times a power of ten that is not larger."""
    if not value > 0:
        return 0.0
    power = 10.0 ** np.floor(np.log10(value))
    return float(next(m * power for m in (5, 2, 1) if m * power <= value * (1 + 1e-12)))
