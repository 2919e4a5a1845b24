"""Machine code made before it is needed: a first slider move should not wait for a compiler."""

from collections.abc import Callable, Iterator

from gough.dynamics.catalogue import FunctionKey
from gough.model import Model
from gough.model.tangent import tangent_derivative

AT_ONCE = ("closing_step", "closure_residual", "tree_rates", "drive_map")
"""Functions that moving the robot needs."""


def steps(model: Model, frame: str) -> Iterator[Callable[[], object]]:
    """Things to do, one by one, each some tenths of a second to some seconds: what moving needs comes first."""
    names = [*AT_ONCE, *(["inverse_dynamics"] if model.driven else [])]
    for name in names:
        yield lambda name=name: model.function(name).compile()
    for name in ("dynamics_residual", "mass_matrix"):
        yield lambda name=name: model.function(name).compile()
    yield lambda: tangent_derivative(model, "dynamics_residual", ("q",)).compile()
    if frame:
        yield lambda: tangent_derivative(model, FunctionKey("frame_twist", (frame,)), ("v",)).compile()
