"""Directional and adjoint derivatives, compared with differences of what the same instance tells, and with each other."""

import fmpy
import numpy as np
import pytest

import gough
from gough.export import export_fmu

from .conftest import Instance


def slots(one):
    """(states, their derivatives, inputs, outputs) by name."""
    about = one.description
    rates = [x.variable.name for x in about.derivatives]
    inputs = [x.name for x in about.modelVariables if x.causality == "input"]
    outputs = [x.name for x in about.modelVariables if x.causality == "output" and x.name != "closure_error"]
    return [x[4:-1] for x in rates], rates, inputs, outputs


def compare(one, rng, first):
    """Derivatives in a random direction at a state near the first one (n,)."""
    fmu, (states, rates, inputs, outputs) = one.fmu, slots(one)
    fmu.enterContinuousTimeMode()
    sizes = {x.name: float(x.nominal or 1.0) for x in one.description.modelVariables}
    units = np.array([sizes[n] for n in states])
    x, u = first + 0.02 * units * rng.normal(size=len(first)), 0.5 * rng.normal(size=len(inputs))
    dx, du = units * rng.normal(size=len(states)), rng.normal(size=len(inputs))

    def told(h):
        fmu.setContinuousStates((fmpy.fmi3.fmi3Float64 * len(x))(*(x + h * dx)), len(x))
        one.put(**dict(zip(inputs, u + h * du, strict=True)))
        return one.get(*rates, *outputs)

    h = 1e-5
    differences = (told(h) - told(-h)) / (2 * h)
    told(0.0)
    places = [[one.references[n] for n in names] for names in ((*rates, *outputs), (*states, *inputs))]
    unknowns, knowns = places
    slope = np.array(fmu.getDirectionalDerivative(unknowns, knowns, [*dx, *du]))
    assert np.abs(slope - differences).max() < 1e-6 * (1 + np.abs(differences).max())
    if one.three:
        weights = rng.normal(size=len(unknowns))
        back = np.array(fmu.getAdjointDerivative(unknowns, knowns, weights, len(knowns)))
        assert weights @ slope == pytest.approx(back @ [*dx, *du], rel=1e-9)


@pytest.mark.parametrize("version", ["3.0", "2.0"])
def test_five_bar(opened, version):
    one = opened(version, "exchange")
    one.begin()
    compare(one, np.random.default_rng(1), one.get(*slots(one)[0]))
    _, rates, _, outputs = slots(one)
    unknowns = [one.references[n] for n in (*rates, *outputs)]
    if one.three:
        assert not np.any(one.fmu.getDirectionalDerivative(unknowns, [one.references["time"]], [1.0]))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "drives"), [("lopes_simplified", "forces"), ("five_bar", "motions"), ("spin_up_beam", "forces")]
)
def test_others(name, drives, folder):
    """A platform that turns, drives that are led, a body that bends."""
    file = export_fmu(gough.build(name), folder / f"slopes_{name}.fmu", drives=drives)
    one = Instance(file, fmpy.extract(str(file), str(folder / f"slopes_{name}")), "exchange")
    one.begin()
    compare(one, np.random.default_rng(2), one.get(*slots(one)[0]) * (name != "spin_up_beam"))
    one.fmu.freeInstance()
