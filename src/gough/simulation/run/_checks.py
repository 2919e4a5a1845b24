"""What can be said about a run before it begins: a motion that the robot cannot follow, a start out of equilibrium, a step that
is too long for what is stiff."""

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.linear_forces import RestForces
from gough.analysis.modes import free_motions, quadratic_eigenvalues
from gough.analysis.zero_dynamics import growth_without_stress, unstable_inverse
from gough.arguments import floats
from gough.compilation.arrays import as_array
from gough.compilation.repeated import Again, RepeatedFunction
from gough.dynamics.inverse import load_sizes
from gough.errors import GoughError, RunWarning, UsageError, warn
from gough.kinematics.retraction import step_units
from gough.model.external import external_load
from gough.model.sharing import code_of
from gough.robot.tree import placed_joints
from gough.simulation.control.clocked import Clocked
from gough.simulation.control.law import Law
from gough.simulation.coordinates import units_of
from gough.simulation.events import Event, Happening
from gough.simulation.integration.kept import Recent
from gough.simulation.integration.method import Method
from gough.simulation.integration.plant import Plant
from gough.simulation.integration.state import StateLayout
from gough.simulation.motion.limits import check_motion, is_faultless
from gough.simulation.motion.motion import Motion

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
SAMPLES = 100
"""Even samples of a motion."""
IMPOSSIBLE = ("reach", "freedom")
"""Problems with which there is no run."""
SHAKES, WHILE = 1e-6, 0.01
"""Out of equilibrium: elastic coordinates would move by this part of a large amplitude within this time (s)."""
RESTS = 4
"""First configurations at which forces at rest are known but for loads."""
FITS = 1e-3
"""By how much, of itself, a step that is named is below what is allowed."""
GROWS = 1e-6
"""Growth of an amplitude in one step that counts."""


def tell_events(model: "Model", found: list[Event], check: str) -> list[Event]:
    """The events, after warnings about them; an error with all of them where check is "raise"."""
    if check == "raise" and found:
        text = "; ".join(text for _, text in found)
        raise UsageError(f"{model.robot.name}: {text} (check='warn' runs it all the same)")
    if found:
        warn(f"{model.robot.name}: " + "\n".join(text for _, text in found), RunWarning)
    return found


def motion_events(model: "Model", motion: Motion | None, near: Any, end: float, numbers: Array) -> list[Event]:
    """What is wrong with a motion until the end (s) of a run; UsageError where the robot cannot follow it at all. near: q (nq,)
    of its assembly, None: home. numbers (n,): parameters."""
    if motion is None or motion.kind == "forces":
        return []
    forces = _has_force_limit(model)
    begin = None if near is None else as_array("near", floats("near", near), model.layout.nq)
    if not forces and is_faultless(model, motion, SAMPLES, begin, end, numbers):
        return []
    report = check_motion(model, motion, samples=SAMPLES, forces=forces, near=begin, duration=end, parameters=numbers)
    bad = [p for p in report.problems if p.kind in IMPOSSIBLE]
    if bad:
        text = "\n".join(f"  {line}" for line in ([report.reach] if report.reach else []) + [*map(str, bad)])
        raise UsageError(
            f"{model.robot.name} cannot follow the motion; see gough.check_motion; check='off' runs it all the same:\n{text}"
        )
    return [Event(p.spans[0][0], Happening.MOTION, str(p)) for p in report.problems]


def _has_force_limit(model: "Model") -> bool:
    def found() -> bool:
        drives = [(placed.joint, getattr(placed.joint, "drive", None)) for placed in placed_joints(model.robot)]
        return any(x and (x.force_limit is not None or joint.limits.force is not None) for joint, x in drives)

    return model.cached("force limits", found)


def state_events(plant: Plant, first: Array, start: str, method: Method, step: float, numbers: Array) -> list[Event]:
    """What is wrong with the first state (n,), and with the step (s) there. numbers (n,): parameters."""
    return [
        *_of_inverse(plant, first, numbers),
        *_of_start(plant, first, start, numbers),
        *_of_step(plant, first, method, step, numbers),
        *_of_loads(plant, method, step),
    ]


def _of_inverse(plant: Plant, first: Array, numbers: Array) -> list[Event]:
    """Computed torque with a model that bends, where its bodies run away while it does what it should."""
    law, own = plant.law, plant.laws_robot
    model = own.model
    if not law.holds_floating(model, plant.rows.kind):
        return []
    if not own.same_structure or len(model.mechanism.drives) != model.mobility:
        return []
    believed = numbers if own.numbers is None else own.numbers
    growth = growth_without_stress(model, first[: model.layout.nq], believed)
    return [Event(0.0, Happening.CONTROL, unstable_inverse(growth))] if growth > 0 else []


