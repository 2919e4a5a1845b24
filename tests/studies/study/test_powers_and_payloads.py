"""Powers of all drives together, and payloads that are stated twice: beside sums of what runs of inverse dynamics say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import loads
from studies.study.robots import EXAMPLES, study_of

JOINTS = dict.fromkeys(("x", "y"), "0 m") | {"z": "1 m"} | dict.fromkeys(("yaw", "pitch", "roll"), "0 deg")
SINES = {"x": ["0.1 m"], "pitch": ["8 deg"], "z": ["0 m", "0.06 m"]}
RIDE: dict[str, Any] = {"motion": {"fourier": {"period": "2 s", "joints": JOINTS, "sines": SINES}}, "samples": 7}
ASKED = {name: {"measure": name, "case": "ride"} for name in ("peak power", "peak total power", "peak drawn power")}
RADIUS = {"base_radius": [0.8, 1.0]}


def platform(**payload: Any) -> Any:
    path = EXAMPLES / "motion_platform.yaml"
    if not payload:
        return path
    text = path.read_text()
    return loads(text.replace("platform:", f"platform:\n  payload: {{mass: {payload['mass']}}}\n ", 1))


def powers_at(base_radius: float) -> np.ndarray:
    """(7, 6): force times speed of every drive, by ordinary calls along the motion."""
    model = gough.build(gough.load(platform()).with_variables({"base_radius": base_radius}))
    w, out = np.pi, []
    for t in np.linspace(0.0, 2.0, 7):
        s = {"x": 0.1 * np.sin(w * t), "z": 1 + 0.06 * np.sin(2 * w * t), "pitch": np.radians(8) * np.sin(w * t)}
        d = np.array(
            [0.1 * w * np.cos(w * t), 0, 0.12 * w * np.cos(2 * w * t), 0, np.radians(8) * w * np.cos(w * t), 0]
        )
        a = np.array([-0.1 * w**2 * np.sin(w * t), 0, -0.24 * w**2 * np.sin(2 * w * t), 0, 0, 0])
        a[4] = -np.radians(8) * w**2 * np.sin(w * t)
        q = model.configuration(coordinates={"y": 0, "yaw": 0, "roll": 0, **s})
        tau = model.inverse_dynamics(q, d, a).tau
        out.append(tau * rates(model, q, d))
    return np.array(out)


def rates(model: gough.Model, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Of the drives: their lengths at two states a moment apart."""
    h, found = 1e-5, []
    for side in (-1, 1):
        x = dict(zip(("x", "y", "z"), q[:3] + side * h * v[:3], strict=True))
        pitch = 2 * np.arctan2(q[5], q[3]) + side * h * v[4]
        moved = model.configuration(coordinates={**x, "yaw": 0, "pitch": pitch, "roll": 0})
        found.append(moved[model.drive_index])
    return (found[1] - found[0]) / (2 * h)


def test_powers_of_all_drives() -> None:
    study = study_of(platform(), variables=RADIUS, cases={"ride": RIDE}, measures=ASKED)
    p = powers_at(0.9)
    found = study.evaluate({"base_radius": 0.9})
    assert found["peak power"] == pytest.approx(np.abs(p).max(), rel=1e-6)
    assert found["peak total power"] == pytest.approx(np.abs(p.sum(axis=1)).max(), rel=1e-6)
    assert found["peak drawn power"] == pytest.approx(np.maximum(p, 0).sum(axis=1).max(), rel=1e-6)
    slopes, h = study.gradients({"base_radius": 0.9}), 1e-3
    for name, of in (
        ("peak total power", lambda p: np.abs(p.sum(axis=1)).max()),
        ("peak drawn power", lambda p: np.maximum(p, 0).sum(axis=1).max()),
    ):
        slope = (of(powers_at(0.9 + h)) - of(powers_at(0.9 - h))) / (2 * h)
        assert slopes[name]["base_radius"] == pytest.approx(slope, rel=1e-3)


def test_a_payload_that_is_stated_twice_is_told() -> None:
    def remarks(robot: Any) -> list[str]:
        case = RIDE | {"payload": {"mass": "300 kg"}}
        return study_of(robot, variables=RADIUS, cases={"ride": case}, measures=ASKED).remarks

    assert not remarks(platform())
    (said,) = remarks(platform(mass="250 kg"))
    assert "payload of 300 kg" in said and "payload of 250 kg" in said and "550 kg" in said
