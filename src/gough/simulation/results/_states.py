"""Making runs from arrays: shapes, times, wrenches and designs checked."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.arguments import floats
from gough.errors import UsageError
from gough.simulation.results._channels import Catalogue
from gough.simulation.results._info import make_info
from gough.simulation.results._recorded import Recorded, as_recorded, lock_array
from gough.simulation.results.robot import RobotRecord

if TYPE_CHECKING:
    from gough.model import Model
    from gough.simulation.results.run import Run
Array = np.ndarray
MEASURED = "work."
"""Channels that a run computes from its states only where they were not recorded on the way."""
BENDS = 1e-6
"""Given elastic accelerations agree with those of the inverse dynamics to this part of the largest."""


def run_from_states(
    make: "type[Run]",
    model: "Model",
    time: Any,
    q: Any,
    v: Any,
    tau: Any,
    *,
    acceleration: Any = None,
    wrench: Any = None,
    status: Any = None,
    parameters: Any = None,
    tau_held: bool = False,
    recorded: Mapping[str, Any],
    info: Mapping[str, Any],
    robot: RobotRecord | None = None,
) -> "Run":
    """See `Run.from_states`. make: the class itself. robot: its record, where there is one already."""
    t = lock_array(_times(time))
    n, layout = len(t), model.layout
    design = None if parameters is None else _design(model, parameters)
    wrenches = _wrenches(model, wrench, n)
    given = None if acceleration is None else lock_array(_rows("acceleration", acceleration, n, layout.nv))
    made = make(
        t,
        lock_array(_rows("q", q, n, layout.nq)),
        lock_array(_rows("v", v, n, layout.nv)),
        np.zeros((n, 0)),
        layout,
        robot or RobotRecord.of(model),
        make_info(info),
        given,
        None if status is None else _statuses(status, n),
        wrenches,
        design,
        tau_held,
        as_recorded(recorded, n),
    )
    return replace(made, tau=lock_array(_forces(made, tau)), _cache={})


def demand_new_names(run: "Run", recorded: Mapping[str, Any]) -> None:
    """UsageError for recorded numbers under the name of a channel that every run has: they would hide it."""
    own = [name for name, x in recorded.items() if not isinstance(x, Recorded) and not name.startswith(MEASURED)]
    if not own:
        return
    known = run.model.cached(("channel names", tuple(run.wrench)), lambda: _own_names(run))
    for name in own:
        if name in known:
            raise UsageError(f"recorded {name!r}: this is a channel that runs have of themselves; give it another name")


def _own_names(run: "Run") -> frozenset[str]:
    """Names of channels and columns that every run of its robot with loads on these frames has."""
    computed = Catalogue(replace(run, recorded={}, _cache={}))
    return frozenset((*computed.channels, *computed.columns))


def _forces(run: "Run", tau: Any) -> Array:
    model, n = run.model, len(run)
    drives = len(model.mechanism.drives)
    if tau is not None:
        return _rows("tau", tau, n, drives)
    if not drives:
        return np.zeros((n, 0))
    if run.given_acceleration is None or not model.driven:
        raise UsageError(
            f"tau is missing: give the drive forces (n, {drives})"
            + (", or acceleration= to have them computed" if model.driven else "")
        )
    rigid = run.given_acceleration[:, : model.mobility]
    solved = model.inverse_dynamics(run.q, run.v, rigid, run.loads, parameters=run.parameters, on_bad_state="mark")
    bends, told = solved.free_acceleration, run.given_acceleration[:, model.mobility :]
    scale = np.nanmax(np.abs(bends), initial=0.0)
    if (np.abs(bends - told) > BENDS * scale).any():
        raise UsageError(
            "acceleration=: its idle or elastic part is not that of the motion, so no drive forces give it; take "
            "free_acceleration of model.inverse_dynamics for it, or give tau"
        )
    return solved.tau


def _times(time: Any) -> Array:
    t = floats("time", time)
    if t.ndim != 1 or not len(t):
        raise UsageError(f"time has shape {t.shape}; give the stored times (n,), at least one")
    if not np.isfinite(t).all():
        raise UsageError(f"time is NaN or infinite at index {int(np.flatnonzero(~np.isfinite(t))[0])}")
    back = np.flatnonzero(np.diff(t) < 0)
    if len(back):
        i = int(back[0])
        raise UsageError(f"time runs backwards from {t[i]:g} s (index {i}) to {t[i + 1]:g} s")
    thrice = np.flatnonzero((np.diff(t)[1:] == 0) & (np.diff(t)[:-1] == 0))
    if len(thrice):
        raise UsageError(f"time {t[thrice[0]]:g} s is stored more than twice; a jump is two states, before and after")
    return t


def _rows(name: str, given: Any, n: int, size: int) -> Array:
    x = floats(name, given)
    if x.shape != (n, size):
        raise UsageError(f"{name} has shape {x.shape}; expected ({n}, {size}): a row a stored time")
    return x


def _statuses(status: Any, n: int) -> Array:
    codes = floats("status", status)
    if codes.shape != (n,) or (codes != codes.astype(np.uint8)).any():
        raise UsageError(f"status has shape {codes.shape}; expected ({n},) codes of gough.Status")
    return lock_array(codes.astype(np.uint8))


def _design(model: "Model", parameters: Any) -> Array:
    values = model.parameters_with(parameters) if isinstance(parameters, Mapping) else floats("parameters", parameters)
    if values.shape != model.parameters.shape:
        raise UsageError(f"parameters have shape {values.shape}; a run has one design, {model.parameters.shape}")
    return lock_array(values)


def _wrenches(model: "Model", wrench: Any, n: int) -> dict[str, Array]:
    if wrench is None:
        return {}
    given = wrench if isinstance(wrench, Mapping) else {"": wrench}
    out = {}
    for frame, value in given.items():
        if frame and frame not in model.mechanism.frames:
            raise UsageError(f"wrench: no frame {frame!r}; there are {', '.join(model.mechanism.frames)}")
        if not frame and not model.mechanism.has_platform:
            raise UsageError(f"wrench: {model.robot.name} has no platform; name the frame: wrench={{frame: (n, 6)}}")
        x = floats("wrench", value)
        if x.shape not in ((6,), (n, 6)):
            raise UsageError(f"wrench{f'[{frame!r}]' if frame else ''} has shape {x.shape}; expected ({n}, 6) or (6,)")
        out[frame] = lock_array(np.broadcast_to(x, (n, 6)).copy())
    return out
