"""What a study must not pass over: parts that come in any order, numbers of several units, designs that nothing explains."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from gough.errors import RunWarning
from gough.robot import loads
from inner.studies import Evaluated, GatheredDesigns, ParetoFront, calls_here, unlike_matter
from studies.study.robots import EXAMPLES, slider_study, study_of

SLIDES = str(EXAMPLES / "two_slides.yaml")
MIXED = """
format: 2
name: slide_and_crank
variables: {rod: 0.4 m, stop: 0.3 m}
gravity: [0, -9.81, 0]
platform: {mass: 1.0, freedoms: [x, y]}
legs:
  - name: a
    chain:
      - {name: slide, type: prismatic, axis: [1, 0, 0], drive: {force_limit: 50 N}, body: {name: c, mass: 0.5}}
      - {name: elbow, type: revolute, axis: [0, 0, 1], body: {name: rod, mass: 0.2, inertia: {about: center_of_mass, zz: 0.01}}}
    cut: {name: tip, type: revolute, on_leg: {position: [rod, 0, 0]}}
  - name: b
    base: {position: [0.5, 0, 0]}
    chain:
      - name: crank
        type: revolute
        axis: [0, 0, 1]
        drive: {force_limit: 9 N.m}
        body: {name: c, mass: 0.5, center_of_mass: [0.1, 0, 0], inertia: {about: center_of_mass, zz: 0.01}}
      - name: elbow
        type: revolute
        axis: [0, 0, 1]
        pose: {position: [0.3, 0, 0]}
        body: {name: rod, mass: 0.2, inertia: {about: center_of_mass, zz: 0.01}}
    cut: {name: tip, type: revolute, on_leg: {position: [rod, 0, 0]}}
