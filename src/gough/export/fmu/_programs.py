"""Programs of an FMU: rates of a state, what it tells, closing of its loops, its law's clock, derivatives.

Slots of all: q, v, inner (own states of the law), row (of the time loop, see `control.instant`), t, parameters. Their checks of
open loops and quaternions are left out, as in time loops: states within a step are a little open.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from gough.dynamics.energies import energies
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.rates import loop_matrices
from gough.dynamics.twists import frame_pose, frame_twist
from gough.errors import Site, Status
from gough.export.fmu._subject import FmuSubject
from gough.kinematics.singularity import block_scales
from gough.model.functions import check_design, parameters_by_formulas
from gough.model.tangent import tangent_derivation
from gough.program import Program, Slot, trace
from gough.program.passes.outputs import remove_dead_code
from gough.scalar import abs_, atan2, check, replay, select, sqrt, zeros
from gough.simulation.coordinates import moved_coordinates

Vector = np.ndarray
OF_GIVEN_STATES = (Status.OPEN_LOOP, Status.BAD_QUATERNION)
INPUTS = ("q", "v", "inner", "row", "t")
POSE, TWIST = ("x", "y", "z", "roll", "pitch", "yaw"), ("vx", "vy", "vz", "wx", "wy", "wz")


def programs_of(subject: FmuSubject) -> dict[str, Program]:
    """{name: program}: rates, outputs; and where there is something to do closing, loops, clock, forward and adjoint."""
    plant = subject.plant
    out = {
        "rates": _traced(subject, "rates", _rates(subject)),
        "outputs": _traced(subject, "outputs", _outputs(subject)),
    }
    if plant.mechanism.selection.blocks:
        out["closing"] = _traced(subject, "closing", _closing(subject), ("q", "v"))
        out["loops"] = _traced(subject, "loops", _loops(subject), ("q",))
    if plant.inner.clocked:
        out["clock"] = _traced(subject, "clock", _clock(subject))
    if subject.derivatives and not subject.coupled:
        both = _traced(subject, "derivatives", _both(subject))
        wrt = tuple(s.name for s in both.inputs if s.name in ("q", "v", "inner", "row") and s.size)
        made = tangent_derivation(plant.model, both, wrt)
        out["forward"], out["adjoint"] = made.jvp(), made.vjp()
    return out


def _traced(
    subject: FmuSubject, name: str, equations: Callable[..., dict[str, Any]], inputs: tuple[str, ...] = INPUTS
) -> Program:
    plant, model = subject.plant, subject.plant.model
    sizes = {"q": model.layout.nq, "v": model.layout.nv, "inner": plant.inner_size, "row": plant.rows.size, "t": 1}
    slots = [Slot(key, (sizes[key],)) for key in inputs]
    slots.append(Slot("parameters", (len(model.parameters),), "SI", uniform=True))
    made = trace(equations, tuple(slots), f"{plant.mechanism.name} {name}", {"parameters": model.pattern})
    made = plant.order_program(made)
    checks = [c for c in made.checks if c.failure.status not in OF_GIVEN_STATES and c.failure.site != Site.LOCKS]
    return remove_dead_code(replace(made, checks=tuple(checks)))


def _rates(subject: FmuSubject) -> Callable[..., dict[str, Any]]:
    plant = subject.plant

    def equations(q: Vector, v: Vector, inner: Vector, row: Vector, t: Vector, parameters: Vector) -> dict[str, Any]:
        found = plant.rates(parameters, q, v, inner, plant.rows.at(row, t[0]))
        return {"qdot": found["qdot"], "vdot": found["vdot"], "flow": found["inner"], "tau": found["tau"]}

    return equations


def _outputs(subject: FmuSubject) -> Callable[..., dict[str, Any]]:
    plant, model = subject.plant, subject.plant.model

    def equations(q: Vector, v: Vector, inner: Vector, row: Vector, t: Vector, parameters: Vector) -> dict[str, Any]:
        q, v = plant.led_state(q, v, plant.rows.at(row, t[0]))
        numbers = Numbers(plant.mechanism, parameters)
        loops = Loops(Posture(numbers, q))
        u = loops.rates(v)
        energy = energies(numbers, q, v)
        drives = [q[place] for place in model.drive_index]
        rates = [u[plant.mechanism.links[d.link].u] for d in plant.mechanism.drives]
        told = [drives, rates]
        for name in subject.frames:
            position, R = frame_pose(loops.posture, name)
            told += [position, _angles(R), frame_twist(loops.posture, u, name)]
        told.append([energy["kinetic"], energy["potential"], energy["losses"], _largest(loops)])
        return {"told": np.concatenate([np.array(x, dtype=object) for x in told])}

    return equations


def _angles(R: np.ndarray) -> Vector:
    """Roll, pitch, yaw (rad) of R = Rz Ry Rx."""
    level = sqrt(R[2, 1] * R[2, 1] + R[2, 2] * R[2, 2])
    return np.array([atan2(R[2, 1], R[2, 2]), atan2(-R[2, 0], level), atan2(R[1, 0], R[0, 0])], dtype=object)


def _largest(loops: Loops) -> Any:
    """The largest closure residual, beyond what loops that do not fit together keep."""
    total: Any = 0.0
    residual, offsets = loops.residual(), loops.selection.offsets
    for k, x in enumerate(residual):
        part = abs_(x - offsets[k] if offsets else x)
        total = part if isinstance(total, float) else select(part - total, part, total)
    return total


def _closing(subject: FmuSubject) -> Callable[..., dict[str, Any]]:
    mechanism = subject.plant.mechanism

    def equations(q: Vector, v: Vector, parameters: Vector) -> dict[str, Any]:
        step = Loops(Posture(Numbers(mechanism, parameters), q)).correction(v)
        return {"next": moved_coordinates(mechanism, q, step), "step": step}

    return equations


def _loops(subject: FmuSubject) -> Callable[..., dict[str, Any]]:
    """The matrices of legs and loops that may become singular, in plain numbers."""
    mechanism = subject.plant.model.mechanism
    scales = block_scales(mechanism, subject.model.size)

    def equations(q: Vector, parameters: Vector) -> dict[str, Any]:
        found = loop_matrices(Numbers(mechanism, parameters), q)
        parts = [(found[f"J{k}"] * own[1] * own[0]).reshape(-1) for k, own in enumerate(scales)]
        return {"groups": np.concatenate(parts)}

    return equations


def _clock(subject: FmuSubject) -> Callable[..., dict[str, Any]]:
    plant = subject.plant

    def equations(q: Vector, v: Vector, inner: Vector, row: Vector, t: Vector, parameters: Vector) -> dict[str, Any]:
        found = plant.tick(parameters, q, v, inner, plant.rows.at(row, t[0]))
        return {"after": found["inner"], "time": found["time"], "event": found["event"]}

    return equations


def _both(subject: FmuSubject) -> Callable[..., dict[str, Any]]:
    rates, outputs = _rates(subject), _outputs(subject)

    def equations(**inputs: Vector) -> dict[str, Any]:
        found = rates(**inputs)
        told = outputs(**inputs)["told"]
        return {"all": np.concatenate([zeros(0), found["vdot"], found["flow"], told, found["tau"]])}

    return equations


def design_program(subject: FmuSubject, names: tuple[str, ...], by_variables: bool) -> Program:
    """design (n,), variables of the description or parameters by name, to all parameters; checks of what numbers must be."""
    model, table = subject.plant.model, subject.plant.model.mechanism.table
    known = dict(zip(model.variables.names, model.variables.values.tolist(), strict=True))
    places = [] if by_variables else [table.names.index(name) for name in names]

    def equations(design: Vector) -> dict[str, Any]:
        if not by_variables:
            parameters = np.array([float(x) for x in subject.numbers], dtype=object)
            parameters[places] = design
            for i in table.of_kind("mass"):
                if i in places:
                    check(Status.DESIGN.at(table.names[i]), parameters[i], 0.0)
            return {"parameters": parameters}
        values = {**known, **dict(zip(names, design, strict=True))}
        parameters = parameters_by_formulas(table, subject.numbers.tolist(), values)
        check_design(table, parameters, model.demands, replay([d.number.node for d in model.demands], values))
        return {"parameters": parameters}

    return trace(equations, (Slot("design", (len(names),)),), f"{model.robot.name} design", {})
