"""What the groups of model calls share: parameters of a call, bad states raised or marked."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from gough.compilation.arrays import Array, as_rows, checked_numbers, on_host, parameter_rows
from gough.compilation.evaluation import Evaluation
from gough.compilation.status import check_option, complain
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

    def _explain(self, q: Any, batch: tuple[int, ...], parameters: Any) -> Callable[[int, Failure], str]:
        """What is lost at a singular state of a call with configurations q (..., nq)."""

        def explain(state: int, failure: Failure) -> str:
            rows = as_rows(np.asarray(on_host(q), dtype=float), batch)
            given = None if parameters is None else parameter_rows(self._parameters(parameters), batch)
            own = None if given is None else given[0 if len(given) == 1 else state]
            return lost_direction(self._model, rows[state], failure, own)

        return explain

    def _array_of(
        self, name: str | FunctionKey, output: str, inputs: dict[str, Any], parameters: Any, on_bad_state: str
    ) -> Array:
        check_option(on_bad_state)
        e = self._run(name, inputs, parameters)
        return finish(str(name), e, e.outputs[output], on_bad_state, self._explain(inputs["q"], e.batch, parameters))
