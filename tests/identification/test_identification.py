"""What a result says of itself: text, fits, sources of the robot's numbers."""

from __future__ import annotations

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import gough
from gough import Samples
from gough.robot import dumps, loads

from .estimation.motions import five_bar, samples

PLAIN = ("inertia", "rotors", "friction", "springs")
GAINS = ("left_crank.*", "left_rod.*", "right_crank.*", "gains")


@cache
def identified(parameters: tuple[str, ...] = PLAIN) -> gough.Identification:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.identify(five_bar(), samples(0.01), parameters=parameters)


def first(count: int) -> Samples:
    data = samples(0.01)
    own = {k: getattr(data, k)[:count] for k in ("time", "q", "v", "acceleration", "force", "run")}
    return replace(data, **own)


def test_lines_are_short() -> None:
    rows = [line for line in identified().report().splitlines() if line.startswith("  ")]
    assert len(rows) > identified().base.rank and max(map(len, rows)) < 130
    assert any(line.endswith(" …") for line in rows) == any(len(n) > 72 for n in identified().base.names)


def test_consistency_in_words() -> None:
    found = identified()
    assert found.consistent and found.consistency_words in found.report()
    assert ("as they were estimated" in found.consistency_words) == (found.distance < 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        plain = gough.identify(five_bar(), samples(0.01), consistent=False)
    assert plain.consistency_words == "not made consistent"


@pytest.mark.parametrize("parameters", [PLAIN, GAINS], ids=["plain", "gains"])
def test_fit_of_the_same_samples_is_the_fit(parameters: tuple[str, ...]) -> None:
    found = identified(parameters)
    assert len(found.gains) == (2 if "gains" in parameters else 0)
    again = found.fit(samples(0.01), "again")
    assert again.name == "again" and again.error == pytest.approx(found.fits[0].error, rel=1e-12)


def test_validation_that_thinning_leaves_nothing_of_is_told() -> None:
    with pytest.raises(
        gough.UsageError, match="validation: nothing is left of runs of up to 40 samples, of which an equation takes 41"
    ):
        gough.identify(five_bar(), samples(0.01), validation=first(40), thin=5)


def test_sources_say_once_who_found_the_numbers() -> None:
    found = identified()
    text = dumps(found.robot)
    bodies = {name.rpartition(".")[0] for name in found.base.regressor.names}
    assert text.count("identified by least squares: ") == len(bodies)
    assert f"ZZ = {found.parameters['left_crank.ZZ']:.6g}" in text


@pytest.mark.parametrize(("missing", "share", "worse"), [(1.1, 4.0, False), (4.0, 1.1, False), (3.0, 3.0, True)])
def test_a_small_force_is_no_worse_fit(missing: float, share: float, worse: bool) -> None:
    """The same noise on a quarter of the force; four times the force; three times as much missing."""
    fit = identified().fits[0]
    assert replace(fit, rms=missing * fit.rms, share=share * fit.share).worse_than(fit) == worse


def test_runs_without_an_equation_are_told_and_not_counted() -> None:
    short = first(30)
    both = replace(
        samples(0.01),
        **{k: np.concatenate([getattr(samples(0.01), k), getattr(short, k)]) for k in ("q", "v", "acceleration")},
        time=np.concatenate([samples(0.01).time, short.time]),
        force=np.concatenate([samples(0.01).force, short.force[::-1]]),
        run=np.repeat([0, 1], [len(samples(0.01)), len(short)]),
        runs=("long", "short"),
    )
    with pytest.warns(gough.IdentificationWarning, match=r"which takes 41 rows, and left out: 'short' \(30 rows\)"):
        found = gough.identify(five_bar(), both, thin=5)
    assert found.samples.runs == ("long",) and "of 1 run\n" in found.report()


@pytest.mark.filterwarnings("ignore")
def test_noise_of_redundant_drives_is_reported() -> None:
    """Output error compares drives, more of them than rows along v."""
    model, t = gough.build("redundant_planar"), np.linspace(0.0, 2.0, 11)
    poses = np.tile(model.home[:7], (11, 1))
    poses[:, 0] += 0.05 * np.sin(2 * t)
    poses[:, 1] += 0.05 * np.sin(3.1 * t)
    told = gough.laws.drives_of(model, gough.motions.spline(times=t, poses=poses, degree=5))
    law = gough.laws.JointPD(stiffness=300.0, damping=20.0)
    run = gough.simulate(model, told, law, method="rk4", step=2e-3)
    data = gough.Record.from_run(run, "r", rate_hz=250, noise={"force": 0.01})
    found = gough.identify(
        model, data, parameters=("platform.M",), method="didim", consistent=False, controller=law, motion=told
    )
    assert found.noise_names == model.layout.drive_names != found.rows.names
    assert all(name in found.report() for name in found.noise_names)


def test_rounding_is_written_as_0() -> None:
    found = identified()
    assert found.condition == found.estimate.condition
    place = found.base.names.index("left_rod.MY")
    phi = found.estimate.phi.copy()
    phi[place] = 1.9e-16
    text = replace(found, estimate=replace(found.estimate, phi=phi)).report()
    assert "e-16" not in text and any(line.split()[0] == "0" and "left_rod.MY" in line for line in text.splitlines())


def test_rotors_behind_gears_have_a_unit_and_a_note() -> None:
    """With everything but the rotors known they stand alone; gear^2 = 25 is in them."""
    text = dumps(five_bar().robot)
    geared = gough.build(loads(text.replace("drive: {", "drive: {rotor_inertia: 1e-4, gear: 5, ")))
    data = samples(0.01)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = gough.identify(geared, replace(data, model=geared), parameters="rotors")
    report = found.report()
    assert "rotor inertias are at the joint: gear^2 is in them" in report
    assert all("at the joint" not in line for line in report.splitlines() if "kg m2" in line)
    assert found.base.values[0] == pytest.approx(25e-4)


def test_numbers_that_moved_with_others_are_not_called_as_described() -> None:
    """Here one combination of two masses is told, 14 instead of 12 kg: by symmetry neither mass alone is known."""
    pair = gough.build(
        loads("""
format: 1
name: pair
gravity: [0, 0, 0]
bodies: [{name: head, mass: 6}, {name: tool, mass: 6}]
joints:
  - {name: slide, type: prismatic, parent: world, child: head, axis: [1, 0, 0], drive: {}}
  - {name: clamp, type: fixed, parent: head, child: tool}
""")
    )
    t = np.arange(4000) / 200
    x, a = np.sin(3 * t)[:, None], -9 * np.sin(3 * t)[:, None]
    force = 14.0 * a + np.random.default_rng(0).normal(0.0, 0.5, a.shape)
    v = 3 * np.cos(3 * t)[:, None]
    data = Samples(pair, t, x, v, a, force, None, np.zeros(len(t), dtype=int), ("run",))
    found = gough.identify(pair, data, parameters=("inertia",))
    assert {"head.M", "tool.M"} <= set(found.undetermined)
    assert abs(found.base_values[0] - 14.0) < 5 * found.base_deviations[0] < 0.2
    assert "rest on the description: head" in found.report()
    head = next(body for body in found.robot.bodies if body.name == "head")
    assert head.parameters is not None and abs(head.parameters.M - 7.0) < 0.1
    source = str(head.parameters.source)
    assert "kg, moved with others from 6" in source and "MX = 0 kg m as described" in source


def test_samples_in_a_list_are_refused_with_what_to_do() -> None:
    with pytest.raises(
        gough.UsageError, match=r"Samples hold several runs: gough\.condition\(model, \[record, record\]\)"
    ):
        gough.identify(five_bar(), [first(500), first(500)])
