"""Linear models of a robot at rest, or in a steady motion: what controllers are designed with.

ẋ = A x + B u, y = C x + D u with x = (δ, δv), u drive forces or wrenches on frames, y drives, their rates, states, or motions
of frames: `Model.linearize` about the equilibrium that `natural_frequencies` takes, so that the eigenvalues of A are those of
the modes with drives free. With J the Jacobian of a frame, its displacement (3 lengths, 3 angles, world axes) is J δ, a
wrench on it does the work of Jᵀ f along v: B = M⁻¹ Jᵀ.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.analysis.modes import one_design, reference_state
from gough.arguments import a_model, checked, design, numbers, word, words, wrenches
from gough.errors import UsageError
from gough.kinematics.retraction import step_units
from gough.model import LinearModel, Model
from gough.model.external import external_load

AXES = ("x", "y", "z", "rx", "ry", "rz")
STEADY = 1e-6
"""Acceleration (sizes/s², or of the velocity squared) that a steady motion may have, and a change of it (the third power)."""
ROUNDING = 1e-9
"""Of what cancels in that change."""


@checked(
    model=a_model,
    q=numbers,
    v=numbers,
    outputs=word | words,
    inputs=word | words,
    about=word,
    wrench=wrenches,
    parameters=design,
    friction=word,
)
def linear_model(
    model: Model,
    q: Any = None,
    v: Any = None,
    *,
    outputs: Sequence[str] = ("drives", "rates"),
    inputs: Sequence[str] = ("drives",),
    about: str = "equilibrium",
    wrench: Any = None,
    parameters: Any = None,
    friction: str = "viscous",
) -> LinearModel:
    """Linear model about rest at q (nq,) (default: home), or about a steady motion v (nv,) there, which drive forces keep up.

    outputs: "drives" (positions), "rates" (of the drives), "states" (all of x), or names of frames, whose displacement it is
    (x y z in m, rx ry rz in rad, world axes). inputs: "drives" (forces), or names of frames, for wrenches on them (world axes).
    about: "equilibrium" (elastic coordinates and drive forces that balance gravity and the wrench) or "undeformed" (nothing bent,
    no gravity, no load). friction: "viscous", or "smoothed": with the slope that smoothed Coulomb friction has at v.
    """
    if v is None:
        state, forces = reference_state(model, q, about, wrench, parameters)
        found = model.linearize(
            state.q,
            np.zeros(model.layout.nv),
            state.tau,
            forces.wrench,
            parameters=forces.parameters,
            friction=friction,
        )
    else:
        if about != "equilibrium":
            raise UsageError(
                f"about={about!r}: a steady motion is about the forces that keep it up; leave about= or v= out"
            )
        forces = RestForces(model, one_design(model, parameters), wrench)
        found = _steady(model, forces, q, v, friction)
    made = _with_inputs(model, forces, found, inputs)
    return _with_outputs(model, forces, made, outputs)


def _steady(model: Model, forces: RestForces, q: Any, v: Any, friction: str) -> LinearModel:
    """About a motion whose v stays as it is."""
    layout, given = model.layout, forces.wrench
    if not model.driven:
        raise UsageError(
            f"v=: {model.robot.name} has fewer drives than freedoms, no forces keep up a motion; model.linearize(q, v, tau) is "
            "about any"
        )
    here, rates = model.home if q is None else np.asarray(q, dtype=float), np.asarray(v, dtype=float)
    for name, x, size in (("q", here, layout.nq), ("v", rates, layout.nv)):
        if x.shape != (size,):
            raise UsageError(f"{name} has shape {x.shape}; give one state ({size},): a linear model is about one")
    still = np.zeros(layout.mobility)
    tau = model.inverse_dynamics(here, rates, still, given, parameters=forces.parameters).tau
    vdot = model.forward_dynamics(here, rates, tau, given, parameters=forces.parameters).vdot
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    away = np.abs(vdot) / unit
    k = int(away.argmax())
    if not away[k] <= STEADY * max(1.0, float(((rates / unit) ** 2).max())):
        raise UsageError(
            f"v=: no steady motion of {model.robot.name}, {layout.v_names[k]} is accelerated by {vdot[k]:.3g} while the drives "
            "keep their rates; bend it as the motion does (q=), or take model.linearize(q, v, tau), which is about any motion"
        )
    found = model.linearize(here, rates, tau, given, parameters=forces.parameters, friction=friction)
    slope = found.A[layout.nv :, : layout.nv]  # of accelerations along the motion itself, forces as they are
    change, size = np.abs(slope @ rates) / unit, (np.abs(slope) @ np.abs(rates)) / unit
    k = int(change.argmax())
    if not change[k] <= STEADY * max(1.0, float((np.abs(rates) / unit).max() ** 3)) + ROUNDING * size[k]:
        raise UsageError(
            f"v=: no steady motion of {model.robot.name}: the forces that keep it up change on its way, elsewhere "
            f"{layout.v_names[k]} would be accelerated; take model.linearize(q, v, tau), which is about any motion"
        )
    return found


def _with_inputs(model: Model, forces: RestForces, found: LinearModel, inputs: Sequence[str]) -> LinearModel:
    """With the inputs asked for instead of drive forces."""
    columns, names, units = [], [], []
    nv = model.layout.nv
    for name in _demand("inputs", inputs, model, ("drives",)):
        if name == "drives":
            columns.append(found.B)
            names += found.inputs
            units += found.input_units
            continue
        external_load(
            model, found.q, {name: np.zeros(6)}, forces.parameters
        )  # refuses what is no point of the material
        J, M = forces.frame_jacobian(found.q[None], name)[0], forces.mass(found.q[None])[0]
        idle = list(model.mechanism.selection.without_inertia)
        M[idle, idle] = 1.0
        pushed = np.linalg.solve(M, J.T)
        pushed[idle] = 0.0
        columns.append(np.concatenate([np.zeros((nv, 6)), pushed]))
        names += [f"{name}.{axis}" for axis in ("fx", "fy", "fz", "mx", "my", "mz")]
        units += ["N"] * 3 + ["N m"] * 3
    D = np.zeros((found.C.shape[0], len(names)))
    return replace(found, B=np.concatenate(columns, axis=1), D=D, inputs=tuple(names), input_units=tuple(units))


def _with_outputs(model: Model, forces: RestForces, found: LinearModel, outputs: Sequence[str]) -> LinearModel:
    """With the outputs asked for."""
    rows, names, units = [], [], []
    drives = len(model.mechanism.drives)
    parts = {"drives": slice(drives), "rates": slice(drives, None)}
    for name in _demand("outputs", outputs, model, ("drives", "rates", "states")):
        if name in parts:
            rows.append(found.C[parts[name]])
            names += found.outputs[parts[name]]
            units += found.output_units[parts[name]]
        elif name == "states":
            rows.append(np.eye(len(found.A)))
            names += found.states
            units += found.state_units
        else:
            J = forces.frame_jacobian(found.q[None], name)[0]
            rows.append(np.concatenate([J, np.zeros_like(J)], axis=1))
            names += [f"{name}.{axis}" for axis in AXES]
            units += ["m"] * 3 + ["rad"] * 3
    C = np.concatenate(rows)
    D = np.zeros((len(C), found.B.shape[1]))
    return replace(found, C=C, D=D, outputs=tuple(names), output_units=tuple(units))


def _demand(key: str, given: Sequence[str], model: Model, words: tuple[str, ...]) -> tuple[str, ...]:
    """What is asked for, or a UsageError that says what there is."""
    asked = (given,) if isinstance(given, str) else tuple(given)
    known = (*words, *model.mechanism.frames)
    bad = [x for x in asked if x not in known]
    if bad or not asked or len(set(asked)) < len(asked):
        raise UsageError(f"{key}={given!r}: give some of {', '.join(known)}, each once")
    return asked
