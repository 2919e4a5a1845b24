"""Arguments of model calls: shapes checked, leading axes broadcast, bad states raised or marked."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gough.arguments import numbers, take
from gough.compilation.catalogue import FunctionKey
from gough.compilation.evaluation import Evaluation
from gough.compilation.status import check_option, complain
from gough.errors import Failure, UsageError

if TYPE_CHECKING:
    from gough.compilation.model import Model

Array = np.ndarray


def on_gpu(x: Any) -> bool:
    """Whether an array lives on a GPU."""
    return hasattr(x, "__cuda_array_interface__")


def on_host(x: Any) -> Any:
    """The array in the host's memory."""
    return x.get() if on_gpu(x) and hasattr(x, "get") else x


def module_of(*arrays: Any) -> Any:
    """cupy where one of the arrays is on a GPU, else numpy."""
    if any(on_gpu(x) for x in arrays):
        return import_module("cupy")
    return np


def checked_numbers(name: str, value: Any) -> Any:
    """Float array of any shape, or a UsageError; one on a GPU stays there."""
    return value if on_gpu(value) else take(name, numbers, value)


def as_array(name: str, value: Any, size: int) -> Array:
    """Float array (..., size), or a UsageError that says what was expected; one on a GPU stays there."""
    x = checked_numbers(name, value)
    if x.shape[-1:] != (size,):
        raise UsageError(f"{name} has shape {x.shape}; expected (..., {size})")
    return x


def common_batch(name: str, *arrays: Array) -> tuple[int, ...]:
    """Leading axes of arrays (..., n) broadcast together."""
    try:
        return np.broadcast_shapes(*[a.shape[:-1] for a in arrays])
    except ValueError:
        shapes = ", ".join(str(a.shape) for a in arrays)
        raise UsageError(f"{name}: leading axes do not broadcast: {shapes}") from None


def as_rows(x: Array, batch: tuple[int, ...]) -> Array:
    """Rows (n, size) of an array (..., size) broadcast to `batch`."""
    return np.broadcast_to(x, (*batch, x.shape[-1])).reshape(int(np.prod(batch, dtype=int)), x.shape[-1])


def parameter_rows(parameters: Array, batch: tuple[int, ...]) -> Array:
    """Rows of parameters: one for all states, or one a state."""
    if int(np.prod(parameters.shape[:-1], dtype=int)) == 1:
        return parameters.reshape(1, -1)
    return as_rows(parameters, batch)


def finish(
    name: str,
    evaluation: Evaluation,
    result: Any,
    on_bad_state: str,
    explain: Callable[[int, Failure], str] | None = None,
) -> Any:
    """`result`, or BadStateError for bad states when they are to be raised."""
    check_option(on_bad_state)
    if on_bad_state == "raise" and not evaluation.good:
        complain(name, evaluation.failures, evaluation.batch, result, explain)
    return result


class Calls:
    """What the groups of model calls share; `self` is the model."""

    @property
    def _model(self) -> "Model":
        return cast("Model", self)

    def _parameters(self, parameters: Any) -> Array:
        if parameters is None:
            return self._model.parameters
        if isinstance(parameters, Mapping):
            return self._model.parameters_with(parameters)
        return on_host(checked_numbers("parameters", parameters))

    def _run(self, name: str | FunctionKey, inputs: dict[str, Any], parameters: Any) -> Evaluation:
        return self._model.function(name)(**inputs, parameters=self._parameters(parameters))

    def _explain(self, q: Any, batch: tuple[int, ...]) -> Callable[[int, Failure], str]:
        """What is lost at a singular state of a call with configurations q (..., nq)."""

        def explain(state: int, failure: Failure) -> str:
            from gough.compilation.lost import lost_direction

            rows = as_rows(np.asarray(on_host(q), dtype=float), batch)
            return lost_direction(self._model, rows[state], failure)

        return explain

    def _array_of(
        self, name: str | FunctionKey, output: str, inputs: dict[str, Any], parameters: Any, on_bad_state: str
    ) -> Array:
        check_option(on_bad_state)
        e = self._run(name, inputs, parameters)
        return finish(str(name), e, e.outputs[output], on_bad_state, self._explain(inputs["q"], e.batch))
