"""Robots that only bend: no joint can move, everything that does is elastic. Compared with beam theory."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from cli.command import gough as command_line
from gough.robot import loads
from inner.analysis import verify

FILE = Path(__file__).parent / "cantilever.yaml"
E_, RHO, L, H, B = 70e9, 2700.0, 0.5, 5e-3, 30e-3
"""The cantilever: modulus, density, length; it bends about the height H."""


@pytest.fixture(scope="module")
def cantilever() -> gough.Model:
    return gough.build(FILE)


def test_the_cantilever_vibrates_as_beam_theory_says(cantilever):
    assert (cantilever.mobility, cantilever.layout.nv) == (0, 3)
    found = gough.natural_frequencies(cantilever)
    roots = np.array([1.875104068711961, 4.694091132974175, 7.854757438237613])
    truth = roots**2 * np.sqrt(E_ * B * H**3 / 12 / (RHO * B * H * L**4)) / (2 * np.pi)
    np.testing.assert_allclose(found.frequencies_hz, truth, rtol=1e-3)
    assert found.stable


def test_the_cantilever_sags_as_beam_theory_says():
    text = FILE.read_text().replace("name: rod\n", "name: rod\n    frames: {tip: {position: [0.5, 0, 0]}}\n")
    model = gough.build(loads("gravity: [0, -9.81, 0]\n" + text.replace("number: 3", "number: 5")))
    w, EI = RHO * B * H * 9.81, E_ * B * H**3 / 12
    for rest in (gough.static_equilibrium(model), gough.static_equilibrium(model, tau=[])):
        tip = model.frame_pose(rest.q, "rod.tip")[0]
        np.testing.assert_allclose(tip[1], -w * L**4 / (8 * EI), rtol=2e-3)
    run = gough.simulate(model, duration=0.01, start="static", method="esdirk4", step=1e-3)
    np.testing.assert_allclose(run.q[-1], rest.q, atol=1e-9)


def test_everything_answers_or_says_that_there_is_no_freedom(cantilever):
    v, home = np.array([0.1, -0.2, 0.3]), cantilever.home
    moved = cantilever.integrate(home, v, 0.01)
    np.testing.assert_allclose(moved, home + 0.01 * v)
    np.testing.assert_allclose(cantilever.project(moved), moved)
    np.testing.assert_allclose(cantilever.configuration(coordinates={}), home)
    assert np.isfinite(cantilever.linearize(home, v, []).A).all()
    found = cantilever.inverse_dynamics(moved, v, [])
    assert found.tau.shape == (0,)
    np.testing.assert_allclose(found.eddot, cantilever.forward_dynamics(moved, v, []).vdot)
    run = gough.simulate(cantilever, v=v, duration=0.02)
    assert run.resample(np.linspace(0, 0.02, 9)).q.shape == (9, 3)
    assert verify(cantilever, 6).passed
    for call in (
        lambda: gough.workspace(cantilever),
        lambda: gough.workspace(cantilever, {"rod.mode1": (0, 1, 3)}),
        lambda: gough.zero_dynamics(cantilever),
        lambda: gough.assemblies(cantilever, drives=[]),
    ):
        with pytest.raises(gough.UsageError):
            call()


@pytest.mark.parametrize("command", ["check", "show", "modes", "verify"])
def test_the_commands_know_it(command):
    out, _ = command_line(command, FILE)
    assert out


RADIUS, STEEL, NU = 2e-3, 200e9, 0.3


def feet_and_tips() -> list[tuple[np.ndarray, np.ndarray]]:
    """Six slender rods anywhere, from the ground to a platform at height 0.15 m."""
    out = []
    for k in range(6):
        foot, tip = k * np.pi / 3 + 0.3 * (-1) ** k + 0.05 * k, k * np.pi / 3 - 0.4 * (-1) ** k
        at = lambda r, a, z: np.array([r * np.cos(a), r * np.sin(a), z])  # noqa: E731
        out.append((at(0.2 + 0.01 * k, foot, 0.0), at(0.12, tip, 0.15)))
    return out


def axes_along(d: np.ndarray) -> Rotation:
    x = d / np.linalg.norm(d)
    y = np.cross([0, 0, 1], x)
    y /= np.linalg.norm(y)
    return Rotation.from_matrix(np.array([x, y, np.cross(x, y)]).T)


def hexapod_on_flexures() -> dict:
    legs = []
    for foot, tip in feet_and_tips():
        R, length = axes_along(tip - foot), float(np.linalg.norm(tip - foot))
        turned = {"quaternion_wxyz": [float(x) for x in np.roll(R.as_quat(), 1)]}
        rod = {
            "name": "rod",
            "frames": {"tip": {"position": [length, 0, 0]}},
            "flexible": {
                "beam": {
                    "length": length,
                    "section": {"circle": {"radius": RADIUS}},
                    "material": {"E": STEEL, "nu": NU, "density": 1.0},
                    "elements": 4,
                },
                "modes": {"kind": "guyan"},
            },
        }
        legs.append(
            {
                "base": {"position": foot.tolist(), **turned},
                "chain": [{"name": "foot", "type": "fixed", "body": rod}],
                "cut": {"name": "top", "type": "fixed", "on_leg": {"position": [length, 0, 0]}},
                "on_platform": {"position": [float(x) for x in tip - [0, 0, 0.15]], **turned},
            }
        )
    inertia = {"about": "center_of_mass", "xx": 0.02, "yy": 0.03, "zz": 0.035}
    platform = {"mass": 2.0, "inertia": inertia}
    return {
        "format": 1,
        "name": "flexures",
        "platform": platform,
        "legs": legs,
        "home": {"pose": {"position": [0, 0, 0.15]}},
    }


def stiffness_of_the_platform() -> np.ndarray:
    """K (6, 6) about the platform's origin: tip stiffness of clamped Euler–Bernoulli beams, translations first."""
    K = np.zeros((6, 6))
    area, bend = np.pi * RADIUS**2, np.pi * RADIUS**4 / 4
    for foot, tip in feet_and_tips():
        R, length = axes_along(tip - foot).as_matrix(), float(np.linalg.norm(tip - foot))
        EI, k = STEEL * bend, np.zeros((6, 6))
        k[0, 0], k[3, 3] = STEEL * area / length, STEEL / (2 * (1 + NU)) * 2 * bend / length
        k[1, 1] = k[2, 2] = 12 * EI / length**3
        k[4, 4] = k[5, 5] = 4 * EI / length
        k[1, 5] = k[5, 1] = -6 * EI / length**2
        k[2, 4] = k[4, 2] = 6 * EI / length**2
        r = tip - np.array([0, 0, 0.15])
        T = np.eye(6)
        T[:3, 3:] = -np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])
        turn = np.kron(np.eye(2), R)
        K += T.T @ turn @ k @ turn.T @ T
    return K


