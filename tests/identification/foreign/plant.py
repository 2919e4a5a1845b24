"""A closed robot as Pinocchio moves it: its tree, loops closed by multipliers, friction, rotors, drive forces.

None of the library's equations are in it: the description becomes Pinocchio's tree by the peer of `reference.peers`, and what
closes the loops and rubs is written here. Every loop is a point of one body on a point of another (a pin of a planar robot is
one, too). State y = [q, nu] of the tree in Pinocchio's coordinates; with G nu = 0 the closures and g = 0 the loops,

    M nudot + h = B (tau - offset) - friction + G^T lambda,    G nudot = -(drift + 2 a G nu + a^2 g),    a = STABLE

so that loops which open by rounding close again, and a solution that keeps them closed is not changed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from scipy.linalg import qr

from reference.energies.tree import TWIST
from reference.peers.closed_tree import Unsupported
from reference.peers.pinocchio import PinocchioPeer

STABLE = 40.0
"""Rate at which opened loops close (1/s)."""
AXES = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class Plant:
    """Dynamics of one robot. offsets (drives,): constant forces that drives need beyond the others (N, N m)."""

    def __init__(self, robot: Any, velocities: Sequence[str], offsets: Any = 0.0) -> None:
        peer = PinocchioPeer(robot, velocities)
        self.peer, self.model = peer, peer.model
        self.nq, self.nv = self.model.nq, self.model.nv
        self.floats = peer.layout.platform is not None
        if peer.layout.tied or any(p.joint.type in ("spherical", "free") for p in peer.layout.places) or robot.springs:
            raise Unsupported(f"{robot.name}: not a tree of hinges and slides on the world and on a free platform")
        self.drives = np.array([peer.dofs[p.placed.name][0] for p in peer.layout.drives])
        self.drive_names = tuple(p.placed.name for p in peer.layout.drives)
        self.drive_coordinates = self.drives + (1 if self.floats else 0)
        self.offsets = np.broadcast_to(np.asarray(offsets, float), len(self.drives))
        self._add_ends(robot)
        self._gather_friction()
        self.data = self.model.createData()
        self._still, self._upper = np.zeros(self.nv), np.triu(np.ones((self.nv, self.nv), dtype=bool))
        self._choose_rows()

    def _add_ends(self, robot: Any) -> None:
        """Frames at both ends of every loop, and their pins that rub: (axis on the first, friction, ends)."""
        self.ends: list[tuple[int, int]] = []
        self.rubbing: list[tuple[np.ndarray, Any, tuple[int, int]]] = []
        for loop in self.peer.loops:
            if loop.type not in ("spherical", "revolute"):
                raise Unsupported(f"loop {loop.name}: {loop.type}")
            pair = []
            for side, body, base, own in (
                ("first", loop.first, loop.first_base, loop.first_pose),
                ("second", loop.second, loop.second_base, loop.second_pose),
            ):
                joint, X = self.peer.frames[body]
                for pose in (base, own):
                    if pose is not None:
                        X = X * pin.SE3(np.asarray(pose.rotation(), float), np.asarray(pose.position, float))
                frame = pin.Frame(f"{loop.name}.{side}", joint, X, pin.FrameType.OP_FRAME)
                pair.append(self.model.addFrame(frame))
            self.ends.append((pair[0], pair[1]))
            if loop.friction is not None and loop.friction.acts:
                if loop.type != "revolute":
                    raise Unsupported(f"loop {loop.name}: friction in a {loop.type} cut")
                axis = np.asarray(loop.axis if loop.axis is not None else (0, 0, 1), float)
                self.rubbing.append((axis / np.linalg.norm(axis), loop.friction, self.ends[-1]))
        if self.floats:
            joint, X = self.peer.frames[str(self.peer.layout.platform)]
            self.platform = self.model.addFrame(pin.Frame("seen platform", joint, X, pin.FrameType.OP_FRAME))

    def _gather_friction(self) -> None:
        """Of every rate of the tree its viscous friction, and two Coulomb terms: of the drive, and of the joint itself."""
        self.viscous, self.coulomb, self.smoothing = np.zeros(self.nv), np.zeros((2, self.nv)), np.ones((2, self.nv))
        for place in self.peer.layout.places:
            at, joint = self.peer.dofs[place.placed.name], place.joint
            own = joint.friction if isinstance(joint.friction, tuple) else (joint.friction,) * len(at)
            for entry, passive in zip(at, own, strict=True):
                for k, friction in enumerate((joint.drive, passive)):
                    if friction is None or not (friction.viscous or friction.coulomb):
                        continue
                    if friction.coulomb and not friction.smoothing:
                        raise Unsupported(f"{place.placed.name}: Coulomb friction without smoothing")
                    self.viscous[entry] += friction.viscous
                    self.coulomb[k, entry], self.smoothing[k, entry] = friction.coulomb, friction.smoothing or 1.0

    # -- states -------------------------------------------------------------------------------------------------

    def move(self, q: np.ndarray, nu: np.ndarray) -> None:
        """Kinematics without accelerations of the tree, Jacobians."""
        pin.forwardKinematics(self.model, self.data, q, nu, self._still)
        pin.updateFramePlacements(self.model, self.data)
        pin.computeJointJacobians(self.model, self.data)

    def closures(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(g, G, drift) of all loops at the state moved to: gaps (m), their Jacobian, their acceleration at nudot = 0."""
        model, data = self.model, self.data
        g, G, drift = (
            np.empty(3 * len(self.ends)),
            np.empty((3 * len(self.ends), self.nv)),
            np.empty(3 * len(self.ends)),
        )
        for k, (first, second) in enumerate(self.ends):
            own = slice(3 * k, 3 * k + 3)
            g[own] = data.oMf[second].translation - data.oMf[first].translation
            G[own] = (
                pin.getFrameJacobian(model, data, second, AXES)[:3] - pin.getFrameJacobian(model, data, first, AXES)[:3]
            )
            drift[own] = pin.getFrameClassicalAcceleration(model, data, second, AXES).linear
            drift[own] -= pin.getFrameClassicalAcceleration(model, data, first, AXES).linear
        return g, G, drift

    def _choose_rows(self) -> None:
        """Closures that are independent: those of points of planar robots across the plane are not."""
        q = self.home()
        self.move(q, self._still)
        G = self.closures()[1]
        R, order = qr(G.T, mode="r", pivoting=True)  # pyright: ignore[reportAssignmentType]
        size = np.abs(np.diag(np.atleast_2d(R)))
        self.rows = np.sort(order[: int(np.sum(size > 1e-8 * size[0]))])

    def home(self) -> np.ndarray:
        """q of the description's home, loops closed by Newton's method with the smallest changes."""
        layout, home = self.peer.layout, self.peer.robot.home
        q = np.zeros(layout.nq)
        if self.floats:
            q[:3] = home.pose.position
            R = pin.Quaternion(np.asarray(home.pose.rotation(), float)).coeffs()
            q[3:7] = np.roll(R, 1)
        for place in layout.places:
            q[place.q] = home.joints[place.placed.name]
        x = self.from_library(q)
        for _ in range(20):
            self.move(x, self._still)
            g, G, _ = self.closures()
            if np.abs(g).max() < 1e-14:
                break
            x = pin.integrate(self.model, x, -np.linalg.lstsq(G, g, rcond=1e-10)[0])
        if np.abs(g).max() > 1e-12:
            raise ValueError(f"{self.peer.robot.name}: loops do not close at home, {np.abs(g).max():.2g} m")
        return x

    def from_library(self, q: np.ndarray) -> np.ndarray:
        """The library's configuration in Pinocchio's order, quaternions xyzw."""
        self.peer.set_state(q, self._still)
        return self.peer.q.copy()

    def to_library(self, x: np.ndarray) -> np.ndarray:
        """Pinocchio's configuration in the library's order."""
        q = x[self.peer._where]
        if self.floats:
            q[3:7] = np.roll(q[3:7], 1) / np.linalg.norm(q[3:7])
        return q

    # -- dynamics -----------------------------------------------------------------------------------------------

    def passive(self, nu: np.ndarray) -> np.ndarray:
        """Force (nv,) of friction at the state moved to."""
        force = -self.viscous * nu - (self.coulomb * nu / np.sqrt(nu * nu + self.smoothing**2)).sum(axis=0)
        for axis, friction, (first, second) in self.rubbing:
            a = self.data.oMf[first].rotation @ axis
            turns = [pin.getFrameJacobian(self.model, self.data, end, AXES)[3:] for end in (first, second)]
            row = a @ (turns[0] - turns[1])
            rate = row @ nu
            dry = friction.coulomb * rate / np.sqrt(rate * rate + friction.smoothing**2) if friction.coulomb else 0.0
            force -= row * (friction.viscous * rate + dry)
        return force

    def accelerate(self, q: np.ndarray, nu: np.ndarray, tau: np.ndarray, stable: float = STABLE) -> np.ndarray:
        """nudot (nv,) under drive forces tau."""
        self.move(q, nu)
        g, G, drift = (x[self.rows] for x in self.closures())
        push = self.passive(nu) - pin.nonLinearEffects(self.model, self.data, q, nu)
        push[self.drives] += tau - self.offsets
        upper = pin.crba(self.model, self.data, q)
        n, r = self.nv, len(g)
        K, right = np.zeros((n + r, n + r)), np.empty(n + r)
        K[:n, :n] = np.where(self._upper, upper, upper.T)
        K[:n, n:], K[n:, :n] = G.T, G
        right[:n], right[n:] = push, -drift - 2 * stable * (G @ nu) - stable**2 * g
        return np.linalg.solve(K, right)[:n]

    def balance(self, q: np.ndarray, tau: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """At rest: force (nv,) of weight and drives, gaps g and Jacobian G of the closures."""
        push = -pin.nonLinearEffects(self.model, self.data, q, self._still)
        push[self.drives] += tau - self.offsets
        self.move(q, self._still)
        g, G, _ = (x[self.rows] for x in self.closures())
        return push, g, G

    def rates(self, q: np.ndarray, nu: np.ndarray) -> np.ndarray:
        """Time derivative of q (nq,)."""
        if not self.floats:
            return nu
        out = np.empty(self.nq)
        out[7:] = nu[6:]
        x, y, z, w = h = q[3:7]
        vx, vy, vz, a, b, c = nu[:6].tolist()
        turned = (w * a + y * c - z * b, w * b + z * a - x * c, w * c + x * b - y * a, -x * a - y * b - z * c)
        out[3:7] = np.multiply(turned, 0.5) - STABLE * (h @ h - 1.0) * h
        tx, ty, tz = 2 * (y * vz - z * vy), 2 * (z * vx - x * vz), 2 * (x * vy - y * vx)  # v + w t + u x t, t = 2 u x v
        out[0], out[1] = vx + w * tx + y * tz - z * ty, vy + w * ty + z * tx - x * tz
        out[2] = vz + w * tz + x * ty - y * tx
        return out

    def independent(self, q: np.ndarray, nu: np.ndarray, nudot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The library's (v, acceleration) of a state: entries of the platform's twist in world axes, or rates of joints."""
        pin.forwardKinematics(self.model, self.data, q, nu, nudot)
        pin.updateFramePlacements(self.model, self.data)
        v, a = [], []
        if self.floats:
            twist = pin.getFrameVelocity(self.model, self.data, self.platform, AXES).vector
            change = pin.getFrameClassicalAcceleration(self.model, self.data, self.platform, AXES).vector
        for name in self.peer.velocities:
            if self.floats and name in TWIST:
                v.append(twist[TWIST.index(name)])
                a.append(change[TWIST.index(name)])
            else:
                at = self.peer.dofs[name][0]
                v.append(nu[at])
                a.append(nudot[at])
        return np.array(v), np.array(a)
