"""The balance of momentum of a whole mechanism: what the ground, gravity and the surroundings do changes its momentum.

Momentum is summed over the bodies of the description from their poses and twists, by no recursion, so that the balance is
an independent check of the reactions in the joints and loops that stand on the ground.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.twists import frame_pose, frame_twist
from gough.fem.elastic_body import ElasticBody
from gough.model import Model
from gough.model.functions import slots_of
from gough.model.results import Reactions
from gough.program import trace
from gough.robot import Body
from gough.robot.tree import bodies, placed_joints, placed_loops, platform_name
from gough.structure.elastic.bodies import compose_base, elastic_bodies, point_key

WORLD = "world"


class Bodies:
    """Positions (n, b, 3), rotations (n, b, 3, 3) and twists (n, b, 6) of all bodies, world axes, at q and v."""

    def __init__(self, model: Model, q: np.ndarray, v: np.ndarray) -> None:
        self.model, self.q = model, q
        self.names = list(bodies(model.robot))
        function: Function = model.cached("bodies in the world", lambda: _function(model, self.names))
        out = function(q=q, v=v, parameters=model.parameters).outputs
        self.p, self.R, self.twist = out["p"], out["R"], out["twist"]
        rates = model.configuration_rate(q, v) if model.mechanism.flexible else q
        made = model.cached("elastic bodies", lambda: elastic_bodies(model.robot, again=True))
        links = [model.mechanism.links[i] for i in model.mechanism.flexible]
        slices = {link.name: link.elastic.coordinates for link in links if link.elastic is not None}
        self.bent = {name: Bent(made[name], q[:, at], rates[:, at]) for name, at in slices.items()}

    def momentum(self) -> np.ndarray:
        """Linear momentum and angular momentum about the world's origin (n, 6)."""
        total = np.zeros((len(self.p), 6))
        for k, name in enumerate(self.names):
            mass, moment, inertia = self._moments(k, name)
            v, w = self.twist[:, k, :3], self.twist[:, k, 3:]
            linear = mass * v + np.cross(w, moment)
            spin = np.cross(moment, v) + np.einsum("nij,nj->ni", inertia, w)
            if name in self.bent:
                own, turning = (np.einsum("nij,nj->ni", self.R[:, k], x) for x in self.bent[name].momentum)
                linear, spin = linear + own, spin + turning
            total += _about_origin(linear, spin, self.p[:, k])
        return total

    def _moments(self, k: int, name: str) -> tuple[float, np.ndarray, np.ndarray]:
        """(mass, first moment (n, 3), inertia (n, 3, 3)) of a body about its origin, world axes."""
        body, R = bodies(self.model.robot)[name], self.R[:, k]
        if name in self.bent:
            bent = self.bent[name]
            mass, first, inertia = bent.body.mass, bent.first_moment, bent.inertia
        else:
            mass, *rest = np.asarray(body.ten_parameters(), dtype=float)
            first, inertia = np.broadcast_to(rest[:3], (len(R), 3)), self._inertia(name, body, rest[3:])
        return mass, np.einsum("nij,nj->ni", R, first), R @ inertia @ np.swapaxes(R, 1, 2)

    def _inertia(self, name: str, body: Body, entries: list[float]) -> np.ndarray:
        """Inertia (n, 3, 3) about the body's origin, its axes; a telescopic body's with what its joint adds."""
        xx, xy, xz, yy, yz, zz = entries
        inertia = np.broadcast_to(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), (len(self.p), 3, 3))
        if body.telescopic is None:
            return inertia
        leg = next(j.leg for j in placed_joints(self.model.robot) if j.body_name == name)
        joint = body.telescopic.joint if leg < 0 else f"{self.model.robot.legs[leg].name}.{body.telescopic.joint}"
        x = self.q[:, self.model.layout.index(joint)]
        added = zip(range(3), body.telescopic.coefficients(), strict=True)
        return inertia + sum(x[:, None, None] ** k * np.asarray(c) for k, c in added)

    def gravity(self) -> np.ndarray:
        """Wrench of gravity about the world's origin (n, 6)."""
        total = np.zeros((len(self.p), 6))
        g = np.asarray(self.model.robot.gravity, dtype=float)
        for k, name in enumerate(self.names):
            mass, moment, _ = self._moments(k, name)
            share = float(bodies(self.model.robot)[name].weight_share)
            force = np.broadcast_to(share * mass * g, moment.shape)
            total += _about_origin(force, np.cross(moment, share * g), self.p[:, k])
        return total

    def springs(self) -> np.ndarray:
        """Wrench of the springs that stand on the ground about the world's origin (n, 6)."""
        total = np.zeros((len(self.p), 6))
        for spring, made in zip(self.model.robot.springs, self.model.mechanism.springs, strict=True):
            ends = [
                self._point(point.body, np.asarray(point.position, dtype=float)) for point in (spring.from_, spring.to)
            ]
            if sum(point.body == WORLD for point in (spring.from_, spring.to)) != 1:
                continue
            (p, v), (other, rate) = ends if spring.to.body == WORLD else ends[::-1]  # on the body, on the ground
            way = other - p
            length = np.sqrt(np.sum(way * way, axis=1) + float(spring.clearance) ** 2)
            speed = np.sum((rate - v) * way, axis=1) / length
            numbers = self.model.parameters[list(made.coefficients)].tolist()
            states = zip(length.tolist(), speed.tolist(), strict=True)
            tension = numbers[3] + np.array([sum(made.law.parts(x, rate, numbers)) for x, rate in states])
            total += _about_origin((tension / length)[:, None] * way, 0.0, p)
        return total

    def ground(self, reactions: Reactions) -> np.ndarray:
        """Wrench of the ground, through joints and loops, about the world's origin (n, 6)."""
        total = np.zeros((len(self.p), 6))
        for joint in placed_joints(self.model.robot):
            if joint.parent == WORLD and joint.name in reactions.joint_names:
                f = reactions.joints[:, reactions.joint_names.index(joint.name)]
                k = self.names.index(joint.body_name)
                force, moment = (np.einsum("nij,nj->ni", self.R[:, k], x) for x in (f[:, :3], f[:, 3:]))
                total += _about_origin(force, moment, self.p[:, k])
        for loop in placed_loops(self.model.robot):
            if WORLD in (loop.first, loop.second):
                f = reactions.cuts[:, reactions.cut_names.index(loop.name)]
                _, place = compose_base(loop.second_base, loop.second_pose)
                p, _ = self._point(loop.second, np.asarray(place, dtype=float))
                total += _about_origin(f[:, :3], f[:, 3:], p) * (1.0 if loop.first == WORLD else -1.0)
        return total

    def outside(self, wrench: np.ndarray, frame: str) -> np.ndarray:
        """A wrench (n, 6) on a named frame ("": the platform), moved to the world's origin (n, 6)."""
        if frame:
            return _about_origin(wrench[:, :3], wrench[:, 3:], self.model.frame_pose(self.q, frame)[0])
        k = self.names.index(platform_name(self.model.robot) or "")
        return _about_origin(wrench[:, :3], wrench[:, 3:], self.p[:, k])

    def _point(self, body: str, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity (n, 3) of a point of a body."""
        if body == WORLD:
            return np.broadcast_to(place, (len(self.p), 3)), np.zeros((len(self.p), 3))
        name = body if body in self.names else platform_name(self.model.robot) or ""
        k = self.names.index(name)
        bent = self.bent.get(name)
        inside = (np.broadcast_to(place, (len(self.p), 3)), 0.0 * self.p[:, k]) if bent is None else bent.point(place)
        arm, speed = (np.einsum("nij,nj->ni", self.R[:, k], x) for x in inside)
        return self.p[:, k] + arm, self.twist[:, k, :3] + np.cross(self.twist[:, k, 3:], arm) + speed


def _about_origin(force: np.ndarray, moment: Any, p: np.ndarray) -> np.ndarray:
    return np.concatenate([force, moment + np.cross(p, force)], axis=1)


def _function(model: Model, names: list[str]) -> Function:
    def equations(q: Any, v: Any, parameters: Any) -> dict[str, Any]:
        posture = Posture(Numbers(model.mechanism, parameters), q)
        u = Loops(posture).rates(v)
        poses = [frame_pose(posture, name) for name in names]
        return {
            "p": np.array([p for p, _ in poses], dtype=object),
            "R": np.array([R for _, R in poses], dtype=object),
            "twist": np.array([frame_twist(posture, u, name) for name in names], dtype=object),
        }

    program = trace(equations, slots_of(model.mechanism, ("q", "v")), "bodies", {"parameters": model.pattern})
    return Function(program, model.mechanism.table, model.pattern)


# A flexible body deformed and vibrating, as a sum over its mass: moments, momentum of the elastic rates, tied points.


@dataclass(frozen=True)
class Bent:
    """A body at elastic coordinates e with rates (n, m); everything in body axes about its origin."""

    body: ElasticBody
    e: np.ndarray
    rates: np.ndarray

    @cached_property
    def _shapes(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Integrals of all shapes, own and slaved: MSde (3, k), N1 (k, 3, 3), N2 (k, k, 3, 3)."""
        body, slaved = self.body, self.body.slaved
        if slaved is None:
            return body.MSde, body.N1, body.N2
        m = body.modes
        N2 = np.zeros((m + slaved.own, m + slaved.own, 3, 3))
        N2[:m, :m], N2[m:] = body.N2, slaved.N2
        N2[:m, m:] = slaved.N2[:, :m].transpose(1, 0, 3, 2)
        return np.concatenate([body.MSde, slaved.MSde], axis=1), np.concatenate([body.N1, slaved.N1]), N2

    @cached_property
    def _coordinates(self) -> np.ndarray:
        return self.e if self.body.slaved is None else self.body.slaved.coordinates(self.e)

    @property
    def first_moment(self) -> np.ndarray:
        """∫ r dm (n, 3), kg m."""
        return self.body.MS + self._coordinates @ self._shapes[0].T

    @property
    def inertia(self) -> np.ndarray:
        """∫ (r·r 1 - r rᵀ) dm (n, 3, 3), kg m²."""
        (_, N1, N2), e = self._shapes, self._coordinates
        change = 2.0 * np.einsum("kab,nk->nab", N1, e)
        change = change + np.einsum("klab,nk,nl->nab", N2, e, e, optimize=True)
        return self.body.J + 0.5 * (change + np.swapaxes(change, 1, 2))

    @property
    def momentum(self) -> tuple[np.ndarray, np.ndarray]:
        """(∫ ṙ dm, ∫ r × ṙ dm) (n, 3) of the elastic rates, the body's axes at rest."""
        (MSde, N1, N2), e = self._shapes, self._coordinates
        rates = self.rates if self.body.slaved is None else self.body.slaved.rates(self.e, self.rates)
        N = np.einsum("kab,nk->nab", N1, rates)
        N = N + np.einsum("lkab,nl,nk->nab", N2, e, rates, optimize=True)
        turning = (N[:, 1, 2] - N[:, 2, 1], N[:, 2, 0] - N[:, 0, 2], N[:, 0, 1] - N[:, 1, 0])
        return rates @ MSde.T, np.stack(turning, axis=1)

    def point(self, place: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Position and velocity (n, 3) of the material attached at `place` (3,), relative to the body's axes."""
        frame = self.body.frames[point_key(place)]
        position, velocity = place + self.e @ frame.translation.T, self.rates @ frame.translation.T
        if frame.second is not None:
            position = position + 0.5 * np.einsum("akl,nk,nl->na", frame.second, self.e, self.e)
            velocity = velocity + np.einsum("akl,nk,nl->na", frame.second, self.e, self.rates)
        return position, velocity
