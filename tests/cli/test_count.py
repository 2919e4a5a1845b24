import pytest

from cli.command import QUICK, gough, gough_json

KEYS = {"add", "mul", "div", "sqrt", "trig", "operations", "operations_fma", "instructions", "uniform"}


@pytest.fixture(scope="module")
def counted():
    return gough_json("count", QUICK)


def test_json_keys(counted):
    assert (counted["robot"], counted["parameters"], counted["friction"]) == (QUICK, "inputs", True)
    assert set(counted["functions"]) == {
        "inverse_dynamics",
        "forward_dynamics",
        "mass_matrix",
        "bias_force",
        "drive_map",
    }
    for numbers in counted["functions"].values():
        assert set(numbers) == KEYS
        assert numbers["operations"] == numbers["add"] + numbers["mul"] + numbers["div"]
        assert numbers["operations_fma"] <= numbers["operations"]


def test_inverse_dynamics_at_the_top(counted):
    assert {k: counted[k] for k in KEYS} == counted["functions"]["inverse_dynamics"]


def test_baked_numbers_cost_less(counted):
    baked = gough_json("count", QUICK, "--baked", "--function", "inverse_dynamics")
    assert baked["parameters"] == "baked" and list(baked["functions"]) == ["inverse_dynamics"]
    assert baked["operations"] <= counted["operations"]


def test_friction_costs_something():
    with_friction = gough_json("count", "pedrammehr2012", "--function", "inverse_dynamics")
    without = gough_json("count", "pedrammehr2012", "--function", "inverse_dynamics", "--no-friction")
    assert without["friction"] is False
    assert without["operations"] < with_friction["operations"]


def test_table():
    out, _ = gough("count", QUICK, "--function", "drive_map", "--function", "mass_matrix")
    assert "drive_map" in out and "mass_matrix" in out and "operations_fma" in out and "inverse_dynamics" not in out


def test_unknown_function():
    out, err = gough("count", QUICK, "--function", "inverse_dynamic", code=2)
    assert out == "" and "inverse_dynamics" in err


def test_no_papers_for_a_robot_without_printed_counts(counted):
    assert counted["papers"] == []


@pytest.mark.slow
def test_papers_stand_beside():
    out, _ = gough("count", "lopes")
    assert "[Lopes, Table 1]" in out and "1611/3270/60" in out and "(reference)" in out
    entries = gough_json("count", "lopes")["papers"]
    keys = {"quantity", "source", "printed", "paper", "scope", "counted", "here", "here_scope", "ratio"}
    assert all(set(entry) == keys for entry in entries)
