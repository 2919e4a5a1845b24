"""Hybrid dynamics against closed forms of a cart-pole and a gantry crane, and against matrices of energies and Pinocchio."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from dynamics.idle_robots import ARM, CART, INERTIA, POLE, TOLERANCE, G, cart_pole, gantry, relative, solved, tree
from gough.robot import loads
from laws.mechanisms import mechanism
from reference.energies.lagrange import Reference
from reference.energies.states import random_states
from reference.peers.pinocchio import PinocchioPeer


def pole_forces(angle: float, rate: float, swinging: float) -> tuple[float, float]:
    """(force on the cart, its acceleration) with which the pole accelerates by `swinging` (rad/s2): textbook equations of a cart
    with a pendulum whose mass centre hangs ARM below the hinge, at angle 0."""
    sine, cosine = np.sin(angle), np.cos(angle)
    cart = ((INERTIA + POLE * ARM**2) * swinging + POLE * G * ARM * sine) / (POLE * ARM * cosine)
    return (CART + POLE) * cart - POLE * ARM * (cosine * swinging - sine * rate**2), cart


@pytest.mark.parametrize("angle", [-2.5, -0.7, 0.2, 1.2, 3.0])
def test_a_pole_is_led_by_its_cart(angle: float) -> None:
    model = cart_pole()
    q, v, swinging = [0.3, angle], [0.4, 1.7], 2.0
    force, cart = pole_forces(angle, v[1], swinging)
    found = model.hybrid_dynamics(q, v, {"swing": swinging})
    np.testing.assert_allclose(found.tau, [force], rtol=1e-12)
    np.testing.assert_allclose(found.vdot, [cart, swinging], rtol=1e-12)
    again = model.inverse_dynamics(q, v, [cart])
    np.testing.assert_allclose(again.tau, [force], rtol=1e-12)
    np.testing.assert_allclose(again.idle_acceleration, [swinging], rtol=1e-11)
    np.testing.assert_allclose(model.forward_dynamics(q, v, [force]).vdot, [cart, swinging], rtol=1e-11)


def test_a_level_pole_cannot_be_led() -> None:
    """The cart moves along the pole, which does not feel it."""
    model = cart_pole()
    conditions = [model.hybrid_dynamics([0, x], [0, 0], {"swing": 1.0}).condition for x in (0.0, 1.5, 1.57)]
    assert conditions[0] < 10 and conditions[1] > 5 * conditions[0] and conditions[2] > 1000
    with pytest.raises(
        gough.BadStateError, match=r"hybrid_dynamics(?s:.)*SINGULAR at prescribed swing(?s:.)*prescribe others"
    ):
        model.hybrid_dynamics([0, np.pi / 2], [0, 0], {"swing": 1.0})
    marked = model.hybrid_dynamics([[0, np.pi / 2], [0, 0.1]], [0, 0], {"swing": [1, 2]}, on_bad_state="mark")
    assert marked.status.tolist() == [int(gough.Status.SINGULAR), 0] and np.isnan(marked.tau[0]).all()
    np.testing.assert_allclose(marked.tau[1], pole_forces(0.1, 0, 2.0)[0], rtol=1e-12)


def test_a_crane_swings_its_load_as_told() -> None:
    """The load is a point in space that the rope and its weight accelerate; the rope pulls the trolley and the bridge back."""
    model = gantry()
    rng = np.random.default_rng(3)
    for _ in range(5):
        q = np.array([*rng.normal(size=2), *rng.uniform(-0.6, 0.6, 2), rng.uniform(0.3, 1.5)])
        v, swinging = rng.normal(size=5), rng.normal(size=2)
        found = model.hybrid_dynamics(q, v, {"hook_1": swinging[0], "hook_2": swinging[1], "hoist": 0.4})
        bridge, trolley = (found.vdot[model.layout.v_names.index(name)] for name in ("x", "y"))
        moved, up = load_motion(model, q, v, found.vdot)
        pull = POLE * (moved + [0, 0, G])  # of the rope on the load
        np.testing.assert_allclose(np.cross(pull, up), 0, atol=1e-9)  # along itself
        np.testing.assert_allclose(
            found.tau, [(30 + CART) * bridge + pull[0], CART * trolley + pull[1], -pull @ up], rtol=1e-9
        )


def load_motion(model: gough.Model, q: np.ndarray, v: np.ndarray, vdot: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(acceleration of the load, direction from it to the trolley), from positions alone by differences of many digits."""
    import mpmath

    places = [(n, q[model.layout.index(n)], v[k], vdot[k]) for k, n in enumerate(model.layout.v_names)]
    with mpmath.workdps(40):

        def place(t):
            x = {n: mpmath.mpf(a) + t * mpmath.mpf(b) + t * t * mpmath.mpf(c) / 2 for n, a, b, c in places}
            s1, c1, s2, c2 = (f(x[n]) for n in ("hook_1", "hook_2") for f in (mpmath.sin, mpmath.cos))
            down = [-s2, s1 * c2, -c1 * c2]  # Rx(hook_1) Ry(hook_2) (0, 0, -1)
            origin = [x["x"], x["y"], 0]
            return [o + x["hoist"] * d for o, d in zip(origin, down, strict=True)], down

        acceleration = [float(mpmath.diff(lambda t, k=k: place(t)[0][k], 0, 2)) for k in range(3)]
        return np.array(acceleration), -np.array([float(x) for x in place(mpmath.mpf(0))[1]])


