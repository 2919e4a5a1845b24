"""Gallery robots with other numbers: their files as plain data, changed and loaded again."""

import json
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from gough_papers.report.sources import document

if TYPE_CHECKING:
    from gough.compilation import Model


def changed_model(robot: str, change: Callable[[Any], None]) -> "Model":
    """A model of a gallery robot whose document `change` has edited in place."""
    from gough.compilation import build
    from gough.robot import loads

    data = _copy(document(robot))
    change(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return build(loads(json.dumps(data), f"{robot}.yaml"))


def _copy(data: Any) -> Any:
    if isinstance(data, dict):
        return {key: _copy(value) for key, value in data.items()}
    return [_copy(value) for value in data] if isinstance(data, list) else data
