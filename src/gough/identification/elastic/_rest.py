"""The linear robot at rest, M ÿ + C ẏ + K y = 0, and how it changes with unknowns: exact total derivatives.

δ = N y are the motions along v that drives leave (analysis.modes). r(q, v, v̇, τ; p) = M v̇ + h - S τ: columns of K, C, M and -S
are its derivatives along unit motions, and a second derivative along (q', τ', p') gives theirs. The state follows the unknowns:
r = 0 at rest, so K_f q'_f - S τ' = -∂r/∂p p' with the coordinates f that are not held. With Sᵀ N = 0 for all unknowns,
N' = -(S⁺)ᵀ S'ᵀ N (the part within N would only turn y).
"""

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.analysis.modes import free_motions, reference_state
from gough.compilation.function import Function
from gough.dynamics.catalogue import LOADS, FunctionKey
from gough.errors import UsageError
from gough.identification.elastic._unknowns import DesignMap
from gough.kinematics.retraction import step_units
from gough.model.linear import without_coulomb
from gough.model.tangent import tangent_derivation
from gough.program import Program
from gough.program.derivatives import derive

if TYPE_CHECKING:
    from gough.model import Model

FIRST = ("q", "v", "vdot", "tau")
NEUTRAL = 1e-11
"""Stiffness beside the largest along which the state does not follow: nothing leads back."""
OPENS = 1e-9
"""Closure error per typical size of an unknown, of the robot's size, that moves geometry."""


@dataclass(frozen=True)
class RestMatrices:
    """M, C, K (n, n) along y; N (nv, n): v = N ẏ; S (nv, drives); slopes of each by the unknowns, with k first. q, tau: the
    state; state_slopes (k, nv): how it moves along v; parameters (m,) and their slopes (k, m)."""

    M: np.ndarray
    C: np.ndarray
    K: np.ndarray
    N: np.ndarray
    S: np.ndarray
    q: np.ndarray
    tau: np.ndarray
    parameters: np.ndarray
    M_slopes: np.ndarray
    C_slopes: np.ndarray
    K_slopes: np.ndarray
    N_slopes: np.ndarray
    S_slopes: np.ndarray
    state_slopes: np.ndarray
    parameter_slopes: np.ndarray


