"""Zero dynamics of the inverse model: how a flexible robot moves inside while its output is held still.

Output y: the floating frame (the rigid part of v), or a frame tied to the material. Motions that do not move it are
δ = N y, J_F N = 0; drives choose τ, so only the combinations of equations without drives are left, Wᵀ S = 0:
Wᵀ M N ÿ + Wᵀ C N ẏ + Wᵀ K N y = 0. Not symmetric; eigenvalues to the right of the imaginary axis mean that tracking the
output exactly makes the elastic coordinates grow. det J_sys = det J_p · det(Wᵀ M N)/det M_ee for the floating frame.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.modes import quadratic_eigenvalues, reference_state
from gough.arguments import a_model, checked, design, numbers, word, wrenches
from gough.compilation.retraction import step_units
from gough.errors import UsageError
from gough.text import short_repr

if TYPE_CHECKING:
    from gough.compilation import Model


@dataclass(frozen=True)
class ZeroDynamics:
    """eigenvalues (k,) 1/s, one of every complex pair; output: what is held; stable; verdict in plain words."""

    eigenvalues: np.ndarray
    output: str
    stable: bool
    verdict: str

    __repr__ = short_repr


@checked(model=a_model, q=numbers, output=word, wrench=wrenches, parameters=design)
def zero_dynamics(
    model: "Model", q: Any = None, output: str = "floating", *, wrench: Any = None, parameters: Any = None
) -> ZeroDynamics:
    """Zero dynamics about static equilibrium at q (nq,) (default: home).

    output: "floating" (the frame whose motion the inverse model takes) or the name of a frame.
    """
    layout = model.layout
    if not layout.v_elastic:
        raise UsageError(
            f"zero_dynamics: {model.robot.name} has no flexible bodies: nothing moves while the output is held"
        )
    if not model.mobility:
        raise UsageError(
            f"zero_dynamics: {model.robot.name} has no rigid freedom, so there is no output to hold; use natural_frequencies"
        )
    if len(model.mechanism.drives) != model.mobility:
        raise UsageError("zero_dynamics: needs as many drives as freedoms")
    state, forces = reference_state(model, q, "equilibrium", wrench, parameters)
    here, tau = state.q[None], state.tau[None]
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    M, C, K = (
        A[0] * unit[:, None] * unit for A in (forces.mass(here), forces.damping(here, tau), forces.stiffness(here, tau))
    )
    W = _null(forces.drive_map(here)[0].T * unit)
    if output == "floating":
        N = np.eye(layout.nv)[:, layout.mobility :]
    else:
        N = _null(_independent_rows(model.frame_jacobian(state.q, output) * unit, layout.mobility, output))
    eigenvalues = quadratic_eigenvalues(W.T @ M @ N, W.T @ C @ N, W.T @ K @ N)
    growth = float(np.real(eigenvalues).max())
    stable = growth < 0
    what = "the floating frame" if output == "floating" else f"frame {output!r}"
    verdict = (
        f"stable: with {what} held, deformations die out (slowest {growth:.4g} 1/s)"
        if stable
        else f"unstable: tracking {what} exactly makes deformations grow, at {growth:+.4g} 1/s"
    )
    return ZeroDynamics(eigenvalues, output, stable, verdict)


def _null(rows: np.ndarray) -> np.ndarray:
    """Orthonormal basis of what the rows do not see."""
    if not len(rows):
        return np.eye(rows.shape[1])
    _, s, vt = np.linalg.svd(rows)
    return vt[int((s > 1e-11 * s[0]).sum()) :].T


def _independent_rows(rows: np.ndarray, count: int, output: str) -> np.ndarray:
    """`count` independent combinations of the frame's motions; a robot with fewer freedoms cannot hold all six."""
    _, s, vt = np.linalg.svd(rows, full_matrices=False)
    rank = int((s > 1e-9 * s[0]).sum())
    if rank != count:
        raise UsageError(
            f"zero_dynamics: frame {output!r} moves in {rank} directions, the robot has {count} drives; name another output"
        )
    return vt[:rank]
