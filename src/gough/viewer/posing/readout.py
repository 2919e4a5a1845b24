"""The numbers beside a pose: at once what costs little, then equilibrium, first frequency and stiffness; code made ahead."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.analysis.vibration_map import softest, vibrations_at
from gough.dynamics.catalogue import FunctionKey
from gough.errors import EXPLANATION, Status
from gough.model import Model
from gough.model.tangent import tangent_derivative
from gough.viewer.posing.load import Hold, Load


@dataclass(frozen=True)
class Readout:
    """drives (n,): coordinates, m or rad; room (n, 2): to their lower and upper limits, inf without one; tau (n,): forces
    that hold the robot at rest (or accelerate it), NaN where there are none; forces_note: why not.

    parallel, serial: reciprocal conditions, serial the lowest of the legs and loops (`folded`: whose).
    """

    drives: np.ndarray
    room: np.ndarray
    tau: np.ndarray
    forces_note: str
    parallel: float
    serial: float
    folded: str


@dataclass(frozen=True)
class Settled:
    """q (nq,): at static equilibrium, the pose held. tau (n,): drive forces there. frequency: Hz, negative where the motion
    grows, NaN where nothing swings; stiffness: N/m of `frame` in its softest direction, inf where nothing gives.
    note: what is to be said about them."""

    q: np.ndarray
    tau: np.ndarray
    frequency: float
    stiffness: float
    frame: str
    note: str = ""


def read_pose(model: Model, q: np.ndarray, load: Load) -> Readout:
    """What is known at once about q (nq,) at rest."""
    measure = model.singularity(q)
    serial = measure.serial
    worst = int(np.argmin(serial)) if serial.size else -1
    tau, note = drive_forces(model, q, load)
    return Readout(
        drives=model.drives(q),
        room=_room(model, q),
        tau=tau,
        forces_note=note,
        parallel=float(measure.parallel),
        serial=float(serial[worst]) if worst >= 0 else 1.0,
        folded=measure.serial_names[worst] if worst >= 0 else "",
    )


def drive_forces(model: Model, q: np.ndarray, load: Load) -> tuple[np.ndarray, str]:
    """(drive forces (n,) at rest or with the load's acceleration, note); NaN where they are not determined."""
    count = len(model.mechanism.drives)
    if not model.driven:
        return np.full(count, np.nan), "no drives" if not count else "too few drives to hold it"
    acceleration = np.array(load.acceleration if load.moving else np.zeros(model.mobility), dtype=float)
    rest = np.zeros(model.layout.nv)
    result = model.inverse_dynamics(q, rest, acceleration, load.wrench, on_bad_state="mark")
    status = Status(int(result.status))
    return result.tau, "" if status == Status.OK else EXPLANATION[status]


def _room(model: Model, q: np.ndarray) -> np.ndarray:
    """Margins (drives, 2) to lower and upper limits and strokes, inf without one."""
    found = model.limit_margins(q)
    out = np.full((len(model.layout.drive_names), 2), np.inf)
    places = {name: k for k, name in enumerate(model.layout.drive_names)}
    for limit, margin in zip(found.limits, found.margins, strict=True):
        if limit.joint in places and limit.kind.side:
            at = places[limit.joint], 0 if limit.kind.side == "lower" else 1
            out[at] = min(out[at], float(margin))
    return out


def settle_pose(model: Model, q: np.ndarray, load: Load, hold: Hold) -> Settled:
    """Equilibrium at q's pose under gravity and the load, the first frequency and the stiffness about it."""
    count = len(model.mechanism.drives)
    nothing = np.full(count, np.nan)
    if not model.driven:
        return Settled(q, nothing, np.nan, np.nan, load.frame, "too few drives to hold a pose")
    rest = static_equilibrium(model, q=q, wrench=load.wrench, on_bad_state="mark")
    if rest.status != Status.OK:
        return Settled(
            q, nothing, np.nan, np.nan, load.frame, f"no equilibrium: {EXPLANATION[Status(int(rest.status))]}"
        )
    frequency, give, note = _vibrations(model, rest.q, rest.tau, load, hold)
    tau = drive_forces(model, rest.q, load)[0] if load.moving or not model.layout.n_elastic else rest.tau
    return Settled(rest.q, tau, frequency, give, load.frame, note)


def _vibrations(model: Model, q: np.ndarray, tau: np.ndarray, load: Load, hold: Hold) -> tuple[float, float, str]:
    """(first frequency, stiffness, note)."""
    if hold.kind == "locked" and len(model.mechanism.moving) == model.mobility:
        return np.nan, np.inf if load.frame else np.nan, "rigid with locked drives: nothing swings"
    try:
        found, give = vibrations_at(model, q[None], tau[None], 1, hold.undamped, load.frame, load.wrench)
    except np.linalg.LinAlgError:
        return np.nan, np.nan, "some motion has no stiffness"
    return float(found[0, 0]), float(softest(give)[0]), ""


# Machine code made before it is needed: a first slider move should not wait for a compiler.

AT_ONCE = ("closing_step", "closure_residual", "tree_rates", "drive_map")
"""Functions that moving the robot needs."""


def warming_steps(model: Model, frame: str) -> Iterator[Callable[[], object]]:
    """Things to do, one by one, each some tenths of a second to some seconds: what moving needs comes first."""
    names = [*AT_ONCE, *(["inverse_dynamics"] if model.driven else [])]
    for name in names:
        yield lambda name=name: model.function(name).compile()
    for name in ("dynamics_residual", "mass_matrix"):
        yield lambda name=name: model.function(name).compile()
    yield lambda: tangent_derivative(model, "dynamics_residual", ("q",)).compile()
    if frame:
        yield lambda: tangent_derivative(model, FunctionKey("frame_twist", (frame,)), ("v",)).compile()
