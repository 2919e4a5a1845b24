"""Joints that close loops are put in the right way round: a pin upside down fulfils its closures and is none.

Homes are checked by composing the described frames with plain numpy (`random_loops`).
"""

from __future__ import annotations

import copy
import json

import numpy as np
import pytest

import gough
from gough.errors import Status
from gough.joints import ALL
from gough.joints.motions import Ball, Rotation
from gough.robot import loads
from inner.analysis import verify
from kinematics.random_loops import COMMON, CUT_ROWS, guesses, misses, moved, random_loop, random_platform, turn, unit

pytestmark = pytest.mark.filterwarnings("ignore::gough.errors.HomeWarning", "ignore::gough.errors.SingularHomeWarning")
CLOSED = 1e-8
"""Accepted miss of a home (m, or difference of unit vectors) of mechanisms of about 1 m."""
DIRECTED = tuple(COMMON)
ASSEMBLED_TURNED = {"fixed": 7, "prismatic": 5, "revolute": 5, "cylindrical": 5, "planar": 6}
"""Seeds of mechanisms that can also be assembled with the joint turned; not all can."""
MANNERS = ("exact", "near", "far", "none")


def built(data: dict) -> gough.Model:
    return gough.build(loads(json.dumps(data)))


def with_guess(made: tuple[dict, dict], manner: str, seed: int) -> dict:
    data, values = made
    if manner != "none":
        data.setdefault("home", {})["joints"] = guesses(values, manner, seed)
    return data


def reversed_loop(kind: str, seed: int) -> tuple[gough.Model, dict, np.ndarray]:
    """(model, description, q that fulfils its closures with the joint put in turned).

    q is the home of the same mechanism with the joint's frame on the world turned by half a turn.
    """
    data, values = random_loop(kind, seed)
    data["home"] = {"joints": guesses(values, "exact", seed)}
    loop = data["loops"][0]
    axis = np.array(loop.get("axis", [0.0, 0.0, 1.0]))
    across = np.cross(axis, unit(np.random.default_rng(seed)))
    frame = np.array(loop["second"]["pose"]["matrix"]) @ turn(across / np.linalg.norm(across), np.pi)
    if COMMON[kind] == 3:  # the frame's own axes, which the closures are about
        frame = np.array(loop["second"]["pose"]["matrix"]) @ np.diag([1.0, -1.0, -1.0])
        if "axis" in loop:
            loop["axis"] = [0.0, 0.0, 1.0]
    other = copy.deepcopy(data)
    other["loops"][0]["second"]["pose"]["matrix"] = frame.tolist()
    return built(data), data, built(other).home


@pytest.mark.parametrize("manner", ["far", "none"])
@pytest.mark.parametrize("kind", CUT_ROWS)
def test_homes_of_random_loops(kind: str, manner: str) -> None:
    for seed in (1, 2):
        data = with_guess(random_loop(kind, seed), manner, seed)
        model = built(data)
        assert misses(data, model.layout.q_names, model.home) < CLOSED, seed
        assert model.closure_error(model.home) < 1e-10


@pytest.mark.slow
@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("kind", CUT_ROWS)
def test_homes_of_many_random_loops(kind: str, manner: str) -> None:
    """Exact and near guesses all assemble; of the others nothing wrong is accepted, and at most one in ten is refused."""
    refused = []
    for seed in range(100, 130):
        data = with_guess(random_loop(kind, seed, 1 + seed % 2), manner, seed)
        try:
            model = built(data)
        except gough.StructureError as error:
            refused.append((seed, str(error)))
            continue
        assert misses(data, model.layout.q_names, model.home) < CLOSED, seed
    assert len(refused) <= (3 if manner in ("far", "none") else 0), refused


@pytest.mark.quick_cases("fixed", "universal", "planar")
@pytest.mark.parametrize("kind", CUT_ROWS)
def test_cuts_of_legs_at_an_exact_home_pose(kind: str) -> None:
    data, _ = random_platform(kind, 3, legs=2)
    model = built(data)
    assert misses(data, model.layout.q_names, model.home) < CLOSED


