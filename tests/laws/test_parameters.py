"""Numbers as inputs, as constants or all free: the same forces; one model serves every design of its structure."""

from __future__ import annotations

import json

import numpy as np
import pytest

from gough.program import evaluate
from gough.robot import loads
from inner.dynamics import FunctionKey
from inner.model import trace_entry
from inner.program import Op, drop_checks, expand_blocks, minimise, split_uniform
from laws.subjects import GALLERY, PAIRS, TOLERANCE, built, errors, subject
from reference.designs import description
from reference.energies.lagrange import Reference
from reference.energies.states import random_states


@pytest.mark.parametrize("name", PAIRS)
def test_baked_numbers(name: str) -> None:
    """Parameters traced as constants against parameters as inputs."""
    s = subject(name)
    m, b = s.model, s.batch
    numbers = dict(enumerate(map(float, m.parameters))) | m.pattern
    for entry, output, inputs in (
        ("inverse_dynamics", "tau", {"acceleration": b.acceleration, "wrench": b.wrench}),
        ("forward_dynamics", "vdot", {"tau": b.tau, "wrench": b.wrench}),
    ):
        program = trace_entry(m.mechanism, FunctionKey.of(entry), numbers)
        given = {"q": b.q, "v": b.v, "parameters": np.full(len(m.parameters), np.nan)} | inputs
        found = evaluate(program, given)[output]
        truth = m.function(entry)(q=b.q, v=b.v, parameters=m.parameters, **inputs).outputs[output]
        assert (errors(found, truth) < 10 * s.tolerances).all()


@pytest.mark.parametrize("name", [pytest.param(n, marks=() if "lopes" in n else pytest.mark.slow) for n in GALLERY])
def test_the_counted_program_is_the_inverse_model(name: str) -> None:
    """What `model.count` counts, baked and with all rewriting passes, computes the reference's drive forces."""
    s = subject(name)
    m, b = s.model, s.batch
    numbers = dict(enumerate(map(float, m.parameters))) | m.pattern
    fixed = {"wrench": dict.fromkeys(range(6), 0.0)}
    program = m.order_solves(trace_entry(m.mechanism, FunctionKey("inverse_dynamics"), numbers, fixed))
    _, program = split_uniform(expand_blocks(drop_checks(program), checks=False))
    program = minimise(program, thorough=True)
    counted = m.count("inverse_dynamics", baked=True)
    assert sum(op in (Op.ADD, Op.SUB, Op.MUL, Op.DIV) for op in program.ops) == counted.operations
    nothing = np.full(6, np.nan)
    given = {"q": b.q, "v": b.v, "acceleration": b.acceleration, "wrench": nothing}
    found = evaluate(program, given | {"parameters": np.full(len(m.parameters), np.nan)})["tau"]
    truth = [s.reference.inverse(x.q, x.v, x.acceleration) for x in s.states]
    assert (errors(found, truth) < 10 * s.tolerances).all()


@pytest.mark.parametrize("name", PAIRS)
def test_all_parameters_free(name: str) -> None:
    """No structural zero: the pattern never changes a result, moving or at rest."""
    s = subject(name)
    free = built(s.robot, free=["*"])
    assert free.pattern == {}
    b = s.batch
    for v in (b.v, np.zeros(6)):
        ours = s.model.inverse_dynamics(b.q, v, b.acceleration, b.wrench).tau
        theirs = free.inverse_dynamics(b.q, v, b.acceleration, b.wrench).tau
        assert (errors(theirs, ours) < 10 * s.tolerances).all()


@pytest.mark.parametrize("family", ["ups", pytest.param("pus", marks=pytest.mark.slow)])
def test_one_model_serves_every_design_of_its_structure(family: str) -> None:
    """A model of one random design, given the parameters of another, is the other's model."""
    first, second = (loads(json.dumps(description(family, k, springs=False))) for k in (20, 21))
    one, other = built(first, free=["*"]), built(second, free=["*"])
    assert one.parameter_names == other.parameter_names
    reference = Reference(second)
    for q, v, acceleration, wrench, tau in random_states(reference, 2, 0):
        found = one.inverse_dynamics(q, v, acceleration, wrench, parameters=other.parameters).tau
        assert errors(found[None], reference.inverse(q, v, acceleration, wrench)[None])[0] < 10 * TOLERANCE
        found = one.forward_dynamics(q, v, tau, wrench, parameters=other.parameters).vdot
        assert errors(found[None], reference.forward(q, v, tau, wrench)[None])[0] < 10 * TOLERANCE


def test_changed_parameters_are_a_changed_description() -> None:
    """parameters={name: value} against the description written with that value."""
    data = description("ups", 4, springs=False)
    model = built(loads(json.dumps(data)))
    drive = data["legs"][2]["chain"][1]["drive"]
    drive["viscous"] *= 3
    data["gravity"] = [0.1, 0.2, -1.6]
    changed = built(loads(json.dumps(data)))
    values: dict[str, float] = {"leg2.slide.drive.friction.viscous": drive["viscous"]}
    values |= {f"gravity.{axis}": g for axis, g in zip("xyz", data["gravity"], strict=True)}
    v, a = np.full(6, 0.2), np.full(6, -0.5)
    found = model.inverse_dynamics(model.home, v, a, parameters=values).tau
    np.testing.assert_allclose(found, changed.inverse_dynamics(model.home, v, a).tau, rtol=1e-11)


def test_tau_is_linear_in_the_masses() -> None:
    """The ten parameters enter linearly: the derivative by them is the same at any mass."""
    s = subject("generic-0")
    m, x = s.model, s.states[0]
    k = [i for i, n in enumerate(m.parameter_names) if n.rsplit(".", 1)[-1] in ("M", "MX", "MY", "MZ", "XX", "YZ")]
    rng = np.random.default_rng(0)
    a, b = m.parameters.copy(), m.parameters.copy()
    step = 0.4 * rng.uniform(-1, 1, len(k)) * m.parameters[k]  # no mass becomes negative
    a[k] += step
    b[k] -= 2 * step
    tau = [m.inverse_dynamics(x.q, x.v, x.acceleration, x.wrench, parameters=p).tau for p in (m.parameters, a, b)]
    np.testing.assert_allclose(tau[2] - tau[0], -2 * (tau[1] - tau[0]), rtol=0, atol=1e-10 * np.abs(tau).max())
