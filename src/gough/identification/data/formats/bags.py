"""ROS bags, of ROS 1 (.bag) and ROS 2 (a folder, .db3, .mcap), through rosbags.

A joint state gives columns TOPIC/JOINT/position, /velocity and /effort; every other message its numbers by field,
TOPIC/pose.position.x. Messages are at their header's stamp where a topic has any (a simulator's clock begins at 0, so that a
first stamp of 0 is one), else when the bag received them. Topics come at times of their own: those of the one with most messages
count, and the others are interpolated to them.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.identification.data.formats.table import LogTable

KINDS = ("sensor_msgs/msg/JointState", "geometry_msgs/msg/PoseStamped", "geometry_msgs/msg/WrenchStamped")
JOINT_UNITS = {"position": "", "velocity": "", "effort": ""}
MOST_VALUES = 64
"""Entries of an array in a message that become columns."""


def read_bag_log(path: Path, wanted: Sequence[str] = ()) -> LogTable:
    """Topics that columns of `wanted` begin with; without any, those of joint states, stamped poses and wrenches."""
    try:
        from rosbags.highlevel import AnyReader  # pyright: ignore[reportMissingImports]
        from rosbags.typesys import Stores, get_typestore  # pyright: ignore[reportMissingImports]
    except ImportError:
        raise UsageError("ROS bags need rosbags: pip install 'gough[identify]' (or rosbags)") from None
    if not path.exists():
        raise UsageError(f"{path}: no such bag")
    where = path.parent if path.suffix == ".db3" and (path.parent / "metadata.yaml").exists() else path
    try:
        with AnyReader([where], default_typestore=get_typestore(Stores.LATEST)) as reader:
            there = {c.topic: c.msgtype for c in reader.connections}
            topics = [t for t in there if any(_same_start(name, t) for name in wanted)] if wanted else []
            topics = topics or [t for t, kind in there.items() if kind in KINDS]
            if not topics:
                raise UsageError(
                    f"{path}: no topic of joint states, poses or wrenches; name columns of {', '.join(sorted(there))}"
                )
            found = {t: _series(reader, t) for t in topics}
    except UsageError:
        raise
    except Exception as problem:  # whatever its readers of three formats raise
        raise UsageError(f"{path} cannot be read as a ROS bag: {type(problem).__name__}: {problem}") from None
    return _merged(path, {t: s for t, s in found.items() if len(s[0])})


def _same_start(name: str, topic: str) -> bool:
    return name.lstrip("/").startswith(topic.strip("/") + "/")


def _series(reader: Any, topic: str) -> tuple[np.ndarray, dict[str, np.ndarray], bool]:
    """(times (n,) in ns, columns {name: (n,)}, whether times are stamps) of a topic."""
    rows: dict[str, list[float]] = {}
    times: list[int] = []
    stamps: list[int] = []
    for connection, received, raw in reader.messages([c for c in reader.connections if c.topic == topic]):
        message = reader.deserialize(raw, connection.msgtype)
        stamp = getattr(getattr(message, "header", None), "stamp", None)
        ns = stamp.sec * 10**9 + stamp.nanosec if stamp is not None else 0
        times.append(received)
        stamps.append(ns)
        for name, value in _values(message):
            rows.setdefault(name, [np.nan] * (len(times) - 1)).append(value)
        for column in rows.values():
            if len(column) < len(times):
                column.append(np.nan)
    stamped = any(ns > 0 for ns in stamps)
    return np.array(stamps if stamped else times, dtype=np.int64), {n: np.array(x) for n, x in rows.items()}, stamped


def _values(message: Any, before: str = "") -> Iterator[tuple[str, float]]:
    """(name, value) of every number in a message."""
    joints = getattr(message, "name", None)
    if not before and isinstance(joints, list) and hasattr(message, "effort"):
        for key in JOINT_UNITS:
            for joint, value in zip(joints, getattr(message, key), strict=False):
                yield f"{joint}/{key}", float(value)
        return
    for key, value in vars(message).items():
        name = f"{before}{key}"
        if key == "header" or key.startswith("__"):
            continue
        if hasattr(value, "__dict__") and not isinstance(value, np.ndarray):
            yield from _values(value, f"{name}.")
        elif isinstance(value, int | float | np.number) and not isinstance(value, bool):
            yield name, float(value)
        elif isinstance(value, np.ndarray | list) and len(value) <= MOST_VALUES:
            for i, x in enumerate(value):
                if isinstance(x, int | float | np.number):
                    yield f"{name}[{i}]", float(x)


def _merged(path: Path, found: dict[str, tuple[np.ndarray, dict[str, np.ndarray], bool]]) -> LogTable:
    """One table at the times of the topic with most messages."""
    if not found:
        raise UsageError(f"{path}: its topics have no messages")
    base = max(found, key=lambda t: len(found[t][0]))
    first = max(int(s[0].min()) for s in found.values())
    last = min(int(s[0].max()) for s in found.values())
    notes = [f"{t}: no stamps, times are those the bag received messages at" for t, s in found.items() if not s[2]]
    ticks = found[base][0]
    own = ticks[(ticks >= first) & (ticks <= last)]
    if len(own) < 2:
        raise UsageError(f"{path}: topics {', '.join(found)} have no time in common")
    columns = {"time": (own - own[0]) / 1e9}
    for topic, (times, series, _) in found.items():
        order = np.argsort(times, kind="stable")
        at = (times[order] - own[0]) / 1e9
        if topic != base:
            if (np.diff(times) < 0).any():
                notes.append(f"{topic}: messages were not in the order of their stamps, and were sorted")
            notes.append(f"{topic}: {len(times)} messages, interpolated to the times of {base}")
        for name, x in series.items():
            inside = (
                x[(ticks >= first) & (ticks <= last)] if topic == base else np.interp(columns["time"], at, x[order])
            )
            columns[f"{topic.lstrip('/')}/{name}"] = inside
    units = dict.fromkeys(columns, "") | {"time": "s"}
    return LogTable(str(path), columns, units, tuple(notes), {f"/{name}": name for name in columns})
