"""Assemblies of designs: drives hold a robot all along its motion, and a design's own description stands where its numbers are
from. By hand: two rods on one line do not hold what is between them, and a four-bar's rocker is on one side or the other."""

import numpy as np
import pytest

import gough
from studies.study.robots import EXAMPLES, read_robot, study_of

FOUR_BAR = """
format: 2
name: four_bar
variables: {crank: 0.1 m, coupler: 0.4 m, rocker: 0.3 m, base: 0.42 m, drop: 0.05 m}
gravity: [0, -9.81, 0]
bodies:
  - {name: wheel, mass: 1.0}
  - {name: rod, mass: 0.5, center_of_mass: [coupler/2, 0, 0]}
  - {name: arm, mass: 2.0, center_of_mass: [rocker/2, 0, 0]}
joints:
  - {name: motor, type: revolute, parent: world, child: wheel, axis: [0, 0, 1], drive: {}}
  - {name: pin, type: revolute, parent: wheel, child: rod, axis: [0, 0, 1], pose: {position: [crank, 0, 0]}}
  - {name: swing, type: revolute, parent: world, child: arm, axis: [0, 0, 1], pose: {position: [base, -drop, 0]}}
loops:
  - name: tip
    type: revolute
    first: {body: rod, pose: {position: [coupler, 0, 0]}}
    second: {body: arm, pose: {position: [rocker, 0, 0]}}
    axis: [0, 0, 1]
home: {joints: {motor: 50 deg, pin: 0 deg, swing: 110 deg}}
velocities: [motor]
"""
FLIPPED = {"crank": 0.334072, "coupler": 0.342161, "rocker": 0.477611, "base": 0.139239, "drop": -0.133518}
"""From the guess of the description loops of this design close on the other side."""


def through(middle: float, swing: float, samples: int) -> gough.Study:
    """Two slides on a rail y = 0 whose rods, 0.61 m and more, carry a platform up and down."""
    joints = {"x": 0, "y": middle}
    motion = {"fourier": {"period": "1 s", "joints": joints, "sines": {"x": [0.01], "y": [swing]}}}
    return study_of(
        str(EXAMPLES / "two_slides.yaml"),
        variables={"rod": [0.61, 1.2]},
        cases={"way": {"motion": motion, "samples": samples}},
        measures={"force": {"measure": "peak force", "case": "way"}},
        minimise="force",
    )


def test_a_motion_through_a_pose_that_drives_do_not_hold() -> None:
    """At y = 0 both rods lie on the rail: no force of the slides lifts the platform. No state of the motion is there."""
    samples = 20
    study = through(0.013, 0.25, samples)
    x = np.array([[0.7], [1.1]])
    y = 0.013 + 0.25 * np.sin(2 * np.pi * np.linspace(0.0, 1.0, samples))
    assert np.abs(y).min() > 1e-3
    found = study.evaluator.evaluate(x, graded=True)
    assert (found.violation > 0).all() and np.isnan(found.values).all()
    own = study.evaluator.cases["way"].states_of(study.evaluator.space.designs(x)[0])
    assert (own.missed == (y < 0 if (y < 0).sum() <= (y > 0).sum() else y > 0)).all()
    with pytest.raises(gough.UsageError, match="are not taken"):
        study.evaluate({"rod": 0.7})


def test_motions_on_the_other_side_are_taken() -> None:
    study = through(-0.3, 0.25, 20)
    assert (study.evaluator.evaluate(np.array([[0.7], [1.1]])).violation == 0).all()


def flipped() -> gough.Study:
    """A four-bar, near the design whose guess leads elsewhere."""
    motion = {"fourier": {"period": "1 s", "joints": {"motor": "50 deg"}, "sines": {"motor": ["60 deg", "10 deg"]}}}
    return study_of(
        read_robot(FOUR_BAR),
        variables={n: sorted([0.9999 * x, 1.0001 * x]) for n, x in FLIPPED.items()},
        cases={"turn": {"motion": motion, "samples": 21}},
        measures={
            "torque": {"measure": "peak force", "case": "turn"},
            "swing": {"measure": "coordinate:swing", "reduce": "range", "case": "turn"},
        },
        minimise="torque",
        search={"method": "sobol", "count": 2},
    )


@pytest.mark.filterwarnings("ignore::gough.HomeWarning")
def test_a_design_stands_on_the_side_it_was_judged_on() -> None:
    found = flipped().run()
    v, t = found.variables(), np.linspace(0.0, 1.0, 21)
    crank = np.radians(50 + 60 * np.sin(2 * np.pi * t) + 10 * np.sin(4 * np.pi * t))
    line = v["crank"] * np.exp(1j * crank) - (v["base"] - 1j * v["drop"])  # from the rocker's pivot to the pin
    l = np.abs(line)
    open_ = np.arccos((v["rocker"] ** 2 + l**2 - v["coupler"] ** 2) / (2 * v["rocker"] * l))
    ways = [np.ptp(np.unwrap(np.angle(line)) + side * open_) for side in (-1, 1)]
    assert abs(ways[0] / ways[1] - 1) > 1e-3
    assert found.values()["swing"] == pytest.approx(ways[0], rel=1e-9)
    assert found.evaluate_again() == pytest.approx(found.values(), rel=1e-9)
    model = gough.build(found.robot())
    way = model.assemble(coordinates={"motor": crank}).q[:, model.layout.index("swing")]
    assert np.ptp(way) == pytest.approx(ways[0], rel=1e-9)


@pytest.mark.filterwarnings("ignore::gough.HomeWarning")
def test_a_design_that_does_not_reach_home_stands_elsewhere() -> None:
    """Rods of 0.61 m do not reach a home at 0.7 m; what they are asked for is below."""
    text = (EXAMPLES / "two_slides.yaml").read_text()
    high = text.replace("rod: 0.5 m", "rod: 0.8 m").replace("height: 0.3 m", "height: 0.7 m")
    assert high.count("0.8 m") == 1 and high.count("0.7 m") == 1
    found = study_of(
        read_robot(high),
        variables={"rod": [0.61, 0.66]},
        cases={"low": {"poses": [{"y": 0.3}, {"y": 0.5}]}},
        measures={"force": {"measure": "peak force", "case": "low"}},
        minimise="force",
        search={"method": "sobol", "count": 2},
    ).run()
    assert found.evaluate_again() == pytest.approx(found.values(), rel=1e-9)
    assert gough.build(found.robot()).home[1] == pytest.approx(0.3, abs=1e-12)


@pytest.mark.filterwarnings("ignore::gough.HomeWarning")
def test_a_design_whose_home_closes_far_from_its_guess_says_where(recwarn: pytest.WarningsRecorder) -> None:
    """Joints guessed for a rocker of 0.3 m lead one of 0.34 m to the right side, 20 degrees off: they are written as taken."""
    found = study_of(
        read_robot(FOUR_BAR),
        variables={"rocker": [0.34, 0.341]},
        cases={"turn": {"poses": [{"motor": 0.9}, {"motor": 1.0}]}},
        measures={"torque": {"measure": "peak force", "case": "turn"}},
        minimise="torque",
        search={"method": "sobol", "count": 2},
    ).run()
    robot = found.robot()
    recwarn.clear()
    home = gough.build(robot).home
    assert not recwarn.list
    guessed = gough.build(read_robot(FOUR_BAR).with_variables(found.variables()))
    assert recwarn.list and home == pytest.approx(guessed.home, abs=1e-9)
