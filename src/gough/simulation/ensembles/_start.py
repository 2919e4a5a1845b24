"""First states and designs of all runs of an ensemble."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.analysis.equilibrium import static_equilibrium
from gough.arguments import floats
from gough.errors import RunWarning, UsageError, warn
from gough.robot.expressions.varying import name_followers, places_following
from gough.robot.item import nearest
from gough.simulation.ensembles._plan import Loads
from gough.simulation.ensembles.vary import Varied
from gough.simulation.integration.drive_led import demand_begin
from gough.simulation.integration.plant import WORKS, Plant
from gough.simulation.motion.motion import Motion
from gough.simulation.run.setup import CLOSED, demand_consistent, demand_quaternions, starting_state

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
SHARE, USUAL = 0.8, 16e9
"""Part of a machine's memory that an ensemble may take; its memory (bytes) where it does not say."""


def memory() -> float:
    """Bytes of memory that this machine has; USUAL where it does not say."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # no POSIX
        return USUAL


def demand_room(model: "Model", given: tuple[Any, ...], steps: float, stored: int, on_disk: bool) -> None:
    """UsageError where as many runs as q, v, parameters and vary speak of do not go into memory: their designs, first states,
    and, unless that is kept on disk, what they store; each twice while it is put together."""
    runs = max(
        x.runs if isinstance(x, Varied) else 1 if isinstance(x, Mapping) or np.ndim(x) < 2 else len(x) for x in given
    )
    layout, most = model.layout, SHARE * memory()
    state = layout.nq + 2 * layout.nv + len(layout.drive_names) + 8
    kept = 2 if on_disk else int(steps / max(steps // stored, 1)) + 2
    numbers = 2 * (state * kept + (len(model.parameters) if any(x is not None for x in given[2:]) else 0))
    if 8.0 * runs * numbers > most:
        told = "" if on_disk else f" that store {kept} states each"
        remedy = "" if on_disk else ", keep them on disk (folder=), or store fewer states of each (stored=)"
        raise UsageError(
            f"{runs} runs{told} need about {8e-9 * runs * numbers:.3g} GB, {most / 1e9:.3g} GB are the most here; do at most "
            f"{int(most / 8 / numbers)} at a time{remedy}"
        )


def designs_of(model: "Model", parameters: Any, varied: Varied | None) -> Array | None:
    """Designs (runs or 1, n), None for that of the model."""
    if isinstance(parameters, Mapping):
        parameters = model.parameters_with(parameters)
    given = None if parameters is None else rows_of("parameters", parameters, len(model.parameters))
    if varied is not None:
        changed = varied.parameters(model, given)
        given = given if changed is None else changed
    if given is not None:
        model.mechanism.table.guard(model.pattern)(given)
    return given


def first_states(
    plant: Plant,
    motion: Motion | None,
    given: tuple[Any, Any],
    start: str,
    designs: Array | None,
    loads: Loads,
    varied: Varied | None,
) -> Array:
    """States (runs, n): q, v, works, own states of the law, time, step, error. given: q and v, None: where the motion begins."""
    model = plant.model
    layout = model.layout
    at = {} if varied is None else varied.started("at")
    rates = {} if varied is None else varied.started("rate")
    if at and given[0] is not None:
        raise UsageError("q= and at.… of vary= both say where runs start; give one of them")
    q, v = (
        None if x is None else rows_of(n, x, s) for n, x, s in zip("qv", given, (layout.nq, layout.nv), strict=True)
    )
    if q is not None:
        demand_quaternions(model, q)
    if q is None or v is None:
        nominal = starting_state(plant, motion, None, None, "given", model.parameters)
        q = nominal[None, : layout.nq] if q is None else q
        v = nominal[None, layout.nq : layout.nq + layout.nv] if v is None else v
    if given[0] is None and motion is None and not at and varied is not None:
        _tell_home(model, varied)
    if at:
        q = model.configuration(coordinates=at, parameters=designs)
        q = np.broadcast_to(q, (varied.runs if varied else 1, layout.nq))
    runs = common(
        q=q,
        v=v,
        parameters=designs,
        wrench=np.empty((loads.runs, 0)),
        vary=None if varied is None else np.empty((varied.runs, 0)),
    )
    q, v = np.broadcast_to(q, (runs, layout.nq)), np.broadcast_to(v, (runs, layout.nv)).copy()
    if designs is not None and not at:
        q = model.project(q, parameters=designs)
    if start == "static":
        q = static_equilibrium(model, q=q, wrench=loads.by_load(model, runs), parameters=designs).q
    _demand_closed(model, q, designs)
    demand_consistent(model, q, designs)
    names = list(layout.v_names)
    for name, x in rates.items():
        if name not in names:
            raise UsageError(f"rate.{name}: {model.robot.name} has no such velocity; use {nearest(name, names)}")
        v[:, names.index(name)] = x
    if plant.law.prescribed and motion is not None:
        demand_begin(model, plant.law.reference(model, motion), q, v)
    inner = np.zeros((runs, 0))
    if plant.inner_size:
        states, which = np.unique(np.concatenate([q, v], axis=1), axis=0, return_inverse=True)
        inner = np.empty((runs, plant.inner_size))
        for k, state in enumerate(states):
            its = np.flatnonzero(which.ravel() == k)
            inner[its] = plant.inner_first(state[: layout.nq], state[layout.nq :], its.tolist())
    return np.concatenate([q, v, np.zeros((runs, len(WORKS))), inner, np.zeros((runs, 3))], axis=1)


def _tell_home(model: "Model", varied: Varied) -> None:
    """Warn where the description's home follows variables that vary, and the runs' start does not."""
    names = [n for n in varied.values if n in model.variables.names]
    names = [n for n in names if any(place[0] == "home" for place in places_following(model.robot, n))]
    if names:
        warn(
            f"{model.robot.name}: runs start at the model's own home, closed for their designs; it does not follow "
            f"{name_followers(model.robot, names, 'home')} in the description. Vary at.NAME too, give q=, or build "
            "robot.with_variables({…}) for each",
            RunWarning,
        )


def _demand_closed(model: "Model", q: Array, designs: Array | None) -> None:
    gap = np.broadcast_to(model.closure_error(q, parameters=designs), len(q))
    if not (gap <= CLOSED).all():
        worst = int(np.argmax(np.where(np.isfinite(gap), gap, np.inf)))
        raise UsageError(
            f"the first state of run {worst} is open: closure error {gap[worst]:.2e} of the robot's size; use model.project or "
            "model.configuration"
        )


def common(**arrays: Array | None) -> int:
    """The number of runs that all arrays (runs or 1, n) agree on."""
    sizes = {name: len(x) for name, x in arrays.items() if x is not None and len(x) != 1}
    if len(set(sizes.values())) > 1:
        shown = ", ".join(f"{name} {n}" for name, n in sizes.items())
        raise UsageError(f"numbers of rows differ: {shown}; give the same number, or one for all")
    return next(iter(sizes.values()), 1)


def rows_of(name: str, value: Any, size: int) -> Array:
    """Finite numbers (runs, size)."""
    out = np.atleast_2d(floats(name, value))
    if out.ndim != 2 or out.shape[1] != size or not len(out) or not np.isfinite(out).all():
        raise UsageError(f"{name}: give finite numbers (runs, {size}) or ({size},), not an array of shape {out.shape}")
    return out
