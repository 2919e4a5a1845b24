"""Studies of robots that bend: closed forms, rigid robots with the same inertia, and descriptions that are built again."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.robot import load, loads
from studies.rebuilding import built
from studies.study.robots import study_of
from studies.test_finite_elements import VARIED

CANTILEVER = """
format: 2
name: cantilever
variables: {young: 210 GPa, high: HIGH, wide: 10 mm, shift: 0 m}
gravity: [0, 0, 0]
bodies:
  - name: beam
    flexible:
      beam:
        length: 0.5
        section: {SECTION}
        section_y: [0, 1, 0]
        material: {E: young, nu: 0.3, density: 7800}
        elements: 2
      modes: {kind: nodal}
      stiffening: STIFFENING
    frames: {end: {position: [0.5, 0, 0]}}
joints: [{name: root, type: revolute, parent: world, child: beam, axis: [0, 0, 1], drive: {}}]
"""


def cantilever(high: str = "10 mm", section: str = "rectangle: {y: high, z: wide}", stiffening: str = "off") -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        text = CANTILEVER.replace("HIGH", high).replace("SECTION", section).replace("STIFFENING", stiffening)
        if section.startswith("tube"):
            text = text.replace("        section_y: [0, 1, 0]\n", "")
        return loads(text)


def stiffest(start: str, solver: str = "auto", **keys: Any) -> gough.Study:
    known: dict[str, Any] = {
        "variables": {"high": ["5 mm", "30 mm"], "wide": ["5 mm", "30 mm"]},
        "cases": {"only": {"poses": [{}]}},
        "measures": {"f": {"measure": "frequency", "case": "only"}, "mass": "mass"},
        "maximise": "f",
        "constraints": {"mass": {"at_most": 7800 * 0.5 * 0.012**2}},
        "search": {"method": "gradient", "starts": 1, "solver": solver},
    }
    return study_of(cantilever(start), **known | keys)


@pytest.mark.quick_cases("14.4 mm")
@pytest.mark.parametrize("start", ["10 mm", "14.4 mm"])
def test_modes_that_meet_do_not_stop_gradients(start: str) -> None:
    """Both planes of a bar, f ~ its side there: of all bars of a mass the square one is best, where both frequencies are equal. A
    start has equal ones, too, the other is too heavy."""
    study = stiffest(start)
    side, first = 0.012, study.evaluate({"high": 0.01, "wide": 0.01})["f"]
    found = study.run()
    assert found.variables() == pytest.approx({"high": side, "wide": side}, rel=1e-5)
    assert found.values()["f"] == pytest.approx(first * side / 0.01, rel=1e-6)
    ((_, success, _, count),) = found.descents
    assert success and count <= 25


@pytest.mark.slow
def test_slsqp_ends_within_its_constraints() -> None:
    found = stiffest("14.4 mm", "slsqp").run()
    assert found.feasible == 1
    assert found.variables() == pytest.approx({"high": 0.012, "wide": 0.012}, rel=1e-5)


def test_equal_frequencies_have_branches() -> None:
    """A square bar: one plane follows its height, the other its width, whichever is called first; a third variable moves both."""
    study = stiffest("10 mm", variables={"high": [0.005, 0.03], "wide": [0.005, 0.03], "young": [1e11, 3e11]})
    here = study.evaluator.states_at(study.evaluator.space.start)
    assert here is not None
    (measure,) = (m for m in study.evaluator.measures if m.name == "f")
    values, slopes = here.entries(measure)
    f = values[0]
    assert values[1] == pytest.approx(f, rel=1e-9)
    own = slopes[:2][np.argsort(slopes[:2, 0])] * np.array([0.01, 0.01, 210e9]) / f
    assert own == pytest.approx(np.array([[0.0, 1.0, 0.5], [1.0, 0.0, 0.5]]), abs=1e-6)


def test_mass_and_its_slopes_in_closed_form() -> None:
    study = stiffest("14 mm")
    assert study.evaluate()["mass"] == pytest.approx(7800 * 0.5 * 0.014 * 0.01, rel=1e-12)
    slopes = study.gradients({"wide": 0.011})["mass"]
    assert slopes["high"] == pytest.approx(7800 * 0.5 * 0.011, rel=1e-9)
    assert slopes["wide"] == pytest.approx(7800 * 0.5 * 0.014, rel=1e-9)


def test_sections_that_are_none_are_violations_that_grow() -> None:
    """A tube whose wall is thicker than it is wide, or has no thickness: designs between them are evaluated all the same."""
    robot = cantilever("10 mm", "tube: {radius: high, wall: wide/5}")
    keys: dict[str, Any] = {
        "variables": {"high": ["-1 mm", "20 mm"], "wide": ["-1 mm", "90 mm"]},
        "search": {"method": "sobol"},
    }
    study = study_of(robot, **keys, measures={"mass": "mass"}, minimise="mass")
    walls = [0.0, -0.001, 0.05, 0.075, 0.025]
    found = study.evaluator.evaluate(np.array([[0.01, wide] for wide in walls]))
    none, below, thick, thicker, good = found.violation
    assert good == 0 < none < below and 0 < thick < thicker
    assert found.values[4, 0] == pytest.approx(7800 * 0.5 * np.pi * (0.01**2 - 0.005**2), rel=1e-12)
    with pytest.raises(gough.UsageError, match=r"tube\.wall.*would be -0\.005; it is positive: a wall is less than"):
        study.evaluate({"wide": 0.075})
    robot = cantilever("10 mm", "i_beam: {height: high, width: wide, web: 2 mm, flange: 3 mm}")
    study = study_of(robot, **keys, measures={"mass": "mass"}, minimise="mass")
    assert (
        study.evaluator.evaluate(np.array([[0.005, 0.01], [0.01, 0.001], [0.01, 0.01]])).violation > 0
    ).tolist() == [
        True,
        True,
        False,
    ]


@pytest.mark.slow
def test_forces_are_those_of_a_robot_that_does_not_bend() -> None:
    """delta_flexible with rigid rods of the same ten numbers asks for the same forces and slopes."""
    flexible = load("delta_flexible")
    poses = [{}, {"x": 0.2, "z": -1.2}]
    keys: dict[str, Any] = {
        "variables": {"platform.M": [0.5, 2.0]},
        "measures": {
            "force": {"measure": "peak force", "case": "way"},
            "power": {"measure": "rms force", "case": "way"},
        },
    }
    times = np.linspace(0.0, 0.4, 3)
    places = np.array([[0.0, 0.0, -1.1], [0.1, 0.05, -1.0], [0.2, 0.0, -1.1]])
    way = gough.motions.spline(times=times, joints=places, names=("x", "y", "z"))
    model = built(flexible).unlocked
    ten = "M MX MY MZ XX XY XZ YY YZ ZZ".split()
    numbers = {key: float(model.parameters[model.parameter_names.index(f"leg0.rods.{key}")]) for key in ten}
    text = (Path(gough.__file__).parent / "robot/gallery/delta_flexible.yaml").read_text(encoding="utf-8")
    begin, end = text.index("          flexible:"), text.index("          source: assumed\n    cut:")
    told = ", ".join(f"{key}: {x!r}" for key, x in numbers.items())
    rigid = loads(f"{text[:begin]}          parameters: {{{told}}}\n{text[end:]}")
    for case in ({"motion": way, "samples": 21}, {"poses": poses, "payload": {"mass": 2.0}}):
        bent, stiff = (study_of(robot, **keys, cases={"way": case}) for robot in (flexible, rigid))
        assert bent.evaluate() == pytest.approx(stiff.evaluate(), rel=1e-9)
        assert "do not bend" in bent.remarks[0] and not stiff.remarks
        for name, slopes in stiff.gradients().items():
            assert bent.gradients()[name] == pytest.approx(slopes, rel=1e-8)


BOTH = VARIED.replace("z: wide", "z: reach/21").replace("wide: 20 mm, ", "")
"""The five-bar whose reach moves lengths of rigid bodies and sections of flexible ones."""


def five_bar_study(robot: Any, **keys: Any) -> gough.Study:
    case = {
        "poses": [{}, {"first": 2.0, "second": 1.0}, {"second": 0.8, "wrist": 0.2}],
        "wrench": {"head.pen": [25, -40, 0, 0, 0, 1.5]},
    }
    known: dict[str, Any] = {
        "variables": {"reach": [0.4, 0.44], "high": [0.004, 0.009]},
        "cases": {"work": case},
        "measures": {
            "f": {"measure": "frequency", "case": "work"},
            "soft": {"measure": "compliance:head.pen,xx,yy", "reduce": "mean", "case": "work"},
            "stiff": {"measure": "stiffness:head.pen,xx,yy", "case": "work"},
            "bent": {"measure": "deflection:head.pen,x,y", "case": "work"},
            "force": {"measure": "rms force", "case": "work"},
            "mass": "mass",
        },
    }
    return study_of(robot, **known | keys)


@pytest.mark.slow
def test_gradients_and_the_five_bar_built_again() -> None:
    """All measures at three poses under a wrench, by a variable of sections and lengths at once and one of sections alone: slopes
    and differences of studies of descriptions that are built again."""
    robot = loads(BOTH)
    study = five_bar_study(robot)
    here, slopes = study.evaluate(), study.gradients()
    for name, size in (("reach", 0.42), ("high", 0.006)):
        found = []
        for h in (4e-3, 2e-3, 1e-3):
            ends = [
                five_bar_study(robot.with_variables({name: size * (1 + sign * h)})).evaluate() for sign in (1.0, -1.0)
            ]
            found.append({m: (ends[0][m] - ends[1][m]) / (2 * h * size) for m in here})
        far, mid, near = found
        for m, value in here.items():
            truth = (64 * near[m] - 20 * mid[m] + far[m]) / 45
            assert slopes[m][name] * size == pytest.approx(truth * size, rel=2e-6, abs=1e-7 * abs(value)), (name, m)


@pytest.mark.slow
def test_designs_without_rest_are_violations() -> None:
    """Rods of some thousand atoms' thickness carry nothing: the others are evaluated all the same, and the study says why."""
    text = (Path(gough.__file__).parent / "robot/gallery/delta_flexible.yaml").read_text(encoding="utf-8")
    text = text.replace("name: delta_flexible", "name: thin\nvariables: {wall: 1.5 mm}", 1).replace(
        "wall: 1.5 mm}}", "wall: wall}}"
    )
    study = study_of(
        loads(text),
        variables={"wall": [1e-9, 3e-3]},
        cases={"home": {"poses": [{}]}},
        measures={"f": {"measure": "frequency", "case": "home"}},
        maximise="f",
    )
    found = study.evaluator.evaluate(np.array([[1e-9], [1.5e-3]]))
    assert found.violation[0] > 0 == found.violation[1]
    assert found.values[1, 0] == pytest.approx(study.evaluate()["f"], rel=1e-9)
    with pytest.raises(gough.UsageError, match=r"no measures: f: (?s:.*)did not converge"):
        study.evaluate({"wall": 1e-9})


