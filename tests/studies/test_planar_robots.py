"""Total derivatives of uneven planar robots, beside mechanics of their own in 90 digits.

A 3-RPR is described here by x, y and the angle of its platform, a five-bar by its two cranks: places of all bodies are formulas
of these. Velocities, accelerations, slopes and curvatures are central differences in 90 digits with steps of 1e-18, forces follow
by virtual power, total derivatives from designs 1e-20 apart, with loops closed, and rest found, in each.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from mpmath import atan2, cholesky, cos, eigsy, inverse, lu_solve, matrix, mp, mpf, norm, pi, sin, sqrt, svd_r, workdps

import gough
from gough.robot import loads

pytestmark = pytest.mark.slow
Design = dict[str, Any]
SMALL, STEP = mpf(10) ** -18, mpf(10) ** -20
DIGITS = 90
GRAVITY = (0.7, -9.6)


def turned(angle: Any, x: Any, y: Any) -> tuple[Any, Any]:
    return cos(angle) * x - sin(angle) * y, sin(angle) * x + cos(angle) * y


def plus(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, Any]:
    return a[0] + b[0], a[1] + b[1]


def way(a: Sequence[Any], b: Sequence[Any]) -> tuple[Any, Any, Any, Any]:
    """(x, y, length, angle) from a to b."""
    x, y = b[0] - a[0], b[1] - a[1]
    return x, y, sqrt(x * x + y * y), atan2(y, x)


class Planar:
    """bodies(d, p): (mass, moment, place, angle) of each; springs(d, p): energy; drives(d, p); tool(d, p): x, y, angle."""

    bodies: Callable[[Design, Any], list[Any]]
    springs: Callable[[Design, Any], Any]
    drives: Callable[[Design, Any], list[Any]]
    tool: Callable[[Design, Any], list[Any]]

    def places(self, d: Design, p: Any) -> list[Any]:
        return [x for _, _, r, angle in self.bodies(d, p) for x in (*r, angle)]

    def energy(self, d: Design, p: Any) -> Any:
        return self.springs(d, p) - sum(m * (GRAVITY[0] * r[0] + GRAVITY[1] * r[1]) for m, _, r, _ in self.bodies(d, p))

    def slopes(self, f: Callable[[Any], list[Any]], p: Any) -> Any:
        return matrix([[(a - b) / (2 * SMALL) for a, b in zip(f(x), f(y), strict=True)] for x, y in beside(p)]).T

    def curvature(self, f: Callable[[Any], Any], p: Any) -> Any:
        n = len(p)
        K = matrix(n, n)
        for i in range(n):
            for j in range(n):

                def at(a: int, b: int, i: int = i, j: int = j) -> Any:
                    return f([x + SMALL * (a * (k == i) + b * (k == j)) for k, x in enumerate(p)])

                K[i, j] = (at(1, 1) - at(1, -1) - at(-1, 1) + at(-1, -1)) / (4 * SMALL**2)
        return K

    def inertias(self, d: Design, p: Any) -> list[Any]:
        return [x for m, moment, _, _ in self.bodies(d, p) for x in (m, m, moment)]

    def mass(self, d: Design, p: Any) -> Any:
        J, m = self.slopes(lambda x: self.places(d, x), p), self.inertias(d, p)
        return J.T * mp.diag(m) * J

    def motion(self, d: Design, p: Any, v: Any, a: Any) -> tuple[Any, Any]:
        """Velocities and accelerations of all places."""

        def at(t: Any) -> Any:
            return matrix(self.places(d, [x + t * y + t * t * z / 2 for x, y, z in zip(p, v, a, strict=True)]))

        now, later, before = at(0), at(SMALL), at(-SMALL)
        return (later - before) / (2 * SMALL), (later - 2 * now + before) / SMALL**2

    def forces(self, d: Design, p: Any, v: Any, a: Any, w: Any) -> list[Any]:
        """Of the drives, by virtual power."""
        J, m = self.slopes(lambda x: self.places(d, x), p), mp.diag(self.inertias(d, p))
        power = J.T * m * self.motion(d, p, v, a)[1] + self.slopes(lambda x: [self.energy(d, x)], p).T
        power -= self.slopes(lambda x: self.tool(d, x), p).T * matrix(w)
        return list(lu_solve(self.slopes(lambda x: self.drives(d, x), p).T, power))

    def kinetic(self, d: Design, p: Any, v: Any) -> list[Any]:
        u = self.motion(d, p, v, [0] * len(p))[0]
        return [sum(m * x * x for m, x in zip(self.inertias(d, p), u, strict=True)) / 2]

    def servo_stiffness(self, d: Design, p: Any, kp: Sequence[float]) -> Any:
        """With drives that hold p: their forces there, and kp about it."""
        L = self.slopes(lambda x: self.drives(d, x), p)
        hold = lu_solve(L.T, self.slopes(lambda x: [self.energy(d, x)], p).T)
        K = self.curvature(
            lambda x: self.energy(d, x) - sum(t * y for t, y in zip(hold, self.drives(d, x), strict=True)), p
        )
        return K + L.T * mp.diag([mpf(k) for k in kp]) * L

    def stiffness(self, d: Design, p: Any, kp: Sequence[float]) -> Any:
        J = self.slopes(lambda x: self.tool(d, x), p)
        return inverse(J * inverse(self.servo_stiffness(d, p, kp)) * J.T)

    def rest(self, d: Design, p: Any) -> Any:
        for _ in range(60):
            step = lu_solve(
                self.curvature(lambda x: self.energy(d, x), p), self.slopes(lambda x: [self.energy(d, x)], p).T
            )
            p = [x - y for x, y in zip(p, step, strict=True)]
            if norm(step) < mpf(10) ** -40:
                break
        return p


def beside(p: Any) -> list[Any]:
    return [tuple([x + s * SMALL * (k == i) for k, x in enumerate(p)] for s in (1, -1)) for i in range(len(p))]


def frequencies(M: Any, K: Any) -> list[Any]:
    C = inverse(cholesky(M))
    A = C * K * C.T
    return [sqrt(x) / (2 * pi) for x in sorted(eigsy((A + A.T) / 2, eigvals_only=True))]


class ThreeLegs(Planar):
    def ends(self, d: Design, p: Any) -> list[Any]:
        tops = [plus(p[:2], turned(p[2], d[f"bx{i}"], d[f"by{i}"])) for i in range(3)]
        return [((d[f"ax{i}"], d[f"ay{i}"]), top) for i, top in enumerate(tops)]

    def bodies(self, d: Design, p: Any) -> list[Any]:
        out = [(d["m"], d["J"], plus(p[:2], turned(p[2], d["cx"], d["cy"])), p[2])]
        for base, top in self.ends(d, p):
            angle = way(base, top)[3]
            out.append((d["mc"], d["Jc"], plus(base, turned(angle, d["lc"], d["hc"])), angle))
            out.append((d["mr"], d["Jr"], plus(top, turned(angle, -d["lr"], d["hr"])), angle))
        return out

    def drives(self, d: Design, p: Any) -> list[Any]:
        return [way(*ends)[2] for ends in self.ends(d, p)]

    def springs(self, d: Design, p: Any) -> Any:
        far = way((mpf("0.3"), mpf("-0.4")), plus(p[:2], turned(p[2], d["sx"], d["sy"])))[2]
        return d["k0"] * (self.drives(d, p)[0] - d["l0"]) ** 2 / 2 + d["k1"] * (far - d["l1"]) ** 2 / 2

    def tool(self, d: Design, p: Any) -> list[Any]:
        return [*plus(p[:2], turned(p[2], d["tx"], d["ty"])), p[2]]


LEGS = """
format: 2
name: three_legs
variables: {{{variables}}}
gravity: [0.7, -9.6, 0]
platform:
  mass: m_
  center_of_mass: [cx_, cy_, 0]
  inertia: {{about: center_of_mass, zz: J_}}
  freedoms: [x, y, yaw]
  frames: {{tool: {{position: [tx_, ty_, 0]}}}}
