"""Time loops in machine code, against the same loop in the interpreter."""

from __future__ import annotations

import numpy as np

from gough.errors import Status
from gough.program import Program, Slot, evaluate, trace
from gough.scalar import check, sin
from inner.backends import March

RUNS, STEPS = 11, 20


def pendulum() -> Program:
    """Euler steps of a driven pendulum; a run ends at one radian, and fails beyond a speed of its own."""

    def step(state: np.ndarray, own: np.ndarray, given: np.ndarray, gravity: np.ndarray) -> dict:
        angle, speed = state
        h = given[0]
        after = np.array([angle + h * speed, speed + h * (given[1] - gravity[0] * sin(angle))], dtype=object)
        check(Status.RESIDUAL.at("fast speed"), own[0] - after[1] * after[1], 0.0)
        return {"state": after, "record": np.array([after[0], after[1], given[1]]), "running": 1.0 - after[0]}

    slots = [Slot("state", (2,)), Slot("own", (1,)), Slot("given", (2,)), Slot("gravity", (1,), uniform=True)]
    return trace(step, slots)


def by_interpreter(program: Program, state: np.ndarray, own: np.ndarray, given: np.ndarray) -> np.ndarray:
    record = []
    for row in given:
        found = evaluate(program, {"state": state, "own": own, "given": row, "gravity": np.array([9.0])})
        state = found["state"]
        record.append(found["record"])
    return np.array(record)


def test_is_the_interpreters_loop() -> None:
    program = pendulum()
    rng = np.random.default_rng(0)
    state, own = rng.normal(size=(RUNS, 2)) * 0.1, np.full((RUNS, 1), 1e3)
    given = np.column_stack([rng.uniform(0.01, 0.03, STEPS), rng.normal(size=STEPS)])
    march = March(program)
    table = march.table({"gravity": np.array([9.0])})
    truth = by_interpreter(program, state, own, given)
    found = march(state, STEPS, table, given, own)
    assert found.turns == STEPS and (found.failed == -1).all() and (found.status == 0).all()
    np.testing.assert_allclose(found.record, truth, rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.state, truth[-1, :, :2], rtol=0, atol=1e-14)
    third = march(state, STEPS, table, given, own, every=3)
    np.testing.assert_allclose(third.record, truth[2::3], rtol=0, atol=1e-14)


def test_a_failed_run_keeps_its_last_good_state_and_the_others_go_on() -> None:
    program = pendulum()
    state, own = np.zeros((RUNS, 2)), np.full((RUNS, 1), 1e3)
    own[4] = 0.01
    given = np.tile([0.02, 3.0], (STEPS, 1))
    march = March(program)
    table = march.table({"gravity": np.array([9.0])})
    truth = by_interpreter(program, state, own, given)
    found = march(state, STEPS, table, given[:1], own)
    first = int(np.argmax(truth[:, 4, 1] ** 2 > 0.01))
    assert found.failed.tolist() == [first if k == 4 else -1 for k in range(RUNS)]
    assert found.status[4] == 2
    np.testing.assert_allclose(found.state[4], truth[first - 1, 4, :2], rtol=0, atol=1e-14)
    np.testing.assert_allclose(found.state[5], truth[-1, 5, :2], rtol=0, atol=1e-14)


def test_ends_when_no_run_is_running() -> None:
    program = pendulum()
    state = np.tile([0.9, 1.0], (RUNS, 1))
    state[3, 0] = 0.6
    march = March(program)
    table = march.table({"gravity": np.array([9.0])})
    own, given = np.full((RUNS, 1), 1e3), np.array([[0.02, 9.0]])
    truth = by_interpreter(program, state, own, np.tile(given, (400, 1)))
    slowest = int(np.argmax((truth[:, :, 0] >= 1.0).all(axis=1))) + 1
    found = march(state, 400, table, given, own)
    assert found.turns == slowest
    assert len(found.record) == slowest
