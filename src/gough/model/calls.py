"""What the groups of model calls share: parameters of a call, bad states raised or marked."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gough.compilation.arrays import Array, as_array, checked_numbers, on_host, row_of
from gough.compilation.evaluation import Evaluation
from gough.compilation.status import Telling, check_option, complain
from gough.dynamics.catalogue import FunctionKey
from gough.errors import Failure
from gough.kinematics.lost import lost_direction

if TYPE_CHECKING:
    from gough.model.model import Model


def finish(
    name: str,
    evaluation: Evaluation,
    result: Any,
    on_bad_state: str,
    explain: Telling | None = None,
    marks: bool = True,
) -> Any:
    """`result`, or BadStateError for bad states of the call `name` when they are to be raised; the rest as in `complain`."""
    check_option(on_bad_state)
    if on_bad_state == "raise" and not evaluation.good:
        complain(name, evaluation.failures, evaluation.batch, result, explain, marks)
    return result


def explain_states(model: "Model", q: Any, batch: tuple[int, ...], parameters: Any = None) -> Telling:
    """What is lost at a singular state of a call with configurations q (..., nq) and parameters as it was given them."""

    def explain(state: int, failure: Failure) -> Callable[[], str]:
        row = row_of(np.asarray(on_host(q), dtype=float), batch, state)
        own_design = parameters is None or parameters is model.parameters
        own = None if own_design else row_of(given_parameters(model, parameters), batch, state)
        return lambda: lost_direction(model, row, failure, own)

    return explain


def given_parameters(model: "Model", parameters: Any) -> Array:
    """The numbers (..., n) that a call computes with: the design's, a mapping on top of it, or as they are given."""
    if parameters is None:
        return model.parameters
    if isinstance(parameters, Mapping):
        return model.parameters_with(parameters)
    return on_host(checked_numbers("parameters", parameters))


class Calls:
    """What the groups of model calls share; `self` is the model."""

    @property
    def _model(self) -> "Model":
        return cast("Model", self)

    def _parameters(self, parameters: Any) -> Array:
        return given_parameters(self._model, parameters)

    def _design(self, parameters: Any) -> Array:
        """As `_parameters`, for calls that lead through geometry: a design that changes a structural zero is refused."""
        numbers, model = self._parameters(parameters), self._model
        if parameters is not None:
            model.cached("design guard", lambda: model.mechanism.table.guard(dict(model.pattern)))(on_host(numbers))
        return numbers

    def _run(self, name: str | FunctionKey, inputs: dict[str, Any], parameters: Any) -> Evaluation:
        return self._model.function(name)(**inputs, parameters=self._parameters(parameters))

    def _array_of(
        self,
        call: str,
        output: str,
        inputs: dict[str, Any],
        parameters: Any,
        on_bad_state: str,
        name: str | FunctionKey | None = None,
        then: Callable[[Array], Array] = lambda x: x,
    ) -> Array:
        """An output of the function `name`, by default that of the call's own name, as `then` makes it the result."""
        check_option(on_bad_state)
        e = self._run(name or call, inputs, parameters)
        return finish(
            call,
            e,
            then(e.outputs[output]),
            on_bad_state,
            explain_states(self._model, inputs["q"], e.batch, parameters),
        )

    def _columns_of(self, name: str | FunctionKey, output: str, q: Any, parameters: Any) -> tuple[Evaluation, Array]:
        """(evaluation, one state for each q; matrix (..., n, nv)) of a function that is linear in v."""
        layout = self._model.layout
        x = as_array("q", q, layout.nq)[..., None, :]
        numbers = self._parameters(parameters)
        numbers = numbers[..., None, :] if numbers.ndim > 1 else numbers
        e = self._run(name, {"q": x, "v": np.eye(layout.nv)}, numbers).group_last()
        return e, np.swapaxes(e.outputs[output], -1, -2)
