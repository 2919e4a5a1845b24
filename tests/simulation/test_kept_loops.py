"""Compiled loops stay with the model: what they are given changes, what they were made for does not, and nothing is stale."""

import copy
import os
import pickle
import signal
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest

import gough
from gough import laws, motions
from inner.simulation import KeptForms, LoopCode, Recent

END = 0.02
FACTOR = [1.0]
"""Read by `Careless`, and changed between runs."""


def fresh() -> gough.Model:
    return gough.build("five_bar")


def led(model: gough.Model, far: float, duration: float = END) -> motions.Motion:
    begin = model.drives(model.home)
    return motions.quintic(drives=[begin, begin + far], durations=duration)


@cache
def another_start() -> np.ndarray:
    """The same bits for all: configurations are interpreted at first and compiled later, which rounds otherwise."""
    model = fresh()
    return model.configuration(drives=model.drives(model.home) + 0.05)


def loops_of(model: gough.Model) -> list[Any]:
    forms: KeptForms = model.cached("time loops", KeptForms)
    return [code for kept in forms.forms.values() for code in kept.made.values() if isinstance(code, LoopCode)]


def same(a: gough.Run, b: gough.Run) -> None:
    for name in ("time", "q", "v", "tau"):
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)


ARGUMENTS = [
    lambda m: {"motion": led(m, 0.1), "controller": laws.JointPD(50.0, 2.0)},
    lambda m: {"motion": led(m, -0.05, 0.03), "controller": laws.JointPD((60.0, 40.0), 3.0), "duration": END},
    lambda m: {
        "motion": motions.spline(
            drives=m.drives(m.home) + [[0, 0], [0.02, 0.01], [0.0, 0.03], [0.01, 0]], times=[0, 0.01, 0.02, 0.03]
        ),
        "controller": laws.JointPD(50.0, 2.0),
        "duration": END,
    },
    lambda m: {
        "motion": led(m, 0.1),
        "controller": laws.JointPD(50.0, 2.0),
        "parameters": m.parameters_with(
            {n: 1.2 * x for n, x in zip(m.parameter_names, m.parameters, strict=True) if n.endswith("mass")}
        ),
    },
    lambda m: {
        "motion": led(m, 0.1),
        "controller": laws.JointPD(50.0, 2.0),
        "q": another_start(),
    },
]


def test_gains_motions_designs_and_starts_are_inputs() -> None:
    """One compiled loop serves them all, and every run is that of a model that was never run before."""
    model = fresh()
    first = gough.simulate(model, method="rk4", step=1e-3, **ARGUMENTS[0](model))
    known = loops_of(model)
    for arguments in ARGUMENTS[1:]:
        again = gough.simulate(model, method="rk4", step=1e-3, **arguments(model))
        other = fresh()
        same(again, gough.simulate(other, method="rk4", step=1e-3, **arguments(other)))
    own = [code for code in loops_of(model) if code not in known]
    believed = [code for code in own if code.program.n_inputs != known[0].program.n_inputs]
    assert own == believed, "only the run of another design than the controller's may have a loop of its own"
    same(first, gough.simulate(model, method="rk4", step=1e-3, **ARGUMENTS[0](model)))


@pytest.mark.parametrize(
    "change",
    [
        {"controller": laws.JointPD(50.0, 2.0, gravity=True)},
        {"controller": laws.JointPD(50.0, 2.0, limit=0.5)},
        {"controller": laws.JointPD(50.0, 2.0, limit=0.01)},
        {"controller": laws.ComputedTorque()},
        {"controller": None},
        {"controller": laws.Sampled(laws.JointPD(50.0, 2.0), 2e-3)},
        {"wrench": {"left_rod.tool": [1.0, 0, 0, 0, 0, 0]}},
        {"wrench": {"left_rod.tool": [0, 2.0, 0, 0, 0, 0]}},
        {"method": "bs3", "step": None},
        {"method": "generalised_alpha", "rho_infinity": 0.5},
        {"method": "generalised_alpha", "rho_infinity": 0.9},
    ],
    ids=str,
)
def test_what_shapes_the_code_has_code_of_its_own(change: dict[str, Any]) -> None:
    used = _used()
    asked = {"method": "rk4", "step": 1e-3, "controller": laws.JointPD(50.0, 2.0)} | change
    other = fresh()
    same(gough.simulate(used, led(used, 0.1), **asked), gough.simulate(other, led(other, 0.1), **asked))


def _used(known: list[gough.Model] = []) -> gough.Model:  # noqa: B006 the same in all cases: that is what is tested
    if not known:
        known.append(fresh())
        gough.simulate(known[0], led(known[0], 0.1), laws.JointPD(50.0, 2.0), method="rk4", step=1e-3)
    return known[0]


@dataclass(frozen=True)
class Careless(laws.Law):
    """A user's law that reads a number of its module, and an attribute that is no setting."""

    gain: float = 1.0
    name = "careless"

    def forces(self, here: Any) -> np.ndarray:
        return -FACTOR[0] * self.gain * here.measured.drive_rates


