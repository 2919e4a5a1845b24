"""Compliance, stiffness and deflection of frames: beside equilibria under small loads, and robots built again."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from inner.analysis import RestForces

from .flexible_robots import FLEXIBLE_FIVE_BAR
from .rebuilding import UNEVEN, built, closed_at, rebuilt_slope

CANTILEVER = """
format: 2
name: cantilever
variables: {tip: 0.4 kg}
gravity: [0, 0, 0]
bodies:
  - name: beam
    flexible:
      beam: {length: 0.5, section: {rectangle: {y: 10 mm, z: 20 mm}}, section_y: [0, 1, 0],
            material: {E: 210 GPa, nu: 0.3, density: 7800}}
      modes: {kind: nodal}
      stiffening: off
    frames: {end: {position: [0.5, 0, 0]}}
joints: [{name: root, type: revolute, parent: world, child: beam, axis: [0, 0, 1], drive: {}}]
"""
AXES = ("x", "y", "z", "rx", "ry", "rz")


def bordered(model: gough.Model, frame: str, q: np.ndarray, wrench: Any = None, servo: float = np.inf) -> np.ndarray:
    """Compliance (6, 6): equations of small motions with the drive forces as unknowns, solved in one piece."""
    whole = model.unlocked
    rest = gough.static_equilibrium(whole, q=closed_at(whole, q), wrench=wrench)
    forces = RestForces(whole, whole.parameters, wrench)
    here, tau = rest.q[None], rest.tau[None]
    K, S, J = forces.stiffness(here, tau)[0], forces.drive_map(here)[0], forces.frame_jacobian(here, frame)[0]
    n, d = S.shape
    A = np.block([[K, -S * 1e4], [S.T, np.eye(d) * 1e4 / servo]])
    return J @ np.linalg.solve(A, np.concatenate([J.T, np.zeros((d, 6))]))[:n]


def test_a_cantilever() -> None:
    """l³ / 3 E I, l² / 2 E I, l / E I, l / E A; and the inverse."""
    model = built(CANTILEVER)
    found = gough.sensitivity(model, "compliance:beam.end", by=["tip"])
    C = found.values.reshape(6, 6)
    E, l, Iz, Iy, A = 210e9, 0.5, 0.02 * 0.01**3 / 12, 0.01 * 0.02**3 / 12, 2e-4
    assert found.names[7] == "beam.end yy" and found.units[7] == "m/N" and found.units[-1] == "rad/(N m)"
    assert np.allclose([C[1, 1], C[2, 2], C[0, 0]], [l**3 / 3 / E / Iz, l**3 / 3 / E / Iy, l / E / A], rtol=1e-9)
    assert np.allclose([C[1, 5], C[2, 4], C[5, 5]], [l**2 / 2 / E / Iz, -(l**2) / 2 / E / Iy, l / E / Iz], rtol=1e-9)
    stiff = gough.sensitivity(model, "stiffness:beam.end,yy,yrz", by=["tip"])
    assert np.allclose(stiff.values, [12 * E * Iz / l**3, -6 * E * Iz / l**2], rtol=1e-8)
    assert stiff.units == ("N/m", "N/rad")


@pytest.mark.slow
def test_an_uneven_five_bar_built_again() -> None:
    """Compliance and stiffness under a load elsewhere, with drives locked and with servos."""
    model = built(FLEXIBLE_FIVE_BAR)
    names = ["xx", "yy", "xy", "yrz", "rzrz"]
    own, places = np.array([0, 1, 5]), ([0, 1, 0, 1, 5], [0, 1, 1, 5, 5])
    wrench = {"rod.middle": np.array([3.0, -4.0, 1.0, 0.1, 0.2, 0.3])}

    def measure(made: gough.Model) -> np.ndarray:
        out = []
        for servo in (np.inf, 4e3):
            C = bordered(made, "head.pen", model.home, wrench, servo)
            out.append(C[places])
        C[np.ix_(own, own)] = np.linalg.inv(C[np.ix_(own, own)])
        return np.concatenate([*out, C[places]])

    settings: list[Any] = [("compliance", "locked"), *((k, {"stiffness": 4e3}) for k in ("compliance", "stiffness"))]
    found = [
        gough.sensitivity(model, f"{kind}:head.pen,{','.join(names)}", wrench=wrench, drives=drives)
        for kind, drives in settings
    ]
    values, slopes = np.concatenate([f.values for f in found]), np.concatenate([f.derivatives for f in found])
    assert np.allclose(values, measure(model), rtol=1e-8)
    sizes = {name: 0.1 if name != "stiff" else 500.0 for name in found[0].by}
    scale = np.maximum(np.abs(slopes * list(sizes.values())).max(axis=1), np.abs(values))
    for k, (name, size) in enumerate(sizes.items()):
        truth = rebuilt_slope(model, name, measure, size)
        assert (np.abs(slopes[:, k] - truth) * size <= 1e-8 * scale).all(), name
    whole = gough.sensitivity(model, "compliance:head.pen", by=["reach"], wrench=wrench)
    stiff = gough.sensitivity(model, "stiffness:head.pen,xx,yrz", by=["reach"], wrench=wrench)
    C, slope = (x.reshape(6, 6)[np.ix_(own, own)] for x in (whole.values, whole["reach"]))
    K = np.linalg.inv(C)  # some 1e8 N/m beside 1e3 N m/rad
    assert np.allclose(stiff["reach"], [-(K @ slope @ K)[0, 0], -(K @ slope @ K)[1, 2]], rtol=1e-7)


def test_small_loads_move_a_frame_by_its_compliance() -> None:
    model = built(FLEXIBLE_FIVE_BAR)
    C = gough.sensitivity(model, "compliance:head.pen", by=["load"]).values.reshape(6, 6)
    for axis in (0, 1, 5):
        moved = [
            gough.sensitivity(
                model, "deflection:head.pen", by=["load"], wrench={"head.pen": s * np.eye(6)[axis]}
            ).values
            for s in (1e-2, -1e-2, 5e-3, -5e-3)
        ]
        slope = (8 * (moved[2] - moved[3]) - (moved[0] - moved[1])) / (6 * 1e-2)
        assert np.allclose(slope, C[:, axis], rtol=1e-7, atol=1e-9 * np.abs(C[:, axis]).max())


@pytest.mark.slow
def test_large_deflections_of_a_robot_built_again() -> None:
    model = built(FLEXIBLE_FIVE_BAR)
    wrench = {
        "head.pen": np.array([25.0, -40.0, 0.0, 0.0, 0.0, 1.5]),
        "rod.middle": np.array([0.0, 8.0, 1.0, 0, 0, 0.2]),
    }
    found = gough.sensitivity(model, "deflection:head.pen", by="variables", wrench=wrench)

    def measure(made: gough.Model) -> np.ndarray:
        whole = made.unlocked
        free = gough.static_equilibrium(whole, q=closed_at(whole, model.home)).q
        bent = gough.static_equilibrium(whole, drives=whole.drives(free), near=free, wrench=wrench).q
        first, last = (whole.frame_pose(q, "head.pen") for q in (free, bent))
        turn = last[1] @ first[1].T
        angle = np.arctan2(turn[1, 0], turn[0, 0])
        return np.array([*(last[0] - first[0]), 0.0, 0.0, angle])

    assert np.allclose(found.values, measure(model), atol=1e-12) and np.abs(found.values).max() > 5e-3
    for name in found.by:
        size = 0.1 if name != "stiff" else 500.0
        truth = rebuilt_slope(model, name, measure, size)
        assert np.abs(found[name] - truth).max() * size < 1e-8 * max(np.abs(found[name]).max() * size, 1e-3), name


@pytest.mark.slow
@pytest.mark.parametrize("name", ["hexapod_flexible", "delta_flexible"])
def test_flexible_robots_of_the_gallery(name: str) -> None:
    """By masses and places, loops closed again at other parameters."""
    model = built(name)
    frame = next(f for f in model.mechanism.frames if f.endswith(("center", "tool")))
    by = [n for n in model.parameter_names if n.endswith(("leg0.hip.x", "leg1.hip.y", "leg0.arm.x"))][:2]
    wrench = {frame: np.array([30.0, -20.0, 50.0, 1.0, 2.0, -1.0])}
    found = gough.sensitivity(model, f"compliance:{frame},xx,xz,zz", by=by, wrench=wrench)
    whole = model.unlocked

    def at(i: int, h: float) -> np.ndarray:
        p = whole.parameters.copy()
        p[i] += h
        free = whole.with_(free=[whole.parameter_names[i]]).unlocked if i in whole.pattern else whole
        q = free.integrate(model.home, np.zeros(model.layout.nv), 1.0, parameters=p)
        rest = gough.static_equilibrium(free, q=q, wrench=wrench, parameters=p)
        forces = RestForces(free, p, wrench)
        here, tau = rest.q[None], rest.tau[None]
        K, S, J = forces.stiffness(here, tau)[0], forces.drive_map(here)[0], forces.frame_jacobian(here, frame)[0]
        n, d = S.shape
        size = np.abs(K).max()
        A = np.block([[K, -S * size], [S.T, np.zeros((d, d))]])
        C = J @ np.linalg.solve(A, np.concatenate([J.T, np.zeros((d, 6))]))[:n]
        return np.array([C[0, 0], C[0, 2], C[2, 2]])

    assert len(by) and np.allclose(found.values, at(0, 0.0), rtol=1e-8)
    for name_of in by:
        i = whole.parameter_names.index(name_of)
        far, mid, near = ((at(i, h) - at(i, -h)) / (2 * h) for h in (16e-3, 8e-3, 4e-3))
        truth = (64 * near - 20 * mid + far) / 45
        assert np.abs(found[name_of] - truth).max() < 1e-8 * max(
            np.abs(found.derivatives).max(), np.abs(found.values).max() / model.size
        )


@pytest.mark.slow
def test_what_does_not_give_way_is_refused() -> None:
    rigid = built(UNEVEN)
    with pytest.raises(gough.UsageError, match="no flexible body and no spring gives way"):
        gough.sensitivity(rigid, "compliance:tool", by=["wide"])
    with pytest.raises(gough.UsageError, match="no flexible body and no spring gives way"):
        gough.sensitivity(rigid, "deflection:tool", by=["wide"], wrench={"tool": np.ones(6)})
    assert gough.sensitivity(rigid, "stiffness:tool,zz", by=["wide"], drives={"stiffness": 1e6}).values > 1e6
    flexible = built(FLEXIBLE_FIVE_BAR)
    with pytest.raises(gough.UsageError, match="does not move along z"):
        gough.sensitivity(flexible, "stiffness:head.pen,zz")
    with pytest.raises(gough.UsageError, match="give the load"):
        gough.sensitivity(flexible, "deflection:head.pen")
    with pytest.raises(gough.UsageError, match="no entry 'xq'"):
        gough.sensitivity(flexible, "stiffness:head.pen,xq")
    with pytest.raises(gough.UsageError, match="only for frequency"):
        gough.sensitivity(flexible, "tau", drives="free")
