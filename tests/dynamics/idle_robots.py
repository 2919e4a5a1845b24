"""Robots with idle freedoms: under-driven trees, cranes, hexapods on rods between two balls; and equations solved by NumPy."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

import gough
from gough.robot import loads
from reference.designs.drawing import Draw
from reference.designs.works import Works

RODS = Path(__file__).parents[1] / "kinematics" / "hexapod_idle_rods.yaml"
CART, POLE, ARM, INERTIA, G = 2.0, 0.5, 0.4, 0.02, 9.81
TOLERANCE = 1e-11
"""Accepted relative error of what is solved once; times the condition number of what is solved besides."""

CART_POLE = f"""
format: 1
name: cart_pole
bodies:
  - {{name: cart, mass: {CART}}}
  - name: pole
    mass: {POLE}
    center_of_mass: [0, 0, {-ARM}]
    inertia: {{about: center_of_mass, xx: 0.03, yy: {INERTIA}, zz: 0.015}}
joints:
  - {{name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: cart, drive: {{}}}}
  - {{name: swing, type: revolute, axis: [0, 1, 0], parent: cart, child: pole}}
velocities: [rail, swing]
"""

GANTRY = f"""
format: 1
name: gantry
bodies:
  - {{name: bridge, mass: 30}}
  - {{name: trolley, mass: {CART}}}
  - {{name: rope, mass: 0}}
  - {{name: load, mass: {POLE}}}
joints:
  - {{name: x, type: prismatic, axis: [1, 0, 0], parent: world, child: bridge, drive: {{}}}}
  - {{name: y, type: prismatic, axis: [0, 1, 0], parent: bridge, child: trolley, drive: {{}}}}
  - {{name: hook, type: universal, axes: [[1, 0, 0], [0, 1, 0]], parent: trolley, child: rope}}
  - {{name: hoist, type: prismatic, axis: [0, 0, -1], parent: rope, child: load, drive: {{}}}}
home: {{joints: {{hoist: {ARM}}}}}
velocities: [x, y, hook_1, hook_2, hoist]
"""


def cart_pole() -> gough.Model:
    return gough.build(loads(CART_POLE))


def gantry() -> gough.Model:
    return gough.build(loads(GANTRY))


def hexapod(spin: float = 0.0) -> gough.Model:
    """Six rods between balls; spin (kg m2): their inertia about their lines."""
    text = RODS.read_text().replace("yy: 3.266666666666667e-05}", f"yy: 3.266666666666667e-05, zz: {spin}}}")
    return gough.build(loads(text))


def tree(seed: int) -> Any:
    """A random tree of seven joints, some of them driven; balls never are."""
    draw = Draw([4711, seed])
    works, names, bodies = Works(draw, f"tree_{seed}"), [], ["world"]
    kinds = [*draw.rng.choice(["revolute", "prismatic", "revolute"], 6), "spherical"]
    driven = set(draw.rng.choice(6, 3, replace=False).tolist())
    for k, kind in enumerate(kinds):
        parent = bodies[int(draw.rng.integers(max(0, len(bodies) - 3), len(bodies)))]
        more: dict[str, Any] = {} if kind == "spherical" else {"along": draw.direction()}
        bodies.append(works.joint(f"j{k}", str(kind), parent, draw.vector(0.5), drive=k in driven, **more))
        names += [f"j{k}_wx", f"j{k}_wy", f"j{k}_wz"] if kind == "spherical" else [f"j{k}"]
    works.spring("world", bodies[-1])
    return loads(json.dumps(works.done(velocities=names)))


def solved(truth: Any, q: np.ndarray, v: np.ndarray, given: list[int], a: np.ndarray, outside: np.ndarray) -> tuple:
    """(tau, vdot) of M v̇ + h = S τ + Q with accelerations `a` of the entries `given` of v, all unknowns at once by NumPy from
    the matrices of a reference."""
    M, h, S = truth.mass_matrix(q), truth.bias(q, v), truth.drive_map(q)
    nv, rest = len(v), [k for k in range(len(v)) if k not in given]
    x = np.linalg.solve(np.concatenate([-S, M[:, rest]], axis=1), outside - h - M[:, given] @ a)
    vdot = np.zeros(nv)
    vdot[given], vdot[rest] = a, x[S.shape[1] :]
    return x[: S.shape[1]], vdot


def relative(ours: Any, truth: Any) -> float:
    """max|difference| / max|truth|."""
    return float(np.abs(np.asarray(ours) - truth).max() / np.abs(truth).max())
