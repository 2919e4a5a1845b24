"""Model calls for one state, or a few thousand in rows, straight to machine code: plain arrays, the model's own design.

Any other call, the first ones, before code is compiled, and states that a check flags take the general way, which also makes the
straight one ready for the next.
"""

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from gough.compilation.function import Function
from gough.compilation.status import ON_BAD_STATE
from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.inverse import load_sizes

if TYPE_CHECKING:
    from gough.model.model import Model

Call = TypeVar("Call", bound=Callable[..., Any])
OPTION = "on_bad_state"


def is_option(value: Any) -> bool:
    """Whether it says what to do about bad states; anything may be given, arrays too."""
    return type(value) is str and value in ON_BAD_STATE


def straight(
    make: Callable[..., Any], outputs: str, inputs: str, of_frame: bool = False, loaded: bool = False
) -> Callable[[Call], Call]:
    """A call whose arguments are arrays of the slots `inputs` and, where it is `of_frame`, then a frame's name; its result is
    make(*arrays of the slots `outputs`, those that there are). loaded: the surroundings may do something; here they do not."""
    count, ins, outs = len(inputs.split()) + of_frame, tuple(inputs.split()), tuple(outputs.split())

    def wrap(general: Call) -> Call:
        name = general.__name__

        @functools.wraps(general)
        def call(self: "Model", *args: Any, **named: Any) -> Any:
            if len(args) == count and (not named or (len(named) == 1 and is_option(named.get(OPTION)))):
                try:
                    run = self._straight.get((name, args[-1]) if of_frame else name)
                except TypeError:
                    run = None
                if run is not None:
                    given = args[:-1] if of_frame else args
                    found = run[0](*given)
                    if found is None and type(given[0]) is np.ndarray and given[0].ndim == 2:
                        found = run[1](*given)
                    return general(self, *args, **named) if found is None else make(*found)
                result = general(self, *args, **named)
                key = FunctionKey(name, (args[-1],)) if of_frame else FunctionKey(name)
                _make_ready(self, (name, args[-1]) if of_frame else name, self.function(key), ins, outs, loaded)
                return result
            return general(self, *args, **named)

        return call  # type: ignore[return-value]

    return wrap


def _make_ready(
    model: "Model", key: Any, function: Function, inputs: tuple[str, ...], outputs: tuple[str, ...], loaded: bool
) -> None:
    """Remember the straight way of a call where its function is compiled."""
    known = function.one_state
    if known is None:
        return
    loads = load_sizes(model.mechanism) if loaded else {}
    assert known.inputs[: len(inputs)] == inputs and set(known.inputs[len(inputs) :]) <= set(loads)
    assert known.outputs == outputs[: len(known.outputs)]
    still = [np.zeros(loads[name]) for name in known.inputs[len(inputs) :]]
    model._straight[key] = known.caller(model.parameters, still), known.batch_caller(model.parameters, still)