class Derived(laws.JointPD):
    """One that is derived from a law of ours, and does something else."""

    def forces(self, here: Any) -> np.ndarray:
        return -super().forces(here)


def test_laws_of_users_are_never_stale() -> None:
    model = fresh()
    start = {"duration": END, "v": [1.0, -0.5]}
    slow = gough.simulate(model, None, Careless(), **start)
    assert len(loops_of(model)) == 2
    same(slow, gough.simulate(model, None, Careless(), **start))
    assert len(loops_of(model)) == 2
    fast = gough.simulate(model, None, Careless(gain=2.0), **start)
    FACTOR[0] = 2.0
    again = gough.simulate(model, None, Careless(), **start)
    FACTOR[0] = 1.0
    same(fast, again)
    assert np.abs(fast.q[-1] - slow.q[-1]).max() > 1e-6


def test_derived_laws_are_not_taken_for_their_parents() -> None:
    model = fresh()
    one, other = (gough.simulate(model, led(model, 0.1), law(50.0, 2.0)) for law in (laws.JointPD, Derived))
    assert one.tau[0] @ other.tau[0] <= 0
    assert np.abs(one.q[-1] - other.q[-1]).max() > 1e-6


def test_functions_of_users_are_asked_again() -> None:
    """A motion that is a function may do something else in the next run."""
    model = fresh()
    size = [0.1]
    begin = model.drives(model.home)

    def position(t: Any) -> list[Any]:
        return [begin[0] + size[0] * t * t, begin[1] + 0.0 * t]

    motion = motions.function(position, 0.1, kind="drives", names=model.layout.drive_names)
    ends = []
    for x in (0.1, 5.0):
        size[0] = x
        ends.append(model.drives(gough.simulate(model, motion).q[-1]) - begin)
    np.testing.assert_allclose([e[0] for e in ends], [0.1 * 0.01, 5.0 * 0.01], atol=1e-9)


def test_threads_share_loops_and_copies_have_none() -> None:
    model, alone = fresh(), fresh()
    wanted = [gough.simulate(alone, controller=laws.Free((0.1 * k, -0.2)), duration=END) for k in range(4)]
    found: dict[int, gough.Run] = {}

    def run(k: int) -> None:
        found[k] = gough.simulate(model, controller=laws.Free((0.1 * k, -0.2)), duration=END)

    threads = [threading.Thread(target=run, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for k, one in enumerate(wanted):
        same(found[k], one)
    for other in (pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        assert not loops_of(other)
        same(wanted[1], gough.simulate(other, controller=laws.Free((0.1, -0.2)), duration=END))


def test_only_the_last_forms_and_finds_are_kept() -> None:
    forms = KeptForms()
    kept = [forms.of(k) for k in range(100)]
    assert len(forms.forms) < 50
    assert forms.of(99) is kept[99]
    recent = Recent(3)
    for k in range(5):
        assert recent.get(k, lambda k=k: -k) == -k
    assert recent.get(4, lambda: 7) == -4
    assert recent.get(0, lambda: 7) == 7


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no processes are forked here")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # threads and a fork: that is the point
def test_a_forked_child_finds_locks_open() -> None:
    """The thread that held them is none of the child's: it would wait for ever."""
    model, arguments = fresh(), ARGUMENTS[0]
    run = gough.simulate(model, **arguments(model))
    forms, recent = model.cached("time loops", KeptForms), model.cached("recent starts", Recent)
    held, over = threading.Event(), threading.Event()

    def hold() -> None:
        with ExitStack() as locks:
            codes = [code._lock for code in loops_of(model)]
            for lock in (model._lock, forms.lock, recent.lock, *(kept.lock for kept in forms.forms.values()), *codes):
                locks.enter_context(lock)
            held.set()
            over.wait()

    thread = threading.Thread(target=hold)
    thread.start()
    held.wait()
    child = os.fork()
    if child == 0:
        good = False
        try:
            again = gough.simulate(model, **arguments(model))
            good = again.q.tobytes() == run.q.tobytes()
        finally:
            os._exit(0 if good else 1)
    over.set()
    thread.join()
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        pytest.fail("the child waits for a lock")
    assert os.waitstatus_to_exitcode(status) == 0


def test_a_run_does_not_depend_on_what_was_asked_before() -> None:
    """Its first state is found by the same code, whether that was compiled before or is now."""

    def run(model: gough.Model) -> gough.Run:
        begin = model.drives(model.home)
        motion = motions.quintic(drives=[begin, begin + [0.00975695683, 0.04889826258]], durations=0.015, extend="hold")
        law = laws.ComputedTorque(200.0, 19.769203958973424, limit=5.0)
        design = {"right_crank.M": 0.615, "left_crank.M": 0.767}
        return gough.simulate(model, motion, law, duration=0.03, tolerance=1e-9, check="off", parameters=design)

    used = gough.build("five_bar")
    used.configuration(drives=used.drives(np.repeat(used.home[None], 200, axis=0)))
    fresh = run(gough.build("five_bar"))
    again = run(used)
    np.testing.assert_array_equal(fresh.time, again.time)
    np.testing.assert_array_equal(fresh.q, again.q)
