"""Functions that a controller or a simulator beside it needs around those of the catalogue; each with a fixed number of steps.

forward_geometry  q, drives, drive_rates → q with the drives where they are measured and loops closed, v. Three Newton steps from
                  q, which is that of the sample before
configuration     q → q with loops closed by three Newton steps; the coordinates that v leads (the platform's pose, say) stay
time_step         q, v, tau (held), loads, h → q, v a classical Runge-Kutta step later, loops closed: that of `gough.simulate`
linear_model      q, v, tau → A, B of ẋ = A x + B δτ, x = (δ, δv): that of `Model.linearize`, without loads
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.dynamics.forward import forward_dynamics
from gough.dynamics.inverse import load_sizes
from gough.dynamics.loops import Loops
from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.dynamics.rates import rate_of_q
from gough.dynamics.regrouping import regroup_inertia
from gough.dynamics.validity import check_state
from gough.errors import Status, UsageError
from gough.model.tangent import tangent_derivative
from gough.program import Program, Slot, trace
from gough.program.passes.inputs import fold_entries
from gough.scalar import call, check, dot, zeros
from gough.simulation.control.drives_lead import led_by_drives
from gough.simulation.control.sensed import CLOSINGS as FROM_DRIVES
from gough.simulation.coordinates import CLOSINGS, closed_coordinates, drive_of_entries, unit_quaternions
from gough.simulation.integration.state import drop_checks_between_states

if TYPE_CHECKING:
    from gough.model import Model

Vector = np.ndarray
CLOSED = 1e-6
"""What Newton's steps may leave of closures (m; for lengths m², for directions 1)."""
Folded = Mapping[str, Mapping[int, float]]
"""Numbers of inputs, {slot: {entry: number}}."""


def forward_geometry(model: "Model", folded: Folded) -> Program:
    """See the head."""
    led, layout = led_by_drives(model), model.layout

    def equations(q: Vector, drives: Vector, drive_rates: Vector, parameters: Vector) -> dict[str, Vector]:
        numbers, q = Numbers(led.mechanism, parameters), q.copy()
        q[model.drive_index] = drives
        q, loops = _closed(numbers, q, FROM_DRIVES)
        given = zeros(led.layout.nv)
        for i, k in enumerate(drive_of_entries(led.mechanism) or ()):
            given[i] = drive_rates[k]
        return {"q_closed": q, "v": loops.rates(given)[list(model.mechanism.selection.independent)]}

    n = len(model.mechanism.drives)
    units = {"q_closed": "m, 1, rad", "v": "m/s, rad/s"}
    sizes = {"q": layout.nq, "drives": n, "drive_rates": n}
    return model.order_solves(_traced(model, "forward_geometry", equations, sizes, folded, units))


def configuration(model: "Model", folded: Folded) -> Program:
    """See the head."""

    def equations(q: Vector, parameters: Vector) -> dict[str, Vector]:
        return {"q_closed": _closed(Numbers(model.mechanism, parameters), q, FROM_DRIVES)[0]}

    sizes, units = {"q": model.layout.nq}, {"q_closed": "m, 1, rad"}
    return model.order_solves(_traced(model, "configuration", equations, sizes, folded, units))


def time_step(model: "Model", folded: Folded) -> Program:
    """See the head."""
    layout, mechanism, drives = model.layout, model.mechanism, len(model.mechanism.drives)
    loads = load_sizes(mechanism)
    size = layout.nq + layout.nv

    def rates(q: Vector, v: Vector, tau: Vector, parameters: Vector, **load: Vector) -> dict[str, Vector]:
        numbers = regroup_inertia(Numbers(mechanism, parameters))
        loops = Loops(Posture(numbers, q))
        vdot = forward_dynamics(numbers, q, v, tau, **load)["vdot"]
        return {"rates": np.concatenate([rate_of_q(loops.posture, loops.rates(v)), vdot])}

    def closing(q: Vector, parameters: Vector) -> dict[str, Vector]:
        return {"q": closed_coordinates(Loops(Posture(Numbers(mechanism, parameters), q)))}

    sizes = {"q": layout.nq, "v": layout.nv, "tau": drives, **loads}
    made = model.order_solves(drop_checks_between_states(_traced(model, "rates", rates, sizes, folded)))
    close = model.order_solves(_traced(model, "closing", closing, {"q": layout.nq}, folded))

    def equations(
        q: Vector, v: Vector, tau: Vector, h: Vector, parameters: Vector, **load: Vector
    ) -> dict[str, Vector]:
        check_state(Loops(Posture(Numbers(mechanism, parameters), q)))
        held = np.concatenate([tau, *(load[key] for key in loads), parameters])
        x = np.concatenate([q, v])

        def rate(x: Vector, first: bool = False) -> Vector:
            q = x[: layout.nq] if first else unit_quaternions(mechanism, x[: layout.nq])
            return call(made, np.concatenate([q, x[layout.nq :], held]))

        k1 = rate(x, True)
        k2 = rate(x + 0.5 * h[0] * k1)
        k3 = rate(x + 0.5 * h[0] * k2)
        k4 = rate(x + h[0] * k3)
        x = x + (k1 / 6.0 + k2 / 3.0 + k3 / 3.0 + k4 / 6.0) * h[0]
        q = unit_quaternions(mechanism, x[: layout.nq])
        for _ in range(CLOSINGS if mechanism.selection.blocks else 0):
            q = call(close, np.concatenate([q, parameters]))
        return {"q_after": q, "v_after": x[layout.nq : size]}

    units = {"q_after": "m, 1, rad", "v_after": "m/s, rad/s", "h": "s"}
    sizes = {"q": layout.nq, "v": layout.nv, "tau": drives, **loads, "h": 1}
    return model.order_solves(_traced(model, "time_step", equations, sizes, folded, units))


