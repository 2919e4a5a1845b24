"""Text of programs: it can be read as Python and then computes the same; the same program gives the same text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from gough.program import Program, evaluate, to_text
from inner.program import contract_multiply_add, expand_blocks
from program.specimens import random_program

WORDS = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "atan2": math.atan2,
    "abs": abs,
    "sign": lambda x: math.copysign(1.0, x) if x else 0.0,
    "select": lambda c, a, b: a if c > 0 else b,
}


def run(text: str, program: Program, inputs: dict[str, np.ndarray]) -> dict[str, Any]:
    """Execute the text as Python."""
    scope: dict[str, Any] = dict(WORDS)
    scope |= {s.name: inputs[s.name].ravel() for s in program.inputs}
    scope |= {s.name: np.full(s.size, np.nan) for s in program.outputs}
    for line in text.splitlines():
        if line and not line.startswith(("#", "check ")):
            exec(line, scope)
    return scope


@pytest.mark.parametrize("seed", range(6))
def test_text_computes_what_the_program_computes(seed: int) -> None:
    program = expand_blocks(random_program(seed, 60))
    rng = np.random.default_rng(seed)
    inputs = {s.name: rng.uniform(0.5, 1.5, s.shape) for s in program.inputs}
    for version in (program, contract_multiply_add(program)):
        scope = run(to_text(version), version, inputs)
        for slot in version.outputs:
            truth = evaluate(version, inputs)[slot.name].ravel()
            np.testing.assert_allclose(scope[slot.name], truth, rtol=1e-13, atol=1e-14)


def test_head_names_inputs_outputs_and_units() -> None:
    text = to_text(random_program(0, 20))
    assert text.startswith("# random 0\n")
    for line in ("# in   x[6]", "# in   p[3]", "# out  y[5]", "# out  z[2, 2]", "# out  w[]"):
        assert line in text.splitlines()
    assert any(line.startswith("check residual:positive:") for line in text.splitlines())


def test_blocks_are_shown() -> None:
    assert "solve" in to_text(random_program(1, 20))


def test_same_program_same_text() -> None:
    assert to_text(random_program(3, 60)) == to_text(random_program(3, 60))
