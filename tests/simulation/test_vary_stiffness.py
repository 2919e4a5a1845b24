"""One factor for the stiffness of flexible bodies of every kind: robots of other moduli, and similar vibrations."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest

import gough
from gough.errors import UsageError
from gough.robot import load, loads
from gough.vary import monte_carlo, normal, sweep, within

E, FACTORS = 70e9, (0.8, 1.0, 1.2)
JOINT = """
joints: [{name: hinge, type: revolute, axis: [0, 1, 0], parent: world, child: rod, drive: {}}]
home: {joints: {hinge: 0}}
"""
HEAD = "format: 1\nname: arm\nbodies:\n  - name: rod\n    frames: {tip: {position: [0.8, 0, 0]}}\n    flexible:\n"
SHAPES = {
    "beam": "beam: {length: 0.8, section: {rectangle: {y: 20 mm, z: 15 mm}}, section_y: [0, 1, 0], elements: 4, "
    "material: {E: %.17g, nu: 0.3, density: 2700}}",
    "plate": "plate: {outline: [[0, -0.04], [0.8, -0.02], [0.8, 0.02], [0, 0.04]], thickness: 4 mm, size: 0.3, "
    "material: {E: %.17g, nu: 0.3, density: 2700}}",
}
DAMPINGS = {"ratio": "{ratio: 0.02}", "rayleigh": "{rayleigh: {alpha: 0.4, beta: 1e-4}}"}


def arm(shape: str, damping: str, modulus: float = E, more: str = "") -> gough.Model:
    own = [SHAPES[shape] % modulus, "modes: {kind: clamped, number: 4}", f"damping: {DAMPINGS[damping]}", more]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return gough.build(loads(HEAD + "".join(f"      {x}\n" for x in own if x) + JOINT))


def designs(model: gough.Model, name: str = "rod.stiffness_factor") -> np.ndarray:
    found = sweep({name: FACTORS}).parameters(model)
    assert found is not None
    return found


def poles(model: gough.Model, parameters: np.ndarray | None = None) -> np.ndarray:
    """Of vibrations with all drives locked, nothing bent and no weight, 1/s."""
    found = gough.natural_frequencies(model, about="undeformed", parameters=parameters).eigenvalues
    return np.sort_complex(found[found.imag > 0])


@pytest.mark.parametrize("damping", DAMPINGS)
@pytest.mark.parametrize("shape", SHAPES)
def test_it_is_another_modulus(shape: str, damping: str) -> None:
    """The finite elements of a softer and a harder material, damping included."""
    model = arm(shape, damping)
    for factor, row in zip(FACTORS, designs(model), strict=True):
        np.testing.assert_allclose(poles(model, row), poles(arm(shape, damping, factor * E)), rtol=1e-6)


def test_modal_data_and_stated_frequencies(tmp_path: Path) -> None:
    """λ² M + λ 2 ζ √(K M) + K: all poles by √factor where ratios stay."""
    from gough.fem import (
        ClampedModes,
        Material,
        NodeTie,
        Rectangle,
        beam_elements,
        modal_data_of_elements,
        write_modal_file,
    )

    rod = beam_elements([[0, 0, 0], [0.8, 0, 0]], Rectangle(0.02, 0.02), Material(E, 2700.0, 0.3), elements=8)
    ties = {"root": NodeTie([0, 0, 0]), "tip": NodeTie([0.8, 0, 0])}
    write_modal_file(tmp_path / "rod.npz", modal_data_of_elements(rod, ClampedModes("root", 4), ties))
    text = HEAD + "      modal: {file: rod.npz}\n      damping: {ratio: 0.02}\n" + JOINT
    (tmp_path / "arm.yaml").write_text(text)
    data = gough.build(load(tmp_path / "arm.yaml"))
    for model in (data, arm("plate", "ratio", more="frequencies: [20 Hz, 45 Hz, 90 Hz, 120 Hz]")):
        for factor, row in zip(FACTORS, designs(model), strict=True):
            np.testing.assert_allclose(poles(model, row), np.sqrt(factor) * poles(model), rtol=1e-9)


@pytest.mark.slow
def test_one_factor_for_all_bodies_of_a_robot() -> None:
    """Legs that bend, by stars; the platform stays. Plates and rods of hexapod_flexible have ratios: in all λ by √factor."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = gough.build("hexapod_flexible")
    for factor, row in zip(FACTORS, designs(model, "*.stiffness_factor"), strict=True):
        np.testing.assert_allclose(poles(model, row), np.sqrt(factor) * poles(model), rtol=1e-6)
    rods = designs(model, "leg*.stiffness_factor")
    moved = {n.split(".Ke")[0].split(".De")[0] for n, x in zip(model.parameter_names, rods.T, strict=True) if np.ptp(x)}
    assert moved == {f"leg{k}.rod" for k in range(6)}


