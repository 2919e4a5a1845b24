"""Mass and Coriolis matrix where v are already rates of coordinates: joints, or positions of the platform."""

from typing import TYPE_CHECKING, Any

import numpy as np

from gough.compilation.arrays import Array, as_array, common_batch
from gough.errors import UsageError
from gough.kinematics.leading import natural_coordinates, turn_coordinates
from gough.model.calls import finish
from gough.model.results import CoordinateTerms
from gough.model.tangent import tangent_derivative

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
    return finish("coordinate_terms", e, CoordinateTerms(x, np.broadcast_to(v, x.shape), M, C, T), on_bad_state)
