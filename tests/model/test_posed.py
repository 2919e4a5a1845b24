"""NAME@pose: the same numbers as NAME at the configuration of that pose."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from inner.dynamics import CATALOGUE
from inner.spatial import integrate_pose
from laws.subjects import built, described


@pytest.mark.quick_cases(
    "forward_dynamics-lopes",
    "inverse_dynamics-ups-0",
    "mass_matrix-fried",
    "energies-pedrammehr2012",
    "configuration_rate-pus-1",
)
@pytest.mark.parametrize("name", ["pedrammehr2012", "lopes", "fried", "ups-0", "pus-1"])
@pytest.mark.parametrize(
    "function", ["inverse_dynamics", "forward_dynamics", "mass_matrix", "energies", "configuration_rate"]
)
def test_the_same_as_with_q(name: str, function: str) -> None:
    model = built(described(name))
    rng = np.random.default_rng(3)
    step = rng.uniform(-1, 1, (60, 6)) * np.array([0.04 * model.size] * 3 + [0.06] * 3)
    made = model.assemble(pose=integrate_pose(np.tile(model.home_pose, (60, 1)), step), on_bad_state="mark")
    q = made.q[made.status == 0]
    assert len(q) > 30
    slots = {s.name: s.size for s in model.function(function).program.inputs}
    given = {k: rng.normal(size=(len(q), size)) for k, size in slots.items() if k not in ("q", "parameters")}
    given["parameters"] = model.parameters
    truth = model.function(function).values(q=q, **given)
    found = model.function(function + "@pose").values(pose=q[:, :7], **given)
    for key, expected in truth.items():
        scale = np.abs(expected).max() + 1e-300
        assert np.abs(found[key] - expected).max() <= 1e-9 * scale, key


def test_no_trigonometry_is_left() -> None:
    model = built(described("lopes"))
    assert model.function("inverse_dynamics@pose").count().trig == 0


def test_a_pose_out_of_reach_is_a_status() -> None:
    model = built(described("lopes"))
    f = model.function("inverse_dynamics@pose")
    pose = np.tile(model.home_pose, (100, 1))
    pose[7, 0] += 10 * model.size
    motion = {"v": np.zeros(6), "acceleration": np.zeros(6), "wrench": np.zeros(6), "parameters": model.parameters}
    e = f(pose=pose, **motion)
    assert e.bad.tolist() == [7] and e.codes[7] == gough.Status.OUT_OF_REACH


def test_robots_that_do_not_take_any_pose_say_so() -> None:
    model = built(described("three_rrr"))
    with pytest.raises(gough.UsageError, match="3 freedoms"):
        model.function("inverse_dynamics@pose")
    with pytest.raises(gough.UsageError, match="no function"):
        built(described("lopes")).function("inverse@pose")
    assert "inverse_dynamics" in CATALOGUE
