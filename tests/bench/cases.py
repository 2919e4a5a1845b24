"""Robots and states for the tests of the peers."""

import warnings
from functools import cache

from gough.model import Model, build
from gough.robot import load
from gough_bench.peer import Case
from gough_bench.states import lossless_robot, random_states


@cache
def bare_model(name: str) -> Model:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(lossless_robot(load(name)))


@cache
def case(name: str, function: str, states: int = 8) -> Case:
    model = bare_model(name)
    return Case(model, function, random_states(model, states))
