import gzip
import json
import struct

import numpy as np
import pytest

from gough.viewer.takeaway._recording import Field, Node, changing_nodes, pack_nodes, record_frames
from gough.viewer.takeaway.page import frame_times
from gough.viewer.takeaway.pictures import hidden_server
from inner.viewer import Figure, RunStage, subject_of
from viewer.playback.runs import path1

pytest.importorskip("viser")


def unpacked(block: bytes) -> tuple[dict, np.ndarray, list[np.ndarray]]:
    """As the page reads it: sums of differences modulo 65536, from which the values follow."""
    data = gzip.decompress(block)
    (length,) = struct.unpack_from("<I", data)
    about = json.loads(data[4 : 4 + length])
    at, n = 4 + length, about["frames"]
    values = np.frombuffer(data, "<f4", n * about["values"], at).reshape(n, -1)
    at += 4 * values.size
    fields = []
    for node in about["nodes"]:
        for f in node["fields"]:
            steps = np.frombuffer(data, "<u2", n * f["size"], at).reshape(f["size"], n)
            at += 2 * steps.size
            levels = np.cumsum(steps.astype(np.int64), axis=1) % 65536
            fields.append(np.array(f["low"]) + np.array(f["step"]) * levels.T)
    assert at == len(data)
    return about, values, fields


def test_packed_fields_come_back_to_half_a_step() -> None:
    rng = np.random.default_rng(2)
    position, vertices = rng.normal(size=(40, 3)) * [1, 1e-3, 50], rng.normal(size=(40, 300)).astype(np.float32)
    node = Node(
        {"type": "Move", "name": "/a", "position": [0, 0, 0], "owner": None}, [Field(("position",), "list", position)]
    )
    mesh = Node(
        {"type": "Update", "name": "/b", "updates": {}}, [Field(("updates", "vertices"), "<f4", vertices.astype(float))]
    )
    sampled = rng.normal(size=(40, 2))
    about, values, fields = unpacked(pack_nodes([node, mesh], sampled))
    assert np.allclose(values, sampled, atol=1e-6)
    assert (np.abs(fields[0] - position) <= 0.51 * np.ptp(position, axis=0) / 65535).all()
    assert np.abs(fields[1] - vertices).max() <= 0.51 * np.ptp(vertices) / 65535
    assert about["nodes"][0]["message"] == {"type": "Move", "name": "/a", "owner": None}


def test_only_what_changes_is_kept_and_missing_values_stay_as_they_were() -> None:
    def message(name: str, x: float) -> dict:
        return {"type": "Move", "name": name, "position": [x, 0.0, 0.0]}

    frames = [[message("/still", 1.0)], [message("/late", 1.0)], [], [message("/late", 3.0), message("/still", 1.0)]]
    (node,) = changing_nodes([message("/late", 7.0), message("/still", 1.0)], frames)
    assert node.message["name"] == "/late"
    assert node.fields[0].values[:, 0].tolist() == [7.0, 1.0, 1.0, 3.0]


def test_quaternions_do_not_jump_to_their_other_sign() -> None:
    angle = np.linspace(0, 4 * np.pi, 50)
    turns = np.stack([np.cos(angle / 2), 0 * angle, 0 * angle, np.sin(angle / 2)], axis=1)
    turns[::3] *= -1
    (node,) = changing_nodes([], [[{"type": "Turn", "name": "/a", "wxyz": list(map(float, w))}] for w in turns])
    values = node.fields[0].values
    assert np.abs(np.diff(values, axis=0)).max() < 0.2
    assert np.allclose(np.abs((values * turns).sum(axis=1)), 1)


def test_a_recorded_run_has_its_links_where_the_robot_has_them() -> None:
    subject = subject_of(path1())
    times = np.linspace(0.0, 6.0, 7)
    with hidden_server("test") as server:
        stage = RunStage(server.scene, subject)
        stage.show(0.0)
        before, frames = record_frames(server, [lambda t=t: stage.show(float(t)) for t in times])
        assert len(frame_times(stage, None, 30, 1.0)) == 181 and len(frame_times(stage, 2.0, 30, 2.0)) == 31
        assert len(frame_times(stage, None, 1e6, 1.0)) == 1500
    nodes = {(n.message["type"], n.message["name"]): n for n in changing_nodes(before, frames)}
    moved = nodes["SetPositionMessage", "/robot/link0"].fields[0].values
    run = path1()
    truth = np.array([Figure(run.model).place(stage.frames[0].at(t)).position[0] for t in times])
    assert np.allclose(moved, truth, atol=1e-6) and np.ptp(truth[:, 0]) > 0.4
