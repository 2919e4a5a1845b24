"""Timing: peers take turns, wrong ones are named and not timed, ratios are to gough on as many threads."""

import numpy as np
import pytest

from bench.cases import case
from gough_bench.measure import Peak, TimedLine, check, measure
from gough_bench.ours import Ours, OurSingle
from gough_bench.peer import Peer, difference
from gough_bench.report import doubt
from gough_bench.run import figures


class Pretender(Peer):
    """Answers as told; every measurement is the next of `times`."""

    name, call = "pretender", "nothing"

    def __init__(self, answer, times=(2.0, 1.0), log=None):
        self.answer, self.times, self.log = answer, list(times), [] if log is None else log

    def available(self):
        return ""

    def prepare(self, case):
        return ""

    def answers(self):
        return self.answer

    def seconds(self, budget, threads=1):
        self.log.append(self)
        return self.times.pop(0)


@pytest.fixture
def asked():
    return case("lopes_simplified", "inverse_dynamics")


def test_a_right_answer_is_timed(asked):
    line = check(Pretender(asked.expected), asked)
    measure([line], 2, 0.0)
    shown = line.figures()
    assert shown["best_ns"] == 1e9 and shown["median_ns"] == 1.5e9 and shown["spread"] == 0.5 and shown["rounds"] == 2


@pytest.mark.parametrize("spoilt", [1.001, np.nan, np.inf])
def test_a_wrong_answer_is_named_and_not_timed(asked, spoilt):
    answer = asked.expected.copy()
    answer[3, 2] *= spoilt
    line = check(Pretender(answer, ()), asked)
    assert line.reason.startswith("wrong answer")
    measure([line], 2, 0.0)
    assert line.seconds == [] and line.figures()["best_ns"] is None


def test_all_take_turns(asked):
    log = []
    first, second = (Pretender(asked.expected, log=log) for _ in range(2))
    measure([check(first, asked), check(second, asked)], 2, 0.0)
    assert log == [first, second, first, second]


def test_ratios_and_share():
    one, both, single = TimedLine(Ours(8), 1), TimedLine(Ours(8), 2), TimedLine(OurSingle(), 1)
    one.seconds, both.seconds, single.seconds = [4e-9, 2e-9], [1e-9, 2e-9], [8e-9, 20e-9]
    found = figures([one, both, single], rate=1e9, lanes=4, instructions=4)
    assert [row["ratio"] for row in found["rows"]] == [1.0, 1.0, 4.0]
    assert found["rows"][2]["ratio_median"] == 6.0
    assert found["issue_limit_ns"] == 1.0 and found["share_of_issue_limit"] == 0.5


def test_difference_of_other_shapes():
    assert difference(np.zeros((2, 3)), np.zeros((2, 4))) == np.inf
    assert difference(np.zeros((0, 3)), np.zeros((0, 3))) == 0.0
    assert difference(np.array([[1.0, 0.5]]), np.array([[2.0, 0.5]])) == 0.5


def test_peak_is_a_rate():
    peak = Peak()
    assert peak.lanes in (2, 4, 8) and 1e7 < peak.instructions_per_second() < 1e12


def test_ours_answers(asked):
    for peer in (Ours(16), OurSingle()):
        line = check(peer, asked)
        assert line.reason == "" and line.difference < 1e-12 and peer.seconds(1e-4) > 0


def test_a_busy_machine_is_told():
    rows = [{"spread": None}, {"spread": 0.1}]
    assert doubt({"rows": rows}) == ""
    assert "130 %" in doubt({"rows": [*rows, {"spread": 1.3}]})


def test_a_slow_peer_has_fewer_rounds(asked):
    line = check(Pretender(asked.expected, (1.0, 1.0)), asked)
    line.spent = 5.0
    measure([line], 2, 0.0, patience=4.0)
    assert line.seconds == []
