"""Legs and loops with fine screws against the same robots with slides: a spindle only counts what its slide moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import gough
from gough.kinematics.closed_form_legs import ClosedFormLegs
from gough.robot import loads
from inner.analysis import verify
from joints.test_helical import TURN, screw_driven
from laws.subjects import built, described

STEPS = np.array([[0.0, 0.0, 0.05, 0.0, 0.0, 0.0], [0.02, -0.01, -0.03, 0.1, 0.05, -0.1], [0.0] * 6])


@pytest.mark.parametrize("lead", [-0.004, 0.0007])
@pytest.mark.parametrize("name", ["pedrammehr2012", "lopes"])
def test_a_spindle_follows_its_slide_over_many_turns(name: str, lead: float) -> None:
    plain, model = built(described(name)), built(screw_driven(described(name), lead))
    h = lead / TURN
    start = model.configuration(pose=plain.home_pose)
    a = plain.integrate(plain.home, STEPS)
    b = model.integrate(start, STEPS)
    found = {
        "integrate": b,
        "near": model.configuration(pose=a[:, :7], near=start),
        "project": model.project(b + 1e-7 * np.sin(np.arange(model.layout.nq))),
        "coordinates": model.configuration(drives=plain.drives(a) / h, near=start),
    }
    for what, q in found.items():
        assert model.closure_error(q).max() < 1e-9, what
        assert np.abs(model.drives(q) * h - plain.drives(a)).max() < 1e-6, what
    rest = gough.static_equilibrium(model, pose=a[0, :7], near=start)
    assert model.closure_error(rest.q) < 1e-10


def test_a_screw_of_a_target_is_reached_with_all_its_turns() -> None:
    model = built(screw_driven(described("lopes"), 0.004))
    name = model.layout.drive_names[0]
    wanted = float(model.drives(model.home)[0]) + 3.0 * TURN
    q = model.configuration(coordinates={name: wanted})
    assert model.drives(q)[0] == pytest.approx(wanted, abs=1e-6)


def test_an_open_result_is_told(monkeypatch: Any) -> None:
    """Whatever a leg's closed form gave: what does not close is not handed out as if it did."""

    model = built(described("lopes"))
    right = ClosedFormLegs.nearest

    def wrong(self: Any, *given: Any) -> tuple[np.ndarray, np.ndarray]:
        joints, failures = right(self, *given)
        return joints + 0.01, failures

    monkeypatch.setattr(ClosedFormLegs, "nearest", wrong)
    with pytest.raises(gough.BadStateError, match="NOT_CONVERGED"):
        model.integrate(model.home, np.full(6, 1e-3))


def test_assemblies_of_spindles_are_those_of_slides() -> None:
    plain, model = built(described("lopes")), built(screw_driven(described("lopes"), -0.004))
    a = gough.assemblies(plain, plain.drives(plain.home), starts=256)
    b = gough.assemblies(model, plain.drives(plain.home) / (-0.004 / TURN), starts=256)
    assert len(a.q) == len(b.q)
    order = [np.lexsort(np.round(x.q[:, :7], 5).T) for x in (a, b)]
    assert np.abs(a.q[order[0], :7] - b.q[order[1], :7]).max() < 1e-6


def hexapod(chain: str, cut: str = "{name: ball, type: spherical}", more: str = "", home: str = "") -> str:
    """A hexapod whose legs are a universal joint, `chain` and `cut`."""
    places = [(0.492, 0.087, 0.193, 0.230), (-0.171, 0.470, 0.103, 0.282), (-0.321, 0.383, -0.295, 0.052)]
    places += [(a, -b, c, -d) for a, b, c, d in reversed(places)]
    legs = "\n".join(
        f"  - {{like: leg, base: {{position: [{a}, {b}, 0]}}, on_platform: {{position: [{c}, {d}, 0]}}}}"
        for a, b, c, d in places
    )
    joints = ", ".join(f"leg{k}.{x}" for k in range(6) for x in home.split(", ") if x)
    return f"""format: 1
name: screwed
platform: {{mass: 12, inertia: {{about: center_of_mass, xx: 0.3, yy: 0.3, zz: 0.55}}}}
templates:
  leg:
    chain:
      - {{name: hip, type: universal, axes: [[1, 0, 0], [0, 1, 0]], body: {{name: lower, mass: 2, center_of_mass: [0, 0, 0.15]}}}}
{chain}
{more}
    cut: {cut}
legs:
{legs}
home: {{pose: {{position: [0, 0, 0.6]}}, joints: {{{joints}}}}}
"""