@pytest.mark.parametrize("seed", range(6))
def test_random_trees_against_pinocchio(seed: int) -> None:
    robot = tree(seed)
    model = gough.build(robot)
    names, rng = list(model.layout.v_names), np.random.default_rng(seed)
    truth, states = PinocchioPeer(robot, names), random_states(Reference(robot, names), 3, seed)
    assert model.mobility == 3 and model.layout.v_idle == 6
    for q, v, acceleration, _, tau in states:
        a = acceleration[:3]
        force, vdot = solved(truth, q, v, [0, 1, 2], a, np.zeros(len(v)))
        found = model.inverse_dynamics(q, v, a)
        assert max(relative(found.tau, force), relative(found.idle_acceleration, vdot[3:])) < TOLERANCE
        assert relative(model.forward_dynamics(q, v, tau).vdot, truth.forward(q, v, tau)) < TOLERANCE
        for _ in range(3):
            given = rng.choice(len(v), 3, replace=False).tolist()
            found = model.hybrid_dynamics(q, v, {names[k]: a[i] for i, k in enumerate(given)}, on_bad_state="mark")
            if found.status == 0 and found.condition < 1e4:
                force, vdot = solved(truth, q, v, given, a, np.zeros(len(v)))
                assert relative(found.tau, force) < TOLERANCE * found.condition
                assert relative(found.vdot, vdot) < TOLERANCE * found.condition


@pytest.mark.quick_cases("planar-0", "idle_loop-0", "idle_loop-1")
@pytest.mark.parametrize("name", ["idle_loop-0", "idle_loop-1", "idle_rods-0", "delta-0", "planar-0"])
def test_any_velocity_of_closed_robots_is_prescribed(name: str) -> None:
    """Joints that are no entries of v: forces and motion obey the reference's equations, and the joints accelerate so."""
    subject, rng = mechanism(name), np.random.default_rng(5)
    model, reference, count = subject.model, subject.reference, len(subject.model.mechanism.drives)
    layout, done = model.layout, 0
    for q, v, _, wrench, _ in subject.states:
        for names in (
            layout.drive_names,
            rng.choice(layout.u_names, count, False),
            rng.choice(layout.v_names, count, False),
        ):
            asked = dict(zip(map(str, names), rng.normal(size=count), strict=True))
            found = model.hybrid_dynamics(q, v, asked, wrench, on_bad_state="mark")
            if found.status != 0 or found.condition > 1e4:
                continue
            done += 1
            h = reference.bias(q, v)
            off = (
                reference.mass_matrix(q) @ found.vdot
                + h
                - reference.drive_map(q) @ found.tau
                - reference.external(q, wrench)
            )
            assert np.abs(off).max() < 1e-12 * found.condition * (np.abs(h).max() + np.abs(found.tau).max())
            ud = model.function("joint_motion")(q=q, v=v, vdot=found.vdot, parameters=model.parameters).outputs["ud"]
            given = ud[[layout.u_names.index(n) for n in asked]]
            np.testing.assert_allclose(given, list(asked.values()), atol=1e-11 * found.condition * np.abs(ud).max())
    assert done >= 4