@dataclass(frozen=True)
class RestingRobot:
    """A robot at rest at q (nq,) whose design follows unknowns. drives: "locked", "free" or "servo"; about: as for
    `natural_frequencies`."""

    map: DesignMap
    q: np.ndarray
    drives: str
    about: str
    last: dict[bytes, RestMatrices] = field(default_factory=dict, compare=False, repr=False)

    @property
    def model(self) -> "Model":
        """The model whose programs are used: nothing that geometry locks is left out."""
        return self.map.model

    def matrices(self, x: np.ndarray, slopes: bool = True) -> RestMatrices:
        """At unknowns x (k,); without slopes these may have k = 0. The last ones are remembered."""
        key = x.tobytes()
        known = self.last.get(key)
        if known is None or (slopes and not len(known.state_slopes)):
            self.last.clear()
            self.last[key] = self._matrices(x, slopes)
        return self.last[key]

    def _matrices(self, x: np.ndarray, slopes: bool) -> RestMatrices:
        model = self.model
        parameters, servos = self.map.design(x)
        state, forces = reference_state(model, self.q, self.about, None, parameters)
        here, tau = state.q[None], state.tau[None]
        M, C, K, S = (
            A[0]
            for A in (forces.mass(here), forces.damping(here, tau), forces.stiffness(here, tau), forces.drive_map(here))
        )
        nv, count = S.shape
        by_design, by_servos = self.map.slopes(x)
        if not slopes:
            by_design, by_servos = by_design[:0], {what: own[:0] for what, own in by_servos.items()}
        numbers = forces.parameters
        by_design = np.where(np.isin(np.arange(len(numbers)), self._still), 0.0, by_design)
        moved, pushed = self._state_slopes(forces, here, tau, K, S, by_design)
        dM, dK, dS = self._slopes(here, tau, numbers, ("vdot", "q", "tau"), moved, pushed, by_design)
        plain = without_coulomb(model, numbers)
        (dC,) = self._slopes(here, tau, plain, ("v",), moved, pushed, without_coulomb(model, by_design))
        if self.drives == "servo":
            kp, kd = (servos.get(what, np.zeros(count)) for what in ("stiffness", "damping"))
            dkp, dkd = (by_servos.get(what, np.zeros((len(dK), count))) for what in ("stiffness", "damping"))
            dK, dC = dK + _servo_slopes(S, dS, kp, dkp), dC + _servo_slopes(S, dS, kd, dkd)
            K, C = K + (S * kp) @ S.T, C + (S * kd) @ S.T
        unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
        moving = model.mechanism.moving
        scaled = np.eye(nv)[:, moving] * unit[moving]
        drives = "free" if self.drives == "servo" else self.drives
        small = scaled.T @ S
        inner, _, _ = free_motions(small, K, C, drives)
        N, dN = scaled @ inner, np.zeros((len(dS), nv, inner.shape[1]))
        if drives == "locked" and count:
            dN = scaled @ (-np.linalg.pinv(small, rcond=1e-10).T @ (np.swapaxes(dS, 1, 2) @ N))
        dM, dC, dK = (_even(_projected(A, dA, N, dN)) for A, dA in ((M, dM), (C, dC), (K, dK)))
        M, C, K = (_even(N.T @ A @ N) for A in (M, C, K))
        own = M, C, K, N, S, state.q, state.tau, parameters
        return RestMatrices(*own, dM, dC, dK, dN, dS, moved, by_design)

    def frame_rows(self, at: RestMatrices, frame: str) -> tuple[np.ndarray, np.ndarray]:
        """(J (6, nv) of a named frame, its slopes (k, 6, nv))."""
        nv, k = self.model.layout.nv, len(at.state_slopes)
        key = FunctionKey("frame_twist", (frame,))
        J = self.model.function(key).values(q=at.q, v=np.eye(nv), parameters=at.parameters)["twist"].T
        if not k:
            return J, np.zeros((0, 6, nv))

        def made() -> Function:
            program = tangent_derivation(self.model, self.model.function(key).program, ("q", "parameters")).jvp()
            return self._function(program)

        f = self.model.cached(("frame slopes", frame), made)
        found = f.values(
            q=at.q,
            v=np.eye(nv),
            parameters=at.parameters,
            d_q=at.state_slopes[:, None],
            d_parameters=at.parameter_slopes[:, None],
        )
        return J, np.swapaxes(found["d_twist"], 1, 2)

    @property
    def _still(self) -> list[int]:
        """Parameters that stay whatever the unknowns are: gravity, where there is none."""
        return list(self.model.mechanism.gravity) if self.about == "undeformed" else []

    def _state_slopes(
        self, forces: RestForces, q: np.ndarray, tau: np.ndarray, K: np.ndarray, S: np.ndarray, by_design: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """How rest moves along v (k, nv), and drive forces with it (k, drives)."""
        model, (nv, count), k = self.model, S.shape, len(by_design)
        if not k or self.about == "undeformed":
            return np.zeros((k, nv)), np.zeros((k, count))
        rest = np.zeros(nv)
        inputs = {"q": q, "v": rest, "vdot": rest, "tau": tau, "parameters": forces.parameters, **self._no_loads}
        force = self._by_parameters.values(**inputs, d_parameters=by_design)["d_residual"]
        unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
        held = len(model.mechanism.drives) >= model.mobility
        free = np.arange(model.mobility if held else 0, nv)
        stiff = K[:, free] * unit[:, None] * unit[free]
        pull = S * unit[:, None]
        size = max(np.abs(stiff).max(initial=0.0), 1e-300) / max(np.abs(pull).max(initial=0.0), 1e-300)
        A = np.concatenate([stiff, -size * pull], axis=1) if held else stiff
        found = np.linalg.lstsq(A, -(force * unit).T, rcond=NEUTRAL)[0].T
        moved = np.zeros((k, nv))
        moved[:, free] = found[:, : len(free)] * unit[free]
        return moved, size * found[:, len(free) :] if held else np.zeros((k, count))

    def _slopes(
        self,
        q: np.ndarray,
        tau: np.ndarray,
        numbers: np.ndarray,
        kinds: tuple[str, ...],
        moved: np.ndarray,
        pushed: np.ndarray,
        by_design: np.ndarray,
    ) -> list[np.ndarray]:
        """Slopes (k, nv, columns) of the derivatives of r by kinds of motion: M for "vdot", K "q", C "v", S "tau"."""
        nv = moved.shape[1]
        sizes: dict[str, int] = {"q": nv, "v": nv, "vdot": nv, "tau": tau.shape[1]}
        widths = [sizes[kind] for kind in kinds]
        if not len(moved):
            return [np.zeros((0, moved.shape[1], width)) for width in widths]
        along = {f"along_{slot}": np.zeros((sum(widths), size)) for slot, size in sizes.items()}
        ends = np.cumsum([0, *widths])
        for kind, begin, end in zip(kinds, ends, ends[1:], strict=False):
            along[f"along_{kind}"][begin:end] = np.eye(end - begin)
        rest = np.zeros(moved.shape[1])
        found = self._second.values(
            q=q[0],
            v=rest,
            vdot=rest,
            tau=tau[0],
            parameters=numbers,
            **self._no_loads,
            **along,
            d_q=moved[:, None],
            d_tau=pushed[:, None],
            d_parameters=by_design[:, None],
        )["d_d_residual"]
        columns = np.swapaxes(found, 1, 2)
        return [
            (-1.0 if kind == "tau" else 1.0) * columns[:, :, begin:end]
            for kind, begin, end in zip(kinds, ends, ends[1:], strict=False)
        ]

    @cached_property
    def _no_loads(self) -> dict[str, np.ndarray]:
        return {s.name: np.zeros(s.size) for s in self._residual.inputs if s.name in LOADS}

    @property
    def _residual(self) -> Program:
        return self.model.function("dynamics_residual").program

    @property
    def _second(self) -> Function:
        """r's derivative along a motion, and its change along (q', τ', p')."""

        def made() -> Function:
            first = tangent_derivation(self.model, self._residual, FIRST).jvp()
            named = (replace(s, name="along_" + s.name[2:]) if s.name[:2] == "d_" else s for s in first.inputs)
            first = replace(first, inputs=tuple(named))
            return self._function(tangent_derivation(self.model, first, ("q", "tau", "parameters")).jvp())

        return self.model.cached("slopes of the linear robot", made)

    @property
    def _by_parameters(self) -> Function:
        return self.model.cached(
            "slopes of the residual", lambda: self._function(derive(self._residual, ("parameters",), "jvp"))
        )

    def _function(self, program: Program) -> Function:
        model = self.model
        return Function(program, model.mechanism.table, model.pattern, precision=model.precision)

    def demand_closed(self, x: np.ndarray) -> None:
        """UsageError where an unknown moves geometry: loops would open."""
        model = self.model
        if not model.mechanism.rows:
            return
        program = model.function("closure_residual").program
        f = model.cached("closure slopes", lambda: self._function(derive(program, ("parameters",), "jvp")))
        by_design = self.map.slopes(x)[0]
        found = f.values(q=self.q, parameters=self.map.design(x)[0], d_parameters=by_design)["d_residual"]
        for unknown, gap in zip(self.map.unknowns, found, strict=True):
            if np.abs(gap).max(initial=0.0) * unknown.size > OPENS * model.size:
                raise UsageError(
                    f"unknowns: {unknown.name} places joints of a loop, and vibrations are fitted at a given q: geometry is "
                    "found by calibration, from poses"
                )


def resting_robot(design: DesignMap, q: Any, drives: str, about: str) -> RestingRobot:
    """At q (nq,), home where it is None."""
    model = design.model.unlocked
    start = model.home if q is None else np.asarray(q, dtype=float)
    return RestingRobot(replace(design, model=model), start, drives, about)


def _even(A: np.ndarray) -> np.ndarray:
    return 0.5 * (A + np.swapaxes(A, -1, -2))


def _projected(A: np.ndarray, dA: np.ndarray, N: np.ndarray, dN: np.ndarray) -> np.ndarray:
    """Slopes (k, n, n) of Nᵀ A N."""
    half = np.swapaxes(dN, 1, 2) @ (A @ N)
    other = (N.T @ A) @ dN
    return N.T @ dA @ N + half + other


def _servo_slopes(S: np.ndarray, dS: np.ndarray, gains: np.ndarray, by_unknowns: np.ndarray) -> np.ndarray:
    """Slopes (k, nv, nv) of S diag(gains) Sᵀ."""
    turned = np.swapaxes(dS, 1, 2)
    return (dS * gains) @ S.T + (S * gains) @ turned + (S * by_unknowns[:, None]) @ S.T
