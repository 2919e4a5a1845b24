"""A function of a robot: its program, its count, its derivatives, and its fast evaluation on batches."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gough.errors import UsageError
from gough.program import Count, Program, count
from gough.program.derivatives import jacobian, jvp, vjp
from gough.program.interpreter import evaluate_nodes
from gough.program.passes.constant_outputs import computed_outputs
from gough.program.passes.hoist import HOISTED, split_uniform
from gough.program.text import to_text
from gough.program.verdict import evaluate_with_care, flat_inputs, result_columns
from gough.structure import ParameterTable

INTERPRETED_STATES = 48
"""States a function runs in the interpreter before it is worth compiling (a compilation costs as much as some hundred)."""


class Evaluation:
    """Outputs of one call: arrays (*batch, *shape) by name, and the failed check of every state ("" when good)."""

    def __init__(self, outputs: dict[str, np.ndarray], names: np.ndarray, batch: tuple[int, ...]) -> None:
        self.outputs = outputs
        self.names = names
        self.batch = batch

    @property
    def good(self) -> bool:
        """True when no state is bad."""
        return not (self.names != "").any()


class Function:
    """Made by `Model.function`; thread-safe. The first few states run in the interpreter, then code is compiled."""

    def __init__(
        self, program: Program, table: ParameterTable, pattern: dict[int, float], interpreted: bool = False
    ) -> None:
        self.program = program
        self._computed = computed_outputs(program)
        self.interpreted = interpreted
        self.name = program.name
        self._table = table
        self._pattern = pattern
        self._lock = threading.Lock()
        self._kernels: dict[bool, Any] = {}
        self._interpreted = 0
        self._hoisted: dict[bytes, np.ndarray] = {}

    def __repr__(self) -> str:
        return f"<gough function {self.name}: {len(self.program)} nodes>"

    def count(self) -> Count:
        """Operations of one evaluation by the counting rules (checks off, no wrench)."""
        return count(self.program)

    def text(self) -> str:
        """The program as readable text."""
        return to_text(self.program)

    def derivative(self, wrt: str, mode: str = "jacobian") -> "Function":
        """Derivative by an input slot as a new function: "jacobian", "jvp" or "vjp".

        For q these are plain derivatives by all nq entries; `Model.tangent_derivative` gives those by motions.
        """
        rules = {"jacobian": lambda p: jacobian(p, wrt), "jvp": lambda p: jvp(p, [wrt]), "vjp": lambda p: vjp(p, [wrt])}
        if mode not in rules:
            raise UsageError(f"mode={mode!r}; use one of {', '.join(rules)}")
        if wrt not in [s.name for s in self.program.inputs]:
            raise UsageError(f"{self.name} has no input {wrt!r}; it has {[s.name for s in self.program.inputs]}")
        return Function(rules[mode](self.program), self._table, self._pattern)

    def compile(self, backend: str = "llvm") -> "Function":
        """Compile now instead of at the first call."""
        if backend != "llvm":
            raise UsageError(f"backend={backend!r}; this version has 'llvm'")
        self._kernel(uniform=True)
        return self

    def __call__(self, **inputs: Any) -> Evaluation:
        """Evaluate; every slot is an array (..., *shape), all broadcast on leading axes."""
        rows, batch, n = self._rows(inputs)
        if "parameters" in rows:
            self._table.check(rows["parameters"], self._pattern)
        program = self._computed.program
        if self._interpret(n):
            flat = [np.full((n, slot.size), np.nan) for slot in program.outputs]
            flagged = np.arange(n)
        else:
            kernel_inputs, kernel = self._prepare(rows)
            flat, status = kernel(kernel_inputs, n)
            flagged = np.flatnonzero(status)
        names = np.full(n, "", dtype=object)
        if len(flagged):
            again = {k: x if len(x) == 1 else x[flagged] for k, x in rows.items()}
            careful, failed = evaluate_with_care(program, flat_inputs(program, again, len(flagged)))
            names[flagged] = failed
            bad = names[flagged] != ""
            for output, better in zip(flat, careful, strict=True):
                output[flagged] = better
            flat = self._computed.spread(flat)
            for output in flat:
                output[flagged[bad]] = np.nan
        else:
            flat = self._computed.spread(flat)
        return Evaluation(self._named(flat, batch), names, batch)

    def values(self, **inputs: Any) -> dict[str, np.ndarray]:
        """Outputs as computed, whatever the checks say: NaN where the arithmetic has no answer."""
        rows, batch, n = self._rows(inputs)
        if self._interpret(n):
            program = self._computed.program
            nodes = evaluate_nodes(program, flat_inputs(program, rows, n))
            flat = self._computed.spread(result_columns(program, nodes, n))
        else:
            kernel_inputs, kernel = self._prepare(rows)
            flat = self._computed.spread(kernel(kernel_inputs, n)[0])
        return self._named(flat, batch)

    def _named(self, flat: list[np.ndarray], batch: tuple[int, ...]) -> dict[str, np.ndarray]:
        slots = self.program.outputs
        return {slot.name: x.reshape((*batch, *slot.shape)) for slot, x in zip(slots, flat, strict=True)}

    def _interpret(self, n: int) -> bool:
        """True while so few states were asked for that compiling would take longer, or for functions never compiled."""
        if self.interpreted:
            return True
        if self._kernels or self._interpreted + n > INTERPRETED_STATES:
            return False
        self._interpreted += n
        return True

    def _rows(self, inputs: Mapping[str, Any]) -> tuple[dict[str, np.ndarray], tuple[int, ...], int]:
        arrays: dict[str, np.ndarray] = {}
        expected = {slot.name for slot in self.program.inputs}
        if set(inputs) != expected:
            raise UsageError(f"{self.name} takes {sorted(expected)}, got {sorted(inputs)}")
        batches = []
        for slot in self.program.inputs:
            x = np.asarray(inputs[slot.name], dtype=float)
            tail = x.shape[x.ndim - len(slot.shape) :] if x.ndim >= len(slot.shape) else None
            if tail != slot.shape:
                shape = ", ".join(["...", *map(str, slot.shape)])
                raise UsageError(f"{self.name}: {slot.name} has shape {x.shape}; expected ({shape})")
            arrays[slot.name] = x
            batches.append(x.shape[: x.ndim - len(slot.shape)])
        try:
            batch = np.broadcast_shapes(*batches)
        except ValueError:
            shapes = ", ".join(f"{s.name} {arrays[s.name].shape}" for s in self.program.inputs)
            raise UsageError(f"{self.name}: leading axes do not broadcast: {shapes}") from None
        n = int(np.prod(batch, dtype=int))
        rows = {}
        for slot, own in zip(self.program.inputs, batches, strict=True):
            x = arrays[slot.name]
            if int(np.prod(own, dtype=int)) == 1:
                rows[slot.name] = np.ascontiguousarray(x.reshape(1, slot.size))
            else:
                rows[slot.name] = np.ascontiguousarray(np.broadcast_to(x, (*batch, *slot.shape)).reshape(n, slot.size))
        return rows, batch, n

    def _prepare(self, rows: dict[str, np.ndarray]) -> tuple[list[np.ndarray], Any]:
        parameters = rows.get("parameters")
        if parameters is None:
            return [rows[s.name] for s in self.program.inputs], self._kernel(uniform=True)[1]
        uniform = len(parameters) == 1
        once, kernel = self._kernel(uniform)
        if not uniform or once is None:
            return [rows[s.name] for s in self.program.inputs], kernel
        key = parameters.tobytes()
        hoisted = self._hoisted.get(key)
        if hoisted is None:
            values = flat_inputs(
                once, {s.name: np.zeros((1, s.size)) for s in once.inputs} | {"parameters": parameters}, 1
            )
            hoisted = once.evaluate_flat(values[0]).reshape(1, -1).astype(float)
            if len(self._hoisted) < 64:
                self._hoisted[key] = hoisted
        ordered: Sequence[np.ndarray] = [rows[s.name] for s in self.program.inputs]
        return [*ordered, np.ascontiguousarray(hoisted)], kernel

    def _kernel(self, uniform: bool) -> tuple[Program | None, Any]:
        with self._lock:
            if uniform not in self._kernels:
                from gough.backends.llvm import Kernel
                from gough.program.passes.expand_blocks import expand_blocks
                from gough.program.passes.minimise import minimise

                if uniform:
                    once, each = split_uniform(expand_blocks(self._computed.program))
                    has_work = any(s.name == HOISTED for s in each.inputs)
                    self._kernels[True] = (once if has_work else None, Kernel(minimise(each)))
                else:
                    slots = tuple(replace(s, uniform=False) for s in self.program.inputs)
                    self._kernels[False] = (None, Kernel(replace(self._computed.program, inputs=slots)))
            return self._kernels[uniform]

    def __getstate__(self) -> dict:
        return {
            "program": self.program,
            "table": self._table,
            "pattern": self._pattern,
            "interpreted": self.interpreted,
        }

    def __setstate__(self, state: dict) -> None:
        self.__init__(**state)  # type: ignore[misc]
