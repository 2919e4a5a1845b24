"""Derivatives by motions of the closed robot: q moves along q̇ = N(q) v, so derivatives by q have nv directions.

Rotations turn: where a program uses the rotation matrix R of a quaternion, its tangent is [ω]ₓ R (platform, world axes) or
R [ω]ₓ (ball joints, body axes) at once, without the detour over the four entries; a quaternion has unit length.
"""

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.compilation.narrow import NarrowFunction
from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.rates import rate_of_q
from gough.errors import UsageError
from gough.model.functions import parameters_by_formulas
from gough.model.locks import keeps_locks
from gough.program import Program, Slot, trace
from gough.program.derivatives import Derivation, Directions, Net, linearise, names_of
from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.expand_blocks import inline_calls
from gough.program.passes.inputs import fold_entries
from gough.program.passes.outputs import drop_checks
from gough.program.passes.rewrite import replay
from gough.spatial import rotation_from_quaternion_wxyz

if TYPE_CHECKING:
    from gough.model.model import Model

MODES = ("jacobian", "jvp", "vjp", "forward", "reverse")


def tangent_derivative(
    model: "Model", name: str | FunctionKey, wrt: tuple[str, ...], mode: str = "jacobian", variables: bool = False
) -> Function:
    """Function with outputs "<output>_<slot>" of shape (*output, size); q counts nv motions (translation of the
    platform's origin and rotation about it, world axes), other slots their entries; inputs not named are held.

    mode: as for `Function.derivative`; the inputs and outputs "d_q" and "bar_q" of products have nv entries. variables: as for
    `model.function`, the description's variables are an input in the place of parameters.
    """
    key = FunctionKey.of(name)
    return model.cached(("tangent", key, wrt, mode, variables), lambda: _make(model, key, wrt, mode, variables))


def _make(model: "Model", key: FunctionKey, wrt: tuple[str, ...], mode: str, variables: bool) -> Function:
    if mode not in MODES:
        raise UsageError(f"mode={mode!r}; use one of {', '.join(MODES)}")
    if variables:
        whole = model.unlocked  # other values of variables may lock nothing
        source = whole.function(key, variables=True).program
        program = _derived(tangent_derivation(whole, source, wrt), mode)
        held = tuple(s.name for s in source.inputs if s.name not in wrt)
        return Function(program, model.mechanism.table, {}, precision=model.precision, held=held)
    if "parameters" in wrt and model.unlocked is not model:
        return tangent_derivative(model.unlocked, key, wrt, mode)
    function = model.function(key)
    by_numbers = "parameters" in wrt and model.pattern
    source = model.unfolded(key, model.mechanism.table.even(model.pattern)) if by_numbers else function.program
    program = _derived(tangent_derivation(model, source, wrt), mode)
    if by_numbers:
        program = fold_entries(program, "parameters", model.pattern)
    held = tuple(s.name for s in function.program.inputs if s.name not in wrt)
    same = (program, model.mechanism.table, model.pattern)
    if not isinstance(function, NarrowFunction):
        return Function(*same, precision=model.precision, held=held)
    whole = partial(tangent_derivative, model.unlocked, key, wrt, mode)
    return NarrowFunction(*same, partial(keeps_locks, model), whole, model.precision, held=held)


def _derived(ready: Derivation, mode: str) -> Program:
    if mode in ("jvp", "vjp"):
        return ready.jvp() if mode == "jvp" else ready.vjp()
    return ready.jacobian("auto" if mode == "jacobian" else mode)


