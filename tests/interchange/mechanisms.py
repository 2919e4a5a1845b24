"""Small asymmetric mechanisms as facts: what the files of the tests say in as many ways as their formats have."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation

from reference.peers.facts import WORLD, BodyFact, Facts, JointFact


def body(seed: int, center: np.ndarray) -> BodyFact:
    rng = np.random.default_rng(seed)
    R = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
    moments = rng.uniform(0.03, 0.05, 3)
    return BodyFact(float(rng.uniform(0.5, 2.0)), np.asarray(center, float), R @ np.diag(moments) @ R.T)


def unit(*x: float) -> np.ndarray:
    return np.array(x) / np.linalg.norm(x)


def four_bar() -> Facts:
    """Four parallel hinges, tilted in space, links of four lengths."""
    R = Rotation.from_rotvec([0.4, -0.3, 0.7]).as_matrix()
    points = [
        R @ np.array(p) + [0.1, 0.2, 0.3] for p in ([0, 0, 0], [0.13, 0.3, 0.02], [0.6, 0.42, -0.03], [0.5, 0, 0.01])
    ]
    axis = R @ np.array([0.0, 0.0, 1.0])
    names = ("crank", "coupler", "rocker")
    bodies = {n: body(k, (points[k] + points[k + 1]) / 2 + 0.03 * k) for k, n in enumerate(names)}
    pins = {
        "pin_a": JointFact("revolute", WORLD, "crank", points[0], axis, viscous=0.3),
        "pin_b": JointFact("revolute", "crank", "coupler", points[1], axis),
        "pin_c": JointFact("revolute", "coupler", "rocker", points[2], axis),
        "pin_d": JointFact("revolute", WORLD, "rocker", points[3], axis, stiffness=4.0, rest=0.2, viscous=0.1),
    }
    return Facts(bodies, pins)


def spatial_loop() -> Facts:
    """Two cranks on skew hinges; the coupler between them on a universal and a ball joint."""
    a, b = np.array([0.0, 0.0, 0.1]), np.array([0.7, 0.1, -0.05])
    p, s = np.array([0.1, 0.02, 0.4]), np.array([0.8, 0.5, 0.3])
    first = unit(0.2, 1.0, 0.1)
    second = np.cross(first, unit(*(s - p)))
    bodies = {"crank": body(11, (a + p) / 2), "coupler": body(12, (p + s) / 2), "rocker": body(13, (b + s) / 2)}
    return Facts(
        bodies,
        {
            "motor": JointFact("revolute", WORLD, "crank", a, unit(0.1, 1.0, -0.2)),
            "cross": JointFact("universal", "crank", "coupler", p, first, second / np.linalg.norm(second)),
            "ball": JointFact("spherical", "coupler", "rocker", s),
            "hinge": JointFact("revolute", WORLD, "rocker", b, unit(0.9, 0.1, 0.3), viscous=0.2),
        },
    )


def tree() -> Facts:
    """A carriage on a slide with an arm, a screw on it and a plate fixed to that."""
    rng = np.random.default_rng(5)
    at = [rng.uniform(-0.5, 0.5, 3) for _ in range(5)]
    bodies = {n: body(20 + k, at[k] + 0.1) for k, n in enumerate(("carriage", "arm", "nut", "plate"))}
    return Facts(
        bodies,
        {
            "slide": JointFact("prismatic", WORLD, "carriage", at[0], unit(1.0, 0.3, -0.2), viscous=2.0),
            "elbow": JointFact("revolute", "carriage", "arm", at[1], unit(0.3, -0.8, 0.4), stiffness=3.0, rest=-0.1),
            "screw": JointFact("helical", "arm", "nut", at[2], unit(0.1, 0.2, 0.9), lead=0.4),
            "bolt": JointFact("fixed", "nut", "plate", at[3]),
        },
        gravity=(0.3, -0.2, -9.5),
    )


def floater() -> Facts:
    """A free base with two arms, one on a universal joint with damping: a cross without mass between."""
    rng = np.random.default_rng(9)
    at = [rng.uniform(-0.5, 0.5, 3) for _ in range(4)]
    bodies = {n: body(30 + k, at[k]) for k, n in enumerate(("base", "arm", "hand"))}
    bodies["wrist_cross"] = BodyFact(0.0, np.zeros(3), np.zeros((3, 3)))
    return Facts(
        bodies,
        {
            "base_floats": JointFact("free", WORLD, "base"),
            "shoulder": JointFact("revolute", "base", "arm", at[1], unit(0.5, 0.2, 0.9)),
            "wrist_1": JointFact("revolute", "arm", "wrist_cross", at[2], unit(1.0, 0.1, 0.2), viscous=0.5),
            "wrist_2": JointFact("revolute", "wrist_cross", "hand", at[2], unit(0.3, 1.0, -0.2), viscous=0.7),
        },
    )
