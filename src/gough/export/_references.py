"""Reference values for a test driver: sampled assembled states and what the interpreter makes of them.

The interpreter solves with pivoting through LAPACK, so it shares neither elimination order nor machine code with the text.
Tolerance of an output at a state: RELATIVE of its largest entry, or SENSITIVE times what rounding the inputs changes. That is
measured with steps a few million times as long and scaled down: an output that is 0 but for rounding (how far a closed loop
is open, say) may not feel a rounding of single inputs at all, and yet differ in its last digit from text to text.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import GOOD, UsageError
from gough.program import Program
from gough.program.verdict import evaluate_with_care

if TYPE_CHECKING:
    from gough.model import Model

STATES = 6
RELATIVE = 1e-9
SENSITIVE = 1e4
NOTHING = 1e-15
"""Of any output, in SI units: what rounding of numbers of size 1 leaves, which one order of operations does and another one does
not (how far axes are from in line, say, whose steps by single inputs are squares of these)."""
_ROUNDING = 2.0**-52
_STEP = 2.0**-30
_TRIES = 3


@dataclass(frozen=True)
class References:
    """inputs: {slot: (n, size)} of those that vary; outputs, tolerances: {slot: (n, size)} and {slot: (n,)}."""

    inputs: dict[str, np.ndarray]
    outputs: dict[str, np.ndarray]
    tolerances: dict[str, np.ndarray]


def references(
    model: "Model", program: Program, states: int = STATES, more: Mapping[str, np.ndarray] | None = None
) -> References:
    """Reference values of a program of a model at up to `states` good states, variables at their own values; UsageError where
    no state is good: a driver that compares nothing proves nothing. more: inputs {slot: (n or 1, size)} beside those of the
    sampled states."""
    samples = {
        **(more or {}),
        **model.sampled_states,
        "variables": model.variables.values[None],
    }  # loops close for this design alone
    n = len(samples["q"])
    rng = np.random.default_rng(1959)
    columns = {}
    for slot in program.inputs:
        x = samples.get(slot.name)
        columns[slot.name] = (
            rng.normal(size=(n, slot.size)) if x is None else np.broadcast_to(x[:, : slot.size], (n, slot.size))
        )
    flat = np.concatenate([columns[s.name] for s in program.inputs], axis=1)
    outputs, failed = evaluate_with_care(program, flat)
    good = np.flatnonzero(np.array(failed, dtype=object) == GOOD)[:states]
    if not len(good):
        raise UsageError(
            f"{program.name}: none of {n} states around home is good (the first: {failed[0]}), so its test driver would compare "
            "nothing. Give the robot a home around which it moves (`gough check ROBOT` says how near a singularity it is)"
        )
    noise = [np.zeros(len(good)) for _ in outputs]
    sizes = np.concatenate(
        [_sizes(columns[s.name], s.uniform or s.name == "variables") for s in program.inputs], axis=1
    )
    for _ in range(_TRIES):
        moved = flat[good] + _STEP * sizes[good] * rng.choice([-1.0, 1.0], size=(len(good), flat.shape[1]))
        again, _ = evaluate_with_care(program, moved)
        noise = [
            np.fmax(worst, (_ROUNDING / _STEP) * np.abs(b - a[good]).max(axis=1, initial=0.0))
            for worst, a, b in zip(noise, outputs, again, strict=True)
        ]
    tolerances = [
        np.fmax(NOTHING, np.fmax(RELATIVE * np.abs(a[good]).max(axis=1, initial=0.0), SENSITIVE * worst))
        for a, worst in zip(outputs, noise, strict=True)
    ]
    names = [s.name for s in program.outputs]
    return References(
        {s.name: columns[s.name][good] for s in program.inputs if not s.uniform},
        {name: x[good] for name, x in zip(names, outputs, strict=True)},
        dict(zip(names, tolerances, strict=True)),
    )


def _sizes(values: np.ndarray, of_design: bool) -> np.ndarray:
    """What entries (n, size) of an input are rounded against: numbers of a design each against itself, coordinates against the
    largest, because a coordinate that is 0 somewhere is not 0 everywhere."""
    x = np.abs(values)
    return x if of_design else np.broadcast_to(x.max(axis=1, initial=0.0, keepdims=True), x.shape)