@pytest.mark.slow
def test_runs_are_those_of_robots_of_other_stiffness() -> None:
    model = arm("beam", "ratio")
    move = gough.motions.quintic(drives=[[0.0], [0.3]], durations=0.05)
    law = gough.laws.JointPD(200.0, 5.0)
    settings = {"motion": move, "controller": law, "step": 2e-5, "stored": 10}
    drawn = monte_carlo({"rod.stiffness_factor": within(0.2)}, runs=4, seed=3)
    found = gough.simulate_many(model, vary=drawn, threads=1, **settings)
    factors = found.varied["rod.stiffness_factor"]
    assert np.abs(factors - 1).max() <= 0.2 and drawn.unit(model, "rod.stiffness_factor") == "1"
    bent = np.ptp(found.end_q[:, model.layout.elastic], axis=0).max()
    for k, factor in enumerate(factors):
        alone = gough.simulate_many(arm("beam", "ratio", factor * E), q=model.home[None], threads=1, **settings)
        np.testing.assert_allclose(np.abs(found.end_q[k]), np.abs(alone.end_q[0]), atol=1e-4 * bent)


def test_it_multiplies_other_designs_too() -> None:
    """Numbers that vary beside it, and designs that are given."""
    model = arm("beam", "rayleigh")
    base = model.parameters.copy()
    place = model.parameter_names.index("rod.Ke[1,1]")
    base[place] *= 3.0
    found = sweep({"rod.M": [1.0, 2.0], "rod.stiffness_factor": [0.5, 2.0]}).parameters(model, base)
    assert found is not None
    np.testing.assert_allclose(found[:, place] / base[place], [0.5, 2.0, 0.5, 2.0])
    np.testing.assert_array_equal(found[:, model.parameter_names.index("rod.M")], [1, 1, 2, 2])


def test_what_is_refused() -> None:
    model = arm("beam", "ratio")
    with pytest.raises(UsageError, match=r"no flexible body for 'leg\.stiffness_factor'; its flexible bodies: rod"):
        designs(model, "leg.stiffness_factor")
    with pytest.raises(UsageError, match="its flexible bodies: none"):
        designs(gough.build("five_bar"), "*.stiffness_factor")
    with pytest.raises(UsageError, match=r"varies twice, by 'rod\.stiffness_factor' and by"):
        sweep({"rod.stiffness_factor": [1.0], "*.stiffness_factor": [1.1]}).parameters(model)
    with pytest.raises(UsageError, match=r"rod\.Ke\[1,1\] and rod\.stiffness_factor, which multiplies it, both vary"):
        sweep({"rod.stiffness_factor": [1.0], "rod.Ke[1,1]": [100.0]}).parameters(model)
    with pytest.raises(UsageError, match="for a factor, which is above 0; take within or uniform"):
        monte_carlo({"rod.stiffness_factor": normal(1.0, 2.0)}, runs=20).parameters(model)
    with pytest.raises(UsageError, match=r"one factor for the stiffness of a flexible body BODY\.stiffness_factor"):
        sweep({"rod.E": [1.0]}).parameters(model)
