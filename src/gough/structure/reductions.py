"""Numbers of flexible bodies that follow variables through finite elements and their reduction: they have no formulas.

Material, sections and thickness may follow variables. What they make (masses, stiffnesses, integrals of shapes, motions of
frames) is reduced again for other values. Its slopes come from one reduction of numbers with slopes (`gough.scalar.slopes`),
exact to rounding; they are refused where equal modes part, whose shapes do not follow the variable smoothly.
"""

import warnings
from collections.abc import Mapping, Sequence

import numpy as np

from gough.errors import StructureError, UsageError
from gough.robot import DescriptionError, Robot
from gough.robot.expressions import expressions_in
from gough.robot.expressions.varying import change_variables
from gough.robot.tree import bodies
from gough.scalar import FormulaNode, variables_of
from gough.structure.build import StructureBuilder, build_structure
from gough.structure.parameters import ParameterTable

FAINT = 1e-9
"""Part of the largest of its kind that a number of a reduced body may be which is not there in another design."""


def varied_bodies(robot: Robot) -> dict[str, list[FormulaNode]]:
    """{full name: formulas of its numbers} of the flexible bodies whose elements follow variables."""
    found = {name: [x.node for _, x in expressions_in(body.flexible)] for name, body in bodies(robot).items()}
    return {name: nodes for name, nodes in found.items() if nodes}


def reducing_variables(robot: Robot) -> set[str]:
    """The variables that elements follow."""
    return {name for nodes in varied_bodies(robot).values() for name in variables_of(nodes)}


def reduced_places(robot: Robot, table: ParameterTable, variables: Sequence[str] | None = None) -> list[int]:
    """Places of the parameters that come from bodies whose elements follow variables, or some of these."""
    wanted = None if variables is None else set(variables)
    own = tuple(
        start
        for name, nodes in varied_bodies(robot).items()
        if wanted is None or wanted & variables_of(nodes)
        for start in (f"{name}.", f"{name} ")
    )
    return [i for i, name in enumerate(table.names) if own and name.startswith(own) and i not in table.formulas]


def reduce_again(robot: Robot, table: ParameterTable, values: Mapping[str, float]) -> np.ndarray:
    """Parameters at all `reduced_places` for values of free variables; UsageError where the bodies are then built otherwise."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            again = build_structure(change_variables(robot, values, quiet=True)).table
    except DescriptionError as error:
        raise UsageError(f"variables: with {_tell(values)} there is no such robot: {error}") from None
    values_again = align_reduced(robot, table, again)
    if values_again is None:
        raise _built_otherwise(values)
    return values_again[reduced_places(robot, table)]


def align_reduced(robot: Robot, table: ParameterTable, again: ParameterTable) -> np.ndarray | None:
    """Values (n,) of a design that was built again in the order of a table; None where it has other numbers. Of flexible bodies
    that follow variables some are rounding, which may be there or not."""
    values = dict(zip(again.names, again.values, strict=True))
    for one, other in ((table, again), (again, table)):
        own, largest = set(reduced_places(robot, one)), _largest_alike(one, range(len(one.names)), np.abs(one.values))
        lost = [i for i, name in enumerate(one.names) if name not in set(other.names)]
        if any(i not in own or abs(one.values[i]) > FAINT * largest[i] for i in lost):
            return None
    return np.array([values.get(name, 0.0) for name in table.names])


def _largest_alike(table: ParameterTable, places: Sequence[int], sizes: np.ndarray) -> np.ndarray:
    """The largest size (k,) among the numbers at places that are of a kind: integrals of one body, its masses by their units."""
    alike = []
    for i in places:
        owner, _, what = table.names[i].partition("[")[0].rpartition(".")
        alike.append((owner, what if table.units[i] == "SI" else table.units[i]))
    largest: dict[tuple[str, str], float] = {}
    for key, x in zip(alike, sizes, strict=True):
        largest[key] = max(largest.get(key, 0.0), float(x))
    return np.array([largest[key] for key in alike])


def reduced_slopes(robot: Robot, table: ParameterTable, values: Mapping[str, float], variable: str) -> np.ndarray:
    """Change of the parameters at all `reduced_places` per unit of a variable; UsageError where there is none."""
    places = reduced_places(robot, table)
    if variable not in reducing_variables(robot):
        return np.zeros(len(places))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            builder = StructureBuilder(change_variables(robot, values, quiet=True), variable)
            again = builder.build().table
    except StructureError as error:
        raise UsageError(f"by {variable}: {error}") from None
    slopes = {again.names[i]: x for i, x in builder.table.slopes.items()}
    if align_reduced(robot, table, again) is None:
        raise _built_otherwise(values)
    return np.array([slopes.get(table.names[i], 0.0) for i in places])


def _built_otherwise(values: Mapping[str, float]) -> UsageError:
    return UsageError(
        f"variables: with {_tell(values)} a flexible body has other shapes (more or fewer numbers that are not 0), and is "
        "another model: build robot.with_variables({…})"
    )


def _tell(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} = {x:.9g}" for name, x in values.items())
