"""Arrays as they are given: shapes checked, leading axes broadcast, in the host's memory or a GPU's."""

from importlib import import_module
from typing import Any

import numpy as np

from gough.arguments import numbers, take
from gough.errors import UsageError

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
