import pytest

from cli.command import QUICK, gough, gough_json
from gough.analysis.verification import laws


def test_json():
    report = gough_json("verify", QUICK, "--states", 2, "--seed", 3)
    assert report["passed"] and not report["interrupted"]
    assert (report["robot"], report["states"], report["seed"]) == (QUICK, 2, 3)
    names = {c["name"] for c in report["checks"]}
    assert {"power_balance", "forward_of_inverse", "code", "digits", "closure_error"} <= names
    assert all(c["verdict"] == "pass" for c in report["checks"])


def broken(model, states, seed):
    yield laws.LawCheck("one", "holds", 1e-16, 1e-10)
    yield laws.LawCheck("two", "does not", 1e-3, 1e-10)


def interrupted(model, states, seed):
    yield laws.LawCheck("one", "holds", 1e-16, 1e-10)
    raise KeyboardInterrupt


def test_failure_is_exit_code_1(monkeypatch):
    monkeypatch.setattr(laws, "checks", broken)
    out, _ = gough("verify", QUICK, code=1)
    assert "FAIL" in out and "a law does not hold" in out and "1.0e-03" in out


def test_interrupt_keeps_what_is_done(monkeypatch):
    monkeypatch.setattr(laws, "checks", interrupted)
    out, err = gough("verify", QUICK, code=130)
    assert "one" in out and "interrupted" in out and err == ""
    report = gough_json("verify", QUICK, code=130)
    assert report["interrupted"] and not report["passed"] and len(report["checks"]) == 1


@pytest.mark.parametrize("states", ["0", "many"])
def test_bad_number_of_states(states):
    _, err = gough("verify", QUICK, "--states", states, code=2)
    assert "--states" in err
