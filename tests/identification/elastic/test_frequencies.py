"""Numbers found again from frequencies that other formulas give; DualEMPS from its measured ones."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh
from scipy.optimize import brentq

import gough
from gough.errors import IdentificationWarning, UsageError
from gough.robot import loads

from .elastic_robots import DENSITY, HEIGHT, LENGTH, WIDTH, arm, cantilever, cross

MEASURED = [14, 25, 48, 93, 108]
"""[Briot 2014, Table 3], ±1 Hz."""
DRIVE = {"E": "link*.E", "tip": "link17.added_mass"}


def beam_frequencies(E, mass, count):
    """Of a clamped beam with a tip mass, whose β fulfil 1 + cos β cosh β + (m / ρAL) β (cos β sinh β - sin β cosh β) = 0."""
    area, inertia = HEIGHT * WIDTH, WIDTH * HEIGHT**3 / 12
    share = mass / (DENSITY * area * LENGTH)

    def equation(b):
        return 1 + np.cos(b) * np.cosh(b) + share * b * (np.cos(b) * np.sinh(b) - np.sin(b) * np.cosh(b))

    grid = np.linspace(0.1, 20, 4000)
    signs = np.flatnonzero(np.diff(np.sign(equation(grid))))[:count]
    roots = np.array([brentq(equation, grid[i], grid[i + 1], xtol=1e-14) for i in signs])
    return roots**2 / LENGTH**2 * np.sqrt(E * inertia / (DENSITY * area)) / (2 * np.pi)


def element_frequencies(E, mass, count):
    """The first ones of four independent elements."""
    M, _, K = (np.array(A) for A in cantilever(E, DENSITY, mass, 4))
    return np.sqrt(eigh(K, M, eigvals_only=True)[:count]) / (2 * np.pi)


def test_modulus_and_tip_mass_of_a_beam_are_found_again():
    """Eight elements have λ of the second mode too high by (β h)⁴ / 720 = 9e-5."""
    hz = beam_frequencies(66e9, 0.25, 2)
    fit = gough.fit_frequencies(arm(8), hz, ["rod.E", "head.M"], sigma_hz=0.01)
    assert np.allclose(fit.values, [66e9, 0.25], rtol=5e-4)
    assert np.allclose(fit.fitted, hz, rtol=1e-8)
    assert fit.undetermined == () and fit.at_bounds == () and fit.notes == ()
    assert np.allclose(
        gough.natural_frequencies(fit.model, parameters=fit.parameters).frequencies_hz[:2], fit.fitted[0]
    )


@pytest.mark.slow
def test_deviations_are_those_of_the_draws():
    hz, rng = element_frequencies(66e9, 0.25, 3), np.random.default_rng(3)
    sigma = np.array([0.01, 0.1, 0.3])
    fits = [
        gough.fit_frequencies(arm(4), hz + sigma * rng.normal(size=3), ["rod.E", "head.M"], sigma_hz=sigma)
        for _ in range(40)
    ]
    spread = np.std([f.values for f in fits], axis=0)
    assert np.all(np.abs(spread / fits[0].deviations - 1) < 0.4)  # 40 draws: ±11 % each


def test_dualemps_from_measured_frequencies():
    fit = gough.fit_frequencies(gough.build("dualemps_refined"), MEASURED, DRIVE, sigma_hz=1.0)
    assert np.all(np.abs(fit.fitted / MEASURED - 1) < 0.015)
    assert 70e9 < fit.value("E") < 77e9 and abs(fit.value("E") - 74e9) < 2 * fit.deviation("E")
    assert abs(fit.value("tip")) < 0.2 * 0.177
    again = gough.natural_frequencies(gough.build(fit.robot))
    assert np.allclose(again.frequencies_hz[:5], fit.fitted[0], rtol=1e-9)
    sources = [body.source for body in fit.robot.bodies if body.name in ("link13", "link17")]
    assert all("identified" in str(s) and "±" in str(s) for s in sources)
    assert "described: 7.4e+10" in fit.report()


@pytest.mark.slow
def test_more_elements_are_softer_and_want_a_larger_modulus():
    fit = gough.fit_frequencies(gough.build("dualemps_8"), MEASURED, DRIVE, sigma_hz=1.0)
    assert np.isclose(fit.value("E"), 78.6e9, rtol=2e-3)
    assert 0.03 < fit.fitted[0, 0] / 14 - 1 < 0.05


def test_a_mass_at_a_node_is_said_to_be_undetermined():
    unknowns = {**DRIVE, "pin": "link14.pin.added_mass"}
    model = gough.build("dualemps_refined")
    with pytest.warns(IdentificationWarning, match="do not determine pin"):
        fit = gough.fit_frequencies(model, MEASURED, unknowns, sigma_hz=1.0)
    assert fit.undetermined == ("pin",)
    held = gough.fit_frequencies(model, MEASURED, unknowns, sigma_hz=1.0, prior={"pin": 0.05})
    assert held.undetermined == ("pin",) and abs(held.value("pin")) < 0.2
    assert "it is the prior" in held.notes[0]


def test_unknowns_that_do_the_same_are_named():
    with pytest.warns(IdentificationWarning, match=r"rod.E, rod.stiffness_factor"):
        fit = gough.fit_frequencies(arm(3), [7.0, 75.0, 230.0], ["rod.E", "rod.stiffness_factor"], sigma_hz=0.1)
    assert np.isinf(fit.deviations).all()


def cross_hz(first, second):
    return np.sort(np.sqrt(np.array([first, second]) / 2.0) / (2 * np.pi))


def test_a_start_with_equal_frequencies_is_left():
    fit = gough.fit_frequencies(
        cross(), cross_hz(900.0, 1210.0), ["x.spring.stiffness", "y.spring.stiffness"], sigma_hz=0.01
    )
    assert np.allclose(np.sort(fit.values), [900.0, 1210.0], rtol=1e-6)
    alone = gough.fit_frequencies(cross(), cross_hz(900.0, 1000.0), ["x.spring.stiffness"], sigma_hz=0.01)
    assert np.allclose(alone.values, 900.0, rtol=1e-6)
    both = gough.fit_frequencies(cross(), cross_hz(900.0, 900.0), {"k": "*.spring.stiffness"}, sigma_hz=0.01)
    assert np.allclose(both.values, 900.0, rtol=1e-6)
    assert both.repeated == (((0, 1),),) and "equal frequencies" in both.notes[0]


def test_modes_that_cross_keep_their_shapes():
    """Along x the spring is the softer one at the start and the stiffer one in truth."""
    model, wanted = cross(800.0, 1000.0), ["x.spring.stiffness", "y.spring.stiffness"]
    x, y = cross_hz(1300.0, 1300.0)[0], cross_hz(950.0, 950.0)[0]
    seen = gough.fit_frequencies(
        model,
        [y, x],
        wanted,
        sigma_hz=0.01,
        pairing="shape",
        shapes=[[0.05, 1.0], [1.0, -0.1]],
        sensors=["head.x", "head.y"],
    )
    assert np.allclose(seen.values, [1300.0, 950.0], rtol=1e-6)
    tracked = gough.fit_frequencies(model, [x, y], wanted, sigma_hz=0.01, pairing="shape")
    assert np.allclose(tracked.values, [1300.0, 950.0], rtol=1e-6)
    assert tracked.modes.tolist() == [[1, 0]]
    with pytest.warns(IdentificationWarning, match="do not agree"):
        gough.fit_frequencies(
            cross(), [x], wanted[:1], sigma_hz=0.1, pairing="shape", shapes=[[0.0, 0.0, 1.0]],
            sensors=["head.x", "head.y", "head.z"],
        )  # fmt: skip


def test_poses_and_missing_modes():
    hz = element_frequencies(66e9, 0.25, 3)
    model = arm(4)
    fit = gough.fit_frequencies(model, [hz[0], np.nan, hz[2]], ["rod.E", "head.M"], sigma_hz=0.01)
    assert np.allclose(fit.values, [66e9, 0.25], rtol=1e-6) and fit.modes.tolist() == [[0, -1, 2]]
    numbered = gough.fit_frequencies(model, hz[[0, 2]], ["rod.E", "head.M"], sigma_hz=0.01, pairing=[0, 2])
    assert np.allclose(numbered.values, fit.values, rtol=1e-6)
    robot = gough.build("dualemps_refined")
    poses = np.array([robot.home, robot.configuration(drives=[0.05, -0.1])])
    hz = np.array([gough.natural_frequencies(robot, q).frequencies_hz[:4] for q in poses])
    fit = gough.fit_frequencies(robot, hz, {"E": "link*.E"}, q=poses, sigma_hz=0.1, start={"E": 60e9})
    assert np.isclose(fit.values[0], 74e9, rtol=1e-7)


def test_stiffness_of_servos():
    model = gough.build("dualemps_refined")
    hz = gough.natural_frequencies(model, drives={"stiffness": 2e5}).frequencies_hz[:5]
    fit = gough.fit_frequencies(
        model, hz, {"servo": "*.servo.stiffness", "E": "link*.E"}, drives={"stiffness": 1.5e5}, sigma_hz=0.01
    )
    assert np.allclose(fit.values, [2e5, 74e9], rtol=1e-6)
    assert "N/m " in fit.report().splitlines()[1]  # its drives slide
    with pytest.raises(UsageError, match="gain of a controller"):
        _ = fit.robot


def test_what_cannot_be_meant_is_refused():
    model = gough.build("dualemps_refined")

    def refuse(match, measured=MEASURED, unknowns=DRIVE, **options):
        with pytest.raises(UsageError, match=match):
            gough.fit_frequencies(model, measured, unknowns, **options)

    refuse("names nothing to find", unknowns=["link13.modulus"])
    refuse("rigid body that is fixed there", unknowns=["link13.tip.added_mass"])
    refuse("geometry is found by calibration", unknowns=["j13.x"])
    refuse("described without it|names nothing", unknowns=["link13.damping.ratio"])
    refuse("one number has one value", unknowns={"m": ["link14.M", "link17.M"]})
    refuse("is in 'a' and in 'b'", unknowns={"a": "link13.E", "b": "link1*.E"})
    refuse("is 0 in the description", unknowns=["j14.friction.viscous"])
    refuse("not in increasing order", measured=[25, 14])
    refuse("positive frequencies", measured=[-1.0])
    refuse("9 modes", measured=np.linspace(10, 100, 12))
    refuse("sigma_hz", sigma_hz=[1.0, 2.0])
    refuse("sigma_hz: give positive and finite", sigma_hz=0.0)
    refuse("say pairing='shape'", shapes=np.ones((5, 2)))
    refuse("name the sensors", shapes=np.ones((5, 2)), pairing="shape")
    refuse("no such channel", shapes=np.ones((5, 1)), pairing="shape", sensors=["tool.q"])
    refuse("pairing", pairing="best")
    refuse("counted from 0", pairing=[0, 0, 1, 2, 3])
    refuse("no unknown 'F'", prior={"F": 1.0})
    refuse("no unknown 'F'", start={"F": 1.0})
    refuse("outside its bounds", bounds={"E": (1e9, 2e9)})
    refuse("use 'locked'", drives={"gain": 1.0})


def test_a_bad_fit_is_said_with_the_modes_that_were_missed():
    """Modes 2, 4 and 5 of the measured robot."""
    model = gough.build("dualemps_refined")
    with pytest.warns(IdentificationWarning, match=r"24\.3 times what sigma_hz says.*pairing=\[1, 3, 4\]"):
        gough.fit_frequencies(model, [25, 93, 108], {"E": "link*.E"}, sigma_hz=1.0)
    with pytest.warns(IdentificationWarning, match=r"% rms .*pairing=\[1, 3, 4\]"):
        gough.fit_frequencies(model, [25, 93, 108], {"E": "link*.E"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = gough.fit_frequencies(model, [25, 93, 108], {"E": "link*.E"}, sigma_hz=1.0, pairing=[1, 3, 4])
    assert 70e9 < fit.value("E") < 77e9


def test_another_unit_is_suspected():
    model, measured = gough.build("dualemps_refined"), 2 * np.pi * np.array(MEASURED)
    with pytest.warns(IdentificationWarning, match="in rad/s, not in Hz; divide them by 2π"):
        gough.fit_frequencies(model, measured, {"E": "link*.E"}, sigma_hz=1.0)


def test_without_freedom_there_are_no_deviations():
    """f = √(k / m) / 2π of one spring: the deviation of k is 2 k σ / f where σ is known, else nothing tells it."""
    hz = cross_hz(900.0, 900.0)[:1]
    model, wanted = cross(1000.0, 9e4), ["x.spring.stiffness"]
    with pytest.warns(
        IdentificationWarning, match="1 frequencies for 1 unknowns: nothing is left over.*state sigma_hz="
    ):
        fit = gough.fit_frequencies(model, hz, wanted)
    assert np.isinf(fit.deviations).all() and fit.undetermined == () and np.allclose(fit.values, 900.0)
    known = gough.fit_frequencies(model, hz, wanted, sigma_hz=0.01)
    assert np.allclose(known.deviations, 2 * 900.0 * 0.01 / hz, rtol=1e-6)


def axes(*stiffness: float) -> gough.Model:
    """Parallel axes of 2 kg each."""
    n = range(len(stiffness))
    bodies = "\n".join(f"  - {{name: b{i}, mass: 2}}" for i in n)
    joints = "\n".join(
        f"  - {{name: x{i}, type: prismatic, parent: world, child: b{i}, axis: [1, 0, 0], "
        f"spring: {{stiffness: {stiffness[i]}, damping: 1}}}}"
        for i in n
    )
    names = ", ".join(f"x{i}" for i in n)
    return gough.build(loads(f"format: 1\nname: axes\nbodies:\n{bodies}\njoints:\n{joints}\nvelocities: [{names}]\n"))


def hz_of(*stiffness: float) -> np.ndarray:
    return np.sqrt(np.array(stiffness) / 2) / (2 * np.pi)


def test_a_prior_without_sigma_is_weighed_against_the_noise_of_the_data():
    """One number in three frequencies, good to 1e-4 Hz: the closed form of their mean is found, not the prior."""
    model = axes(1000.0, 2000.0, 3000.0)
    measured = hz_of(1050.0, 2100.0, 3150.0) + 1e-4 * np.array([1.0, -1.0, 0.5])
    tied = {"k": "x0.spring.stiffness"}
    fit = gough.fit_frequencies(model, measured[:1], tied, drives="free", sigma_hz=1e-4, prior={"k": 50.0})
    assert fit.value("k") == pytest.approx(1050.0, abs=0.1)
    with pytest.raises(UsageError, match=r"nothing is left over to tell their noise.*sigma_hz="):
        gough.fit_frequencies(model, measured[:1], tied, drives="free", prior={"k": 50.0})
    poses = np.tile(model.home, (3, 1))
    repeats = hz_of(1050.0) + 1e-4 * np.array([[1.0], [-1.0], [0.5]])
    alone = gough.fit_frequencies(model, repeats, tied, q=poses, drives="free")
    fit = gough.fit_frequencies(model, repeats, tied, q=poses, drives="free", prior={"k": 50.0})
    assert fit.value("k") == pytest.approx(alone.value("k"), abs=1e-3)
    assert fit.deviations == pytest.approx(alone.deviations, rel=1e-3) and fit.sigma[0, 0] == pytest.approx(
        1e-4, rel=0.3
    )
    with pytest.warns(
        IdentificationWarning, match=r"deviations from its prior 1000 ± 5 N/m: data and prior contradict"
    ):
        gough.fit_frequencies(model, repeats, tied, q=poses, drives="free", prior={"k": 5.0})


def test_equal_parts_may_change_places():
    model, wanted = axes(1000.0, 1000.0), ["x0.spring.stiffness", "x1.spring.stiffness"]
    options: dict[str, Any] = {"sigma_hz": 0.01, "drives": "free"}
    measured = hz_of(1300.0, 1100.0)
    with pytest.warns(IdentificationWarning, match="change places: which number is whose is not told. Tie them"):
        fit = gough.fit_frequencies(model, np.sort(measured), wanted, **options)
    assert "is not told" in fit.report()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        first = {"x0.spring.stiffness": 1200.0}
        assert gough.fit_frequencies(model, np.sort(measured), wanted, start=first, **options).values[0] > 1200.0
        seen: dict[str, Any] = {"shapes": np.eye(2), "sensors": ["b0.x", "b1.x"], "pairing": "shape"}
        fit = gough.fit_frequencies(model, measured, wanted, **options, **seen)
        assert np.allclose(fit.values, [1300.0, 1100.0])
        gough.fit_frequencies(axes(1000.0, 1500.0), np.sort(measured), wanted, **options)
        gough.fit_frequencies(model, hz_of(1200.0, 1200.001), wanted, **options)


def test_deviations_follow_residuals_that_sigma_does_not_explain():
    model = axes(1000.0, 1000.0)
    with pytest.warns(IdentificationWarning, match="times what sigma_hz says.*Deviations are those of noise as large"):
        fit = gough.fit_frequencies(
            model, hz_of(1000.0, 1400.0), {"k": "x*.spring.stiffness"}, sigma_hz=0.01, drives="free"
        )
    plain = gough.fit_frequencies(
        model, hz_of(1000.0, 1400.0), {"k": "x*.spring.stiffness"}, sigma_hz=0.01 * np.sqrt(fit.chi2), drives="free"
    )
    assert fit.chi2 > 100 and np.allclose(fit.deviations, plain.deviations, rtol=1e-6)


def test_a_start_without_stiffness_says_nothing_of_numbers():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit = gough.fit_frequencies(
            axes(1000.0),
            hz_of(1300.0),
            ["x0.spring.stiffness"],
            start={"x0.spring.stiffness": 0.0},
            sigma_hz=0.01,
            drives="free",
        )
    assert fit.values[0] == pytest.approx(1300.0)


def test_reports_name_the_pose_and_orders_their_remedy():
    model = axes(1000.0, 1500.0)
    poses, measured = np.tile(model.home, (2, 1)), np.tile(hz_of(1000.0, 1500.0), (2, 1))
    wanted: list[str] = ["x*.spring.stiffness"]
    text = gough.fit_frequencies(model, measured, wanted, q=poses, drives="free", sigma_hz=0.1).report()
    assert "pose 1, mode 2: measured" in text
    with pytest.raises(UsageError, match=r"sort each row: np.sort.*pairing='shape'"):
        gough.fit_frequencies(model, measured[:, ::-1], wanted, q=poses, drives="free")


ROW = """
format: 1
name: row
gravity: [0, 0, 0]
bodies: [{name: a, mass: 2.0}, {name: b, mass: 1.0}]
joints:
- {name: x, type: prismatic, parent: world, child: a, axis: [1, 0, 0], spring: {stiffness: 1000 N/m, damping: 1}}
- {name: y, type: prismatic, parent: a, child: b, axis: [1, 0, 0], spring: {stiffness: 500 N/m, damping: 1}}
velocities: [x, y]
"""


def row_frequencies(k: float, kk: float) -> np.ndarray:
    """Of masses 2 and 1 kg in a row: λ² - (k + 3 kk)/2 λ + k kk/2 = 0, the same for kk' = k/3, k' = 3 kk."""
    return np.sqrt(np.sort(np.roots([1.0, -(k + 3 * kk) / 2, k * kk / 2]))) / (2 * np.pi)


def test_other_numbers_with_the_same_frequencies_are_said(recwarn: pytest.WarningsRecorder):
    model, wanted = gough.build(loads(ROW)), ["x.spring.stiffness", "y.spring.stiffness"]
    assert np.allclose(row_frequencies(1800, 450), row_frequencies(1350, 600), rtol=1e-12)
    with pytest.warns(IdentificationWarning, match=r"as well: x.spring.stiffness = 1800.*y.spring.stiffness = 450 "):
        found = gough.fit_frequencies(model, row_frequencies(1800, 450), wanted, sigma_hz=0.01, drives="free")
    assert np.allclose(found.values, [1350, 600], rtol=1e-6)
    recwarn.clear()
    options = {"sigma_hz": 0.01, "drives": "free"}
    begun = gough.fit_frequencies(model, row_frequencies(1800, 450), wanted, start={wanted[0]: 2000.0}, **options)
    assert np.allclose(begun.values, [1800, 450], rtol=1e-6)
    gough.fit_frequencies(model, row_frequencies(1010, 502), wanted, **options)
    assert not recwarn.list


def test_a_prior_of_some_determines_others(recwarn: pytest.WarningsRecorder):
    wanted = ["x.spring.stiffness", "y.spring.stiffness", "a.M", "b.M"]
    fit = gough.fit_frequencies(
        gough.build(loads(ROW)),
        row_frequencies(1020, 510),
        wanted,
        sigma_hz=0.01,
        drives="free",
        prior={"a.M": 0.001, "b.M": 0.001},
    )
    assert not recwarn.list and np.allclose(fit.values, [1020, 510, 2, 1], rtol=1e-3)
    assert "it is the prior that does" in fit.report()


def test_a_prior_that_outweighs_the_data_and_contradicts_them_is_said():
    wanted = ["x.spring.stiffness", "y.spring.stiffness"]
    with pytest.warns(IdentificationWarning, match=r"x.spring.stiffness is found as 1000.*contradict each other"):
        gough.fit_frequencies(
            gough.build(loads(ROW)),
            row_frequencies(1300, 500),
            wanted,
            sigma_hz=0.005,
            drives="free",
            prior={wanted[0]: 0.01},
        )
    with pytest.raises(UsageError, match="sigma_hz: give positive and finite"):
        gough.fit_frequencies(
            gough.build(loads(ROW)), row_frequencies(1300, 500), wanted, sigma_hz=1e-300, drives="free"
        )


AXIS = """
format: 2
name: axis
variables: {k: 1000 N/m}
bodies: [{name: head, mass: 2.0}]
joints: [{name: x, type: prismatic, parent: world, child: head, axis: [1, 0, 0], spring: {stiffness: k, damping: 1}}]
velocities: [x]
"""


@pytest.mark.parametrize("start", [1e-3, 1e5, 1e6, 1e7, 1e9])
@pytest.mark.parametrize("name", ["k", "x.spring.stiffness"])
def test_a_start_far_away_leads_to_the_stiffness_of_the_formula(start: float, name: str) -> None:
    """k = m (2π f)², whose deviation is k 2σ/f; steps that would make k negative are not taken."""
    f = np.sqrt(1210 / 2) / (2 * np.pi)
    fit = gough.fit_frequencies(
        gough.build(loads(AXIS)), [f], [name], sigma_hz=0.01, drives="free", start={name: start}
    )
    assert fit.values == pytest.approx([1210.0], rel=1e-6) and fit.undetermined == ()
    assert fit.deviations == pytest.approx([1210.0 * 0.02 / f], rel=1e-4)


@pytest.mark.filterwarnings("ignore::gough.IdentificationWarning")
def test_a_number_far_from_the_described_one_is_determined_where_its_own_deviation_is_small() -> None:
    f = 1e3 * np.sqrt(1210 / 2) / (2 * np.pi)
    fit = gough.fit_frequencies(gough.build(loads(AXIS)), [f], ["k"], sigma_hz=0.01, drives="free")
    assert fit.values == pytest.approx([1210e6], rel=1e-6) and fit.undetermined == ()
    assert not any("do not determine" in note for note in fit.notes)
