"""Zero dynamics of the inverse model: how a flexible robot moves inside while its output is held still.

Output y: the floating frame (the rigid part of v), or a frame tied to the material. Motions that do not move it are
δ = N y, J_F N = 0; drives choose τ, so only the combinations of equations without drives are left, Wᵀ S = 0:
Wᵀ M N ÿ + Wᵀ C N ẏ + Wᵀ K N y = 0. Not symmetric; eigenvalues to the right of the imaginary axis mean that tracking the
output exactly makes the elastic coordinates grow. det J_sys = det J_p · det(Wᵀ M N)/det M_ee for the floating frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from gough.analysis.modes import GROWING, quadratic_eigenvalues, reference_state, verdict_of
from gough.arguments import a_model, checked, design, numbers, word, words, wrenches
from gough.dynamics.flexible import elastic_numbers
from gough.dynamics.numbers import Numbers
from gough.errors import UsageError
from gough.kinematics.following import tree_rates
from gough.kinematics.retraction import step_units
from gough.model import Model
from gough.text import short_repr


@dataclass(frozen=True)
class ZeroDynamics:
    """eigenvalues (k,) 1/s, one of every complex pair; output: what is held; stable; verdict in plain words."""

    eigenvalues: np.ndarray
    output: str
    stable: bool
    verdict: str

    __repr__ = short_repr


AXES = ("x", "y", "z", "rx", "ry", "rz")
"""Directions in which a frame moves, world axes."""


@checked(model=a_model, q=numbers, output=word, axes=word | words, wrench=wrenches, parameters=design)
def zero_dynamics(
    model: Model,
    q: Any = None,
    output: str = "floating",
    *,
    axes: Sequence[str] | None = None,
    wrench: Any = None,
    parameters: Any = None,
) -> ZeroDynamics:
    """Zero dynamics about static equilibrium at q (nq,) (default: home).

    output: "floating" (the frame whose motion the inverse model takes) or the name of a frame. axes: those of its directions that
    are held (x y z rx ry rz, world axes), as many as there are drives; default: all in which it moves.
    """
    layout = model.layout
    if not layout.v_elastic:
        idle = "; what idle freedoms do with the drives held: natural_frequencies" if layout.v_idle else ""
        raise UsageError(
            f"zero_dynamics: {model.robot.name} has no flexible bodies: nothing bends while the output is held{idle}"
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
    moving = model.mechanism.moving
    M, C, K = (A[np.ix_(moving, moving)] for A in (M, C, K))
    W = _null((forces.drive_map(here)[0].T * unit)[:, moving])
    if output == "floating":
        if axes is not None:
            raise UsageError("zero_dynamics: axes= are those of a frame; name it, output=")
        N = np.eye(len(moving))[:, layout.mobility :]
    else:
        seen = (model.frame_jacobian(state.q, output) * unit)[:, moving]
        N = _null(_independent_rows(seen, layout.mobility, output, axes))
    eigenvalues = quadratic_eigenvalues(W.T @ M @ N, W.T @ C @ N, W.T @ K @ N)
    what = "the floating frame" if output == "floating" else f"frame {output!r}{_along(axes)}"
    return ZeroDynamics(eigenvalues, output, *_verdict(eigenvalues, what, layout.v_idle > 0))


def _verdict(eigenvalues: np.ndarray, what: str, idle: bool) -> tuple[bool, str]:
    """(stable, in plain words) with `what` held. Idle freedoms may swing without damping or have no stiffness at all: what is
    rounding then neither grows nor dies out."""
    growth, rounding = float(np.real(eigenvalues).max()), GROWING * float(np.abs(eigenvalues).max()) if idle else 0.0
    if growth > rounding or (growth >= 0 and not idle):
        moved = "deformations or idle freedoms" if idle else "deformations"
        return False, (
            f"unstable: tracking {what} exactly makes {moved} grow, at {growth:+.4g} 1/s; gough.stable_inversion finds the "
            "motion that stays bounded"
        )
    left = verdict_of(eigenvalues)
    if idle and left != "stable":
        return False, f"{left} with {what} held"
    if growth > -rounding:
        return True, f"stable: with {what} held, nothing grows; some of it swings without damping"
    return True, f"stable: with {what} held, deformations die out (slowest {growth:.4g} 1/s)"


def growth_without_stress(model: Model, q: np.ndarray, parameters: np.ndarray) -> float:
    """Fastest growth (1/s) of the floating frame's zero dynamics at q (nq,), from M, S and the material's stiffness and damping
    alone: without weight, springs and prestress, and without the derivatives that take most of `zero_dynamics`'s time. 0 where
    nothing grows by more than rounding."""
    layout = model.layout
    unit = step_units(model.mechanism, model.size)
    own = unit[list(model.mechanism.selection.independent)]
    moved = tree_rates(model, q[None], parameters[None])[0] * own
    material = Numbers(model.mechanism, parameters)
    K, D = np.zeros((layout.nv, layout.nv)), np.zeros((layout.nv, layout.nv))
    for link in model.mechanism.links:
        if link.elastic is not None:
            of, T = elastic_numbers(material, link.elastic), moved[link.elastic.columns]
            K += T.T @ of.K.astype(float) @ T
            D += T.T @ of.D.astype(float) @ T
    M = model.function("mass_matrix").values(q=q, parameters=parameters)["M"] * own[:, None] * own
    S = model.function("drive_map").values(q=q, parameters=parameters)["S"] * own[:, None]
    if not (np.isfinite(M).all() and np.isfinite(S).all() and np.isfinite(K).all()):
        return 0.0
    moving = model.mechanism.moving
    M, D, K = (A[np.ix_(moving, moving)] for A in (M, D, K))
    W, N = _null(S[moving].T), np.eye(len(moving))[:, layout.mobility :]
    found = quadratic_eigenvalues(W.T @ M @ N, W.T @ D @ N, W.T @ K @ N)
    growth = float(np.real(found).max(initial=0.0))
    return growth if growth > GROWING * np.abs(found).max(initial=0.0) else 0.0


def unstable_inverse(growth: float) -> str:
    """What that growth (1/s) means to a law that computes with the inverse model, and what to do."""
    return (
        f"the zero dynamics are unstable at the start: computed torque with bodies that bend makes their deformations grow at "
        f"{growth:+.4g} 1/s, whatever its gains; lead the drives instead, by JointPD or ComputedTorque with the motion "
        "gough.laws.drives_of(model, motion), or with the forces and the motion that gough.stable_inversion finds; see "
        "gough.zero_dynamics"
    )


def _null(rows: np.ndarray) -> np.ndarray:
    """Orthonormal basis of what the rows do not see."""
    if not len(rows):
        return np.eye(rows.shape[1])
    _, s, vt = np.linalg.svd(rows)
    return vt[int((s > 1e-11 * s[0]).sum()) :].T


def _along(axes: Sequence[str] | None) -> str:
    return "" if axes is None else f" along {', '.join((axes,) if isinstance(axes, str) else axes)}"


def _independent_rows(rows: np.ndarray, count: int, output: str, axes: Sequence[str] | None) -> np.ndarray:
    """`count` independent combinations of the frame's motions (6, k) along axes; a robot with fewer freedoms cannot hold all."""
    asked = AXES if axes is None else (axes,) if isinstance(axes, str) else tuple(axes)
    if not asked or len(set(asked)) < len(asked) or not set(asked) <= set(AXES):
        raise UsageError(f"zero_dynamics: axes={axes!r}; give some of {', '.join(AXES)}, each once")
    _, s, vt = np.linalg.svd(rows[[AXES.index(x) for x in asked]], full_matrices=False)
    rank = int((s > 1e-9 * max(s[0], 1e-300)).sum())
    if rank != count:
        remedy = f"give {count} of them that are held, axes=" if rank > count else "give others, or name another output"
        raise UsageError(
            f"zero_dynamics: frame {output!r}{_along(axes)} moves in {rank} directions, the robot has {count} drives; {remedy}"
        )
    return vt[:rank]
