"""What is said of a law of one's own whose numbers, shapes or forces are not what a time loop can take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws, scalar
from gough.errors import Status, UsageError
from inner.simulation import METHODS
from simulation.sliders import slider


@dataclass(frozen=True)
class Own(laws.Law):
    """A law from outside without a model: what a function makes of what it sees."""

    function: Callable[[laws.Here], Any]
    states: laws.Inner | None = None
    name = "own"
    computes = False

    def inner(self, model, q, v) -> laws.Inner:
        return laws.Inner() if self.states is None else self.states

    def act(self, here: laws.Here) -> laws.Action:
        found = self.function(here)
        return found if self.states is not None else laws.Action(found)


def root(here: laws.Here) -> np.ndarray:
    """No number once the block has gone farther than 0.5 m: it goes at about 1 m/s."""
    return np.array([scalar.sqrt(0.5 - x) * 1e-6 for x in here.measured.drives], dtype=object)


@pytest.mark.parametrize("clock", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_a_force_that_is_no_number_is_the_laws_fault(method: str, clock: bool) -> None:
    """The robot goes straight on; after 0.5 s its law takes the root of what is below 0."""
    law: laws.Law = Own(root)
    law = laws.Sampled(law, 1e-2) if clock else law
    more: dict[str, Any] = {} if METHODS[method].adaptive else {"step": 1e-2}
    words = "a force of its law" if clock and method not in ("rk4", "dp5", "bs3") else "force of slide"
    run = gough.simulate(slider(), None, law, v=[1.0], duration=1.0, method=method, check="off", **more)
    assert run.failure.status == Status.NOT_FINITE and run.stopped.startswith(f"not_finite:controller ({words}")
    assert run.time[-1] == pytest.approx(0.5, abs=0.021)
    np.testing.assert_allclose(run.q[:, 0], run.time, atol=1e-5)
    sim = gough.Stepper(slider(), law, method=method, longest_step=1e-2, v=[1.0], check="off")
    with pytest.raises(gough.BadStateError, match=rf"not_finite:controller \({words}.*look at its gains"):
        sim.advance(1.0)


def test_a_run_cannot_begin_with_such_a_force() -> None:
    with pytest.raises(
        UsageError, match=r"cannot begin: not_finite:controller \(force of slide\): the controller gave no"
    ):
        gough.simulate(slider(), None, Own(root), q=[0.6], duration=0.1)


def test_a_state_that_is_no_number() -> None:
    """Its rate is no number once the block has gone farther than 0.5 m, its force always one."""
    states = laws.Inner(("memory",), ("m",), np.zeros(1), np.ones(1))
    law = Own(lambda here: laws.Action(0.0 * here.measured.drives, root(here)), states)
    run = gough.simulate(slider(), None, law, v=[1.0], duration=1.0, method="rk4", step=1e-2, check="off")
    assert run.stopped.startswith("not_finite:controller (rate of memory)")
    clocked = gough.simulate(
        slider(), None, laws.Sampled(law, 1e-2), v=[1.0], duration=1.0, method="rk4", step=1e-2, check="off"
    )
    assert clocked.stopped.startswith("not_finite:controller (its own state 1)")


def test_a_failure_of_the_robot_stays_the_robots() -> None:
    """A push that breaks the five-bar through its singular pose, by a law whose forces are numbers everywhere."""
    law = Own(lambda here: 0.0 * here.measured.drives + np.array([30.0, -30.0]))
    run = gough.simulate(gough.build("five_bar"), None, law, duration=5.0, check="off")
    assert "controller" not in run.stopped


MEMORY = laws.Inner(("memory",), ("m",), np.zeros(1), np.ones(1))
CASES = {
    "sizes": (
        lambda here: np.repeat(here.measured.drives, 2) + np.zeros(3),
        None,
        r"own: .*\(2,\) \(3,\)\. The robot has 1 drives",
    ),
    "places": (lambda here: here.settings[[0, 1]], None, r"own: .*out of bounds.*here\.settings \(0,\)"),
    "remainder": (lambda here: here.measured.drives % 1.0, None, r"own: unsupported operand.*gough\.scalar"),
    "no action": (
        lambda here: here.measured.drives,
        MEMORY,
        r"own: act\(here\) gives ndarray; give gough\.laws\.Action",
    ),
}


@pytest.mark.parametrize("clock", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_what_does_not_fit_is_said_with_the_laws_name(name: str, clock: bool) -> None:
    function, states, words = CASES[name]
    law: laws.Law = Own(function, states)
    with pytest.raises(UsageError, match=words):
        gough.simulate(slider(), None, laws.Sampled(law, 1e-2) if clock else law, duration=0.1, method="rk4")


def test_states_without_a_unit_are_refused() -> None:
    with pytest.raises(UsageError, match=r"Inner: 2 names, 1 units, 2 first values, 2 sizes; .*\(a, b\)"):
        laws.Inner(("a", "b"), ("m",), np.zeros(2), np.ones(2))