UPPER = "body: {name: upper, mass: 1, center_of_mass: [0, 0, -0.2]}"
FORK = "      - {name: spin, type: revolute, body: {name: fork, mass: 0.2}}"
CROSS = "{name: cross, type: universal, axes: [[1, 0, 0], [0, 1, 0]]}"
SLIDE = f"      - {{name: slide, type: prismatic, drive: {{}}, {UPPER}}}"
SPINDLE = """      - name: spin
        type: revolute
        drive: {}
        body: {name: spindle, mass: 0.5, inertia: {about: origin, xx: 3e-3, yy: 3e-3, zz: 2e-5}}
      - {name: slide, on: hip, type: prismatic, body: {name: upper, mass: 1, center_of_mass: [0, 0, -0.2]}}"""
NUT = "    loops: [{name: nut, type: helical, lead: 4 mm, first: {body: spindle}, second: {body: upper}}]"
H = 0.004 / TURN


@pytest.mark.quick_cases("True-ball_screw")
@pytest.mark.parametrize("kind", ["ball_screw", "helical"])
@pytest.mark.parametrize("fork", [False, True])
def test_legs_without_a_closed_form_follow_a_fine_screw(kind: str, fork: bool) -> None:
    end = (FORK, CROSS) if fork else ("", "{name: ball, type: spherical}")
    screw = SLIDE.replace("prismatic", f"{kind}, lead: 4 mm")
    plain, model = (built(loads(hexapod(f"{text}\n{end[0]}", end[1]))) for text in (SLIDE, screw))
    poses = plain.home_pose + np.array([0, 0, 1, 0, 0, 0, 0]) * np.array([0.0, 0.005, 0.05, 0.1, -0.1])[:, None]
    wanted = plain.drives(plain.configuration(pose=poses))
    for near in (None, model.home):
        q = model.configuration(pose=poses, near=near)
        assert model.closure_error(q).max() < 1e-10
        assert np.abs(np.abs(model.drives(q) * H) - np.abs(wanted)).max() < 1e-9


@pytest.mark.parametrize("home", ["", "slide: 0.6855", "nut: 171 rev", "slide: 0.6855, nut: 171.4 rev"])
def test_a_spindle_in_a_leg_is_assembled_from_any_guess(home: str) -> None:
    plain = built(loads(hexapod(SLIDE)))
    model = gough.build(loads(hexapod(SPINDLE, more=NUT, home=home)))
    slides, nuts, spins = ([model.layout.index(f"leg{k}.{n}") for k in range(6)] for n in ("slide", "nut", "spin"))
    q = model.configuration(pose=plain.home_pose + np.array([[0, 0, x, 0, 0, 0, 0] for x in (0.0, 0.005, 0.05, 0.1)]))
    twin = plain.configuration(pose=q[:, :7])
    assert model.closure_error(q).max() < 1e-10
    assert np.abs(q[:, slides] - plain.drives(twin)).max() < 1e-9
    assert np.abs(q[:, nuts] * H - q[:, slides]).max() < 1e-9
    turned = (q - q[0])[:, spins] + (q - q[0])[:, nuts]  # the motor's turns are counted as the nut's are
    assert np.abs(turned).max() < 1e-6


def press(lead: str, home: str = "", velocities: str = "drives") -> str:
    """A motor that turns a spindle, whose nut carries a ram."""
    return f"""format: 1
name: press
bodies: [{{name: spindle, mass: 1, inertia: {{about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.004}}}}, {{name: ram, mass: 5}}]
joints:
  - {{name: motor, type: revolute, parent: world, child: spindle, drive: {{rotor_inertia: 1e-3}}}}
  - {{name: slide, type: prismatic, parent: world, child: ram}}
loops: [{{name: nut, type: helical, lead: {lead}, first: {{body: spindle}}, second: {{body: ram}}}}]
velocities: {velocities}
home: {{joints: {{{home}}}}}
"""


@pytest.mark.parametrize(
    ("lead", "home", "turns"),
    [
        ("5 mm", "motor: 50.3 rev, slide: -0.2515", 50.3),
        ("5 mm", "slide: -0.2515", 50.3),
        ("-5 mm", "motor: -7.25 rev, slide: -0.03625", -7.25),
        ("0.5", "motor: 50.3 rev, nut: -50.3 rev", 50.3),
        ("2", "motor: 50.3 rev, nut: -50.3 rev", 50.3),
    ],
)
@pytest.mark.filterwarnings("error::gough.HomeWarning")
def test_joints_that_close_a_screws_loop_are_kept(lead: str, home: str, turns: float) -> None:
    model = gough.build(loads(press(lead, home)))
    h = model.robot.loops[0].lead / TURN
    assert model.closure_error(model.home) < 1e-10
    stated = {name: float(model.home[model.layout.index(name)]) for name in ("slide", "nut")}
    assert stated["nut"] == pytest.approx(-turns * TURN, abs=1e-6)
    assert stated["slide"] == pytest.approx(-turns * TURN * h, abs=1e-9)