@pytest.mark.slow
def test_a_hexapod_on_flexures_stands_and_vibrates_as_its_beams_let_it():
    model = gough.build(loads(json.dumps(hexapod_on_flexures())))
    assert model.mobility == 0
    K = stiffness_of_the_platform()
    sag = np.linalg.solve(K, [0, 0, -2 * 9.81, 0, 0, 0])
    rest = gough.static_equilibrium(model)
    np.testing.assert_allclose(rest.q[:3] - [0, 0, 0.15], sag[:3], atol=2e-4 * np.abs(sag[:3]).max())
    M = np.diag([2.0] * 3 + [0.02, 0.03, 0.035])
    truth = np.sqrt(np.linalg.eigvals(np.linalg.solve(M, K)).real) / (2 * np.pi)
    np.testing.assert_allclose(gough.natural_frequencies(model).frequencies_hz[:6], np.sort(truth), rtol=1e-3)


@pytest.mark.parametrize(("axis", "stiffness"), [([1, 0, 0], E_ * B * H / L), ([0, 1, 0], E_ * B * H**3 / L**3)])
def test_a_drive_that_works_against_a_flexure(axis, stiffness):
    """A slide carries a beam whose other end is fixed to the ground: EA/L along it, 12 EI/L³ across it."""
    beam = {
        "length": L,
        "section": {"rectangle": {"y": H, "z": B}},
        "material": {"E": E_, "nu": 0.33, "density": RHO},
        "plane": True,
        "elements": 2,
    }
    flexible = {"beam": beam, "modes": {"kind": "nodal"}, "stiffening": "off"}
    document = {
        "format": 1,
        "name": "flexure",
        "gravity": [0, 0, 0],
        "bodies": [
            {"name": "carriage", "mass": 1.0},
            {"name": "rod", "frames": {"tip": {"position": [L, 0, 0]}}, "flexible": flexible},
        ],
        "joints": [
            {"name": "slide", "type": "prismatic", "axis": axis, "parent": "world", "child": "carriage", "drive": {}},
            {"name": "clamp", "type": "fixed", "parent": "carriage", "child": "rod"},
        ],
        "loops": [
            {
                "name": "wall",
                "type": "fixed",
                "first": {"body": "rod", "pose": {"position": [L, 0, 0]}},
                "second": {"body": "world", "pose": {"position": [L, 0, 0]}},
            }
        ],
    }
    model = gough.build(loads(json.dumps(document)))
    assert model.layout.v_names[: model.mobility] == ("slide",)
    held = gough.static_equilibrium(model, drives=[1e-5])
    np.testing.assert_allclose(held.tau, [stiffness * 1e-5], rtol=1e-4)
    pushed = gough.static_equilibrium(model, tau=held.tau)
    np.testing.assert_allclose(model.drives(pushed.q), [1e-5], rtol=1e-4)
    named = gough.build(loads(json.dumps(document | {"velocities": ["slide"]})))
    assert named.layout.v_names == model.layout.v_names


