"""A robot with other parameters: the way back from numbers of a design to its description.

The structure is built from the description with a symbol in the place of every number; what parameters are of them is solved for
the wanted values; the numbers found are written, the description is read again, its structure is built, and every parameter of
it is compared with what was wanted. Turns are compared as rotations: one of them has many angles.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.robot import Robot
from gough.robot.expressions.varying import read_again
from gough.robot.item import Place, look
from gough.scalar import FormulaNode, VariedNumber, variables_of
from gough.structure._axes import ANGLES, QUATERNION
from gough.structure.build import build_structure
from gough.structure.changing._comparing import demand_wanted, name_some, rotation_of_turn, tell_formulas, turn_places
from gough.structure.changing._refusing import why_not
from gough.structure.changing._solving import solve_numbers
from gough.structure.changing._spelling import spell_out
from gough.structure.changing._symbols import Formulas, derive_formulas
from gough.structure.changing._writing import data_of, write_numbers, write_sources
from gough.structure.changing.names import names_meant
from gough.structure.changing.offsets import OFFSET, add_preloads
from gough.structure.mechanism import Structure
from gough.structure.parameters import ParameterTable


def change_parameters(
    robot: Robot, values: Mapping[str, float], sources: Mapping[str, str] | str | None = None
) -> Robot:
    """A robot with other values of some parameters, as `Robot.with_parameters` says."""
    if not values:
        return robot
    structure = build_structure(robot)
    start, preloads = add_preloads(robot, [name for name in values if name.endswith(OFFSET)], structure.table)
    structure = build_structure(start) if preloads else structure
    wanted, told = _read_names(robot, values, sources, structure.table, preloads)
    spelled = spell_out(start)
    formulas = derive_formulas(spelled)
    table = structure.table
    goal = np.array(table.values)
    goal[[table.names.index(name) for name in wanted]] = list(wanted.values())
    table.check_numbers(goal)
    nodes, aims, moved, symbols = _equations(structure, formulas, goal, list(wanted))
    found = solve_numbers(nodes, np.array(aims), np.array(moved), formulas.numbers)
    numbers = {formulas.places[name]: x for name, x in found.items()}
    _demand_masses(spelled, numbers)
    texts: dict[Place, list[str]] = {}
    for name, text in told.items():
        for symbol in symbols.get(name, ()):
            texts.setdefault(formulas.places[symbol], []).append(text)
    made = write_sources(write_numbers(start, spelled, numbers), texts, "changed: " if sources is None else "")
    made = read_again(robot, data_of(made), f"other {name_some(list(values))}")
    demand_wanted(robot, table, goal, build_structure(made).table)
    tell_formulas(robot, made)
    return made


def stated_parameters(robot: Robot) -> tuple[str, ...]:
    """Names of the parameters that `change_parameters` can write: those that numbers of the description state."""
    formulas = derive_formulas(spell_out(robot))
    turns = {f"{name}.{word}" for name in formulas.turns for word in (*ANGLES, *QUATERNION)}
    return tuple(name for name in build_structure(robot).table.names if name in formulas.single or name in turns)


def _read_names(
    robot: Robot,
    values: Mapping[str, float],
    sources: Mapping[str, str] | str | None,
    table: ParameterTable,
    preloads: Mapping[str, str],
) -> tuple[dict[str, float], dict[str, str]]:
    """({parameter: wanted}, {parameter: source}). preloads: {offset: parameter}, of a robot with all springs that they need."""
    unknown = [name for name in sources if name not in values] if isinstance(sources, Mapping) else []
    if unknown:
        raise UsageError(f"sources: {unknown[0]!r} is not among the parameters that change")
    wanted: dict[str, float] = {}
    told: dict[str, str] = {}
    known = {*table.names, *preloads}
    for name, x in sorted(values.items(), key=lambda item: item[0] in known):  # a name goes before patterns
        for own in _meant(robot, name, table, preloads):
            wanted[own] = x
            of_name = preloads.get(own, own).rpartition(".")[2] if sources is None else sources
            told[own] = of_name if isinstance(of_name, str) else of_name.get(name, "")
    for offset, preload in preloads.items():
        now = table.values[table.names.index(preload)]
        wanted[preload] = wanted.get(preload, now) - wanted.pop(offset)
        told[preload] = told.pop(offset)
    return wanted, {name: text for name, text in told.items() if text}


def _meant(robot: Robot, name: str, table: ParameterTable, preloads: Mapping[str, str]) -> list[str]:
    """Names of parameters and offsets that a name or pattern stands for."""
    found = names_meant(name, [*table.names, *preloads])
    if not found:
        variable = f"robot.with_variables({{{name!r}: …}})" if name in robot.variables else ""
        raise UsageError(f"{robot.name} has no parameter {name!r}; use {variable or table.meant_by(name)}")
    return found


def _equations(
    structure: Structure, formulas: Formulas, goal: np.ndarray, wanted: Sequence[str]
) -> tuple[list[FormulaNode], list[float], list[bool], dict[str, set[str]]]:
    """(formulas, what they should be, whether that is new, {parameter: symbols it is made of})."""
    table, now = structure.table, np.array(structure.table.values)
    places = {name: i for i, name in enumerate(table.names)}
    nodes: list[FormulaNode] = []
    aims: list[float] = []
    moved: list[bool] = []
    symbols: dict[str, set[str]] = {}
    for name, i in places.items():
        if name in formulas.single:
            nodes.append(formulas.single[name])
            aims.append(goal[i])
            moved.append(goal[i] != now[i])
            symbols[name] = variables_of([nodes[-1]])
    for name, turn in formulas.turns.items():
        own = turn_places(name, places)
        if not own:
            continue
        entries = [
            (x.node, aim)
            for x, aim in zip(turn.flat, rotation_of_turn(goal[own]).flat, strict=True)
            if isinstance(x, VariedNumber)
        ]
        nodes += [node for node, _ in entries]
        aims += [float(aim) for _, aim in entries]
        moved += [bool((goal[own] != now[own]).any())] * len(entries)
        symbols |= dict.fromkeys((table.names[i] for i in own), variables_of(node for node, _ in entries))
    for name in wanted:
        if not symbols.get(name) and goal[places[name]] != now[places[name]]:
            raise UsageError(f"{name} cannot be written back: {why_not(structure, name)}")
    return nodes, aims, moved, symbols


def _demand_masses(spelled: Robot, numbers: Mapping[Place, float]) -> None:
    """UsageError where a body would weigh less than its payload."""
    for place, x in numbers.items():
        body: Any = look(spelled, *place[:-2]) if place[-2:] == ("parameters", "M") else None
        if body is not None and x < 0:
            raise UsageError(
                f"body {body.name}: {x + body.payload.mass:.6g} kg with a payload of {float(body.payload.mass):.6g} kg leaves "
                f"{x:.6g} kg for the body itself, and a mass is not negative; state a lighter payload first"
            )