@pytest.mark.slow
@pytest.mark.parametrize("manner", MANNERS)
@pytest.mark.parametrize("kind", CUT_ROWS)
def test_cuts_of_many_legs(kind: str, manner: str) -> None:
    refused = []
    for seed in range(200, 206):
        data = with_guess(random_platform(kind, seed), manner, seed)
        try:
            model = built(data)
        except gough.StructureError as error:
            refused.append((seed, str(error)))
            continue
        assert misses(data, model.layout.q_names, model.home) < CLOSED, seed
    assert len(refused) <= (1 if manner in ("far", "none") else 0), refused


@pytest.mark.parametrize("kind", DIRECTED)
def test_a_turned_configuration_is_open_everywhere(kind: str) -> None:
    model, data, q = reversed_loop(kind, ASSEMBLED_TURNED[kind])
    assert misses(data, model.layout.q_names, q) > 1.9  # really turned, and by nothing of the library
    residual = model.function("closure_residual")(q=q, parameters=model.parameters).outputs["residual"]
    assert np.abs(residual).max() < 1e-9  # though it fulfils every closure
    assert model.closure_error(q) == pytest.approx(2.0)
    v, tau = np.zeros(model.layout.nv), np.zeros(0)
    both = np.stack([model.home, q])
    done = model.forward_dynamics(both, v, tau, on_bad_state="mark")
    assert done.status.tolist() == [Status.OK, Status.OPEN_LOOP]
    assert np.isfinite(done.vdot[0]).all() and np.isnan(done.vdot[1]).all()
    with pytest.raises(gough.BadStateError, match=r"OPEN_LOOP at weld.*\n.*weld is turned by 180 deg"):
        model.forward_dynamics(q, v, tau)
    with pytest.raises(gough.BadStateError, match=r"OPEN_LOOP at weld, turned by 180 deg: no small motion mends"):
        model.project(q)
    assert np.isnan(model.integrate(both, v, on_bad_state="mark")).all(axis=1).tolist() == [False, True]
    for name in ("energies", "bias_force", "tree_rates", "configuration_rate"):
        assert model.function(name)(q=q, v=v, parameters=model.parameters).names[0].startswith("open_loop"), name
    with pytest.raises(gough.UsageError, match="the first state is open"):
        gough.simulate(model, q=q, duration=0.01)


def test_a_turned_leg_is_open() -> None:
    """Legs' cuts too: q of a robot whose platform frames are turned, given to the one that was meant."""
    data, values = random_platform("revolute", 11, legs=1)
    data["home"]["joints"] = guesses(values, "exact", 11)
    other = copy.deepcopy(data)
    cut = other["legs"][0]
    axis = np.array(cut["cut"]["axis"])
    across = np.cross(axis, [0.3, -0.5, 0.8])
    half = turn(across / np.linalg.norm(across), np.pi)
    cut["on_platform"]["matrix"] = (np.array(cut["on_platform"]["matrix"]) @ half).tolist()
    model, q = built(data), built(other).home
    assert misses(data, model.layout.q_names, q) > 1.9
    assert model.closure_error(q) == pytest.approx(2.0)
    assert model.forward_dynamics(q, np.zeros(6), [], on_bad_state="mark").status == Status.OPEN_LOOP
    assert not np.isfinite(model.configuration(q[:7], near=q, on_bad_state="mark")).all()
    assert not np.isfinite(model.project(q, on_bad_state="mark")).all()
    assert misses(data, model.layout.q_names, model.configuration(q[:7])) < CLOSED


UPSIDE_DOWN = """
format: 1
name: upside_down
bodies: [{name: b, mass: 1, inertia: {about: origin, xx: 1, yy: 1, zz: 1}}]
joints: [{name: ball, type: spherical, parent: world, child: b}]
loops: [{name: pin, type: revolute, first: {body: world, pose: {rpy_zyx: [0, 0, TILT deg]}}, second: {body: b}}]
velocities: [ball_wz]
"""


@pytest.mark.parametrize("tilt", [0, 5, 90, 170, 179.99, 180])
def test_a_pin_without_any_guess(tilt: float) -> None:
    model = gough.build(loads(UPSIDE_DOWN.replace("TILT", str(tilt))))
    z = moved({"type": "spherical"}, model.home)[0][:, 2]
    assert z @ [0, -np.sin(np.deg2rad(tilt)), np.cos(np.deg2rad(tilt))] == pytest.approx(1.0)


