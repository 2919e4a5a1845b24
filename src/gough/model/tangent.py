"""Derivatives by motions of the closed robot: q moves along q̇ = N(q) v, so derivatives by q have nv directions.

Rotations turn: where a program uses the rotation matrix R of a quaternion, its tangent is [ω]ₓ R (platform, world axes) or
R [ω]ₓ (ball joints, body axes) at once, without the detour over the four entries; a quaternion has unit length.

By the design p a plain derivative holds q. A total one closes the loops again, and holds the coordinates that v leads (the
platform's pose, the drives, …, elastic and idle ones too) and all other inputs: closures r(q, p) = 0 and motions u of the tree
have dr = r_p dp - G u = 0, of which the blocks of the selection give what v does not lead (`Loops.closing`), and

    dF = F_p dp + F_q N(q) u.

All of it is one derivation: p moves r, that moves u, that moves q and its rotations, and p and q move F. A sweep backwards is
the adjoint method: the gradient of a number by all of p costs a few evaluations.
"""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.function import Function
from gough.compilation.narrow import NarrowFunction
from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.rates import rate_of_q
from gough.errors import UsageError
from gough.model.functions import parameters_by_formulas, trace_entry
from gough.model.locks import keeps_locks
from gough.program import Program, Slot, trace
from gough.program.derivatives import Derivation, Directions, Net, linearise, names_of
from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.expand_blocks import inline_calls
from gough.program.passes.inputs import fold_entries
from gough.program.passes.outputs import drop_checks
from gough.program.passes.rewrite import replay
from gough.scalar import zeros
from gough.spatial import rotation_from_quaternion_wxyz

if TYPE_CHECKING:
    from gough.model.model import Model

MODES = ("jacobian", "jvp", "vjp", "forward", "reverse")


def tangent_derivative(
    model: "Model",
    name: str | FunctionKey,
    wrt: tuple[str, ...],
    mode: str = "jacobian",
    variables: bool = False,
    closing: bool = False,
) -> Function:
    """Function with outputs "<output>_<slot>" of shape (*output, size); q counts nv motions (translation of the
    platform's origin and rotation about it, world axes), other slots their entries; inputs not named are held.

    mode: as for `Function.derivative`; the inputs and outputs "d_q" and "bar_q" of products have nv entries. variables: as for
    `model.function`, the description's variables are an input in the place of parameters. closing: derivatives by parameters
    are total, with the loops closed again.
    """
    key = FunctionKey.of(name)
    asked = (key, wrt, mode, variables, closing)
    return model.cached(("tangent", *asked), lambda: _make(model, *asked))


def _make(
    model: "Model", key: FunctionKey, wrt: tuple[str, ...], mode: str, variables: bool, closing: bool
) -> Function:
    if mode not in MODES:
        raise UsageError(f"mode={mode!r}; use one of {', '.join(MODES)}")
    if variables:
        whole = model.unlocked  # other values of variables may lock nothing
        source = whole.function(key, variables=True).program
        program = _derived(tangent_derivation(whole, source, wrt), mode)
        held = tuple(s.name for s in source.inputs if s.name not in wrt)
        return Function(program, model.mechanism.table, {}, precision=model.precision, held=held)
    if "parameters" in wrt and model.unlocked is not model:
        return tangent_derivative(model.unlocked, key, wrt, mode, closing=closing)
    function = model.function(key)
    by_numbers = "parameters" in wrt and model.pattern
    source = model.unfolded(key, model.mechanism.table.even(model.pattern)) if by_numbers else function.program
    program = _derived(tangent_derivation(model, source, wrt, closing), mode)
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