templates:
  rpr:
    chain:
      - name: hinge
        type: revolute
        body: {{name: cylinder, mass: mc_, center_of_mass: [lc_, hc_, 0], inertia: {{about: center_of_mass, zz: Jc_}}}}
      - name: slide
        type: prismatic
        axis: [1, 0, 0]
        drive: {{}}
        body: {{name: rod, mass: mr_, center_of_mass: [-lr_, hr_, 0], inertia: {{about: center_of_mass, zz: Jr_}}}}
    cut: {{name: pin, type: revolute}}
legs:
  - {{name: leg0, like: rpr, base: {{position: [ax0_, ay0_, 0]}}, on_platform: {{position: [bx0_, by0_, 0]}},
     joints: {{slide: {{spring: {{stiffness: k0_, rest: l0_}}}}}}}}
  - {{name: leg1, like: rpr, base: {{position: [ax1_, ay1_, 0]}}, on_platform: {{position: [bx1_, by1_, 0]}}}}
  - {{name: leg2, like: rpr, base: {{position: [ax2_, ay2_, 0]}}, on_platform: {{position: [bx2_, by2_, 0]}}}}
springs:
  - {{name: s, from: {{body: world, position: [0.3, -0.4, 0]}}, to: {{body: platform, position: [sx_, sy_, 0]}}, stiffness: k1_,
     rest_length: l1_}}
