"""Published motions of flexible mechanisms with prescribed drives: the slider-crank and the beam that spins up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import gough
from gough import motions
from gough.fem import write_modal_file
from gough.laws import Follow
from laws.subjects import built
from mechanisms.slider_crank import END, RATE, START, by_chord, described, rod

PHYSICAL = [-0.331173430, 0.169737396]
"""Rod's angle and slider's place at 0.1 s, the test set's longitudinal mass block corrected."""


@pytest.mark.quick_cases("leapfrog-1e-06-1e-08")
@pytest.mark.parametrize(
    ("method", "step", "tolerance"), [("dp5", None, 1e-10), ("esdirk4", 1e-5, 1e-9), ("leapfrog", 1e-6, 1e-8)]
)
@pytest.mark.filterwarnings("ignore::gough.errors.ModalDataWarning")
def test_slider_crank(tmp_path: Path, method: str, step: float | None, tolerance: float) -> None:
    """IVP test set, problem crank: 150 rad/s, stiff along the rod."""
    write_modal_file(tmp_path / "rod.npz", rod())
    model = gough.build(described(str(tmp_path / "crank.yaml")))
    steady = motions.function(lambda t: [RATE * t], END, kind="drives", names=["crank"])
    angle, place = by_chord(0.0, np.array(START[:4]))
    q, v = np.array([*START[:4], 0.0, angle, place]), np.array([RATE, *START[4:]])
    run = gough.simulate(model, steady, Follow(), q=q, v=v, method=method, step=step, tolerance=tolerance, every=10)
    assert run.stopped == "finished"
    end = dict(zip(model.layout.q_names, run.q[-1], strict=True))
    np.testing.assert_allclose([end["crank"] + end["elbow"], end["slide"]], PHYSICAL, rtol=0, atol=2e-9)
    assert run.summary()["closure_error"] < 1e-10


@pytest.mark.parametrize(("method", "step"), [("esdirk4", 2e-3), ("leapfrog", None)])
def test_the_beam_that_spins_up(method: str, step: float | None) -> None:
    """Simo and Vu-Quoc: peak of the tip's deflection, and its steady extension at 6 rad/s."""
    model = built(gough.load("spin_up_beam"))

    def turned(t: np.ndarray) -> list[np.ndarray]:
        return [0.4 * (t * t / 2 + (15 / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / 15) - 1))]

    spin = motions.function(turned, 8.0, kind="drives", names=[model.layout.drive_names[0]])
    run = gough.simulate(model, spin, Follow(), method=method, step=step, tolerance=1e-6)
    assert run.stopped == "finished"
    angle = run["drives.position"][:, 0]
    tip = model.frame_pose(run.q, "beam.tip")[0]
    across = -np.sin(angle) * tip[:, 0] + np.cos(angle) * tip[:, 1]
    assert round(float(across.min()), 4) == -0.5744
    assert run.time[across.argmin()] == pytest.approx(6.76, abs=0.011)


def kanes_beam(bodies: int, stiffening: str) -> gough.Model:
    """T. R. Kane, R. R. Ryan, A. K. Banerjee (1987): eight metres, cut into bodies that are welded end to end."""
    length = 8.0 / bodies
    section, material = (
        {"area": 7.2968e-5, "Iz": 8.2181e-9, "ky": 1 / 1.2},
        {"E": 6.8952e10, "G": 2.6519e10, "density": 2766.67},
    )
    beam = {
        "length": length,
        "section": section,
        "material": material,
        "elements": 16 // bodies,
        "theory": "timoshenko",
    }
    modes = {"kind": "attachment", "interfaces": ["tip"], "number": 4 // bodies}
    flexible = {"beam": beam | {"plane": True}, "modes": modes, "stiffening": stiffening}
    frames = {"tip": {"position": [length, 0, 0]}}
    parts = [{"name": f"beam{k}", "frames": frames, "flexible": flexible} for k in range(bodies)]
    joints = [{"name": "hub", "type": "revolute", "parent": "world", "child": "beam0", "drive": {}}]
    for k in range(1, bodies):
        place = {"parent": f"beam{k - 1}", "child": f"beam{k}", "pose": {"position": [length, 0, 0]}}
        joints.append({"name": f"weld{k}", "type": "fixed", **place})
    described = {
        "name": "spin",
        "gravity": [0, 0, 0],
        "bodies": parts,
        "joints": joints,
        "velocities": "drives",
    }
    return gough.build(gough.Robot.model_validate(described))


@pytest.mark.slow
def test_which_form_of_stiffening_is_nearer() -> None:
    """What the page advises: with one body rigid_motion, with four bodies no matter; all against the beam of four bodies."""
    peaks = {}
    for bodies, form in ((1, "rigid_motion"), (1, "on"), (4, "rigid_motion"), (4, "on")):
        model = kanes_beam(bodies, form)

        def turned(t: np.ndarray) -> list[np.ndarray]:
            return [0.4 * (t * t / 2 + (15 / (2 * np.pi)) ** 2 * (np.cos(2 * np.pi * t / 15) - 1))]

        spin = motions.function(turned, 8.0, kind="drives", names=[model.layout.drive_names[0]])
        run = gough.simulate(model, spin, Follow(), method="esdirk4", step=2e-3, tolerance=1e-6)
        assert run.stopped == "finished"
        angle, tip = run["drives.position"][:, 0], model.frame_pose(run.q, f"beam{bodies - 1}.tip")[0]
        peaks[bodies, form] = float((-np.sin(angle) * tip[:, 0] + np.cos(angle) * tip[:, 1]).min())
    assert peaks[4, "on"] == pytest.approx(peaks[4, "rigid_motion"], rel=1e-4)
    off = {form: abs(peaks[1, form] / peaks[4, "on"] - 1) for form in ("rigid_motion", "on")}
    assert off["rigid_motion"] < 0.004 < 0.008 < off["on"] < 0.015
