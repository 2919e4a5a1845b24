"""Sections, materials and thicknesses of flexible bodies that follow variables: to frequencies, deflections and forces."""

from __future__ import annotations

import warnings
from pathlib import Path

import numpy as np
import pytest
from scipy.linalg import eigh

import gough
from gough.errors import RepeatedModesWarning, StructureError
from gough.robot import DescriptionError, loads
from inner.structure import elastic_bodies

from .flexible_robots import FLEXIBLE_FIVE_BAR
from .rebuilding import built, closed_at, rebuilt_slope

CANTILEVER = """
format: 2
name: cantilever
variables: {young: 210 GPa, rho: 7800 kg/m3, high: 10 mm, wide: 20 mm}
gravity: [0, 0, 0]
bodies:
  - name: beam
    flexible:
      beam:
        length: 0.5
        section: {rectangle: {y: high, z: wide}}
        section_y: [0, 1, 0]
        material: {E: young, nu: 0.3, density: rho}
      modes: {kind: KIND}
      stiffening: off
    frames: {end: {position: [0.5, 0, 0]}}
joints: [{name: root, type: revolute, parent: world, child: beam, axis: [0, 0, 1], drive: {}}]
"""
VARIED = (
    FLEXIBLE_FIVE_BAR.replace("variables: {", "variables: {young: 210 GPa, rho: 7800 kg/m3, high: 6 mm, wide: 20 mm, ")
    .replace("{y: 6 mm, z: 20 mm}", "{y: high, z: wide}")
    .replace("{y: 8 mm, z: 20 mm}", "{y: high + 2 mm, z: wide}")
    .replace("E: 210 GPa", "E: young")
    .replace("density: 7800", "density: rho")
)


@pytest.mark.parametrize("kind", ["clamped, number: 5", "nodal", "craig_bampton, interfaces: [end], number: 2"])
def test_a_cantilever_in_closed_form(kind: str) -> None:
    """f ~ h √(E / ρ) of the plane that bends, whatever else; its deflection ~ 1 / E b h³."""
    model = built(CANTILEVER.replace("KIND", kind))
    found = gough.sensitivity(model, "frequency:0,1")
    powers = found.derivatives * model.variables.values / found.values[:, None]
    assert np.allclose(powers, [[0.5, -0.5, 1.0, 0.0], [0.5, -0.5, 0.0, 1.0]], atol=1e-10)
    bent = gough.sensitivity(model, "compliance:beam.end,yy,zz")
    powers = bent.derivatives * model.variables.values / bent.values[:, None]
    assert np.allclose(powers, [[-1.0, 0.0, -3.0, -1.0], [-1.0, 0.0, -1.0, -3.0]], atol=1e-10)
    mass = gough.sensitivity(model, "energy:kinetic", v=np.eye(model.layout.nv)[0])
    assert np.allclose(mass["rho"] * 7800, mass.values, rtol=1e-10) and np.abs(mass["young"]).max() < 1e-18


def test_other_values_reduce_the_bodies_again() -> None:
    model = built(CANTILEVER.replace("KIND", "clamped, number: 5"))
    designs = model.parameters_with(variables={"high": np.array([0.009, 0.011, 0.009]), "rho": 7000.0})
    for k, high in enumerate((0.009, 0.011, 0.009)):
        again = built(model.robot.with_variables({"high": high, "rho": 7000.0}))
        assert np.allclose(designs[k], again.parameters, rtol=1e-12)
    assert "beam.Ke[1,1]" in model.moved_parameters("young")
    with pytest.raises(gough.UsageError, match="have no formulas: use parameters"):
        model.function("inverse_dynamics", variables=True)


@pytest.mark.slow
def test_an_uneven_five_bar_built_again() -> None:
    """Frequencies, a large deflection and drive forces of a bent, moving robot, all by sections and materials."""
    model = built(VARIED)
    wrench = {"head.pen": np.array([25.0, -40.0, 0.0, 0.0, 0.0, 1.5])}
    rng = np.random.default_rng(5)
    q = model.integrate(model.home, np.concatenate([np.zeros(3), 1e-3 * rng.normal(size=model.layout.n_elastic)]), 1.0)
    v, a = 0.3 * rng.normal(size=model.layout.nv), rng.normal(size=model.mobility)
    found = {
        "frequency": gough.sensitivity(model, "frequency:0,1,2"),
        "deflection": gough.sensitivity(model, "deflection:head.pen", wrench=wrench),
        "tau": gough.sensitivity(model, "tau", q, v=v, acceleration=a, wrench=wrench),
    }

    def measure(made: gough.Model) -> np.ndarray:
        whole = made.unlocked
        free = gough.static_equilibrium(whole, q=closed_at(whole, model.home)).q
        bent = gough.static_equilibrium(whole, drives=whole.drives(free), near=free, wrench=wrench).q
        first, last = (whole.frame_pose(x, "head.pen") for x in (free, bent))
        turn = last[1] @ first[1].T
        hertz = gough.natural_frequencies(whole, free).frequencies_hz[:3]
        tau = whole.inverse_dynamics(closed_at(whole, q), v, a, wrench).tau
        return np.array([*hertz, *(last[0] - first[0]), 0.0, 0.0, np.arctan2(turn[1, 0], turn[0, 0]), *tau])

    values = np.concatenate([f.values for f in found.values()])
    assert np.allclose(values, measure(model), rtol=1e-9, atol=1e-12)
    for name in ("young", "rho", "high", "wide", "reach"):
        size = float(model.variables.values[model.variables.names.index(name)])
        slopes = np.concatenate([f[name] for f in found.values()])
        truth = rebuilt_slope(model, name, measure, size)
        scale = np.concatenate([np.full(len(f.values), np.abs(f.values).max()) for f in found.values()])
        assert (np.abs(slopes - truth) * size <= 1e-8 * np.maximum(scale, np.abs(slopes) * size)).all(), name