@pytest.mark.slow
def test_what_cannot_be_asked_of_bodies_that_bend() -> None:
    """Loads on a bending platform, joints between bending bodies, numbers in m beside numbers in rad."""
    case = {"poses": [{}], "payload": {"mass": 3.0}}
    with pytest.raises(gough.DescriptionError, match="describe a body of its own, fixed to a frame"):
        study_of(
            "hexapod_flexible",
            variables={"leg0.cylinder.M": [1.0, 3.0]},
            cases={"home": case},
            measures={"mass": "mass"},
        )
    with pytest.raises(gough.DescriptionError) as caught:
        five_bar_study(
            loads(BOTH),
            measures={
                "stiff": {"measure": "stiffness:head.pen", "case": "work"},
                "bent": {"measure": "deflection:head.pen", "case": "work"},
                "joint": {"measure": "reaction:elbow", "reduce": "peak", "case": "work"},
            },
        )
    for words in ("'stiffness:head.pen,xx,yy,zz'", "'deflection:head.pen,x,y,z'", "bend, and studies take forces"):
        assert words in str(caught.value), words


@pytest.mark.slow
def test_designs_that_take_long_are_few_in_a_part(tmp_path: Path, limits: Callable[..., None]) -> None:
    """Bodies are reduced for every design, modes found at every pose: three designs are a part, so that a run that ends goes on
    near where it ended. A folder whose parts were cut in another way is refused: designs would count twice."""
    study = stiffest("10 mm", search={"method": "sobol", "count": 8, "seed": 3}, keep="all")
    plain: Any = type(study.evaluator).evaluate
    sizes: list[int] = []
    interrupts = [KeyboardInterrupt()]  # one, as of a key: other threads go on with what they have begun
    first_part = tmp_path / "part000000.npz"

    def ended(evaluator: Any, x: np.ndarray, graded: bool = False) -> Any:
        sizes.append(len(x))
        if first_part.exists() and len(sizes) > 3 and interrupts:
            raise interrupts.pop()
        return plain(evaluator, x, graded)

    limits(study_points=ended)
    first = study.run(tmp_path)
    assert first.partial and 3 <= first.designs < 8 and first_part.exists() and set(sizes) == {1}
    limits(study_points=plain)
    whole = study.run(tmp_path)
    assert whole.designs == 8 and len(list(tmp_path.glob("part*.npz"))) == 3
    assert first.kept.x[:3].tolist() == whole.kept.x[:3].tolist()
    ratio = whole.kept.values[:, 0] / whole.kept.x.min(
        axis=1
    )  # a clamped beam bends about its thin side, f ~ its thickness
    assert np.ptp(ratio) < 1e-9 * ratio.mean()
    limits(study_chunk=1 << 30)
    with pytest.raises(gough.UsageError, match="designs of a part is 3 there and 65532 here"):
        study.run(tmp_path)