home: {{pose: {{position: [{x}, {y}, 0], rpy_zyx: [{yaw}, 0, 0]}}, joints: {{{joints}}}}}
velocities: platform
"""
RANGES = """
ax0 -0.1 0.1, ay0 -0.1 0.1, ax1 0.9 1.2, ay1 -0.2 0.2, ax2 0.3 0.6, ay2 0.9 1.2, bx0 -0.2 -0.1, by0 -0.15 -0.05, bx1 0.1 0.2,
by1 -0.15 -0.02, bx2 -0.05 0.1, by2 0.1 0.25, cx -0.05 0.05, cy -0.05 0.05, lc 0.1 0.2, hc -0.03 0.03, lr 0.1 0.2,
hr -0.03 0.03, l0 0.3 0.5, l1 0.1 0.2, sx -0.1 0.1, sy 0.05 0.1, tx -0.1 0.1, ty 0.1 0.2, m 2 5, mc 0.5 2, mr 0.3 1,
J 0.05 0.2, Jc 0.01 0.05, Jr 0.01 0.03, k0 100 800, k1 50 500
"""
UNITS = {"m": "kg", "J": "kg.m2", "k": "N/m"}


def compare(s: Any, f: Callable[[Design], list[Any]], d: Design) -> None:
    """Values and total derivatives by all variables, of the largest of each column."""
    values = np.array(f(d), dtype=float)
    slopes = []
    for name in (n.removesuffix("_") for n in s.by):
        high, low = f(d | {name: d[name] + STEP}), f(d | {name: d[name] - STEP})
        slopes.append([float((x - y) / (2 * STEP)) for x, y in zip(high, low, strict=True)])
    expected = np.array(slopes).T
    assert np.abs(s.values - values).max() <= 1e-12 * np.abs(values).max(), s.names
    size = np.abs(expected).max(axis=0)
    size = np.where(size > 1e-30, size, np.abs(values).max())  # numbers that change nothing
    assert (np.abs(s.derivatives - expected) / size).max() < 1e-11, s.names


@pytest.mark.parametrize("seed", [1, 4])
def test_an_uneven_planar_platform(seed: int) -> None:
    with workdps(DIGITS):
        rng, own = random.Random(seed), ThreeLegs()
        numbers = {n: rng.uniform(float(a), float(b)) for n, a, b in map(str.split, RANGES.split(","))}
        at = [rng.uniform(0.4, 0.6), rng.uniform(0.3, 0.45), rng.uniform(-0.4, 0.4)]
        d: Design = {name: mpf(x) for name, x in numbers.items()}
        p = [mpf(x) for x in at]
        legs = [way(*ends) for ends in own.ends(d, p)]
        joints = [f"leg{k}.hinge: {float(x[3])!r}, leg{k}.slide: {float(x[2])!r}" for k, x in enumerate(legs)]
        variables = [f"{name}_: {x!r} {UNITS.get(name[0], 'm')}" for name, x in numbers.items()]
        text = LEGS.format(variables=", ".join(variables), x=at[0], y=at[1], yaw=at[2], joints=", ".join(joints))
        model = gough.build(loads(text))
        v, a, w = ([rng.uniform(-size, size) for _ in range(3)] for size in (1.0, 3.0, 30.0))
        wrench = {"tool": [w[0], w[1], 0, 0, 0, w[2]]}
        kp, length = [30000.0, 50000.0, 40000.0], mpf(model.size)

        def ask(quantity: str, **more: Any) -> Any:
            return gough.sensitivity(model, quantity, by="variables", **more)

        moving: dict[str, Any] = {"v": v, "acceleration": a, "wrench": wrench}
        compare(ask("tau", **moving), lambda d: own.forces(d, p, v, a, w), d)
        compare(ask("energy:kinetic", v=v), lambda d: own.kinetic(d, p, v), d)
        compare(ask("energy:potential"), lambda d: [own.energy(d, p)], d)
        compare(ask("coordinate"), lambda d: own.drives(d, p), d)

        def condition(d: Design) -> list[Any]:
            J = own.slopes(lambda x: own.drives(d, x), p)
            for k in range(3):
                J[k, 2] /= length
            sizes = sorted(svd_r(J, compute_uv=False))
            return [sizes[0] / sizes[-1]]

        compare(ask("condition:drives"), condition, d)
        servo = {"drives": {"stiffness": kp}}
        compare(
            ask("frequency:0,1,2", **servo), lambda d: frequencies(own.mass(d, p), own.servo_stiffness(d, p, kp)), d
        )

        def stiffness(d: Design) -> list[Any]:
            K = own.stiffness(d, p, kp)
            return [K[0, 0], K[1, 1], K[2, 2], K[0, 1], K[0, 2], K[1, 2]]

        compare(ask("stiffness:tool,xx,yy,rzrz,xy,xrz,yrz", **servo), stiffness, d)


class TwoCranks(Planar):
    """A five-bar on two springs, without drives."""

    def bodies(self, d: Design, p: Any) -> list[Any]:
        ends = [plus((i * d["a"], i * mpf("0.1")), turned(p[i], d[f"r{i}"], 0)) for i in range(2)]
        x, y, far, _ = way(*ends)
        along = (d["b0"] ** 2 - d["b1"] ** 2 + far**2) / (2 * far)
        aside = sqrt(d["b0"] ** 2 - along**2)
        tip = (ends[0][0] + (along * x - aside * y) / far, ends[0][1] + (along * y + aside * x) / far)
        out = []
        for i in range(2):
            angle = way(ends[i], tip)[3]
            out.append(
                (d[f"m{i}"], mpf("0.01"), ((i * d["a"] + ends[i][0]) / 2, (i * mpf("0.1") + ends[i][1]) / 2), p[i])
            )
            out.append((d[f"n{i}"], mpf("0.02"), plus(ends[i], turned(angle, d[f"c{i}"], mpf("0.02"))), angle))
        return out

    def springs(self, d: Design, p: Any) -> Any:
        return sum(d[f"k{i}"] * (p[i] - d[f"q{i}"]) ** 2 for i in range(2)) / 2


CRANKS = """
format: 2
name: two_cranks
variables: {{{variables}}}
gravity: [0.7, -9.6, 0]
bodies:
  - {{name: crank0, mass: m0_, center_of_mass: [r0_/2, 0, 0], inertia: {{about: center_of_mass, zz: 0.01}}}}
  - {{name: rod0, mass: n0_, center_of_mass: [c0_, 0.02, 0], inertia: {{about: center_of_mass, zz: 0.02}}}}
  - {{name: crank1, mass: m1_, center_of_mass: [r1_/2, 0, 0], inertia: {{about: center_of_mass, zz: 0.01}}}}
  - {{name: rod1, mass: n1_, center_of_mass: [c1_, 0.02, 0], inertia: {{about: center_of_mass, zz: 0.02}}}}