@pytest.mark.slow
def test_round_rods_have_pairs_that_stay_pairs() -> None:
    """Both planes of a tube: equal frequencies, whose mean follows the radius. A square bar of which one side may change
    has no modes that could be followed; nodal coordinates can."""
    text = CANTILEVER.replace("{rectangle: {y: high, z: wide}}", "{tube: {radius: high, wall: wide/10}}")
    model = built(text.replace("        section_y: [0, 1, 0]\n", "").replace("KIND", "clamped, number: 4"))
    with pytest.warns(RepeatedModesWarning):
        found = gough.sensitivity(model, "frequency:0,1")
    r, w = 0.01, 0.002
    inner = r - w  # f ~ √(I / A) ~ √(r² + inner²)
    by_radius, by_wall = (r + inner) / (r**2 + inner**2), -inner / (r**2 + inner**2)
    assert np.allclose(found["high"], found.values * by_radius, rtol=1e-8)
    assert np.allclose(found["wide"], found.values * by_wall / 10, rtol=1e-8)
    assert np.allclose(found.one_sided[:, 2], (found.values * by_radius)[:, None], rtol=1e-7)
    square = CANTILEVER.replace("wide: 20 mm", "wide: 10 mm").replace("KIND", "clamped, number: 4")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with pytest.raises(StructureError, match="it is built otherwise"):
            gough.build(loads(square))
        nodal = gough.sensitivity(
            gough.build(loads(square.replace("clamped, number: 4", "nodal"))), "frequency:0,1", by=["high"]
        )
    f = nodal.values[0]
    assert np.allclose(nodal["high"], f / 0.02, rtol=1e-8)  # the mean: one plane follows, one does not
    assert np.allclose(nodal.one_sided[:, 0], [[0.0, f / 0.01], [f / 0.01, 0.0]], rtol=1e-8, atol=1e-6 * f)


def test_modes_that_part_are_refused_at_once() -> None:
    """A bar whose section is square for some values of its sides; by both sides together nothing parts."""
    model = built(
        CANTILEVER.replace("wide: 20 mm", "wide: 10 mm, side: 9 mm")
        .replace("y: high", "y: side")
        .replace("KIND", "clamped, number: 4")
    )
    values = model.variables.values.copy()
    values[model.variables.names.index("side")] = 0.01
    with pytest.raises(
        gough.UsageError, match=r"by side: .*modes 1–2 are equal .* taken apart.* Ask by a variable that keeps"
    ):
        model.variable_slopes("side", values)
    assert np.isfinite(model.variable_slopes("young", values)).all()


PLATE = """
format: 2
name: plate
variables: {thick: THICK, young: 70 GPa, nu: 0.31, rho: 2700 kg/m3}
gravity: [0, 0, 0]
bodies:
  - name: plate
    flexible:
      plate:
        outline: [[0, 0], [0.31, 0.02], [0.35, 0.23], [0.11, 0.27], [-0.02, 0.16]]
        thickness: thick
        material: {E: young, nu: nu, density: rho}
        size: 0.1
        theory: THEORY
      modes: {kind: KIND}
      ties: {radius: 28 mm}
    frames: {end: {position: [0.35, 0.23, 0]}}
joints: [{name: root, type: revolute, parent: world, child: plate, axis: [0, 0, 1], drive: {}}]
"""
KINDS = [
    "clamped, number: 4",
    "craig_bampton, interfaces: [end], number: 2",
    "attachment, interfaces: [end], number: 2",
]