def linear_model(model: "Model", folded: Folded) -> Program:
    """See the head."""
    layout, mechanism = model.layout, model.mechanism
    nv, drives = layout.nv, len(mechanism.drives)
    columns = mechanism.selection.independent
    turning = any(c in columns for link in mechanism.links if link.is_ball for c in link.columns)
    turning |= any(n in ("wx", "wy", "wz") for n in layout.v_names)
    if turning and not mechanism.leads_from_platform:
        raise UsageError(
            f"linear_model: velocities of {model.robot.name} are some of a rotation's in space, whose bracket it does not write "
            "out; name others as independent, or use model.linearize"
        )
    moved = tangent_derivative(model.unlocked, "forward_dynamics", ("q", "v", "tau")).program
    for slot, values in folded.items():
        moved = fold_entries(moved, slot, dict(values)) if any(s.name == slot for s in moved.inputs) else moved
    loads = [s for s in moved.inputs if s.name in load_sizes(mechanism)]
    for s in loads:
        moved = fold_entries(moved, s.name, dict.fromkeys(range(s.size), 0.0))
    places, at = {}, 0
    for s in moved.outputs:
        places[s.name] = (at, s.shape)
        at += s.size

    def equations(q: Vector, v: Vector, tau: Vector, parameters: Vector) -> dict[str, Vector]:
        known = {"q": q, "v": v, "tau": tau, "parameters": parameters}
        found = call(moved, np.concatenate([known.get(s.name, zeros(s.size)) for s in moved.inputs]))
        A, B = zeros(2 * nv, 2 * nv), zeros(2 * nv, drives)
        if mechanism.leads_from_platform:
            wx, wy, wz = v[3:6]
            A[3, 4], A[3, 5], A[4, 5] = -wz, wy, -wx
            A[4, 3], A[5, 3], A[5, 4] = wz, -wy, wx
        A[:nv, nv:] = np.eye(nv)
        for key, target in (("q", A[nv:, :nv]), ("v", A[nv:, nv:]), ("tau", B[nv:])):
            begin, shape = places[f"vdot_{key}"]
            target[:] = found[begin : begin + int(np.prod(shape))].reshape(shape)
        return {"A": A, "B": B}

    sizes = {"q": layout.nq, "v": nv, "tau": drives}
    return model.order_solves(_traced(model, "linear_model", equations, sizes, folded, {"A": "SI", "B": "SI"}))


AROUND: dict[str, Callable[["Model", Folded], Program]] = {
    "forward_geometry": forward_geometry,
    "configuration": configuration,
    "time_step": time_step,
    "linear_model": linear_model,
}
"""By the names that people write."""


def sampled_inputs(model: "Model") -> dict[str, Vector]:
    """Inputs (states or 1, n) of theirs at which a test driver compares, beside the model's sampled states."""
    q = model.sampled_states["q"]
    return {"drives": q[:, model.drive_index], "h": np.array([[1e-4]])}


def _closed(numbers: Numbers, q: Vector, steps: int) -> tuple[Vector, Loops]:
    """(q after so many Newton steps, its loops, which are closed or fail a check)."""
    for _ in range(steps if numbers.mechanism.selection.blocks else 0):
        q = closed_coordinates(Loops(Posture(numbers, q)))
    loops = Loops(Posture(numbers, q))
    for cut in loops.cuts:
        left = np.concatenate([cut.residual(), cut.misalignment()])
        check(Status.NOT_CONVERGED.at(loops.label_of(cut.cut)), CLOSED**2 - dot(left, left), 0.0)
    return q, loops


def _traced(
    model: "Model",
    name: str,
    equations: Callable[..., dict[str, Any]],
    sizes: Mapping[str, int],
    folded: Folded,
    units: Mapping[str, str] | None = None,
) -> Program:
    known = {
        "q": "m, 1, rad",
        "v": "m/s, rad/s",
        "tau": "N, N m",
        "drives": "m, rad",
        "drive_rates": "m/s, rad/s",
        "h": "s",
    }
    slots = [Slot(key, (n,), known.get(key, "N, N m")) for key, n in sizes.items()]
    slots.append(Slot("parameters", (len(model.parameters),), "SI", uniform=True))
    return trace(equations, tuple(slots), f"{model.mechanism.name} {name}", folded, units)