def _of_start(plant: Plant, first: Array, start: str, numbers: Array) -> list[Event]:
    """A flexible robot that begins bent otherwise than its weight and loads bend it while its drives hold it."""
    model, layout = plant.model, plant.model.layout
    if start == "static" or not layout.v_elastic:
        return []
    n = layout.rigid
    q, wrenches = first[: layout.nq], plant.wrenches
    recent: Recent = model.cached("recent starts", Recent)
    key = ("shaken", q.tobytes(), wrenches, numbers.tobytes())  # whatever the law is
    acceleration = recent.get(key, lambda: _shaken(plant, q, numbers))
    unit = StateLayout(plant).units[1][n:]
    moved = np.abs(acceleration) / unit * WHILE**2 / 2
    k = int(moved.argmax())
    if not moved[k] > SHAKES:  # NaN: nothing is known
        return []
    told = units_of(model)
    name = layout.v_names[n + k].removeprefix("v.")
    text = (
        f"out of equilibrium, weight and springs accelerate {name} by {acceleration[k]:.3g} {told.acceleration[n + k]}; "
        "start='static' begins at rest"
    )
    return [Event(0.0, Happening.START, text)]


def _shaken(plant: Plant, q: Array, numbers: Array) -> Array:
    """Elastic accelerations at q at rest, with the drive forces that hold the led freedoms: they push on elastic coordinates,
    too. Where drives cannot hold them, with those that do it best. Idle freedoms go where they are drawn."""
    model, n = plant.model, plant.model.layout.mobility
    load = plant.wrenches.by_load(model)
    if model.driven:
        return _held_still(model, q, load, numbers)
    rest, drives = RestForces(model, numbers, load), len(model.mechanism.drives)
    needed, S = rest.residual(q[None], np.zeros((1, drives)))[0], rest.drive_map(q[None])[0]
    needed = needed - S @ np.linalg.lstsq(S[:n], needed[:n], rcond=None)[0] if drives else needed
    free = [k for k in model.mechanism.moving if k >= n]
    pulled = np.zeros(model.layout.nv)
    pulled[free] = np.linalg.solve(rest.mass(q[None])[0][np.ix_(free, free)], -needed[free])
    return pulled[model.layout.rigid :]


def _held_still(model: "Model", q: Array, load: Any, numbers: Array) -> Array:
    """Elastic accelerations at q at rest by inverse dynamics; of the last few q only what a load changes is computed again."""
    still = np.zeros(model.layout.nv)
    state = {"q": q, "v": still, "acceleration": still[: model.layout.mobility], "parameters": numbers}
    loads, code = load_sizes(model.mechanism), code_of(model)

    def known() -> Again | None:
        repeated = code.cached(
            "inverse dynamics of loads", lambda: RepeatedFunction(code.function("inverse_dynamics"), loads)
        )
        return repeated.at(state | {slot: np.zeros(size) for slot, size in loads.items()})

    recent: Recent = code.cached("recent rest", lambda: Recent(RESTS))
    again = recent.get((q.tobytes(), numbers.tobytes()), known)
    if again is not None:
        return again(**external_load(model, q, load, numbers))["eddot"]
    given = state["v"], state["acceleration"]
    return model.inverse_dynamics(q, *given, load, parameters=numbers, on_bad_state="mark").eddot


def _of_loads(plant: Plant, method: Method, step: float) -> list[Event]:
    """Equal steps that do not see what swings in loads."""
    text = "" if method.adaptive else plant.wrenches.coarse_steps(step)
    return [Event(0.0, Happening.STEP, text)] if text else []


def _of_step(plant: Plant, first: Array, method: Method, step: float, numbers: Array) -> list[Event]:
    """Equal explicit steps too long for a vibration, or for friction at rest."""
    text = long_step(plant, first[: plant.model.layout.nq], method, step, numbers)
    return [Event(0.0, Happening.STEP, text)] if text else []


def long_step(plant: Plant, q: Array, method: Method, step: float, numbers: Array) -> str:
    """That equal explicit steps (s) are too long at q (nq,) in a design (n,), and what to do; "" where they are not."""
    found = poles(plant, q, method, numbers)
    limit = longest_step(method, found)
    if not step > limit:
        return ""
    fast = found[np.argmax(np.abs(found))]
    hz = (
        f"{abs(fast.imag) / (2 * np.pi):.5g} Hz"
        if abs(fast.imag) > abs(fast.real)
        else f"decays with {-fast.real:.3g}/s"
    )
    law, remedy = plant.law, ""
    if isinstance(law, Clocked) and (grid := law.grid(plant.laws_robot.model)) is not None:
        fits = grid / ceil(grid / limit * (1.0 + FITS))
        remedy = f": step={fits:.12g}, which meets the times of the controller's clock (multiples of {grid:g} s)"
    others = "a method that chooses its steps" + ("" if _is_equipped(law) else ", or an implicit one")
    return (
        f"{step:g} s is too long for what is stiffest at the start ({hz}): {method.name} needs less than {limit:.3g} s{remedy}; "
        f"or take {others}"
    )


