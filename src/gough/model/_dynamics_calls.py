"""Model calls about dynamics."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gough.arguments import checked, design, flag, mapping, numbers, word, wrenches
from gough.compilation.arrays import Array, as_array, common_batch
from gough.compilation.function import Function
from gough.compilation.old_names import current_names
from gough.compilation.status import rename
from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.hybrid import prescribed_place
from gough.dynamics.reactions import joint_links
from gough.errors import BadStateError, Failure, UsageError, warn_deprecated
from gough.kinematics.retraction import step_units
from gough.kinematics.singularity import driven_condition
from gough.model._one_state import straight
from gough.model.calls import Calls, explain_states, finish
from gough.model.coriolis import coordinate_function, coordinate_rates, own_coordinate_terms
from gough.model.external import Wrench, external_load, on_platform
from gough.model.linear import LinearModel, linearize
from gough.model.results import (
    CoordinateTerms,
    Energies,
    ForwardDynamics,
    HybridDynamics,
    InverseDynamics,
    Reactions,
    good_energies,
    good_forward,
    good_inverse,
    itself,
)
from gough.model.tangent import tangent_derivative
from gough.spatial.euler import check_sequence, coordinates_of, euler_matrix
from gough.structure import Mechanism
from gough.structure.size import weight_energy


class DynamicsCalls(Calls):
    """Arrays broadcast on leading axes; SI units; `parameters` defaults to the design's."""

    @straight(good_inverse, "tau eddot idle_acceleration", "q v acceleration", loaded=True)
    @checked(q=numbers, v=numbers, acceleration=numbers, wrench=wrenches, parameters=design, on_bad_state=word)
    def inverse_dynamics(
        self,
        q: Any,
        v: Any,
        acceleration: Any,
        wrench: Wrench = None,
        *,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> InverseDynamics:
        """Drive forces for a motion. wrench: what the surroundings do to the platform (..., 6) at its origin in world
        axes, or {frame: (..., 6)} at named frames. More drives than freedoms share as the description says.
        acceleration (..., mobility): of v without its idle and elastic rates, whose accelerations are part of the result."""
        self._check_driven("inverse_dynamics")
        inputs = {"q": q, "v": v, "acceleration": acceleration} | self._load(q, wrench, parameters)
        e = self._run("inverse_dynamics", inputs, parameters)
        tau = e.outputs["tau"]
        bends, idles = (e.outputs.get(name, tau[..., :0]) for name in ("eddot", "idle_acceleration"))
        result = InverseDynamics(tau, bends, e.codes, idles)
        return finish("inverse_dynamics", e, result, on_bad_state, explain_states(self._model, q, e.batch, parameters))

    @straight(good_forward, "vdot", "q v tau", loaded=True)
    @checked(q=numbers, v=numbers, tau=numbers, wrench=wrenches, parameters=design, on_bad_state=word)
    def forward_dynamics(
        self,
        q: Any,
        v: Any,
        tau: Any,
        wrench: Wrench = None,
        *,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> ForwardDynamics:
        """Accelerations of v for drive forces tau (..., drives); wrench as for `inverse_dynamics`."""
        inputs = {"q": q, "v": v, "tau": tau} | self._load(q, wrench, parameters)
        e = self._run("forward_dynamics", inputs, parameters)
        result = ForwardDynamics(e.outputs["vdot"], e.codes)
        return finish("forward_dynamics", e, result, on_bad_state, explain_states(self._model, q, e.batch, parameters))

    @checked(q=numbers, v=numbers, prescribed=mapping(numbers), wrench=wrenches, parameters=design, on_bad_state=word)
    def hybrid_dynamics(
        self,
        q: Any,
        v: Any,
        prescribed: Mapping[str, Any],
        wrench: Wrench = None,
        *,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> HybridDynamics:
        """Drive forces and all accelerations where those of some freedoms are prescribed and the rest follows.

        prescribed: {name: acceleration (...)} of as many velocities, entries of layout.u_names, as there are drives (where
        drives share what they do: at most). Whether drives can give them is told by the result's condition. wrench as for
        `inverse_dynamics`, which is this with v[:mobility] prescribed.
        """
        model, names = self._model, tuple(prescribed)
        function, given = model.function(FunctionKey("hybrid_dynamics", names)), list(prescribed.values())
        batch = common_batch("hybrid_dynamics", *(np.asarray(x)[..., None] for x in given))
        asked = np.stack([np.broadcast_to(np.asarray(x, dtype=float), batch) for x in given], axis=-1)
        inputs = {"q": q, "v": v, "prescribed": asked} | self._load(q, wrench, parameters)
        e = function(**inputs, parameters=self._parameters(parameters))
        condition = driven_condition(model, names, e.outputs["driven"])
        result = HybridDynamics(e.outputs["tau"], e.outputs["vdot"], condition, e.codes)
        explain = explain_states(model, q, e.batch, parameters)

        def told(state: int, failure: Failure) -> Callable[[], str]:
            if failure.place != prescribed_place(names):
                return explain(state, failure)
            return lambda: "the drives cannot give these accelerations there: they do not reach them; prescribe others"

        return finish("hybrid_dynamics", e, result, on_bad_state, told)

    @straight(itself, "M", "q")
    @checked(q=numbers, parameters=design, on_bad_state=word)
    def mass_matrix(self, q: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """M (..., nv, nv)."""
        return self._array_of("mass_matrix", "M", {"q": q}, parameters, on_bad_state)

    @straight(itself, "h", "q v")
    @checked(q=numbers, v=numbers, parameters=design, on_bad_state=word)
    def bias_force(self, q: Any, v: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """h (..., nv): velocity terms, gravity, friction, springs, dampers; left of S τ."""
        return self._array_of("bias_force", "h", {"q": q, "v": v}, parameters, on_bad_state)

    @straight(itself, "g", "q")
    @checked(q=numbers, parameters=design, on_bad_state=word)
    def gravity_force(self, q: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """The part of h at rest that gravity causes (..., nv)."""
        return self._array_of("gravity_force", "g", {"q": q}, parameters, on_bad_state)

    @straight(itself, "S", "q")
    @checked(q=numbers, parameters=design, on_bad_state=word)
    def drive_map(self, q: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Array:
        """S (..., nv, drives): generalised force on v per drive force; drive rates are Sᵀ v."""
        return self._array_of("drive_map", "S", {"q": q}, parameters, on_bad_state)

    @straight(good_energies, "kinetic potential losses", "q v")
    @checked(q=numbers, v=numbers, parameters=design, on_bad_state=word)
    def energies(self, q: Any, v: Any, *, parameters: Any = None, on_bad_state: str = "raise") -> Energies:
        """Kinetic and potential energy, and the power losses take."""
        e = self._run("energies", {"q": q, "v": v}, parameters)
        status = e.codes
        result = Energies(e.outputs["kinetic"], e.outputs["potential"], e.outputs["losses"], status)
        return finish("energies", e, result, on_bad_state, explain_states(self._model, q, e.batch, parameters))

    @checked(
        q=numbers,
        v=numbers,
        acceleration=numbers,
        wrench=wrenches,
        tau=numbers,
        vdot=numbers,
        parameters=design,
        on_bad_state=word,
    )
    def joint_reactions(
        self,
        q: Any,
        v: Any,
        acceleration: Any = None,
        wrench: Any = None,
        *,
        tau: Any = None,
        vdot: Any = None,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> Reactions:
        """Wrenches in every joint for a motion; tau defaults to the inverse dynamics of that motion and wrench.

        acceleration (..., mobility): as for `inverse_dynamics`. Where tau is given, vdot (..., nv), the accelerations of all
        of v that go with it (see `forward_dynamics`), takes its place; without idle and elastic rates they are the same. A
        mechanism with too few drives needs tau.
        """
        model = self._model
        elsewhere = [f for f in wrench if not on_platform(model, f)] if isinstance(wrench, Mapping) else []
        solved = None
        if tau is None and not model.mechanism.drives:
            tau = np.zeros(0)
        if tau is None:
            self._check_driven("joint_reactions without tau")
            rigid = self._rigid_motion(acceleration, vdot)
            motion = {"q": q, "v": v, "acceleration": rigid} | self._load(q, wrench, parameters)
            solved = self._run("inverse_dynamics", motion, parameters)
            tau = solved.outputs["tau"]
            vdot = _joined(rigid, *(solved.outputs[n] for n in ("idle_acceleration", "eddot") if n in solved.outputs))
        else:
            vdot = self._whole_motion(acceleration, vdot)
            self._check_tau(q, v, vdot, tau, wrench, parameters, given=bool(model.mechanism.drives))
        inputs = {"q": q, "v": v, "vdot": vdot, "tau": tau}
        name = "joint_reactions"
        here = wrench
        if elsewhere:
            assert isinstance(wrench, Mapping)
            here = {f: w for f, w in wrench.items() if f not in elsewhere}
            name += ":" + ",".join(elsewhere)
            loads = np.broadcast_arrays(*(as_array(f"wrench[{f!r}]", wrench[f], 6) for f in elsewhere))
            inputs["loads"] = np.concatenate(loads, axis=-1)
        e = self._run(name, inputs | self._load(q, here, parameters), parameters)
        e = e if solved is None else e.blame(solved)
        result = Reactions(
            e.outputs["joints"],
            e.outputs["cuts"],
            tuple(model.mechanism.links[i].joint for i in joint_links(model.mechanism)),
            tuple(c.name for c in model.mechanism.cuts),
            e.codes,
            *_of_couplings(model.mechanism, e.outputs),
        )
        return finish("joint_reactions", e, result, on_bad_state, explain_states(self._model, q, e.batch, parameters))

    @checked(q=numbers, v=numbers, coordinates=word, parameters=design, on_bad_state=word)
    def coriolis_matrix(
        self,
        q: Any,
        v: Any,
        coordinates: str = "rpy_zyx",
        *,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> Array:
        """C (..., nv, nv) in the coordinates' rates by Christoffel symbols: Ṁ - 2C is skew.

        coordinates: "rpy_zyx" (x y z yaw pitch roll) or "bryant_xyz" of a platform with six freedoms; other mechanisms
        whose v are rates of coordinates (joints, x y z) take these. `coordinate_terms` also gives x, ẋ and M.
        """
        try:
            return self.coordinate_terms(q, v, coordinates, parameters=parameters, on_bad_state=on_bad_state).C
        except BadStateError as error:
            raise rename(error, "coriolis_matrix", error.result.C) from None

    @checked(q=numbers, v=numbers, coordinates=word, parameters=design, on_bad_state=word)
    def coordinate_terms(
        self,
        q: Any,
        v: Any,
        coordinates: str = "rpy_zyx",
        *,
        parameters: Any = None,
        on_bad_state: str = "raise",
    ) -> CoordinateTerms:
        """x, ẋ, M, C and T (v = T ẋ) in named coordinates."""
        model = self._model
        check_sequence(coordinates)
        if not model.mechanism.leads_from_platform:
            return own_coordinate_terms(model, q, v, self._parameters(parameters), on_bad_state)
        q, v = as_array("q", q, model.layout.nq), as_array("v", v, model.layout.nv)
        x = coordinates_of(q, coordinates)
        batch = common_batch("coordinate_terms", x, v)
        full, v = np.broadcast_to(x, (*batch, 6)), np.broadcast_to(v, (*batch, 6))
        xdot = coordinate_rates(full, v, coordinates)
        numbers = self._parameters(parameters)
        e = coordinate_function(model, coordinates)(x=full, joints=q[..., 7:], xdot=xdot, parameters=numbers)
        T = np.zeros((*batch, 6, 6))
        T[..., :3, :3] = np.eye(3)
        T[..., 3:, 3:] = euler_matrix(coordinates, full[..., 3:])
        result = CoordinateTerms(full, xdot, e.outputs["M"], e.outputs["C"], T)
        return finish("coordinate_terms", e, result, on_bad_state, explain_states(self._model, q, e.batch, parameters))

    @checked(q=numbers, v=numbers, tau=numbers, wrench=wrenches, parameters=design, friction=word)
    def linearize(
        self,
        q: Any,
        v: Any,
        tau: Any,
        wrench: Wrench = None,
        *,
        parameters: Any = None,
        friction: str = "smoothed",
    ) -> LinearModel:
        """A, B, C, D about a motion; see `LinearModel`.

        friction: "smoothed", with the slope of Coulomb friction as the description smooths it (around rest it is that of a
        very strong damper, and a FrictionWarning says so), or "viscous": Coulomb forces stay as they are at v.
        """
        model = self._model
        numbers = self._parameters(parameters)
        return linearize(model, q, v, tau, wrench, numbers, friction)

    @checked(name=word, wrt=word, mode=word, variables=flag)
    def tangent_derivative(self, name: str, *wrt: str, mode: str = "jacobian", variables: bool = False) -> Function:
        """Derivative of a function by motions of the closed robot ("q": nv directions) and by other inputs.

        mode: "jacobian", "jvp" or "vjp". variables: as for `function`.
        """
        names = current_names(self._model.function(name, variables=variables).program, tuple(wrt or ("q",)))
        return tangent_derivative(self._model, name, names, mode, variables)

    def _rigid_motion(self, acceleration: Any, vdot: Any) -> Array:
        """acceleration (..., mobility) of reactions whose drive forces follow from the motion."""
        layout = self._model.layout
        if layout.nv == layout.mobility:
            return self._whole_motion(acceleration, vdot)
        if acceleration is None or vdot is not None:
            raise UsageError(
                f"joint_reactions without tau takes acceleration (..., {layout.mobility}) and no vdot: the accelerations of "
                "idle and elastic coordinates follow from the motion"
            )
        if np.shape(acceleration)[-1:] == (layout.nv,) and not layout.v_idle:
            warn_deprecated(
                f"joint_reactions without tau takes acceleration (..., {layout.mobility}) now; of all {layout.nv} entries of v "
                "the elastic part is dropped, as it always was: it follows from the motion",
                leaves="0.3",
            )
            acceleration = np.asarray(acceleration, dtype=float)[..., : layout.mobility]
        return as_array("acceleration", acceleration, layout.mobility)

    def _whole_motion(self, acceleration: Any, vdot: Any) -> Array:
        """vdot (..., nv) of reactions with given drive forces."""
        layout = self._model.layout
        if (acceleration is None) == (vdot is None):
            raise UsageError("joint_reactions: give acceleration or vdot, one of them")
        if vdot is not None:
            return as_array("vdot", vdot, layout.nv)
        if layout.nv > layout.mobility and np.shape(acceleration)[-1:] != (layout.nv,):
            raise UsageError(
                f"joint_reactions with tau needs accelerations of all of v, idle and elastic ones too: vdot= (..., {layout.nv}), "
                f"as forward_dynamics gives it; acceleration has shape {np.shape(acceleration)}"
            )
        if layout.nv > layout.mobility:
            warn_deprecated(
                "joint_reactions: accelerations of all of v are called vdot= now, not acceleration", leaves="0.3"
            )
        return as_array("acceleration", acceleration, layout.nv)

    def _check_tau(self, q: Any, v: Any, vdot: Any, tau: Any, wrench: Wrench, parameters: Any, given: bool) -> None:
        """Refuse drive forces that do not belong to the motion: reactions would not balance the platform. given: by the user."""
        model = self._model
        load = self._load(q, wrench, parameters)
        motion = {"q": q, "v": v, "vdot": vdot} | load
        off = self._run("dynamics_residual", motion | {"tau": tau}, parameters).outputs["residual"]
        slack = self._run("dynamics_residual", motion | {"tau": np.zeros_like(tau)}, parameters).outputs["residual"]
        scale = np.abs(slack).max(axis=-1) + np.abs(np.asarray(tau, dtype=float)).max(axis=-1, initial=0.0)
        numbers = np.array(self._parameters(parameters))
        numbers[..., list(model.mechanism.gravity)] = 0.0
        idle = {"tau": np.zeros_like(tau), "vdot": np.zeros_like(vdot)}
        still = motion | idle | {slot: np.zeros_like(x) for slot, x in load.items()}
        weightless = (still, numbers)
        for one, given_numbers in (
            (motion | idle, parameters),
            (still, parameters),
            weightless,
        ):  # what balances at rest, alone
            found = self._run("dynamics_residual", one, given_numbers).outputs["residual"]
            scale = scale + np.abs(found).max(axis=-1)
        unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
        # forces of a mechanism at rest may all cancel: what is left of them is rounding of its weight
        rounding = 1e-12 * weight_energy(model.mechanism, model.size, self._parameters(parameters))
        missed = np.where(np.abs(off) * unit > rounding[..., None], np.abs(off), 0.0)
        if not (missed.max(axis=-1, initial=0.0) > 1e-8 * scale).any():
            return
        if given:
            raise UsageError("joint_reactions: tau does not give this motion; leave it out to have it computed")
        loaded = "" if wrench is None else ", wrench"
        raise UsageError(
            f"joint_reactions: {model.robot.name} has no drives, and left to itself it does not accelerate so (equations are off "
            f"by {missed.max():.3g}); take vdot=model.forward_dynamics(q, v, []{loaded}).vdot"
        )

    def _load(self, q: Any, wrench: Wrench, parameters: Any) -> dict[str, Array]:
        """The inputs of the programs, by slot, that do the same work as all given wrenches."""
        return external_load(self._model, q, wrench, self._parameters(parameters))

    def _check_driven(self, name: str) -> None:
        model = self._model
        if len(model.mechanism.drives) < model.mobility:
            raise UsageError(
                f"{name}: {model.robot.name} has {len(model.mechanism.drives)} drives for {model.mobility} freedoms; no "
                f"drive forces give an arbitrary motion. Use forward_dynamics, or add drives."
            )

    idm = inverse_dynamics
    ddm = forward_dynamics


def _joined(*given: np.ndarray) -> np.ndarray:
    """Accelerations of all of v (..., nv) from those of its parts."""
    batch = np.broadcast_shapes(*(x.shape[:-1] for x in given))
    return np.concatenate([np.broadcast_to(x, (*batch, x.shape[-1])) for x in given], axis=-1)


def _of_couplings(mechanism: Mechanism, outputs: dict[str, Any]) -> tuple[Any, Any, tuple[str, ...]]:
    """(forces, tooth forces, names) of the couplings, from the outputs of "joint_reactions"."""
    forces = outputs.get("couplings", outputs["joints"][..., :0, 0])
    teeth, stated = forces * np.nan, [k for k, c in enumerate(mechanism.couplings) if c.radius is not None]
    if stated:
        teeth[..., stated] = outputs["teeth"]
    return forces, teeth, tuple(coupling.name for coupling in mechanism.couplings)
