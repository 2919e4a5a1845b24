"""Kinematics of any mechanism on the full, possibly redundant, set of closures: rank, null space, assembly, velocities.

Nothing chooses among the closures: ranks come from singular values, rates and accelerations from least squares on all
closures together with the rows that say what the velocities v are.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import casadi as ca
import numpy as np
from scipy.linalg import qr

from . import losses
from .couplings import relations
from .homogeneous import quaternion_of
from .tree import LENGTHS, TWIST, Tree

RANK = 1e-9
"""Singular values below this part of the largest count as zero at an assembled state."""
STEP_RANK = 1e-5
"""The same for a Newton step, where redundant closures do not yet agree."""


class Kinematics:
    """Closures and velocities of a robot description; `velocities` names what v is (see `choose`)."""

    tree_type: type[Tree] = Tree

    def __init__(self, robot: Any, velocities: Sequence[str] | str | None = None) -> None:
        self.robot = robot
        self.tree = self.tree_type(robot)
        self.layout = self.tree.layout
        self.n_drives = len(self.layout.drives)
        self.B = np.zeros((self.layout.nx, self.n_drives))
        for k, p in enumerate(self.layout.drives):
            self.B[p.x, k] = 1.0
        tree, x = self.tree, self.tree.x
        self._xd = ca.SX.sym("xd", self.layout.nx)
        phis = tree.closures()
        edges = np.cumsum([0, *(p.numel() for p in phis)])
        self.rows = [slice(int(a), int(b)) for a, b in pairwise(edges)]
        phi = ca.vertcat(ca.SX.zeros(0, 1), *phis)
        G = ca.jacobian(phi, x)
        gamma = ca.jtimes(ca.jtimes(phi, x, self._xd), x, self._xd)
        A, a0 = self._twist_rows(tree.platform)
        self._closure = self._at_zero("closure", [tree.q], [phi, G])
        self._moving = self._at_zero("moving", [tree.q, self._xd], [G, gamma, A, a0])
        sides = [X[:3, 3] for X in (*tree.first_side, *tree.second_side)]
        self._points = self._at_zero("points", [tree.q], [ca.horzcat(ca.SX.zeros(3, 0), *sides)])
        self._frames: dict[str, ca.Function] = {}
        self._home: np.ndarray | None = None
        self.velocities = self.choose(robot.velocities if velocities is None else velocities)

    def _at_zero(self, name: str, inputs: list[ca.SX], outputs: list[ca.SX]) -> ca.Function:
        zero = ca.SX.zeros(self.layout.nx)
        return ca.Function(name, inputs, [ca.densify(ca.substitute(ca.SX(e), self.tree.x, zero)) for e in outputs])

    def _twist_rows(self, X: ca.SX | None) -> tuple[ca.SX, ca.SX]:
        """(A, a0): twist of a frame at its origin in world axes = A xd, its acceleration = A xdd + a0."""
        if X is None:
            return ca.SX.zeros(0, self.layout.nx), ca.SX.zeros(0, 1)
        x, xd = self.tree.x, self._xd
        twist = ca.vertcat(ca.jtimes(X[:3, 3], x, xd), losses.spin(X, x, xd))
        return ca.jacobian(twist, xd), ca.jtimes(twist, x, xd)

    # -- closures -----------------------------------------------------------------------------------------------

    def closure(self, q: Any) -> np.ndarray:
        """Position-level residual of all closures at q, shape (m,): metres and direction cosines."""
        return array(self._closure(q)[0]).ravel()

    def closure_jacobian(self, q: Any) -> np.ndarray:
        """Derivative of the closures by the local coordinates, shape (m, nx)."""
        return array(self._closure(q)[1])

    def mobility(self, q: Any) -> int:
        """Freedoms left by the closures at q: nx less the rank of their Jacobian."""
        return self.null_space(q).shape[1]

    def null_space(self, q: Any) -> np.ndarray:
        """Orthonormal directions (nx, mobility) of x that the closures allow."""
        G = self.closure_jacobian(q)
        if not len(G):
            return np.eye(self.layout.nx)
        _, s, Vt = np.linalg.svd(G)
        return Vt[int(np.sum(s > RANK * s[0])) :].T

    def idle(self, q: Any) -> np.ndarray:
        """Multipliers (m, k) that do nothing at q, orthonormal: as many as closures that follow from the others."""
        G = self.closure_jacobian(q)
        if not len(G):
            return np.zeros((0, 0))
        U, s, _ = np.linalg.svd(G)
        return U[:, int(np.sum(s > RANK * s[0])) :]

    def loop_points(self, q: Any) -> np.ndarray:
        """World positions of the second sides' origins, shape (loops, 3) [m]."""
        return array(self._points(q)).T[len(self.tree.loops) :]

    def size(self, q: Any) -> float:
        """A length of the robot [m]: mean distance of the loops' points (world's origin with them) from their mean."""
        points = np.vstack([array(self._points(q)).T, np.zeros(3)])
        return float(np.mean(np.linalg.norm(points - points.mean(0), axis=1))) or 1.0

    def assemble(
        self, q: Any, fixed: Iterable[str] = (), tolerance: float = 1e-13, steps: int = 60, largest: float = 0.5
    ) -> np.ndarray:
        """q moved by Gauss-Newton until all closures hold, the named coordinates kept; raises if they do not. largest: step."""
        q = self.layout.retract(q, np.zeros(self.layout.nx))
        free = np.setdiff1d(np.arange(self.layout.nx), self.layout.indices(fixed))
        last, stalled = np.inf, 0
        for _ in range(steps):
            phi, G = (array(e) for e in self._closure(q))
            size = np.max(np.abs(phi), initial=0.0)
            stalled = stalled + 1 if size >= 0.5 * last else 0
            if size < tolerance / 100 or (size < tolerance and stalled > 1):
                break
            last = size
            x = np.zeros(self.layout.nx)
            x[free] = np.linalg.lstsq(G[:, free], -phi.ravel(), rcond=STEP_RANK)[0]
            q = self.layout.retract(q, x * min(1.0, largest / max(np.max(np.abs(x), initial=0.0), 1e-300)))
        error = np.max(np.abs(self.closure(q)), initial=0.0)
        if not error < max(tolerance, 1e-12):
            raise ValueError(f"not assembled: closure error {error:.1e}")
        return q

    def home(self) -> np.ndarray:
        """Assembled configuration at the described home: with its pose kept if that closes, else near the guesses."""
        if self._home is not None:
            return self._home
        q = np.zeros(self.layout.nq)
        for h in self.layout.quaternions:
            q[h.start] = 1.0
        guess = self.robot.home
        if guess is not None:
            if guess.pose is not None:
                q[:3], q[3:7] = guess.pose.position, quaternion_of(guess.pose.rotation())
            for p in self.layout.places:
                if p.placed.name in guess.joints:
                    q[p.q] = guess.joints[p.placed.name]
        pose = ["pose"] if self.layout.platform is not None else []
        for fixed in (pose, []):
            try:
                self._home = self.assemble(q, fixed=fixed)
                return self._home
            except ValueError:
                continue
        self._home = self.assemble(q, fixed=pose, largest=np.inf)  # a screw from zero has hundreds of radians to go
        return self._home

    # -- velocities ---------------------------------------------------------------------------------------------

    def choose(self, velocities: Sequence[str] | str | None) -> tuple[str, ...]:
        """Names of v: as given, or ("platform", "drives", None) as many as the mobility, best conditioned at home.

        None and "platform" prefer the platform's twist, then drives, then other rates; "drives" begins with drives.
        """
        if velocities is not None and not isinstance(velocities, str):
            return tuple(velocities)
        home = self.home()
        null = self.null_space(home)
        drives = [self.layout.x_names[p.x.start] for p in self.layout.drives]
        groups = [drives, list(self.layout.x_names)]
        if velocities != "drives" and self.layout.platform is not None:
            groups.insert(0, list(TWIST))
        if velocities != "drives" and null.shape[1] == 6 and self.layout.platform is not None:
            return TWIST
        chosen: list[str] = []
        for group in groups:
            names = [n for n in group if n not in chosen]
            room = null
            if chosen:
                room = null @ _complement(self._named(chosen, home) @ null)
            if not names or room.shape[1] == 0:
                continue
            rows = self._named(names, home) @ room
            found: Any = qr(rows.T, mode="economic", pivoting=True)
            _, R, order = found
            strong = int(np.sum(np.abs(np.diag(R)) > 1e-6 * np.linalg.norm(rows, axis=1).max(initial=1e-12)))
            chosen += [names[i] for i in sorted(order[:strong])]
        return tuple(chosen)

    def _named(self, names: Sequence[str], q: Any) -> np.ndarray:
        _, _, A, _ = (array(e) for e in self._moving(q, np.zeros(self.layout.nx)))
        return self._selection(names, A, np.zeros(len(A)))[0]

    def _selection(self, names: Sequence[str], A: np.ndarray, a0: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """(E, e0): v = E xd and vdot = E xdd + e0."""
        E, e0 = np.zeros((len(names), self.layout.nx)), np.zeros(len(names))
        for i, name in enumerate(names):
            if name in TWIST and len(A):
                E[i], e0[i] = A[TWIST.index(name)], a0[TWIST.index(name)]
            else:
                E[i, self.layout.x_names.index(name)] = 1.0
        return E, e0

    def frame_rows(self, q: Any, xd: Any, frame: str | None = None) -> tuple[np.ndarray, np.ndarray]:
        """(A (6, nx), a0 (6,)) of a named frame, None the platform: twist A xd, acceleration A xdd + a0."""
        key = frame or ""
        if key not in self._frames:
            X = self.tree.platform if frame is None else self.tree.frame(frame)
            rows = self._twist_rows(X)
            self._frames[key] = self._at_zero("frame", [self.tree.q, self._xd], list(rows))
        A, a0 = (array(e) for e in self._frames[key](q, xd))
        return A, a0.ravel()

    def condition(self, q: Any) -> float:
        """Condition number, lengths scaled to the robot's size, of closures and velocity rows together."""
        size = self.size(self.home())
        G, _, A, a0 = (array(e) for e in self._moving(q, np.zeros(self.layout.nx)))
        E, _ = self._selection(self.velocities, A, a0.ravel())
        turns = [
            (n in TWIST[3:]) if n in TWIST else self.layout.turns[self.layout.x_names.index(n)] for n in self.velocities
        ]
        loops = [*(k.type for k in self.tree.loops), *["fixed"] * self.layout.tied]
        coupled = relations(self.robot, self.layout.q_names)
        row = [s for kind, r in zip(loops, self.rows, strict=False) for s in self._row_sizes(kind, r, size)]
        unit = dict(zip(self.layout.x_names, np.where(self.layout.turns, size, 1.0), strict=True))
        row += [1.0 / max(abs(c) / unit[name] for name, c in r.coefficients.items()) for r in coupled]
        K = np.vstack([G, E]) * np.array([*row, *(size if t else 1.0 for t in turns)])[:, None]
        return float(np.linalg.cond(K / np.array([size if t else 1.0 for t in self.layout.turns])))

    @staticmethod
    def _row_sizes(kind: str, rows: slice, size: float) -> list[float]:
        lengths = LENGTHS.get(kind, 3)
        return [1.0] * lengths + [size] * (rows.stop - rows.start - lengths)


def _complement(rows: np.ndarray) -> np.ndarray:
    """Orthonormal basis of what the rows do not see."""
    _, s, Vt = np.linalg.svd(rows)
    return Vt[int(np.sum(s > 1e-9)) :].T


def array(value: Any) -> np.ndarray:
    """A CasADi matrix as floats."""
    return np.asarray(value.full(), float)
