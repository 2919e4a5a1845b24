"""Models that differ in numbers alone share their programs and machine code, of which numbers are inputs."""

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from gough.compilation.function import Function
from gough.compilation.narrow import NarrowFunction
from gough.structure.parameters import ParameterTable

if TYPE_CHECKING:
    from gough.model.model import Model
    from gough.robot import Robot


def code_of(model: "Model") -> "Model":
    """The model whose programs and machine code serve a model: itself, or the one it is `like`."""
    return model if model.like is None else model.like


def share_code(model: "Model", robot: "Robot", values: np.ndarray) -> "Model | None":
    """The model of a description with other numbers, values (n,) of `parameters`, that move nothing of the robot at home, as
    friction does; it shares its code with this one. None where some of them are structure there or here."""
    numbers = np.array(values, dtype=float)
    numbers.setflags(write=False)
    table = replace(model.mechanism.table, values=tuple(numbers.tolist()))
    if table.structural(model.free) != model.pattern:
        return None
    linkage = replace(model.linkage, structure=replace(model.linkage.structure, table=table), parameters=numbers)
    made = replace(model, robot=robot, linkage=linkage, mechanism=replace(model.mechanism, table=table))
    object.__setattr__(made, "like", code_of(model))
    return made


def share_kernels(function: Function, table: ParameterTable) -> Function:
    """The same function with the numbers of another design as its own: what it is made of, kernels too, is shared."""
    twin = object.__new__(type(function))
    twin.__dict__.update(function.__dict__, _table=table, _guard=table.guard(function.pattern))
    if isinstance(twin, NarrowFunction):
        twin.replace_unlocked(lambda: share_kernels(function.unlocked, table))
    return twin
