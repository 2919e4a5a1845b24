"""A run ends where forward dynamics calls a state bad, whichever method integrates it and whoever steps it."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws, motions
from gough.errors import Site
from gough.robot import loads
from inner.simulation import METHODS

CART = """
format: 2
name: spinner
bodies:
  - {name: cart, mass: 2}
  - {name: rod, shape: {rod: {mass: 0.3, axis: x, length: 0.2}}}
joints:
  - {name: go, type: prismatic, axis: [1, 0, 0], parent: world, child: cart, drive: {}}
  - {name: spin, type: revolute, axis: [1, 0, 0], parent: cart, child: rod, EFFECT}
velocities: [go, spin]
"""
EFFECTS = {
    "friction": "friction: {viscous: 0.001}",
    "spring": "spring: {stiffness: 1}",
    "none": "limits: {upper: 9 rad}",
}
MOVING: dict[str, dict[str, Any]] = {"friction": {"v": [0.0, 1.0]}, "spring": {"q": [0.0, 1.0]}}


@cache
def spinner(effect: str) -> gough.Model:
    return gough.build(loads(CART.replace("EFFECT", EFFECTS[effect])))


def run_of(model: gough.Model, method: str, led: bool, **first: Any) -> gough.Run:
    more = {} if METHODS[method].adaptive else {"step": 1e-2}
    motion = motions.quintic(drives={"go": [0, 0.3]}, durations=0.1) if led else None
    return gough.simulate(
        model, motion, None if led else laws.Free((0.5,)), duration=0.1, method=method, check="off", **more, **first
    )


@pytest.mark.parametrize("led", [False, True])
@pytest.mark.parametrize("effect", ["friction", "spring"])
@pytest.mark.parametrize("method", METHODS)
def test_a_force_on_a_velocity_without_inertia_ends_every_run(method: str, effect: str, led: bool) -> None:
    model, first = spinner(effect), MOVING[effect]
    state = {"q": model.home, "v": np.zeros(2)} | first
    bad = model.forward_dynamics(state["q"], state["v"], [0.5], on_bad_state="mark")
    assert bad.status == gough.Status.SINGULAR
    if method.startswith("cvode"):  # it has begun, and says so
        run = run_of(model, method, led, **first)
        assert run.failure.status == gough.Status.SINGULAR and run.failure.place == "spin" and run.duration == 0
        return
    with pytest.raises(gough.UsageError, match=r"cannot begin: singular:spin: .*inertia"):
        run_of(model, method, led, **first)


@pytest.mark.parametrize("effect", ["friction", "spring", "none"])
@pytest.mark.parametrize("method", METHODS)
def test_without_a_force_on_it_the_run_goes_on(method: str, effect: str) -> None:
    run = run_of(spinner(effect), method, False)
    assert run.stopped == "finished" and not run.status.any()
    np.testing.assert_allclose(run.v[-1], [0.5 / 2.3 * 0.1, 0.0], rtol=1e-9)  # F t / m
    spinning = run_of(spinner("none"), method, True, v=[0.0, 1.0])
    assert spinning.stopped == "finished" and abs(spinning.q[-1, 1] - 0.1) < 1e-12


def test_steppers_and_ensembles_end_there_too() -> None:
    model = spinner("friction")
    many = gough.simulate_many(model, None, [[0.0, 1.0], [0.0, 0.0]], controller=laws.Free((0.5,)), duration=0.1)
    assert many.failed[0] == 0 and np.isnan(many.failed[1])
    sim = gough.Stepper(model, v=[0.0, 1.0])
    with pytest.raises(gough.errors.BadStateError, match=r"spin"):
        sim.step([0.5], 0.01)


def test_the_failure_names_the_velocity_and_a_remedy() -> None:
    model = spinner("friction")
    with pytest.raises(
        gough.errors.BadStateError, match=r"SINGULAR at spin: .*give what it moves an inertia"
    ) as caught:
        model.forward_dynamics(model.home, [0.0, 1.0], [0.0])
    assert "while v stands still" not in str(caught.value)
    assert (
        model.function("forward_dynamics")(
            q=model.home, v=[0.0, 1.0], tau=[0.0], force=[0.0, 0.0], parameters=model.parameters
        )
        .failures[0]
        .site
        == Site.NO_INERTIA
    )


def test_at_rest_in_equilibrium_rounding_is_no_force() -> None:
    """A rod without inertia about itself, turned out of all planes, held by a force that balances gravity."""
    turned = CART.replace("EFFECT", "limits: {upper: 9 rad}").replace(
        "parent: world, child: cart", "parent: world, child: cart, pose: {rpy_zyx: [0.3, 0.7, 0.2]}"
    )
    model = gough.build(loads(turned))
    for q in np.random.default_rng(0).uniform(-1, 1, (20, 2)):
        tau = model.inverse_dynamics(q, [0.0, 0.7], [0.0]).tau
        found = model.forward_dynamics(q, [0.0, 0.7], tau)
        assert abs(found.vdot).max() < 1e-12


def test_a_body_bent_too_far_ends_a_run_by_its_name() -> None:
    """Equal steps that leap into it: the careful turn after machine code's fails, too."""
    model = gough.build("spin_up_beam")
    v = np.zeros(model.layout.nv)
    v[1] = 20.0
    run = gough.simulate(model, None, laws.Free((0.0,)), duration=0.05, v=v, method="rk4", step=1e-4, check="off")
    assert run.failure.status == gough.Status.LARGE_DEFLECTION and not run.status.any()
