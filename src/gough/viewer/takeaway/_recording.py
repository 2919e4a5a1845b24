"""What changes in a scene from frame to frame, packed small enough for a file.

A scene's messages are recorded by viser. Those that a frame sends are split into fields (the position of a node, the vertices
of a mesh); a field that changes is stored as 16-bit steps between its smallest and largest value, as differences from frame
to frame, which compress well: an error of at most 1/131070 of the field's range.
"""

import gzip
import json
import struct
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

Array = np.ndarray

LEVELS = 65535
FORMAT = 1


@dataclass
class Field:
    """A value of a message over the frames: values (frames, k). path: its keys in the message; dtype: of a typed array, or
    "list"."""

    path: tuple[str, ...]
    dtype: str
    values: Array


@dataclass
class Node:
    """A kind of message to one node that frames repeat with other values."""

    message: dict[str, Any]
    fields: list[Field] = field(default_factory=list)


Messages = list[dict[str, Any]]


def record_frames(server: Any, frames: Iterable[Callable[[], None]]) -> tuple[Messages, list[Messages]]:
    """The messages of a server's scene as it is, and those that each of `frames` sends to it: only what is not so already."""
    recording = server.get_scene_serializer()
    count = 0
    for draw in frames:
        recording.insert_sleep(1.0)
        draw()
        count += 1
    messages = decode_recording(recording.serialize())
    out: list[Messages] = [[] for _ in range(count + 1)]
    for time, message in messages:
        out[round(time)].append(message)
    return out[0], out[1:]


def decode_recording(data: bytes) -> list[tuple[float, dict[str, Any]]]:
    """(time, message) of a recording of viser, arrays in place of their references."""
    import msgspec
    import zstandard

    size = int.from_bytes(data[:8], "little")
    inner = zstandard.ZstdDecompressor().decompress(data[8:], max_output_size=size)
    length = int.from_bytes(inner[:8], "little")
    about = msgspec.msgpack.decode(inner[8 : 8 + length])
    buffers, at = [], 8 + length
    for n in about["binaryBufferLengths"]:
        at += -at % ALIGNMENT
        buffers.append(inner[at : at + n])
        at += n
    return [(time, _fill_arrays(message, buffers)) for time, message in about["messages"]]


ALIGNMENT = 8
"""Of arrays in a recording, bytes."""


def _fill_arrays(value: Any, buffers: list[bytes]) -> Any:
    if isinstance(value, dict):
        if "__binary_index" in value and "dtype" in value:
            return np.frombuffer(buffers[value["__binary_index"]], dtype=np.dtype(value["dtype"]))
        return {k: _fill_arrays(v, buffers) for k, v in value.items()}
    return [_fill_arrays(v, buffers) for v in value] if isinstance(value, list | tuple) else value


def changing_nodes(before: Messages, frames: list[Messages]) -> list[Node]:
    """The fields that change over the frames; in a frame that does not send one it stays as it was, at first as before."""
    known = {(m.get("name", ""), path[-1]): value for m in before for path, value in _fields(m)}
    found: dict[tuple[str, str], Node] = {}
    series: dict[tuple[str, str, tuple[str, ...]], list[tuple[int, Any]]] = {}
    for number, messages in enumerate(frames):
        for message in messages:
            key = (message["type"], message.get("name", ""))
            if key not in found:
                found[key] = Node(message)
            for path, value in _fields(message):
                series.setdefault((*key, path), []).append((number, value))
    for (kind, name, path), samples in series.items():
        first = np.asarray(samples[0][1])
        dtype = first.dtype.str if isinstance(samples[0][1], np.ndarray) else "list"
        if any(np.size(v) != first.size for _, v in samples):
            continue  # another shape: no motion
        values = np.empty((len(frames), first.size), dtype=np.float64)
        start = known.get((name, path[-1]), samples[0][1])
        values[:] = np.ravel(start if np.size(start) == first.size else samples[0][1])
        for at, value in samples:
            values[at:] = np.ravel(value)
        if path[-1] == "wxyz":
            values = _nearest_sign(values)
        if np.ptp(values, axis=0).any():
            found[kind, name].fields.append(Field(path, dtype, values))
    return [node for node in found.values() if node.fields]


def _fields(message: dict[str, Any]) -> list[tuple[tuple[str, ...], Any]]:
    """(path, numbers) of a message."""
    out = []
    for key, value in message.items():
        if isinstance(value, dict):
            out += [((key, *path), inner) for path, inner in _fields(value)]
        elif isinstance(value, np.ndarray) or (
            isinstance(value, list) and value and all(isinstance(x, float | int) for x in value)
        ):
            out.append(((key,), value))
    return out


def _nearest_sign(wxyz: Array) -> Array:
    """Quaternions (n, 4) with the sign nearest the one before: values in between are near both."""
    turns = np.where((wxyz[1:] * wxyz[:-1]).sum(axis=1) < 0, -1.0, 1.0)
    out = wxyz.copy()
    out[1:] *= np.cumprod(turns)[:, None]
    return out


def pack_nodes(nodes: list[Node], values: Array) -> bytes:
    """Nodes and further values (frames, k) as one compressed block: JSON of its length, then arrays one after the other."""
    about: dict[str, Any] = {"format": FORMAT, "frames": len(values), "values": values.shape[1], "nodes": []}
    arrays: list[bytes] = [np.ascontiguousarray(values, dtype="<f4").tobytes()]
    for node in nodes:
        entry: dict[str, Any] = {"message": _plain(node.message, {f.path for f in node.fields}), "fields": []}
        for f in node.fields:
            low, high = f.values.min(axis=0), f.values.max(axis=0)
            if f.dtype != "list":  # one range for all of a long array
                low, high = np.full_like(low, low.min()), np.full_like(high, high.max())
            step = np.where(high > low, (high - low) / LEVELS, 0.0)
            levels = np.divide(f.values - low, step, out=np.zeros_like(f.values), where=step > 0)
            steps = np.rint(levels).astype(np.uint16)
            change = np.diff(steps, axis=0, prepend=np.zeros_like(steps[:1]))  # wraps around, and so does the sum
            arrays.append(np.ascontiguousarray(change.T, dtype="<u2").tobytes())
            short = slice(None) if f.dtype == "list" else slice(1)
            entry["fields"].append(
                {
                    "path": f.path,
                    "dtype": f.dtype,
                    "size": f.values.shape[1],
                    "low": low[short].tolist(),
                    "step": step[short].tolist(),
                }
            )
        about["nodes"].append(entry)
    head = json.dumps(about).encode()
    head += b" " * (-(len(head) + 4) % 8)
    return gzip.compress(struct.pack("<I", len(head)) + head + b"".join(arrays), 9, mtime=0)


def _plain(message: dict[str, Any], changing_paths: set[tuple[str, ...]], at: tuple[str, ...] = ()) -> dict[str, Any]:
    """A message as JSON, without the fields that frames fill in and without other arrays."""
    out = {}
    for key, value in message.items():
        if isinstance(value, dict):
            out[key] = _plain(value, changing_paths, (*at, key))
        elif (*at, key) not in changing_paths and not isinstance(value, np.ndarray):
            out[key] = value
    return out