def tangent_derivation(model: "Model", program: Program, wrt: tuple[str, ...], closing: bool = False) -> Derivation:
    """A program of the model made ready: q moves with the closed robot, other slots entry by entry. closing: where the design
    moves the loops are closed again, which moves q (see the head); the model must be unlocked then, and the program read q."""
    names_of(wrt, program)
    program = inline_calls(program)
    graph = Graph()
    new = replay(program, graph)
    net = Net(graph)
    slots = {s.name: s for s in program.inputs}
    by_variables = "variables" in slots
    moving: dict[int, int] = {}
    motions: list[tuple[int, ...]] = []
    directions = []
    for slot in wrt:
        offset = program.input_offset(slot)
        size = model.layout.nv if slot == "q" else slots[slot].size
        vertices = tuple(net.vertex() for _ in range(size))
        directions.append(Directions(slot, (size,), vertices, slots[slot].unit))
        if slot == "q":
            rates = inline_calls(drop_checks(model.function("tree_rates", variables=by_variables).program))
            motions.append(_along(net, rates, program, "v", vertices))
            continue
        moving.update({offset + k: v for k, v in enumerate(vertices)})
        if closing and slot == "parameters":
            opened = _along(net, _closures(model), program, slot, vertices, linear=False)[: model.mechanism.rows]
            motions.append(_along(net, _closing(model), program, "residual", opened))
    start = len(net.into)
    known: dict[int, int] = {}
    if motions:
        u = motions[0] if len(motions) == 1 else _sum_motions(net, motions)
        start = len(net.into)
        tangents, known = _q_tangents(model, net, program, u, by_variables)
        moving.update(tangents)
    first = tuple(range(start, len(net.into)))
    at = linearise(net, program, new, moving, known)
    return Derivation(program, net, new, at, tuple(directions), first)


def _sum_motions(net: Net, motions: Sequence[tuple[int, ...]]) -> tuple[int, ...]:
    """Vertices of a motion that consists of several."""
    one, out = net.graph.const(1.0), []
    for parts in zip(*motions, strict=True):
        moving = [v for v in parts if v >= 0]
        if len(moving) < 2:
            out.append(moving[0] if moving else -1)
            continue
        vertex = net.vertex()
        for v in moving:
            net.add_edge(v, vertex, one)
        out.append(vertex)
    return tuple(out)


def _q_tangents(
    model: "Model", net: Net, program: Program, u: tuple[int, ...], by_variables: bool
) -> tuple[dict[int, int], dict[int, int]]:
    """({input position: vertex} of q, {node: vertex} of its rotations) in a program, where the tree moves along vertices u."""
    turning = _turning(model, by_variables)
    tangents = _along(net, turning, program, "u", u)
    nq, offset = model.layout.nq, program.input_offset("q")
    moving = {offset + k: v for k, v in enumerate(tangents[:nq]) if v >= 0}
    values = replay(turning, net.graph, inputs=_places(turning, program, net.graph, "u"))
    entries = [values[i] for i in turning.results[nq:]]
    half = len(entries) // 2
    return moving, {node: v for node, v in zip(entries[:half], tangents[nq + half :], strict=True) if v >= 0}


def _closures(model: "Model") -> Program:
    """q and the design to the residual of all closures, no number folded."""
    return inline_calls(drop_checks(trace_entry(model.mechanism, FunctionKey("closure_residual"), {})))


def _closing(model: "Model") -> Program:
    """A residual (rows) to tree velocities u (nu): the motion of what v does not lead that takes it away."""
    mechanism = model.mechanism

    def equations(q: Any, residual: Any, parameters: Any) -> dict[str, Any]:
        loops = Loops(Posture(Numbers(mechanism, parameters), q))
        return {"u": loops.closing(zeros(mechanism.layout.nv), residual)}

    slots = {s.name: s for s in model.function("tree_rates").program.inputs}
    inputs = (slots["q"], Slot("residual", (mechanism.rows,)), slots["parameters"])
    return inline_calls(drop_checks(model.order_solves(trace(equations, inputs, "closing", {"parameters": {}}))))


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


def _along(
    net: Net, inner: Program, outer: Program, slot: str, vertices: tuple[int, ...], linear: bool = True
) -> tuple[int, ...]:
    """Vertices of the results of `inner` where its `slot` moves along vertices; -1 where a result does not move. linear: it is
    linear in the slot, whose value nobody asks for; else that is the one of `outer`."""
    new = replay(inner, net.graph, inputs=_places(inner, outer, net.graph, slot if linear else ""))
    offset = inner.input_offset(slot)
    at = linearise(net, inner, new, {offset + k: v for k, v in enumerate(vertices) if v >= 0})
    return tuple(at.get(i, -1) for i in inner.results)
