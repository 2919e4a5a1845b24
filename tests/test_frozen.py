"""Robots, models and runs have no inside that can be changed; copies of them neither."""

from __future__ import annotations

import copy
import json
import pickle

import numpy as np
import pytest

import gough
from gough.frozen import FrozenDict


def test_a_frozen_mapping_is_a_dict_that_stays() -> None:
    frozen = FrozenDict({"a": 1})
    for change in (
        lambda: frozen.update(b=2),
        lambda: frozen.clear(),
        lambda: frozen.pop("a"),
        lambda: frozen.setdefault("b", 2),
        lambda: frozen.popitem(),
        lambda: frozen.__setitem__("a", 2),
        lambda: frozen.__delitem__("a"),
    ):
        with pytest.raises(TypeError, match="does not change"):
            change()
    own = frozen
    own |= {"b": 2}
    assert own == {"a": 1, "b": 2} and frozen == {"a": 1}
    for other in (pickle.loads(pickle.dumps(frozen)), copy.deepcopy(frozen), copy.copy(frozen)):
        assert other == frozen and type(other) is FrozenDict
    assert json.dumps(frozen) == '{"a": 1}' and type(frozen.copy()) is dict


@pytest.fixture(scope="module")
def model() -> gough.Model:
    return gough.build("five_bar")


@pytest.fixture(scope="module")
def run(model: gough.Model) -> gough.Run:
    return gough.simulate(model, None, gough.laws.Free((0.2, -0.1)), duration=0.02)


def test_models_and_robots(model: gough.Model) -> None:
    for one in (model, pickle.loads(pickle.dumps(model)), copy.deepcopy(model)):
        for array in (one.home, one.parameters, one.null_space, one.assembly.around):
            assert not array.flags.writeable
        mappings = (one.pattern, one.mechanism.frames, one.robot.home.joints, one.robot.bodies[0].frames)
        assert all(type(x) is FrozenDict for x in mappings)


def test_runs(run: gough.Run) -> None:
    with pytest.raises(TypeError, match="does not change"):
        run.info.settings["method"] = "another"  # type: ignore[index]
    for one in (run, pickle.loads(pickle.dumps(run)), copy.deepcopy(run)):
        for array in (one.time, one.q, one.v, one.tau, one["energies"], *(r.values for r in one.recorded.values())):
            assert not array.flags.writeable
        assert all(type(x) is FrozenDict for x in (one.wrench, one.recorded, one.info.settings))
        np.testing.assert_array_equal(one.q, run.q)