@pytest.mark.parametrize("kind", ["guyan", "craig_bampton"])
def test_a_cantilever_whose_nodes_are_all_interfaces(kind: str) -> None:
    """Nothing is left to reduce: two elements have the frequency of the clamped beam to 1e-3, (1.8751)² √(EI / ρA L⁴)."""
    number = ", number: 0" if kind == "craig_bampton" else ""
    robot = loads(
        f"""
format: 1
name: rod
bodies:
  - name: rod
    frames: {{a: {{position: [0.25, 0, 0]}}, b: {{position: [0.5, 0, 0]}}}}
    flexible:
      beam:
        length: 0.5
        elements: 2
        section: {{rectangle: {{y: 5 mm, z: 30 mm}}}}
        section_y: [0, 1, 0]
        material: {{E: 70 GPa, nu: 0.33, density: 2700 kg/m3}}
      modes: {{kind: {kind}, interfaces: [a, b]{number}}}
joints:
  - {{name: wall, type: fixed, parent: world, child: rod}}
"""
    )
    found = gough.natural_frequencies(gough.build(robot)).frequencies_hz[:2]
    area = 0.005 * 0.03
    second = [0.03 * 0.005**3 / 12, 0.005 * 0.03**3 / 12]
    exact = [1.8751040687**2 * np.sqrt(70e9 * i / (2700 * area * 0.5**4)) / (2 * np.pi) for i in second]
    np.testing.assert_allclose(found, exact, rtol=1e-3)


@pytest.mark.parametrize("gravity", [0.0, 9.81])
@pytest.mark.parametrize("force", [0.0, 1.5])
def test_the_wall_holds_what_hangs_on_it_at_the_rest_that_is_found(gravity: float, force: float) -> None:
    """joint_reactions takes the rest of static_equilibrium; without drives nothing but loads balances there."""
    text = FILE.read_text().replace("name: rod\n", "name: rod\n    frames: {tip: {position: [0.5, 0, 0]}}\n")
    model = gough.build(loads(f"gravity: [0, {-gravity}, 0]\n" + text))
    load = {"rod.tip": [0, -force, 0, 0, 0, 0]}
    rest = gough.static_equilibrium(model, wrench=load)
    found = model.joint_reactions(rest.q, np.zeros(3), wrench=load, tau=[], vdot=np.zeros(3))
    weight = RHO * B * H * L * gravity
    np.testing.assert_allclose(found.joints[0, 1], force + weight, rtol=1e-8, atol=1e-9)
    np.testing.assert_allclose(found.joints[0, 5], force * L + weight * L / 2, rtol=2e-3, atol=1e-9)
    pushed = {"rod.tip": [0, -force - 1, 0, 0, 0, 0]}
    with pytest.raises(gough.UsageError, match=r"forward_dynamics\(q, v, \[\], wrench\)"):
        model.joint_reactions(rest.q, np.zeros(3), wrench=pushed, vdot=np.zeros(3))