@pytest.mark.parametrize(
    "home", ["motor: 1 rev, slide: -5.1 mm, nut: -1 rev", "motor: 6.283185, slide: -0.005, nut: -6.283185"]
)
@pytest.mark.filterwarnings("ignore::gough.HomeWarning")
def test_joints_that_are_all_stated_and_do_not_quite_close_are_closed(home: str) -> None:
    model = gough.build(loads(press("5 mm", home)))
    assert model.closure_error(model.home) < 1e-10
    assert float(model.home[model.layout.index("slide")]) == pytest.approx(-0.005, abs=2e-4)


def test_a_robot_without_inertia_is_refused_by_name_where_its_laws_are_checked() -> None:
    text = "format: 1\nname: none\nbodies: [{name: nut, mass: 0}]\njoints: "
    model = gough.build(loads(text + "[{name: s, type: prismatic, parent: world, child: nut, drive: {}}]\n"))
    with pytest.raises(gough.BadStateError, match="nothing has inertia"):
        verify(model, states=2)


def test_a_screw_that_is_not_counted_is_named_where_joints_are_not_kept() -> None:
    with pytest.warns(
        gough.HomeWarning,
        match="slide: 0 mm stated, -40 mm taken.* guessed too: the turns of nut",
    ):
        gough.build(loads(press("100 mm", "motor: 0.4 rev, slide: 0")))


@pytest.mark.parametrize("lead", ["1 mm", "0.1 mm", "-0.01 mm", "0.001 mm"])
@pytest.mark.parametrize("home", ["", "motor: 10.25 rev, nut: -10.25 rev"])
@pytest.mark.filterwarnings("error::gough.SingularHomeWarning")
def test_a_fine_screws_loop_may_be_led_by_its_slide(lead: str, home: str) -> None:
    model = gough.build(loads(press(lead, home, "[slide]")))
    h = model.robot.loops[0].lead / TURN
    assert model.drive_map(model.home)[0, 0] == pytest.approx(-1.0 / h, rel=1e-9)
    assert model.singularity(model.home).serial[0] == pytest.approx(1.0)
    mass = model.mass_matrix(model.home)[0, 0]
    assert mass == pytest.approx(5.0 + (0.004 + 1e-3) / h**2, rel=1e-9)


def test_a_leg_with_a_screw_is_as_far_from_folding_as_with_a_slide() -> None:
    plain, model = (built(loads(hexapod(t))) for t in (SLIDE, SLIDE.replace("prismatic", "helical, lead: 4 mm")))
    poses = plain.home_pose + np.array([[0, 0, 0, 0, 0, 0, 0], [0.05, -0.02, 0.04, 0, 0, 0, 0]])
    a, b = (m.singularity(m.configuration(pose=poses)) for m in (plain, model))
    np.testing.assert_allclose(b.serial, a.serial, rtol=1e-6)
    nut = built(loads(hexapod(SPINDLE, more=NUT)))
    found = nut.singularity(nut.configuration(pose=poses))
    assert (found.serial > 0.5 * a.serial).all()
    np.testing.assert_allclose(found.parallel, a.parallel, rtol=1e-6)


def test_a_spindle_is_mapped_as_far_as_its_slide() -> None:
    text = "format: 1\nname: axis\nbodies: [{name: nut, mass: 2}]\n"
    text += "joints: [{name: s, JOINT, parent: world, child: nut, drive: {}}]\n"
    plain, model = (
        gough.build(loads(text.replace("JOINT", kind))) for kind in ("type: prismatic", "type: ball_screw, lead: 5 mm")
    )
    a, b = (gough.workspace(m).samples.axes[0] for m in (plain, model))
    assert (b.high - b.low) * 0.005 / TURN == pytest.approx(a.high - a.low, rel=0.05)


@pytest.mark.parametrize("kind", ["spindle", "helical", "ball_screw"])
def test_many_poses_and_drives_lead_a_screw_as_they_lead_a_slide(kind: str) -> None:
    screw = SPINDLE if kind == "spindle" else SLIDE.replace("prismatic", f"{kind}, lead: 4 mm")
    plain, model = built(loads(hexapod(SLIDE))), built(loads(hexapod(screw, more=NUT if kind == "spindle" else "")))
    poses = plain.integrate(plain.home, np.random.default_rng(3).uniform(-0.1, 0.1, (12, 6)))[:, :7]
    q = model.configuration(pose=poses)
    assert model.closure_error(q).max() < 1e-10
    back = model.configuration(drives=model.drives(q))
    assert np.abs(back[:, :7] - poses).max() < 1e-8
