"""What is exported: the program of a robot's function with the wishes of the user built in."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from gough.compilation.function import Function
from gough.compilation.old_names import current_names
from gough.dynamics.catalogue import LOADS, FunctionKey
from gough.errors import UsageError
from gough.export._around import AROUND
from gough.model.functions import no_load
from gough.program import Program
from gough.program.ops import Op
from gough.structure.parameters import ANGLE_TOLERANCE

if TYPE_CHECKING:
    from gough.model import Model

MODES = ("jacobian", "jvp", "vjp")


@dataclass(frozen=True)
class Options:
    """baked: parameters as numbers. friction, wrench (and force along v), checks: False leaves them out. derivative: input
    slot the function is differentiated by ("" for the function itself), in a mode: "jacobian", "jvp" or "vjp". legs:
    "loops" over what is done three times alike or more, "flat", or "auto": loops where they pay. variables: those of the
    description are an input in the place of parameters."""

    baked: bool = False
    friction: bool = True
    wrench: bool = True
    checks: bool = True
    derivative: str = ""
    mode: str = "jacobian"
    legs: str = "auto"
    variables: bool = False


@dataclass(frozen=True)
class ExportSubject:
    """A program with its name in words; fixed: {input position: (structural value, tolerance)}; held: what a derivative holds."""

    model: "Model"
    function: str
    program: Program
    fixed: dict[int, tuple[float, float]]
    options: Options
    held: tuple[str, ...] = ()


def subject_of(
    model: "Model", function: "str | Function", options: Options, pattern: dict[int, float]
) -> ExportSubject:
    """What is exported. pattern: {parameter: structural value} that is folded in."""
    if options.derivative and options.mode not in MODES:
        raise UsageError(f"mode={options.mode!r}; use one of {', '.join(MODES)}")
    if options.derivative in LOADS and not options.wrench:
        raise UsageError(
            f"derivative={options.derivative!r}: what the surroundings do is left out (wrench=False); keep it to "
            "differentiate by it"
        )
    if options.variables:
        if isinstance(function, Function):
            raise UsageError(
                "variables is for functions given by name; give model.function(NAME, variables=True) itself"
            )
        if options.baked or not options.friction or not options.wrench:
            raise UsageError(
                "variables=True beside baked, friction=False or wrench=False, which fold numbers into programs of parameters; "
                "leave those out"
            )
        function = model.function(function, variables=True)
    if isinstance(function, Function):
        if options.baked or not options.friction or not options.wrench:
            raise UsageError("baked, friction and wrench are for functions given by name: this one has its program")
        made, name = _given(model, function, pattern), function.name.removeprefix(f"{model.mechanism.name} ")
        pattern = made.pattern
    else:
        name = function
        made, pattern = _traced(model, function, options, pattern)
    if options.derivative:
        (slot,) = current_names(made.program, (options.derivative,))
        made = made.derivative(slot, options.mode)
        name, options = f"{name} {options.mode} {slot}", replace(options, derivative=slot)
    program = made.program
    gone = [] if options.wrench else [s.name for s in program.inputs if s.name in LOADS and not _reads(program, s.name)]
    if options.baked:
        gone.append("parameters")
    program = without_slots(program, gone)
    return ExportSubject(model, name, program, fixed_inputs(model, program, pattern), options, made.held)


def _given(model: "Model", function: Function, pattern: dict[int, float]) -> Function:
    """A function with its own program, or, where only what legs have in common is to be folded, the one that legs share."""
    function = function.unlocked  # exported code takes any design, and cannot ask back
    if function.table.names != model.mechanism.table.names:
        raise UsageError(f"{function.name} is no function of {model.robot.name}; take it from this model")
    if function.alike is None or function.pattern != model.pattern or pattern == model.pattern:
        return function
    return Function(function.alike(), function.table, pattern, unfolded=function.unfolded, held=function.held)


def _traced(
    model: "Model", name: str, options: Options, pattern: dict[int, float]
) -> tuple[Function, dict[int, float]]:
    """(the function, structural parameters a design must keep)."""
    numbers = dict(enumerate(map(float, model.parameters))) | pattern if options.baked else dict(pattern)
    kept, gone = dict(pattern), {}
    if not options.friction:
        gone = dict.fromkeys(model.mechanism.table.of_kind("friction"), 0.0)
        numbers |= gone
        kept = {i: x for i, x in pattern.items() if i not in gone}  # a design may have friction: it is left out
    loads = {} if options.wrench else no_load(model.mechanism)
    source = model if options.baked and not options.derivative else model.unlocked  # other designs may lock nothing
    if name in AROUND:
        make = AROUND[name]
        program = make(source, {"parameters": numbers, **loads})
        return Function(program, model.mechanism.table, numbers), kept
    key = FunctionKey.of(name)
    if key.kind == "inverse_dynamics" and not model.driven:
        raise UsageError(f"{model.robot.name} has fewer drives than freedoms: there is no inverse dynamics to export")
    made = Function(
        source.order_solves(source.traced(key, numbers, loads)),
        model.mechanism.table,
        numbers,
        unfolded=lambda even: model.unfolded(key, {**even, **gone}, loads),
    )
    return made, kept


def _reads(program: Program, slot: str) -> bool:
    offset = program.input_offset(slot)
    size = next(s.size for s in program.inputs if s.name == slot)
    return bool(read_positions(program) & set(range(offset, offset + size)))


def read_positions(program: Program) -> set[int]:
    """Input positions a program reads."""
    return {args[0] for op, args in zip(program.ops, program.args, strict=True) if op == Op.INPUT}


def fixed_inputs(model: "Model", program: Program, pattern: Mapping[int, float]) -> dict[int, tuple[float, float]]:
    """{input position: (the number it must have, tolerance)} of parameters that are folded."""
    if not any(s.name == "parameters" for s in program.inputs):
        return {}
    offset, units = program.input_offset("parameters"), model.mechanism.table.units
    return {offset + i: (x, ANGLE_TOLERANCE if units[i] == "rad" else 0.0) for i, x in sorted(pattern.items())}


def without_slots(program: Program, names: list[str]) -> Program:
    """The program without input slots it does not read; positions close up."""
    keep, new, old = [], {}, 0
    for slot in program.inputs:
        if slot.name not in names:
            start = sum(s.size for s in keep)
            new |= {old + k: start + k for k in range(slot.size)}
            keep.append(slot)
        old += slot.size
    args = [(new[a[0]],) if op == Op.INPUT else a for op, a in zip(program.ops, program.args, strict=True)]
    return replace(program, inputs=tuple(keep), args=args)
