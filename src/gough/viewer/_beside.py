"""What is drawn beside the curves of a run: what the motion asks for, what sensors show, what the controller commands; and by how
much sensors are off. All of it from what the run keeps, so of runs from files too.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from gough.simulation.results.run import Run
from gough.simulation.results.tracking import REFERENCE
from gough.spatial.euler import coordinates_of
from gough.spatial.poses import rotation_of_quaternion

Array = np.ndarray
COMMAND = "command"
OFF = ".off"
"""Ends the names of what sensors are off by: "encoders.off"."""


@dataclass(frozen=True)
class SideCurve:
    """role: "reference", "command", or the sensor; values (n,) over the stored times."""

    role: str
    values: Array


def sensor_channels(run: Run) -> tuple[str, ...]:
    """Recorded channels of sensors, by name."""
    about = run.info.controller
    told = about.get("sensors", ()) if isinstance(about, Mapping) else ()
    kinds = {str(x.get("sensor")) for x in told if isinstance(x, Mapping)}
    return tuple(name for name in run.recorded if name.rstrip("0123456789") in kinds)


def off_names(run: Run) -> tuple[str, ...]:
    """Names under which it can be drawn by how much sensors are off."""
    return tuple(f"{name}{OFF}" for name in sensor_channels(run) if _truths(run, name))


def off_columns(run: Run, name: str) -> dict[str, tuple[str, Array]]:
    """{column: (unit, shown less true (n,))} of a name of `off_names`."""
    channel = name.removesuffix(OFF)
    recorded, truths = run.recorded[channel], _truths(run, channel)
    out = {}
    for k, entry in enumerate(recorded.entries):
        if entry in truths:
            out[entry.removeprefix(f"{channel}.")] = recorded.units[k], recorded.values[:, k] - truths[entry]
    return out


def beside(run: Run, name: str) -> dict[str, list[SideCurve]]:
    """{entry of the channel: what is drawn beside it}."""
    found: dict[str, list[SideCurve]] = {}
    for entry, values in _wanted(run, name).items():
        found.setdefault(entry, []).append(SideCurve(REFERENCE, values))
    if name == "drives.force" and COMMAND in run.recorded:
        entries, values = run.recorded[COMMAND].entries, run.recorded[COMMAND].values
        for drive, column in zip(run.layout.drive_names, run.channel(name).entries, strict=True):
            if f"{COMMAND}.{drive}" in entries:
                found.setdefault(column, []).append(SideCurve(COMMAND, values[:, entries.index(f"{COMMAND}.{drive}")]))
    for channel in sensor_channels(run):
        recorded = run.recorded[channel]
        if name in ("drives.position", "drives.rate"):
            prefix = f"{channel}." if name == "drives.position" else f"{channel}.v."
            for drive, column in zip(run.layout.drive_names, run.channel(name).entries, strict=True):
                if f"{prefix}{drive}" in recorded.entries:
                    shown = recorded.values[:, recorded.entries.index(f"{prefix}{drive}")]
                    found.setdefault(column, []).append(SideCurve(channel, shown))
        elif name == channel:
            for entry, values in _truths(run, channel).items():
                found.setdefault(entry, []).append(SideCurve("true", values))
    return found


def _wanted(run: Run, name: str) -> dict[str, Array]:
    """The reference of a channel's entries."""
    about = run.info.motion
    if REFERENCE not in run.recorded or not isinstance(about, Mapping):
        return {}
    recorded, kind = run.recorded[REFERENCE], about.get("kind")
    values = {e.removeprefix(f"{REFERENCE}."): recorded.values[:, k] for k, e in enumerate(recorded.entries)}
    if kind in ("drives", "joints"):
        entries = run.channel(name).entries if name in ("drives.position", "joints") else ()
        return {entry: values[entry] for entry in entries if entry in values}
    if kind not in ("pose", "point"):
        return {}
    frame = about.get("frame")
    if name == (f"{frame}.pose" if frame else "pose"):
        entries = run.channel(name).entries
        return {entry: values[axis] for axis in "xyz" for entry in entries if entry.split(".")[-1] == axis}
    if name == "angles" and kind == "pose" and not frame:
        pose = recorded.values.copy()
        pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1, keepdims=True)
        wanted, own = coordinates_of(pose, "rpy_zyx")[:, 3:], run["angles"]
        wanted = wanted + 2 * np.pi * np.round((own - wanted) / (2 * np.pi))  # by the turns of the robot
        return dict(zip(run.channel("angles").entries, wanted.T, strict=True))
    return {}


def _truths(run: Run, channel: str) -> dict[str, Array]:
    """{entry of a sensor's channel: what it would show without any error (n,)}, as far as it is known what it shows."""
    out: dict[str, Array] = {}
    drives = {name: k for k, name in enumerate(run.layout.drive_names)}
    for entry, unit in zip(run.recorded[channel].entries, run.recorded[channel].units, strict=True):
        what = entry.removeprefix(f"{channel}.")
        if what in drives:
            out[entry] = run["drives.position"][:, drives[what]]
        elif what.removeprefix("v.") in drives:
            out[entry] = run["drives.rate"][:, drives[what.removeprefix("v.")]]
        elif unit == "m/s2" and what[-2:] in (".x", ".y", ".z") and f"{what[:-2]}.twist" in run:
            out[entry] = _felt(run, what[:-2])[:, "xyz".index(what[-1])]
    return out


def _felt(run: Run, frame: str) -> Array:
    """Acceleration less gravity of a frame's origin (n, 3), its axes: by differences over the stored times."""

    def make() -> Array:
        time, first = np.unique(run.time, return_index=True)
        speed = run[f"{frame}.twist"][first, :3]
        change = np.gradient(speed, time, axis=0) if len(time) > 1 else np.zeros_like(speed)
        change = change[np.searchsorted(time, run.time)]
        gravity = run.design[list(run.model.mechanism.gravity)]
        turn = rotation_of_quaternion(run[f"{frame}.pose"][:, 3:])
        return np.einsum("nji,nj->ni", turn, change - gravity)

    return run.cached(f"acceleration felt by {frame}", make)