@pytest.mark.parametrize("kind", KINDS)
def test_a_thin_plate_in_closed_form(kind: str) -> None:
    """f ~ h √(E / ρ) of any shape, deflections ~ 1 / E h³."""
    model = built(PLATE.replace("THICK", "8 mm").replace("THEORY", "kirchhoff").replace("KIND", kind))
    found = gough.sensitivity(model, "frequency:0,1,2", by=["thick", "young", "rho"])
    powers = found.derivatives * np.array([0.008, 70e9, 2700]) / found.values[:, None]
    assert np.allclose(powers, [[1.0, 0.5, -0.5]] * 3, atol=1e-9)
    bent = gough.sensitivity(model, "compliance:plate.end,zz,rxrx", by=["thick", "young", "rho"])
    powers = bent.derivatives * np.array([0.008, 70e9, 2700]) / bent.values[:, None]
    assert np.allclose(powers, [[-3.0, -1.0, 0.0]] * 2, atol=1e-9)


SHEARED = [("mindlin", KINDS[0]), ("mindlin\n        membrane: true", KINDS[0]), ("mindlin", KINDS[1])]


@pytest.mark.slow
@pytest.mark.parametrize(("theory", "kind"), SHEARED)
def test_a_sheared_plate_built_again(theory: str, kind: str) -> None:
    """The row of triangles along its edge is as wide as it is thick, so that nodes move, of which frames hold some.

    Frequencies have noise of 1e-10 there, so slopes of others are those of a polynomial through many designs.
    """
    text = PLATE.replace("size: 0.1", "size: 0.16").replace("28 mm", "60 mm").replace("THICK", "22 mm")
    model = built(text.replace("THEORY", theory).replace("KIND", kind))
    found = gough.sensitivity(model, "frequency:0,1,2")
    assert np.allclose(found["young"] * 70e9, found.values / 2, rtol=1e-8)
    assert np.allclose(found["rho"] * 2700, -found.values / 2, rtol=1e-8)
    f = found.values
    x = np.cos(np.pi * (np.arange(20) + 0.5) / 20)
    for name in ("thick", "nu"):
        own = float(model.variables.values[model.variables.names.index(name)])
        seen = []
        for value in own * (1 + 0.08 * x):
            body = elastic_bodies(model.robot.with_variables({name: float(value)}), again=True)["plate"]
            square = eigh(body.K, body.M, eigvals_only=True)[:3] / (2 * np.pi) ** 2
            seen.append((np.sqrt(square[0]), square[1] + square[2]))  # stretching and bending may cross
        fit = np.polynomial.Chebyshev.fit
        truth = np.array([fit(x, y, 6, domain=[-1, 1]).deriv()(0.0) for y in np.transpose(seen)]) / 0.08
        slopes = np.array([found[name][0], 2 * f[1:] @ found[name][1:]]) * own
        assert (np.abs(slopes - truth) < 1e-8 * np.array([f[0], f[1:] @ f[1:]])).all(), name


def test_what_may_not_follow_a_variable_is_refused() -> None:
    with pytest.raises(DescriptionError, match="only its material, sections and thickness may"):
        loads(CANTILEVER.replace("KIND", "nodal").replace("length: 0.5", "length: 50*high"))


@pytest.mark.slow
def test_plates_and_rods_of_a_hexapod() -> None:
    """hexapod_flexible, made uneven (its plate has pairs of modes all but equal, which rounding turns), with variables for the
    thickness of the plate and the tubes of the rods."""
    text = (Path(gough.__file__).parent / "robot/gallery/hexapod_flexible.yaml").read_text(encoding="utf-8")
    text = text.replace(
        "format: 1", "format: 2\nvariables: {thick: 8 mm, radius: 8 mm, wall: 2 mm, young: 210 GPa, rho: 2700 kg/m3}"
    )
    text = text.replace("thickness: 8 mm", "thickness: thick").replace(
        "{radius: 8 mm, wall: 2 mm}", "{radius: radius, wall: wall}"
    )
    text = text.replace("E: 210 GPa", "E: young").replace("density: 2700 kg/m3", "density: rho")
    text = text.replace("position: [0, 0, 0.75]", "position: [0.03, -0.05, 0.75], rpy_zyx: [0.1, 0.07, -0.05]")
    text = text.replace("-0.313007, 0.066532", "-0.283007, 0.086532").replace(
        "0.098885, 0.304338", "0.128885, 0.284338"
    )
    model = built(text)
    found = gough.sensitivity(model, "frequency:0,1,2,5", by=["thick", "radius", "rho"])

    def measure(made: gough.Model) -> np.ndarray:
        return gough.natural_frequencies(made.unlocked, closed_at(made, model.home)).frequencies_hz[[0, 1, 2, 5]]

    assert found.repeated == ()
    # Frequencies of two designs 1e-11 apart differ by 3e-9 here, by rounding of the thin plate: no difference tells more.
    for name, part in (("thick", 1e-6), ("radius", 1e-8), ("rho", 1e-6)):
        size = float(model.variables.values[model.variables.names.index(name)])
        truth = rebuilt_slope(model, name, measure, 5 * size)
        off = np.abs(found[name] - truth).max() * size
        assert off < part * max(found.values.max(), np.abs(truth).max() * size), name
