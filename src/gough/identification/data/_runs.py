"""Runs as records: what sensors with steps, noise and delays would have logged of a simulated motion."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from gough.errors import UsageError
from gough.identification.data.record import Record
from gough.robot.item import nearest

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

KINDS = ("position", "rate", "force", "pose", "wrench")


def measure_run(
    run: "Run",
    name: str,
    coordinates: Sequence[str] | None,
    rate_hz: float | None,
    resolution: Any,
    noise: Mapping[str, float],
    delay: Mapping[str, float],
    seed: int,
) -> Record:
    """See `Record.from_run`."""
    whole = run
    run = run if rate_hz is None else run.resample(rate=rate_hz)
    run_rows = np.append(np.diff(run.time) > 0, True)  # of a jump, the state after it
    layout, rng = run.layout, np.random.default_rng(seed)
    wanted = layout.drive_names if coordinates is None else tuple(coordinates)
    scalar = {layout.q_names[link.q]: link for link in run.model.mechanism.links if link.nu == 1}
    for given in wanted:
        if given not in scalar:
            known = nearest(given, list(scalar))
            raise UsageError(f"Record.from_run: {run.robot.name} has no scalar coordinate {given!r}; expected {known}")
    rates = run["joints.rate"] if wanted else np.zeros((len(run), 0))
    entries = run.channel("joints.rate").entries if wanted else ()
    column = {entry.removeprefix("v."): rates[:, k] for k, entry in enumerate(entries)}
    channels: dict[str, np.ndarray] = {}
    for c in wanted:
        channels[f"position {c}"] = run.q[:, scalar[c].q]
        channels[f"rate {c}"] = column[layout.u_names[scalar[c].u]]
    channels |= {f"force {d}": run.tau[:, k] for k, d in enumerate(layout.drive_names)}
    if layout.n_pose:
        channels["pose"] = run.q[:, :7]
    if "" in run.wrench:
        channels["wrench"] = run.wrench[""]
    _refuse_strange("noise", noise, channels)
    _refuse_strange("delay", delay, channels)
    made = {}
    for key, x in channels.items():
        late = delay.get(key, delay.get(key.split()[0], 0.0))
        x = _shifted(run.time[run_rows], x[run_rows], late) if late else x[run_rows]
        sigma = noise.get(key, noise.get(key.split()[0], 0.0))
        x = x + rng.normal(0.0, sigma, x.shape) if sigma else x
        step = _step_of(key, resolution)
        x = np.round(x / step) * step if step else x
        made[key] = (
            x / np.linalg.norm(x[:, 3:], axis=1, keepdims=True) ** np.repeat([0, 1], [3, 4]) if key == "pose" else x
        )
    group = {kind: {k.split()[1]: x for k, x in made.items() if k.split()[0] == kind} for kind in KINDS[:3]}
    return Record(
        name or whole.robot.name,
        run.time[run_rows],
        positions=group["position"],
        forces=group["force"],
        rates=group["rate"],
        pose=made.get("pose"),
        wrench=made.get("wrench"),
        stated=frozenset(made) | {"time"},
    )


def _refuse_strange(argument: str, given: Mapping[str, float], channels: Mapping[str, Any]) -> None:
    known = {*channels, *(c.split()[0] for c in channels)}
    strange = [key for key in given if key not in known]
    if strange:
        raise UsageError(
            f"Record.from_run: {argument}={{{strange[0]!r}: …}} names no channel; there are {', '.join(sorted(known))}"
        )


def _step_of(key: str, resolution: Any) -> float:
    kind, _, name = key.partition(" ")
    if kind != "position" or resolution is None:
        return 0.0
    return float(resolution.get(name, 0.0) if isinstance(resolution, Mapping) else resolution)


def _shifted(time: np.ndarray, x: np.ndarray, late: float) -> np.ndarray:
    """x (n, …) as it was `late` seconds ago; before the first time it stands still."""
    from scipy.interpolate import CubicSpline

    return CubicSpline(time, x)(np.clip(time - late, time[0], time[-1]))