joints:
  - {{name: pin0, type: revolute, parent: world, child: crank0, spring: {{stiffness: k0_, rest: q0_}}}}
  - {{name: elbow0, type: revolute, parent: crank0, child: rod0, pose: {{position: [r0_, 0, 0]}}}}
  - {{name: pin1, type: revolute, parent: world, child: crank1, pose: {{position: [a_, 0.1, 0]}},
     spring: {{stiffness: k1_, rest: q1_}}}}
  - {{name: elbow1, type: revolute, parent: crank1, child: rod1, pose: {{position: [r1_, 0, 0]}}}}
loops:
  - name: tip
    type: revolute
    first: {{body: rod0, pose: {{position: [b0_, 0, 0]}}}}
    second: {{body: rod1, pose: {{position: [b1_, 0, 0]}}}}
home: {{joints: {{pin0: {p[0]}, pin1: {p[1]}, elbow0: {e[0]}, elbow1: {e[1]}}}}}
velocities: [pin0, pin1]
"""


def test_an_uneven_robot_on_two_springs_swings_about_its_own_rest() -> None:
    """Home is not rest: the design moves rest, too."""
    numbers = {"a": 0.47, "r0": 0.31, "r1": 0.26, "b0": 0.52, "b1": 0.46, "c0": 0.21, "c1": 0.19, "m0": 0.8, "m1": 0.6}
    numbers |= {"n0": 0.5, "n1": 0.7, "k0": 61.0, "k1": 47.0, "q0": 2.1, "q1": 1.05}
    units = {"m": "kg", "n": "kg", "k": "N.m/rad", "q": "rad"}
    with workdps(DIGITS):
        own, d = TwoCranks(), {name: mpf(x) for name, x in numbers.items()}
        p = [mpf("2.0"), mpf("1.0")]
        places = own.bodies(d, p)
        e = [float(places[2 * i + 1][3] - p[i]) for i in range(2)]
        variables = ", ".join(f"{name}_: {x!r} {units.get(name[0], 'm')}" for name, x in numbers.items())
        model = gough.build(loads(CRANKS.format(variables=variables, p=p, e=e)))

        def swings(d: Design) -> list[Any]:
            rest = own.rest(d, p)
            return frequencies(own.mass(d, rest), own.curvature(lambda x: own.energy(d, x), rest))

        compare(gough.sensitivity(model, "frequency:0,1", by="variables", drives="free"), swings, d)
