"""Mass and Coriolis matrix in named coordinates of the platform, or in those whose rates v already are (joints, positions of
the platform), with Christoffel symbols from exact program derivatives."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.arrays import Array, as_array, common_batch
from gough.compilation.function import Function
from gough.dynamics.coordinates import coordinate_mass_matrix
from gough.dynamics.numbers import Numbers
from gough.errors import UsageError
from gough.kinematics.leading import natural_coordinates, turn_coordinates
from gough.model.calls import explain_states, finish
from gough.model.results import CoordinateTerms
from gough.model.tangent import tangent_derivative
from gough.program import Program, Slot, trace
from gough.program.derivatives import push_forward
from gough.program.graph import Graph
from gough.program.ops import Op
from gough.program.passes.expand_blocks import expand_blocks
from gough.program.passes.outputs import remove_dead_code
from gough.program.passes.rewrite import replay
from gough.spatial.euler import euler_matrix

if TYPE_CHECKING:
    from gough.model.model import Model


def own_coordinate_terms(model: "Model", q: Any, v: Any, parameters: Array, on_bad_state: str) -> CoordinateTerms:
    """x, ẋ = v, M, C and T = 1; C_ij = ½ Σ_k (∂M_ij/∂x_k + ∂M_ik/∂x_j - ∂M_jk/∂x_i) ẋ_k."""
    layout = model.layout
    turning = [n for n in layout.v_names if n in ("wx", "wy", "wz")]
    turning += turn_coordinates(model)
    if turning:
        raise UsageError(
            f"coriolis_matrix: v of {model.robot.name} has components that are no rates of coordinates "
            f"({', '.join(turning)}); build it with velocities= of joints"
        )
    q, v = as_array("q", q, layout.nq), as_array("v", v, layout.nv)
    batch = common_batch("coordinate_terms", q, v)
    e = tangent_derivative(model, "mass_matrix", ("q",))(q=q, parameters=parameters)
    dM = np.broadcast_to(e.outputs["M_q"], (*batch, *(layout.nv,) * 3))  # [i, j, k] = dM_ij / dx_k
    symbols = dM + np.swapaxes(dM, -1, -2) - np.moveaxis(dM, (-3, -2, -1), (-2, -1, -3))
    C = 0.5 * np.einsum("...ijk,...k->...ij", symbols, v)
    M = np.broadcast_to(model.mass_matrix(q, parameters=parameters, on_bad_state="mark"), C.shape)
    index = [layout.q_names.index(n) for n in natural_coordinates(model)]
    x = np.broadcast_to(q[..., index], (*batch, layout.nv))
    T = np.broadcast_to(np.eye(layout.nv), C.shape).copy()
    result = CoordinateTerms(x, np.broadcast_to(v, x.shape), M, C, T)
    return finish("coordinate_terms", e, result, on_bad_state, explain_states(model, q, e.batch, parameters))


def coordinate_rates(x: np.ndarray, v: np.ndarray, sequence: str) -> np.ndarray:
    """ẋ (..., 6) of a twist v at coordinates x."""
    E = euler_matrix(sequence, x[..., 3:])
    return np.concatenate([v[..., :3], np.linalg.solve(E, v[..., 3:, None])[..., 0]], axis=-1)


def coordinate_function(model: "Model", sequence: str) -> Function:
    """Function (x, joints, xdot) -> M (6, 6), C (6, 6) of a model in named coordinates."""
    return model.cached(("coriolis", sequence), lambda: _make(model, sequence))


def _make(model: "Model", sequence: str) -> Function:
    joints = model.layout.nq - 7
    slots = (
        Slot("x", (6,), "m, rad"),
        Slot("joints", (joints,), "rad, m"),
        Slot("xdot", (6,), "m/s, rad/s"),
        Slot("parameters", (len(model.parameters),), "SI", uniform=True),
    )

    def equations(x: Any, joints: Any, xdot: Any, parameters: Any) -> dict[str, Any]:
        return coordinate_mass_matrix(Numbers(model.mechanism, parameters), sequence, x, joints)

    values = {"parameters": model.pattern}
    program = expand_blocks(trace(equations, slots, f"{model.mechanism.name} coriolis_matrix", values))
    return Function(_christoffel(program, joints), model.mechanism.table, model.pattern)


def _christoffel(program: Program, joints: int) -> Program:
    """C of the mass matrix (first 36 results), the whole robot's at once [Lopes, eqs. 74, 76–79, corrected]; the other results
    say how the joints follow x."""
    graph = Graph()
    new = replay(program, graph)
    results = [new[i] for i in program.results]
    one, zero = graph.const(1.0), graph.const(0.0)
    seeds = {k: [one if j == k else zero for j in range(6)] for k in range(6)}
    seeds |= {6 + k: results[36 + 6 * k : 42 + 6 * k] for k in range(joints)}
    dots = push_forward(program, graph, new, seeds, 6)
    dM = [dots[i] for i in program.results[:36]]  # [6 i + j][k] = dM_ij / dx_k
    xdot = [graph.raw(Op.INPUT, 6 + joints + k) for k in range(6)]
    C = []
    for i in range(6):
        for j in range(6):
            total = zero
            for k in range(6):
                symbol = graph.add(dM[6 * i + j][k], graph.sub(dM[6 * i + k][j], dM[6 * j + k][i]))
                total = graph.add(total, graph.mul(symbol, xdot[k]))
            C.append(graph.mul(graph.const(0.5), total))
    return remove_dead_code(
        replace(
            program,
            ops=graph.ops,
            args=graph.args,
            notes=graph.notes,
            outputs=(Slot("M", (6, 6)), Slot("C", (6, 6))),
            results=(*results[:36], *C),
            checks=tuple(replace(c, node=new[c.node]) for c in program.checks),
        )
    )