def tangent_derivation(model: "Model", program: Program, wrt: tuple[str, ...]) -> Derivation:
    """A program of the model made ready: q moves with the closed robot, other slots entry by entry."""
    names_of(wrt, program)
    program = inline_calls(program)
    graph = Graph()
    new = replay(program, graph)
    net = Net(graph)
    slots = {s.name: s for s in program.inputs}
    moving: dict[int, int] = {}
    known: dict[int, int] = {}
    first: tuple[int, ...] = ()
    directions = []
    for slot in wrt:
        offset = program.input_offset(slot)
        size = model.layout.nv if slot == "q" else slots[slot].size
        vertices = tuple(net.vertex() for _ in range(size))
        directions.append(Directions(slot, (size,), vertices, slots[slot].unit))
        if slot != "q":
            moving.update({offset + k: v for k, v in enumerate(vertices)})
            continue
        by_variables = "variables" in slots
        rates = inline_calls(drop_checks(model.function("tree_rates", variables=by_variables).program))
        u = _linear(net, rates, program, "v", vertices)
        start = len(net.into)
        turning = _turning(model, by_variables)
        tangents = _linear(net, turning, program, "u", u)
        first = tuple(range(start, len(net.into)))
        nq = model.layout.nq
        moving.update({offset + k: v for k, v in enumerate(tangents[:nq]) if v >= 0})
        values = replay(turning, graph, inputs=_places(turning, program, graph, "u"))
        entries = [values[i] for i in turning.results[nq:]]
        half = len(entries) // 2
        known = {node: v for node, v in zip(entries[:half], tangents[nq + half :], strict=True) if v >= 0}
    at = linearise(net, program, new, moving, known)
    return Derivation(program, net, new, at, tuple(directions), first)


def _turning(model: "Model", by_variables: bool) -> Program:
    """q and tree velocities u to q̇ (nq), the rotations R of all quaternions (9 each), and Ṙ; of parameters or variables."""
    links = [link for link in model.mechanism.links if link.quaternion is not None]

    def by_design(q: Any, u: Any, variables: Any) -> dict[str, Any]:
        values = dict(zip(model.variables.names, variables, strict=True))
        return equations(q, u, parameters_by_formulas(model.mechanism.table, model.parameters.tolist(), values))

    def equations(q: Any, u: Any, parameters: Any) -> dict[str, Any]:
        rotations, turning = [], []
        for link in links:
            R, w = rotation_from_quaternion_wxyz(q[link.quaternion]), u[link.spin]
            cross = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]], dtype=object)
            rotations.append(R.ravel())
            turning.append((R @ cross if link.motion.spins_in_body else cross @ R).ravel())
        qdot = rate_of_q(Posture(Numbers(model.mechanism, parameters), q), u)
        return {"qdot": qdot, "R": np.array(rotations).ravel(), "Rdot": np.array(turning).ravel()}

    rates = model.function("tree_rates", variables=by_variables).program
    kept = {s.name: s for s in rates.inputs}
    slots = [kept["q"], Slot("u", rates.outputs[0].shape)]
    if by_variables:
        return trace(by_design, [*slots, kept["variables"]], "turning", {})
    slots.append(kept["parameters"])
    return trace(equations, slots, "turning", {"parameters": model.pattern})


def _places(inner: Program, outer: Program, graph: Graph, linear: str) -> dict[int, int]:
    """Input nodes of `inner`: those of `outer` with the same name; the slot `linear` gets places no program has."""
    places = {}
    for slot in inner.inputs:
        offset = inner.input_offset(slot.name)
        for k in range(slot.size):
            position = -1 - k if slot.name == linear else outer.input_offset(slot.name) + k
            places[offset + k] = graph.raw(Op.INPUT, position)
    return places


def _linear(net: Net, inner: Program, outer: Program, slot: str, vertices: tuple[int, ...]) -> tuple[int, ...]:
    """Vertices of the results of `inner`, which is linear in `slot`; -1 where a result does not move."""
    new = replay(inner, net.graph, inputs=_places(inner, outer, net.graph, slot))
    offset = inner.input_offset(slot)
    at = linearise(net, inner, new, {offset + k: v for k, v in enumerate(vertices) if v >= 0})
    return tuple(at.get(i, -1) for i in inner.results)
