"""Clocks of ROS bags, as rosbags writes them: a simulator's begins at 0; messages come out of order."""

from pathlib import Path

import numpy as np
import pytest

import gough
from gough.robot import loads

MODEL = gough.build(
    loads("""
format: 1
name: axis
bodies: [{name: head, mass: 2}]
joints: [{name: x, type: prismatic, parent: world, child: head, axis: [1, 0, 0], drive: {}}]
""")
)
MAP = {"time": "time", "/state/x/position": "position x", "/state/x/effort": "force x"}


def test_a_simulators_clock_that_begins_at_0_and_topics_out_of_order(tmp_path: Path) -> None:
    pytest.importorskip("rosbags")
    from rosbags.rosbag2 import Writer
    from rosbags.typesys import Stores, get_typestore

    store = get_typestore(Stores.LATEST)
    kinds, t = store.types, np.arange(300) / 100
    x = np.sin(2 * t)
    order = np.arange(300)
    order[[100, 101, 102]] = [101, 102, 100]
    with Writer(tmp_path / "bag", version=9) as bag:
        states = bag.add_connection("/state", "sensor_msgs/msg/JointState", typestore=store)
        references = bag.add_connection("/ref", "geometry_msgs/msg/PointStamped", typestore=store)
        for k in range(300):
            received = 10**18 + round(t[k] * 1e9)  # by the wall's clock; stamps are the simulator's
            stamps = []
            for at in (float(t[k]), float(t[order[k]])):
                ns = round(at * 1e9)
                time = kinds["builtin_interfaces/msg/Time"](sec=ns // 10**9, nanosec=ns % 10**9)
                stamps.append(kinds["std_msgs/msg/Header"](stamp=time, frame_id=""))
            state = kinds["sensor_msgs/msg/JointState"](
                header=stamps[0], name=["x"], position=x[k : k + 1], velocity=np.zeros(0), effort=-8 * x[k : k + 1]
            )
            bag.write(states, received, store.serialize_cdr(state, state.__msgtype__))
            if k < 299:
                point = kinds["geometry_msgs/msg/Point"](x=float(x[order[k]]) + 1.0, y=0.0, z=0.0)
                told = kinds["geometry_msgs/msg/PointStamped"](header=stamps[1], point=point)
                bag.write(references, received, store.serialize_cdr(told, told.__msgtype__))
    record = gough.read_record(tmp_path / "bag", MODEL, MAP)
    assert len(record) == 300 and np.array_equal(record.positions["x"], x)
    assert np.allclose(record.time, t, atol=1e-9)
    record = gough.read_record(tmp_path / "bag", MODEL, MAP | {"/ref/point.x": "reference x"})
    assert len(record) == 299 and np.allclose(record.reference["x"], x[:299] + 1.0, atol=1e-12)
    assert any("/ref: messages were not in the order of their stamps" in note for note in record.notes)