home: {pose: {position: [0.3, 0.35, 0]}}
"""
"""One drive pushes, the other turns."""


def mixed_study(**keys: Any) -> gough.Study:
    known = {
        "variables": {"rod": ["0.38 m", "0.5 m"]},
        "cases": {"p": {"poses": [{}, {"y": "0.32 m"}]}},
        "measures": {"f": {"measure": "peak force:b.crank", "case": "p"}},
        "minimise": "f",
        "search": {"method": "grid", "count": 3},
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return study_of(loads(MIXED), **known | keys)


def test_a_front_is_the_same_in_whatever_order_parts_come() -> None:
    """Of equal designs that of the lowest number stays, and fronts are numbered by parts."""
    study = study_of(
        SLIDES,
        variables={"rod": [0.61, 1.2]},
        measures={"m": "mass", "floor": "footprint"},
        minimise=["m", "floor"],
        search={"method": "grid", "count": 6},
    )
    objectives = ([[3.0, 1.0], [2.0, 2.0]], [[2.0, 2.0], [9.0, 9.0]], [[1.0, 3.0], [3.0, 1.0]])
    wanted = [[0.0, 3.0, 1.0], [1.0, 2.0, 2.0], [4.0, 1.0, 3.0]]  # by hand: (number of the design, objectives)
    for order in itertools.permutations(range(3)):
        gathered = GatheredDesigns(study, None)
        for k in order:
            x = np.array([[2.0 * k], [2.0 * k + 1.0]])
            none = np.zeros(2), np.zeros((2, 0))
            gathered.add(k, {"x": x, "values": np.array(objectives[k]), "constraints": none[1], "violation": none[0]})
        found = gathered.result(False, False, 0.0)
        assert np.column_stack([found.front.designs.x, found.front.objectives]).tolist() == wanted
        assert found.designs == 6


def test_a_run_that_went_on_has_the_front_of_one_that_did_not(tmp_path: Path, limits: Any) -> None:
    """With parts missing from the front of the folder, those that come last are the first."""
    keys: dict[str, Any] = {
        "variables": {"rod": ["0.45 m", "1.2 m"]},
        "cases": {"box": {"grid": {"y": [0.2, 0.8, 4], "x": [-0.2, 0.2, 2]}}},
        "measures": {"reach": {"measure": "workspace", "case": "box"}},
        "maximise": "reach",
        "search": {"method": "grid", "count": 12},
    }
    study = study_of(SLIDES, **keys)
    limits(study_chunk=8 * 3)
    alone = study.run(tmp_path)
    assert len(list(tmp_path.glob("part*.npz"))) == 4
    assert alone.variables()["rod"] == pytest.approx(
        0.45 + 6 * 0.75 / 11
    )  # the shortest of those above 0.8 m, all equal
    for part in sorted(tmp_path.glob("part*.npz"))[1:-1]:
        part.unlink()
    again = study.run(tmp_path)
    assert again.variables() == alone.variables() and again.designs == 12


def test_numbers_of_several_units_are_not_compared() -> None:
    with pytest.raises(
        gough.DescriptionError, match=r"numbers in N, N m; name entries of one unit, 'peak force:a\.slide'"
    ):
        mixed_study(measures={"f": {"measure": "peak force", "case": "p"}})
    with pytest.raises(gough.DescriptionError, match="numbers in m, rad"):
        mixed_study(measures={"f": {"measure": "stroke", "case": "p"}})
    with pytest.raises(gough.DescriptionError, match="'5 mm' bounds numbers in"):
        mixed_study(measures={"f": {"measure": "margin", "case": "p"}}, constraints={"f": {"at_least": "5 mm"}})
    (said,) = mixed_study(measures={"f": {"measure": "margin", "case": "p"}}).remarks
    assert said.startswith("f: numbers in N, N m are compared with each other")
    own = mixed_study(constraints={"f": {"at_most": "9 N.m"}})
    assert own.evaluator.constraints[0].at_most == 9.0 and not own.remarks


def test_stars_mean_numbers_of_one_unit() -> None:
    """0.1 mm would be 0.1 g and 1e-4 rad, too."""
    with pytest.raises(gough.DescriptionError, match=r"numbers of several units: m .*; rad "):
        mixed_study(tolerances={"deviations": {"a.elbow.*": "0.1 mm"}})
    with pytest.raises(gough.DescriptionError, match="at most 100000"):
        mixed_study(tolerances={"deviations": {"rod": "0.1 mm"}, "draws": 10**9})
    text = MIXED.replace("{force_limit: 9 N.m}", "{force_limit: 9 N.m}\n        limits: {upper: 2 rad*rod/stop}")
    with pytest.raises(gough.DescriptionError, match="limits of slide_and_crank follow rod"):
        study_of(
            loads(text),
            variables={"b.c.M": [0.4, 0.6]},
            cases={"p": {"poses": [{}]}},
            measures={"f": {"measure": "margin", "case": "p"}},
            tolerances={"deviations": {"ro*": "1 mm"}},
        )


def test_a_study_without_robots_says_why() -> None:
    far = mixed_study(cases={"p": {"poses": [{"x": 9.0}]}})
    with pytest.warns(gough.errors.VariableWarning, match="case 'p': 1 of 1 states are not taken"):
        far.run()
    loose = mixed_study(variables={"a.elbow.z": ["-5 mm", "5 mm"]}, search={"method": "grid", "count": 2})
    with pytest.warns(gough.errors.VariableWarning, match=r"With a\.elbow\.z = -0\.005: "):
        loose.run()


def test_an_objective_that_nothing_moves() -> None:
    """Reciprocal conditions follow geometry, not masses."""
    measures = {"d": {"measure": "dexterity", "case": "p"}, "f": {"measure": "peak force:b.crank", "case": "p"}}
    keys: dict[str, Any] = {"variables": {"b.c.M": ["0.5 kg", "0.6 kg"]}, "measures": measures}
    with pytest.warns(gough.errors.VariableWarning, match="d: no other number beside the best design"):
        mixed_study(**keys, minimise=[], maximise="d").run()
    with pytest.warns(
        gough.errors.VariableWarning, match="f: no other number"
    ):  # nor do forces follow M where MX is another number
        mixed_study(**keys).run()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mixed_study(**keys | {"variables": {"b.c.MX": ["0.03 kg.m", "0.05 kg.m"]}}).run()


def test_energies_are_quantities() -> None:
    """At rest no body has kinetic energy; "energy" alone is the work of drives."""
    study = mixed_study(measures={"k": {"measure": "energy:kinetic", "case": "p", "reduce": "largest"}}, minimise="k")
    assert study.evaluate()["k"] == 0.0


def test_masses_of_flat_bodies_by_name() -> None:
    """Their one moment about the mass centre, 0.015 - 0.05²/m, is above 0 from 1/6 kg on; the others are not stated. A point mass
    of 0.5 kg at 0.1 m has none about itself, and with the same moments more mass is a body, less is none."""
    space = mixed_study(variables={"b.c.M": ["0.1 kg", "0.6 kg"]}).evaluator.space
    violation = space.designs(np.array([[0.5], [0.6], [0.4], [0.17], [0.16], [0.1]]))[1]
    assert (violation[:4] == 0).all() and 0 < violation[4] < violation[5] < 10
    point = np.array([0.5, 0.05, 0, 0, 0, 0, 0, 0.005, 0, 0.005])
    others = np.stack([np.append(m, point[1:]) for m in (0.5, 0.6, 0.49, 0.4)])
    found = unlike_matter(others, point)
    assert (found[:2] == 0).all() and 0 < found[2] < found[3] < 1


def test_a_design_has_the_same_bits_beside_others_as_alone() -> None:
    """Screens and descents look at few designs at a time, sweeps at many: sums over states and bodies keep their order."""
    around = {"sines": {"z": [0.1], "yaw": [0.2]}, "cosines": {"x": [0.05]}}
    home = {"x": 0.0, "y": 0.0, "z": 1.0, "yaw": 0.0, "pitch": 0.0, "roll": 0.0}
    work = {"measure": "power", "reduce": "integral", "case": "round"}
    study = study_of(
        str(EXAMPLES / "motion_platform.yaml"),
        variables={"rod_mass": [2.0, 8.0], "base_radius": [0.7, 1.3]},
        cases={"round": {"motion": {"fourier": {"period": 1.0, "joints": home} | around}, "samples": 37}},
        measures={
            "work": work,
            "mean": work | {"reduce": "mean"},
            "energy": {"measure": "energy", "case": "round"},
            "mass": "mass",
        },
        minimise="energy",
    )
    evaluator = study.evaluator
    x = evaluator.space.from_unit(np.random.default_rng(0).random((24, 2)))
    with calls_here(threads=1, steady=True):  # as runs of studies call: none is interpreted
        alone = np.concatenate([evaluator.evaluate(x[k : k + 1]).values for k in range(len(x))])
        np.testing.assert_array_equal(evaluator.evaluate(x).values, alone)


def test_what_a_design_beats_that_was_left_out_is_on_no_front(limits: Callable[..., None]) -> None:
    """A front that has too many designs loses the most crowded ones, and what these beat does not come back."""
    limits(study_front=20)
    F = np.random.default_rng(1).random((600, 3))
    front = ParetoFront.empty(1, 3, 0, 3)
    for k in range(0, 600, 50):
        x = F[k : k + 50]
        front = front.with_(Evaluated(np.arange(k, k + 50.0)[:, None], x, np.zeros((50, 0)), np.zeros(50)), x)
    beaten = [((row >= F).all(axis=1) & (row > F).any(axis=1)).any() for row in F]
    assert len(front) == 20 and not any(beaten[int(k)] for k in front.designs.x[:, 0])
    assert len(front) + len(front.left_out) == 600 - sum(beaten)
    with pytest.warns(
        RunWarning, match=r"20 designs are kept of a front, and \d+ more that no other beats were left out"
    ):
        slider_study(maximise="way", search={"method": "sobol", "count": 300}).run()
