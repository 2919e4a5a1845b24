"""Runs for the tests of the viewer."""

from functools import cache

import numpy as np

import gough


@cache
def path1() -> gough.Run:
    """A hexapod along a straight line: 306 states, 20 ms apart."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.load_scenario("pedrammehr2012_path1").run()


@cache
def five_bar() -> gough.Run:
    """Four states of a five-bar mechanism, the middle two at one time: a jump of the torques."""
    model = gough.build("five_bar")
    q = np.stack([model.home] * 4)
    v = np.zeros((4, model.layout.nv))
    tau = np.array([[0.0, 0.0], [1.0, -2.0], [3.0, -2.0], [3.0, 4.0]])
    return gough.Run.from_states(model, [0.0, 1.0, 1.0, 3.0], q, v, tau)


@cache
def at_rest(name: str) -> gough.Run:
    """A robot at home, held by its drives: two states."""
    model = gough.build(name)
    q = np.stack([model.home] * 2)
    zero = np.zeros((2, model.layout.nv))
    return gough.Run.from_states(model, [0.0, 1.0], q, zero, acceleration=zero)


@cache
def square() -> gough.Run:
    """A third of a second of a planar robot with flexible links."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.load_scenario("briot2014_square").run().between(6.3, 6.6)
