"""A robot and its states in Pinocchio's coordinates, and as the files the C++ harness reads.

Pinocchio's free joint has rates in body axes and spatial accelerations; quaternions are xyzw.
"""

from pathlib import Path

import numpy as np

from gough.compilation import Model
from gough.spatial import rotation_from_quaternion_wxyz
from gough_bench.closures import closures, not_a_tree, redundant
from gough_bench.states import States
from gough_bench.tree import Tree


def proximal(model: Model) -> tuple[float, int]:
    """Step and iterations of its proximal solver: one plain solve unless closures are redundant."""
    return (1e-10, 20) if redundant(model) else (0.0, 1)


class Coordinates:
    """Where the tree's entries stand: columns of gough's q and u in Pinocchio's order, with signs."""

    def __init__(self, tree: Tree) -> None:
        self.q: list[int] = []
        self.u: list[int] = []
        self.q_sign: list[float] = []
        self.u_sign: list[float] = []
        for joint in tree.joints:
            link = joint.link
            start, turns = link.q, joint.kind in ("free", "ball")
            if turns:
                at = start + (3 if joint.kind == "free" else 0)
                self.q += [*range(start, at), at + 1, at + 2, at + 3, at]
            else:
                self.q.append(start)
            self.u += list(link.columns)
            sign = 1.0 if turns else link.sign
            self.q_sign += [sign] * link.nq
            self.u_sign += [sign] * link.nu
        self.free = bool(tree.joints) and tree.joints[0].kind == "free"

    def positions(self, q: np.ndarray) -> np.ndarray:
        """Pinocchio's q (n, nq)."""
        return q[:, self.q] * np.array(self.q_sign)

    def rates(self, q: np.ndarray, u: np.ndarray) -> np.ndarray:
        """Pinocchio's v (n, nv)."""
        return self._turned(q, u[:, self.u] * np.array(self.u_sign), to_body=True)

    def forces(self, q: np.ndarray, forces: np.ndarray) -> np.ndarray:
        """Pinocchio's generalised forces (n, nv) of those on u."""
        return self.rates(q, forces)

    def accelerations(self, q: np.ndarray, u: np.ndarray, second: np.ndarray) -> np.ndarray:
        """gough's u̇ (n, nu) of Pinocchio's accelerations: world axes, classical."""
        turned = second.copy()
        if self.free:
            v = self.rates(q, u)
            turned[:, :3] += np.cross(v[:, 3:6], v[:, :3])
        turned = self._turned(q, turned, to_body=False) * np.array(self.u_sign)
        out = np.zeros_like(u)
        out[:, self.u] = turned
        return out

    def _turned(self, q: np.ndarray, x: np.ndarray, to_body: bool) -> np.ndarray:
        if self.free:
            R = np.stack([np.asarray(rotation_from_quaternion_wxyz(row), float) for row in q[:, 3:7]])
            how = "nji,nj->ni" if to_body else "nij,nj->ni"
            x = x.copy()
            x[:, :3], x[:, 3:6] = np.einsum(how, R, x[:, :3]), np.einsum(how, R, x[:, 3:6])
        return x


def drive_forces(model: Model, tau: np.ndarray) -> np.ndarray:
    """Generalised forces on u (n, nu) of drive forces."""
    forces = np.zeros((len(tau), model.layout.nu))
    for k, drive in enumerate(model.mechanism.drives):
        forces[:, model.mechanism.links[drive.link].u] = tau[:, k]
    return forces


def leg_lines(tree: Tree) -> list[str]:
    """The legs of the inverse route, or [] where the robot is not six legs of three one-freedom joints with a ball."""
    model = tree.model
    mechanism = model.mechanism
    if not (mechanism.has_platform and mechanism.selection.leads_from_platform and len(mechanism.drives) == 6):
        return []
    lines = []
    for cut in mechanism.cuts:
        tip, _, tip_p = tree.frame(cut.first, cut.on_first)
        platform, _, on_platform = tree.frame(cut.second, cut.on_second)
        numbers, driven, at = [tip], [], tree.joints[tip - 1].parent
        while at:
            numbers.insert(0, at)
            at = tree.joints[at - 1].parent
        driven = [k for k, j in enumerate(numbers) if tree.joints[j - 1].link.drive is not None]
        single = all(tree.joints[j - 1].kind[0] in "RP" for j in numbers)
        if not (cut.type == "spherical" and platform == 1 and len(numbers) == 3 and single and len(driven) == 1):
            return []
        lines.append(" ".join(["leg", *map(str, numbers), _row(tip_p), _row(on_platform), str(driven[0])]))
    return lines if len(lines) == 6 and len(tree.joints) == 19 else []


def write_robot(tree: Tree, path: Path) -> None:
    """The robot as text: gravity, joints, legs of the inverse route, constraints of the forward route."""
    model = tree.model
    lines = [f"gravity {_row(tree.gravity)}"]
    for j in tree.joints:
        numbers = _row(j.p, j.R, j.mass, j.center, j.tensor, j.rotor)
        lines.append(f"joint {j.parent} {j.kind} {numbers}")
    lines += leg_lines(tree)
    if not not_a_tree(model):
        for c in closures(tree):
            lines.append(f"{c.kind} {c.first} {_row(c.p1, c.R1)} {c.second} {_row(c.p2, c.R2)}")
        mu, iterations = proximal(model)
        lines.append(f"proximal {mu} {iterations}")
    path.write_text("\n".join(lines) + "\n")


def write_states(tree: Tree, states: States, path: Path) -> None:
    """The states as the harness reads them."""
    where = Coordinates(tree)
    n = len(states)
    q, rates = where.positions(states.q), where.rates(states.q, states.u)
    forces = where.forces(states.q, drive_forces(tree.model, states.tau))
    twist, acceleration = np.zeros((n, 6)), np.zeros((n, 6))
    if tree.model.mechanism.has_platform:
        twist, acceleration = states.u[:, :6], states.ud[:, :6]
    with path.open("wb") as file:
        np.array([n, q.shape[1], rates.shape[1]], dtype=np.int64).tofile(file)
        for block in (q, twist, acceleration, rates, forces):
            np.ascontiguousarray(block, dtype=float).tofile(file)


def _row(*values: object) -> str:
    return " ".join(f"{float(x):.17g}" for value in values for x in np.ravel(np.asarray(value, dtype=float)))
