"""Rolling finds what a program does alike, and the rolled program gives the same values and checks."""

from __future__ import annotations

import numpy as np
import pytest

from gough import scalar
from gough.program import Program, Slot, trace
from inner.program import (
    Rolled,
    Source,
    contract_multiply_add,
    evaluate_nodes,
    expand_blocks,
    minimise,
    roll,
    split_uniform,
)
from program import precise
from program.lanes import legs
from program.specimens import random_program


def rolled(program: Program, lanes: int | None = None) -> Rolled:
    made = roll(expand_blocks(program), lanes)
    assert made is not None
    return made


def assert_same(program: Program, made: Rolled, seed: int = 0) -> None:
    """Values are those of a 50-digit evaluation of the program that was rolled; checks hold or fail as before."""
    values = np.random.default_rng(seed).uniform(0.5, 1.5, program.n_inputs)
    truth = np.array([float(x) for x in precise.evaluate(program, values)])
    found, checks = made.evaluate_flat(values)
    np.testing.assert_allclose(found, truth, rtol=1e-12, atol=1e-13)
    nodes = evaluate_nodes(program, values)
    assert sorted((str(f), held) for f, held in checks) == sorted(
        (str(c.failure), bool(nodes[c.node] >= c.minimum)) for c in program.checks
    )


def assert_sound(made: Rolled) -> None:
    """Wires lead to what is already there."""
    for number, stage in enumerate(made.stages):
        sources = [*stage.shared, *(s for column in stage.own for s in column)]
        assert all(s.stage < number for s in sources)
        assert all(len(column) == stage.lanes for column in stage.own)
        assert len(stage.shared) == stage.program.inputs[0].size
        assert len(stage.own) == stage.program.inputs[1].size
        assert len(stage.checks) == len(stage.program.checks)
        for s in sources:
            _assert_source(made, s)
    for s in made.results:
        _assert_source(made, s)


def _assert_source(made: Rolled, s: Source) -> None:
    if s.stage < 0:
        assert 0 <= s.place < made.program.n_inputs
    else:
        stage = made.stages[s.stage]
        assert 0 <= s.place < stage.kept + stage.summed and 0 <= s.lane < stage.lanes


@pytest.mark.parametrize("lanes", [2, 3, 4, 6, 7, 12])
def test_legs_are_found(lanes: int) -> None:
    program = expand_blocks(legs(lanes))
    made = rolled(program)
    assert made.lanes == lanes
    assert [s.lanes for s in made.stages if s.lanes > 1] == [lanes], "one stage for all that legs do"
    once, lane = made.operations
    assert once <= 2 and lane < 40
    assert_sound(made)
    assert_same(program, made)


def test_the_order_of_tracing_does_not_matter() -> None:
    for order in ([5, 4, 3, 2, 1, 0], [2, 0, 5, 1, 4, 3]):
        program = expand_blocks(legs(6, order))
        made = rolled(program)
        assert made.lanes == 6 and made.operations[0] <= 2
        assert_same(program, made)


def test_lanes_are_counted_from_the_first_inputs_on() -> None:
    made = rolled(legs(4, [3, 1, 0, 2]))
    own = next(s for s in made.stages if s.lanes > 1).own
    angles = {s.place for column in own for s in column if 3 <= s.place < 7}
    assert angles == {3, 4, 5, 6}
    assert tuple(Source(-1, 3 + k) for k in range(4)) in own


def test_sums_over_lanes_are_made_in_lanes() -> None:
    made = rolled(legs(6))
    assert sum(s.summed for s in made.stages) == 3


def test_what_comes_after_a_system_that_mixes_the_lanes() -> None:
    program = expand_blocks(legs(3, solve=True))
    made = rolled(program)
    assert made.lanes == 3
    assert_sound(made)
    assert_same(program, made)


def test_a_lane_that_differs_is_done_apart() -> None:
    program = expand_blocks(legs(5, odd=True))
    made = rolled(program)
    assert made.lanes == 5
    assert_sound(made)
    assert_same(program, made)


def test_stages_can_be_rewritten() -> None:
    program = expand_blocks(legs(6, solve=False))
    made = rolled(program).map(lambda p: contract_multiply_add(minimise(p)))
    assert made.operations[1] < rolled(program).operations[1]
    assert_sound(made)
    assert_same(program, made)


def test_a_number_of_lanes_can_be_asked_for() -> None:
    assert rolled(legs(6), 6).lanes == 6
    assert roll(expand_blocks(legs(6)), 5) is None


def test_fewer_lanes_than_asked_for_are_not_taken() -> None:
    made = roll(expand_blocks(legs(2)), least=3)
    assert made is None or made.lanes >= 3


def test_programs_without_lanes() -> None:
    def chain(x):
        y = x[0]
        for k in range(12):
            y = scalar.sin(y) * x[k % 3] + y
        return {"y": y}

    made = roll(trace(chain, [Slot("x", (3,))], "chain"))
    assert made is None or made.operations[0] > 10


def test_constant_results_and_inputs_as_results() -> None:
    def equations(x, a, p):
        made = [scalar.sin(a[k] * p[k, 0] + x[0]) * p[k, 1] / (a[k] + x[1]) - p[k, 2] for k in range(4)]
        return {"y": made, "number": 2.5, "same": a[2], "sum": made[0] + made[1] + made[2] + made[3]}

    program = trace(equations, [Slot("x", (2,)), Slot("a", (4,)), Slot("p", (4, 4))], "results")
    made = rolled(program)
    assert_sound(made)
    assert_same(program, made)


def test_blocks_are_refused() -> None:
    program = trace(lambda x: {"y": scalar.solve_spd(x.reshape(4, 4), x[:4])}, [Slot("x", (16,))], "block")
    with pytest.raises(ValueError, match="expand the blocks"):
        roll(program)


@pytest.mark.parametrize("seed", range(6))
def test_random_programs_keep_their_values(seed: int) -> None:
    """Whatever is taken for lanes in programs without any meaning, values stay."""
    program = expand_blocks(random_program(seed, 250))
    made = roll(program)
    if made is not None:
        assert_sound(made)
        assert_same(program, made, seed)


def test_a_column_that_waits_for_itself_ends_the_search() -> None:
    """Scalars that look paired, but of which one is made from another's lane: levels of lanes would rise for ever."""
    program = expand_blocks(random_program(14, 250, uniform=True))
    made = roll(split_uniform(program)[1])
    if made is not None:
        assert_sound(made)
