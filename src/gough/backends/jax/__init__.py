"""A program as a pure JAX function for jit, vmap and all of JAX's derivatives, in float64.

Sums and products run as loops over wide steps (see `schedule`); solves stay blocks and run pivoted (`jnp.linalg.solve`), so
a state that a fixed elimination order could not take is no special case. Checks are left out: a bad state gives whatever
the arithmetic gives (NaN or inf at a singularity); ask the function itself for statuses.
"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from gough.backends.backend import Backend
from gough.backends.jax.schedule import PolynomialRun, WideSchedule, schedule
from gough.errors import UsageError
from gough.program.ops import Block, ConstantMatvec, Op, Product, Solve
from gough.program.passes.checks import drop_checks
from gough.program.passes.expand_blocks import inline_calls
from gough.program.program import Program

JaxFunction = Callable[..., dict[str, Any]]


def to_jax(program: Program) -> JaxFunction:
    """f(*slots) or f(slot=...) -> {output: array}; arrays (..., *shape) broadcast on leading axes. Compiled by jax.jit.

    JAX computes in float32 unless told otherwise; without 64 bits this refuses, at once and at every call.
    """
    jax = _jax()
    _check_64_bits(jax)
    program = inline_calls(drop_checks(program))
    plan = schedule(program)
    names = [slot.name for slot in program.inputs]

    @jax.jit
    def compiled(*arrays: Any) -> tuple[Any, ...]:
        batches = [x.shape[: x.ndim - len(s.shape)] for x, s in zip(arrays, program.inputs, strict=True)]
        batch = jax.numpy.broadcast_shapes(*batches)
        columns = []
        for x, slot, own in zip(arrays, program.inputs, batches, strict=True):
            whole = own if math.prod(own) == 1 else batch
            columns.append(jax.numpy.broadcast_to(x, (*whole, *slot.shape)).reshape(math.prod(whole), slot.size).T)
        if math.prod(batch) == 0:
            return tuple(jax.numpy.zeros((*batch, *s.shape)) for s in program.outputs)
        out = _run(jax, program, plan, columns)
        return tuple(x.reshape(*batch, *s.shape) for x, s in zip(out, program.outputs, strict=True))

    def function(*arrays: Any, **named: Any) -> dict[str, Any]:
        _check_64_bits(jax)
        given = _by_slot(program.name, names, arrays, named)
        ready = []
        for slot, x in zip(program.inputs, given, strict=True):
            x = jax.numpy.asarray(x, dtype=np.float64)
            if x.shape[max(x.ndim - len(slot.shape), 0) :] != slot.shape:
                shape = ", ".join(["...", *map(str, slot.shape)])
                raise UsageError(f"{program.name}: {slot.name} has shape {x.shape}; expected ({shape})")
            ready.append(x)
        results = compiled(*ready)
        return {slot.name: x for slot, x in zip(program.outputs, results, strict=True)}

    function.__name__ = function.__qualname__ = "_".join(program.name.split())
    function.__doc__ = f"{program.name}: {', '.join(names)} -> {', '.join(s.name for s in program.outputs)}."
    return function


def _jax() -> Any:
    try:
        import jax
    except ImportError:
        raise UsageError('to_jax needs JAX: install it with  pip install "gough[jax]"') from None
    return jax


def _check_64_bits(jax: Any) -> None:
    if not jax.config.jax_enable_x64:
        raise UsageError(
            "JAX computes in float32 here, too few digits for dynamics: say  jax.config.update('jax_enable_x64', True)  "
            "before any array is made, or set the environment variable JAX_ENABLE_X64=1"
        )


def _by_slot(name: str, names: list[str], arrays: tuple, named: Mapping[str, Any]) -> list[Any]:
    """Arguments in the order of the slots."""
    given = dict(zip(names, arrays, strict=False)) | dict(named)
    twice = set(names[: len(arrays)]) & set(named)
    if len(arrays) > len(names) or twice or set(given) != set(names):
        raise UsageError(f"{name} takes {names}, got {len(arrays)} by position and {sorted(named)} by name")
    return [given[k] for k in names]


def _run(jax: Any, program: Program, plan: WideSchedule, arrays: list[Any]) -> list[Any]:
    """Outputs (states, size) for inputs (size, states) or (size, 1)."""
    jnp = jax.numpy
    states = max(x.shape[1] for x in arrays)
    given = jnp.concatenate([jnp.broadcast_to(x, (len(x), states)) for x in arrays])
    numbers = jnp.broadcast_to(plan.numbers[:, None], (len(plan.numbers), states))
    room = jnp.zeros((plan.size - len(plan.inputs) - len(plan.numbers), states))
    buffer = jnp.concatenate([given[plan.inputs], numbers, room])
    rules = _rules(jax)
    for part in plan.parts:
        if isinstance(part, PolynomialRun):
            buffer = _loop(jax, part, buffer)
            continue
        operands = [buffer.at[k].get(mode="promise_in_bounds") for k in part.operands]
        y = rules[part.kind](*operands) if isinstance(part.kind, Op) else _block(jax, part.kind, operands[0])
        buffer = jax.lax.dynamic_update_slice_in_dim(buffer, y, part.start, axis=0)
    results = buffer[plan.results]
    outputs, k = [], 0
    for slot in program.outputs:
        outputs.append(results[k : k + slot.size].T)
        k += slot.size
    return outputs


def _loop(jax: Any, run: PolynomialRun, buffer: Any) -> Any:
    """The buffer after a run of sums and products."""

    def step(buffer: Any, row: Any) -> tuple[Any, None]:
        start, a, b, sign, product = row
        x, y = (buffer.at[k].get(mode="promise_in_bounds") for k in (a, b))
        result = jax.numpy.where(product[:, None], x * y, x + sign[:, None] * y)
        return jax.lax.dynamic_update_slice_in_dim(buffer, result, start, axis=0), None

    rows = (run.start, run.a, run.b, run.sign, run.product)
    if len(run.start) == 1:
        return step(buffer, tuple(x[0] for x in rows))[0]
    return jax.lax.scan(step, buffer, rows)[0]


def _rules(jax: Any) -> dict[Op, Callable[..., Any]]:
    jnp = jax.numpy
    return {
        Op.DIV: jnp.divide,
        Op.SQRT: jnp.sqrt,
        Op.SIN: jnp.sin,
        Op.COS: jnp.cos,
        Op.ATAN2: jnp.arctan2,
        Op.ABS: jnp.abs,
        Op.SIGN: jnp.sign,
        Op.SELECT: lambda c, a, b: jnp.where(c > 0, a, b),
    }


def _block(jax: Any, block: Block, operands: Any) -> Any:
    """Results (k, states) of a block for its operands (n, states)."""
    if isinstance(block, ConstantMatvec):
        return np.array(block.matrix) @ operands
    if isinstance(block, Product):
        left = operands[: block.n * block.k].T.reshape(-1, block.n, block.k)
        right = operands[block.n * block.k :].T.reshape(-1, block.k, block.m)
        return (left @ right).reshape(-1, block.outputs).T
    assert isinstance(block, Solve)
    n, m = block.n, block.m
    matrices = operands[: n * n].T.reshape(-1, n, n)
    rhs = operands[n * n :].T.reshape(-1, n, m)
    if block.spd:
        solve = jax.vmap(lambda a, b: jax.scipy.linalg.solve(a, b, assume_a="pos"))
        return solve(matrices, rhs).reshape(-1, n * m).T
    return jax.numpy.linalg.solve(matrices, rhs).reshape(-1, n * m).T


class JaxBackend(Backend):
    """compile: see `to_jax`."""

    name = "jax"

    def compile(self, program: Program, **options: Any) -> Any:
        """A pure function of JAX arrays."""
        return to_jax(program, **options)


BACKEND = JaxBackend()
