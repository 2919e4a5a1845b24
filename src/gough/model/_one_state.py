"""Model calls for one state, or a few thousand in rows, straight to machine code: plain arrays, the model's own design.

One state of lists and other numbers, with wrenches, of another design, or given by name, goes there by a detour.
Any other call, the first ones, before code is compiled, and states that a check flags take the general way, which also makes the
straight one ready for the next.
"""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

from gough.compilation.function import Function
from gough.compilation.one_state import OneState, Straight
from gough.compilation.status import ON_BAD_STATE
from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.inverse import load_sizes
from gough.model.external import load_of_one, takes_wrench

if TYPE_CHECKING:
    from gough.model.model import Model

Call = TypeVar("Call", bound=Callable[..., Any])
OPTION = "on_bad_state"
_FLOAT = np.dtype(float)


def is_option(value: Any) -> bool:
    """Whether it says what to do about bad states; anything may be given, arrays too."""
    return type(value) is str and value in ON_BAD_STATE


class _Ready(NamedTuple):
    """The straight ways of a call: of one state, of rows, with a wrench on the platform (None where it takes none), with all
    loads; for other designs what makes them, and loads that are zero; what makes a result of the outputs."""

    one: Straight
    rows: Straight
    pushed: Straight | None
    loaded: Straight
    known: OneState
    still: list[np.ndarray]
    make: Callable[..., Any]


def straight(
    make: Callable[..., Any], outputs: str, inputs: str, of_frame: bool = False, loaded: bool = False
) -> Callable[[Call], Call]:
    """A call whose arguments are arrays of the slots `inputs` and, where it is `of_frame`, then a frame's name; its result is
    make(arrays of the slots `outputs`, those that there are). loaded: the surroundings may do something, by a last argument
    "wrench"."""
    count, ins, outs = len(inputs.split()) + of_frame, tuple(inputs.split()), tuple(outputs.split())
    places = (*ins, *(["frame"] if of_frame else []), *(["wrench"] if loaded else []))

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
                    if found is not None:
                        return run.make(*found)
            found = _detour(self, name, places, of_frame, args, named)
            if found is not None:
                return found
            result = general(self, *args, **named)
            frame = (args[count - 1] if len(args) >= count else named.get("frame")) if of_frame else None
            key = (name, frame) if of_frame else name
            if key not in self._straight:
                function = self.function(FunctionKey(name, (str(frame),)) if of_frame else FunctionKey(name))
                _make_ready(self, key, function, ins, outs, loaded, make)
            return result

        return call  # type: ignore[return-value]

    return wrap


def _detour(
    model: "Model", name: str, places: tuple[str, ...], of_frame: bool, args: Sequence[Any], named: Mapping[str, Any]
) -> Any:
    """Result of one state that is plain but for its kind of numbers, a wrench, another design, or names; else None."""
    given = dict(zip(places, args, strict=False))
    if len(args) > len(places) or given.keys() & named.keys():
        return None
    given |= named
    if not is_option(given.pop(OPTION, "mark")):
        return None
    parameters, frame = given.pop("parameters", None), given.pop("frame", None) if of_frame else None
    wrench = given.pop("wrench", None) if "wrench" in places else None
    try:
        ready: _Ready | None = model._straight.get((name, frame) if of_frame else name)
        arrays = [_as_plain(given.pop(place)) for place in places if place not in ("frame", "wrench")]
    except (TypeError, KeyError):
        return None
    if ready is None or given or any(x is None for x in arrays):
        return None
    if type(wrench) is dict:
        found = _with_wrenches(model, ready, arrays, wrench) if parameters is None else None
        return None if found is None else ready.make(*found)
    arrays += [] if wrench is None else [_as_plain(wrench)]
    if arrays[-1] is None:
        return None
    if parameters is None:
        run = ready.one if wrench is None else ready.pushed
    else:
        if wrench is not None and ready.pushed is None:
            return None
        design = _as_design(model, parameters)
        run = None if design is None else ready.known.other_caller(design, ready.still[wrench is not None :])
    found = None if run is None else run(*arrays)
    return None if found is None else ready.make(*found)


def _with_wrenches(
    model: "Model", ready: _Ready, arrays: list[Any], wrench: dict[Any, Any]
) -> Sequence[np.ndarray] | None:
    """Outputs of one state with wrenches by frame."""
    if arrays[0].shape != (model.layout.nq,):
        return None
    load = load_of_one(model, arrays[0], {frame: _as_plain(x) for frame, x in wrench.items()})
    return None if load is None else ready.loaded(*arrays, *load)


def _as_plain(x: Any) -> np.ndarray | None:
    """One row of float64 of a list, a tuple or an array; None where it is for the general way to look at."""
    if type(x) is not np.ndarray:
        if type(x) not in (list, tuple):
            return None
        try:
            x = np.array(x)
        except Exception:  # rows differ in length, or an entry raises what it likes: the general way has words for it
            return None
    if x.ndim != 1 or x.dtype.kind not in "fi":
        return None
    return x if x.dtype == _FLOAT else x.astype(float)


def _as_design(model: "Model", parameters: Any) -> np.ndarray | None:
    """The numbers (n,) of a design: a vector, or single numbers by name."""
    if type(parameters) is dict:
        single = all(type(x) in (float, int) for x in parameters.values())
        return model.parameters_with(parameters) if single else None
    return parameters if type(parameters) is np.ndarray and parameters.dtype == _FLOAT else None


def _make_ready(
    model: "Model",
    key: Any,
    function: Function,
    inputs: tuple[str, ...],
    outputs: tuple[str, ...],
    loaded: bool,
    make: Callable[..., Any],
) -> None:
    """Remember the straight way of a call where its function is compiled."""
    known = function.one_state
    if known is None:
        return
    loads = load_sizes(model.mechanism) if loaded else {}
    assert known.inputs[: len(inputs)] == inputs and set(known.inputs[len(inputs) :]) <= set(loads)
    assert set(known.outputs) <= set(outputs)
    if known.outputs != outputs[: len(known.outputs)]:
        plain, names = make, known.outputs
        make = lambda *found: plain(**dict(zip(names, found, strict=True)))  # noqa: E731
    still = [np.zeros(loads[name]) for name in known.inputs[len(inputs) :]]
    pushed = known.inputs[len(inputs) : len(inputs) + 1] == ("wrench",) and takes_wrench(model)
    model._straight[key] = _Ready(
        known.caller(model.parameters, still),
        known.batch_caller(model.parameters, still),
        known.caller(model.parameters, still[1:]) if pushed else None,
        known.caller(model.parameters),
        known,
        still,
        make,
    )