def test_functions_of_prescribed_velocities() -> None:
    """Counted, differentiated, compiled as other functions are."""
    model = cart_pole()
    f = model.function("hybrid_dynamics:swing")
    assert [slot.name for slot in f.program.inputs] == ["q", "v", "prescribed", "force", "parameters"]
    assert model.count("hybrid_dynamics:swing").operations > 10
    q, v = np.array([0.1, 0.6]), np.array([0.2, 1.1])
    slope = f.derivative("q")(q=q, v=v, prescribed=[2.0], force=np.zeros(2), parameters=model.parameters)
    h = 1e-6
    steps = [model.hybrid_dynamics(q + [0, s * h], v, {"swing": 2.0}).tau[0] for s in (1, -1)]
    (key,) = [k for k in slope.outputs if k.startswith("tau") or "tau" in k][:1]
    np.testing.assert_allclose(slope.outputs[key].ravel()[1], (steps[0] - steps[1]) / (2 * h), rtol=1e-7)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "0 prescribed velocities for 1 drives"),
        ({"rail": 1.0, "swing": 1.0}, "2 prescribed velocities for 1 drives"),
        ({"swinger": 1.0}, "no velocity 'swinger'; there are rail, swing"),
    ],
)
def test_what_cannot_be_prescribed(given: dict, said: str) -> None:
    with pytest.raises(gough.UsageError, match=said):
        cart_pole().hybrid_dynamics([0, 0], [0, 0], given)


def test_fewer_than_drives_are_no_prescription() -> None:
    with pytest.raises(gough.UsageError, match="they do not determine the forces"):
        gantry().hybrid_dynamics([0, 0, 0, 0, 1.0], np.zeros(5), {"hoist": 1.0})
    for variables in (False, True):
        with pytest.raises(gough.UsageError, match="they do not determine the forces"):
            gantry().function("hybrid_dynamics:hoist", variables=variables)


CRANE = """
format: 2
name: crane
variables: {rope: 2 m, load: 5 kg}
bodies:
  - {name: trolley, mass: 20}
  - {name: load, mass: load, center_of_mass: [0, 0, -rope]}
joints:
  - {name: rail, type: prismatic, axis: [1, 0, 0], parent: world, child: trolley, drive: {}}
  - {name: swing, type: revolute, axis: [0, 1, 0], parent: trolley, child: load}
velocities: [rail, swing]
"""


@pytest.mark.parametrize(("rope", "load"), [(2.0, 5.0), (3.1, 0.7)])
def test_functions_of_variables_take_what_is_prescribed(rope: float, load: float) -> None:
    """A pendulum on a trolley: x'' cos a = (g sin a + l a'') for its swing, the force from the sum of momenta."""
    model, a, rate, swinging = gough.build(loads(CRANE)), 0.3, -0.4, 0.8
    function = model.function("hybrid_dynamics:swing", variables=True)
    given = {"q": [0.0, a], "v": [0.0, rate], "prescribed": [swinging], "force": [0.0, 0.0], "variables": [rope, load]}
    found = function(**given).outputs
    accelerating = (rope * swinging + 9.81 * np.sin(a)) / np.cos(a)
    force = (20 + load) * accelerating - load * rope * (swinging * np.cos(a) - rate**2 * np.sin(a))
    np.testing.assert_allclose(found["vdot"], [accelerating, swinging], rtol=1e-12)
    np.testing.assert_allclose(found["tau"], [force], rtol=1e-12)
    slope = function.derivative("variables")(**given).outputs["tau_variables"]
    step = 1e-6
    for k in range(2):
        moved = [
            function(**{**given, "variables": np.array([rope, load]) + s * step * np.eye(2)[k]}).outputs["tau"]
            for s in (1, -1)
        ]
        np.testing.assert_allclose(slope[..., k], (moved[0] - moved[1]) / (2 * step), rtol=1e-6)