def test_the_closure_error_of_an_axis_is_continuous() -> None:
    """The largest component of the difference of unit vectors: the sine at first, 2 when reversed, never 0 between."""
    model = gough.build(loads(UPSIDE_DOWN.replace("TILT", "0")))
    angles = np.linspace(0, np.pi, 361)
    q = np.stack([np.cos(angles / 2), np.sin(angles / 2), 0 * angles, 0 * angles], axis=1)
    error = model.closure_error(q)
    assert error[-1] == pytest.approx(2.0)
    assert np.abs(np.diff(error)).max() < 1.01 * np.deg2rad(0.5)
    assert (np.diff(error)[:180] > 0).all() and (error[1:] > 0.5 * np.sin(angles[1:] / 2)).all()
    small = np.array([1e-9, 1e-6, 1e-3])
    near = np.stack([np.cos(small / 2), np.sin(small / 2), 0 * small, 0 * small], axis=1)
    assert model.closure_error(near) == pytest.approx(small, rel=1e-6)


FIXED_FOOT = """
format: 1
name: foot
gravity: [0, -9.81, 0]
bodies:
  - {name: crank, mass: 1, center_of_mass: [0.05, 0, 0]}
  - {name: coupler, mass: 1, center_of_mass: [0.15, 0, 0]}
  - {name: rocker, mass: 1, center_of_mass: [0.1, 0, 0]}
  - {name: foot, mass: 0.1, center_of_mass: [0, 0.1, 0]}
joints:
  - {name: motor, type: revolute, parent: world, child: crank, drive: {}}
  - {name: p1, type: revolute, parent: crank, child: coupler, pose: {position: [0.1, 0, 0]}}
  - {name: p2, type: revolute, parent: coupler, child: rocker, pose: {position: [0.3, 0, 0]}}
  - {name: p3, type: revolute, parent: rocker, child: foot, pose: {position: [0.2, 0, 0]}}
loops:
  - {name: weld, type: fixed, first: {body: foot}, second: {body: world, pose: {position: [0.3, 0, 0]}}}
home: {joints: {motor: 60 deg, p1: -30 deg, p2: -100 deg, p3: 200 deg}}
"""


def test_a_foot_stands_upright_from_a_guess_that_led_it_astray() -> None:
    model = gough.build(loads(FIXED_FOOT))
    assert np.cos(model.home.sum()) == pytest.approx(1.0)  # all axes are z: the angles add up
    assert model.home[0] == np.deg2rad(60)  # the drive is kept
    assert verify(model, states=4).passed


def test_what_closes_turned_only_is_refused() -> None:
    """A plane linkage cannot turn its pin: with the frame upside down on one side there is no assembly."""
    text = FIXED_FOOT.replace(
        "pose: {position: [0.3, 0, 0]}}}", "pose: {position: [0.3, 0, 0], rpy_zyx: [0, 0, 180 deg]}}}"
    )
    with pytest.raises(gough.StructureError, match=r"weld stays turned by 180 deg.*turn its frame on one side"):
        gough.build(loads(text))


def test_assemblies_and_states_around_home_are_the_right_way_round() -> None:
    model = gough.build(loads(FIXED_FOOT))
    found = gough.assemblies(model, [np.deg2rad(60)], starts=200)
    assert len(found) == 2
    assert np.cos(found.q.sum(axis=1)) == pytest.approx(1.0)
    q = model.configuration(drives=np.linspace(-3, 3, 50)[:, None])
    assert np.cos(q.sum(axis=1)) == pytest.approx(1.0)


def test_axes_in_common_follow_from_the_motions() -> None:
    """Of every joint type: these axes stay the same under its motions, the others do not."""
    rng = np.random.default_rng(3)
    for name, kind in ALL.items():
        if kind.closures is None or kind.motions is None:
            assert kind.common_axes == ()
            continue
        R = np.eye(3)
        for motion in kind.motions:
            if isinstance(motion, Rotation):
                R = R @ turn(np.eye(3)[(2, 0)[motion.axis]], rng.uniform(0.5, 2))  # stated axes: z, x
            if isinstance(motion, Ball):
                R = R @ turn(unit(rng), rng.uniform(0.5, 2))
        same = tuple(k for k in range(3) if R[k, k] > 1 - 1e-12)
        assert kind.common_axes == same, name