def _is_equipped(law: Law) -> bool:
    """Whether it has sensors or actuators, which implicit methods do not have."""
    return isinstance(law, Clocked) and law.of.equipped


def poles(plant: Plant, q: Array, method: Method, numbers: Array) -> Array:
    """Eigenvalues (1/s) of small motions about q (nq,) of a design (n,), drives as the law has them; none where nothing of the
    robot or of its controller is stiff or the method is stable in any case."""
    model, none = plant.model, np.zeros(0, dtype=complex)
    if method.adaptive or method.limit == np.inf:
        return none
    try:
        if model.layout.v_elastic or _smoothed(plant, numbers) or _is_sprung(plant):
            found = _of_springs(plant, q, numbers)
        else:
            found = _of_servos(plant, q, numbers)
        stiffness, damping = plant.law.error_gains(model)
        errors = quadratic_eigenvalues(np.eye(len(stiffness)), np.diag(damping), np.diag(stiffness))
        return np.concatenate([found, errors, _of_law(plant)])
    except (GoughError, ValueError, np.linalg.LinAlgError):  # nothing that could be linearised: no verdict
        return none


def _of_springs(plant: Plant, q: Array, numbers: Array) -> Array:
    """Of what bends, springs and friction at rest, without weight and loads; also of a robot that its weight bends already."""
    model = plant.model
    weightless = numbers.copy()
    weightless[list(model.mechanism.gravity)] = 0.0
    forces, here, still = RestForces(model, weightless, None), q[None], np.zeros((1, len(model.mechanism.drives)))
    unit = step_units(model.mechanism, model.size)[list(model.mechanism.selection.independent)]
    terms = forces.mass(here), forces.damping(here, still, "smoothed"), forces.stiffness(here, still)
    moving = model.mechanism.moving
    M, C, K = ((A[0] * unit[:, None] * unit)[np.ix_(moving, moving)] for A in terms)
    S = (forces.drive_map(here)[0] * unit[:, None])[moving]
    N, K, C = free_motions(S, K, C, plant.law.drives_as)
    return np.asarray(quadratic_eigenvalues(*(N.T @ A @ N for A in (M, C, K))), dtype=complex)


def _is_sprung(plant: Plant) -> bool:
    """Whether joints or bodies have springs."""
    mechanism = plant.model.mechanism
    return bool(mechanism.springs) or any(link.spring for link in mechanism.links)


def _of_servos(plant: Plant, q: Array, numbers: Array) -> Array:
    """The same of a rigid robot on the springs and dampers that its law makes of the drives: λ² M + λ S K_d Sᵀ + S K_p Sᵀ."""
    model, servos = plant.model, plant.law.drives_as
    if isinstance(servos, str):
        return np.zeros(0, dtype=complex)
    M, S = model.mass_matrix(q, parameters=numbers), model.drive_map(q, parameters=numbers)
    K, C = ((S * np.asarray(servos[key], dtype=float)) @ S.T for key in ("stiffness", "damping"))
    return quadratic_eigenvalues(M, C, K)


def _of_law(plant: Plant) -> Array:
    """Those of the law's own states, or of what its commands pass."""
    law, model = plant.law, plant.model
    if isinstance(law, Clocked):
        return np.concatenate([np.zeros(0), *(actuator.own_poles(model) for actuator in law.actuators)])
    return law.own_poles(model)


def longest_step(method: Method, eigenvalues: Array) -> float:
    """Longest step (s) with which no motion of these eigenvalues (1/s) grows; inf where any is."""
    stiff = eigenvalues[np.abs(eigenvalues) > 0]
    if method.adaptive or method.limit == np.inf or not len(stiff):
        return np.inf
    longest = np.inf
    for pole in stiff:
        pole = min(pole.real, 0.0) + 1j * pole.imag
        if pole == 0:
            continue
        reach = np.linspace(0.0, 4.0, 2001)[1:] / abs(pole)
        bad = np.flatnonzero(method.growth(reach * pole) > 1.0 + GROWS)
        longest = min(longest, float(reach[bad[0]]) if len(bad) else np.inf)
    return longest


def _smoothed(plant: Plant, values: Array) -> bool:
    mechanism = plant.model.mechanism
    places = [x.friction for x in (*mechanism.links, *mechanism.cuts)]
    return any(values[p[i + 1]] != 0 and values[p[i + 2]] != 0 for p in places for i in range(0, len(p), 3))
