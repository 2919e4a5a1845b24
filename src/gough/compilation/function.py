"""A function: its program, its count, its derivatives, and its fast evaluation on batches."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from gough.arguments import checked, flag, mapping, numbers, whole, word, words
from gough.compilation._diagnosis import Diagnosis
from gough.compilation._parameters import DesignTable
from gough.compilation._rows import InputRows, output_rows
from gough.compilation.arrays import on_gpu
from gough.compilation.evaluation import Evaluation
from gough.compilation.old_names import current_names
from gough.compilation.one_state import OneState, PlainCall, first_one_state
from gough.compilation.service import compile_program
from gough.compilation.threads import are_steady, thread_count
from gough.errors import Failure, UsageError
from gough.locks import make_lock
from gough.program import Count, Program, count
from gough.program.derivatives import derive, names_of
from gough.program.interpreter import evaluate_nodes, evaluate_one
from gough.program.lowering import PRECISIONS
from gough.program.passes.inputs import fix_input, fold_entries
from gough.program.passes.outputs import computed_outputs
from gough.program.text import to_text
from gough.program.verdict import evaluate_with_care, flat_inputs, result_columns

PATIENCE, OF_BATCH, LARGEST_BATCH = 128, 6, 49
"""Calls for one state that run in the interpreter before code is compiled, which takes as long as some hundreds; how many of
them a call for several states counts for; states above which a call is compiled at once."""
CHUNK_BYTES = 32 << 20
"""Bytes of rows a call may copy at a time."""
CAREFUL = 2048
"""States that are looked at with care at a time: all values of a program are kept for each."""
KNOWN_DESIGNS = 64
"""Designs remembered as having the structural zeros the program was made for."""
MACHINES = ("llvm", "cuda")
"""Backends whose kernels a call runs: on arrays in the host's memory, on arrays on a GPU."""


class Function:
    """Made by `Model.function`; thread-safe. The first few states run in the interpreter, then code is compiled.

    precision: "fast" (reciprocals to 1–2 units in the last place) or "ieee" (divisions and roots correctly rounded).
    alike: makes the same function as a program that does the same for every leg, for backends that make loops of it.
    unfolded: makes it with only the given structural parameters folded; derivatives by parameters start from that.
    held: of a derivative, the inputs that stay as they are while the others move; () for the function itself.
    """

    def __init__(
        self,
        program: Program,
        table: DesignTable,
        pattern: dict[int, float],
        interpreted: bool = False,
        precision: str = "fast",
        alike: Callable[[], Program] | None = None,
        unfolded: Callable[[Mapping[int, float]], Program] | None = None,
        held: tuple[str, ...] = (),
    ) -> None:
        self.program = program
        self.alike = alike
        self.unfolded = unfolded
        self.held = held
        self._computed = computed_outputs(program)
        self._dense = [bool(np.isnan(fixed).all()) for fixed in self._computed.fixed]
        self.interpreted = interpreted
        self.precision = precision
        self.name = program.name
        self._table = table
        self._pattern = pattern
        self._guard = table.guard(pattern)
        self._lock = make_lock()
        self._kernels: dict[bool, Any] = {}
        self._interpreted = 0
        self._known: set[bytes] = set()
        self._diagnosis: Diagnosis | None = None
        self.one_state: OneState | None = None
        self.plain_call: PlainCall | None = None

    def __repr__(self) -> str:
        held = f", holding {', '.join(self.held)}" if self.held else ""
        return f"<gough function {self.name}: {len(self.program)} nodes{held}>"

    @property
    def table(self) -> DesignTable:
        """Names, units and values of the slot "parameters"."""
        return self._table

    @property
    def unlocked(self) -> "Function":
        """The function that relies on nothing that geometry locks."""
        return self

    @property
    def pattern(self) -> dict[int, float]:
        """{parameter: value} of those that are folded into the program."""
        return dict(self._pattern)

    def count(self) -> Count:
        """Operations of one evaluation by the counting rules (checks off, no wrench)."""
        return count(self.program)

    def text(self) -> str:
        """The program as readable text."""
        return to_text(self.program)

    @checked(parameters=word | numbers, checks=flag)
    def to_casadi(self, parameters: Any = "design", checks: bool = False) -> Any:
        """A `casadi.Function` of SX with the slots by name; see docs/derivatives.md.

        parameters: "design" puts the robot's own numbers in, an array (n,) other ones, "input" leaves them an input, of
        which none is folded: derivatives by all of them are right. checks: one more output, "checks": margins of the
        checks, negative at a bad state.
        """
        return self.to("casadi", parameters, checks=checks)

    @checked(parameters=word | numbers)
    def to_jax(self, parameters: Any = "design") -> Any:
        """A pure function of JAX arrays in float64, by keywords or by position; `parameters` as for `to_casadi`."""
        return self.to("jax", parameters)

    @checked(backend=word, parameters=word | numbers)
    def to(self, backend: str, parameters: Any = "design", **options: Any) -> Any:
        """What a backend of the list makes of the program: `to_casadi` and `to_jax` are two of them; `parameters` as there."""
        return compile_program(self._with_parameters(parameters), backend, **options)

    def _with_parameters(self, parameters: Any) -> Program:
        """The program as other libraries get it: they differentiate by what stays an input, and ask no guard."""
        named = isinstance(parameters, str)
        if named and parameters not in ("design", "input"):
            raise UsageError(f"parameters={parameters!r}; use 'design', 'input' or an array of numbers")
        free = self._pattern and named and parameters == "input"
        program = self._unfolded("parameters='input'", {}) if free else self.program
        slot = next((s for s in program.inputs if s.name == "parameters"), None)
        if slot is None or (named and parameters == "input"):
            return program
        design = np.asarray(self._table.values if named else parameters, dtype=float)
        if design.shape != slot.shape:
            raise UsageError(f"parameters has shape {design.shape}; expected {slot.shape}, 'design' or 'input'")
        self._table.check(design, self._pattern)
        return fix_input(program, "parameters", design)

    @checked(wrt=word | words, mode=word)
    def derivative(self, wrt: str | Sequence[str], mode: str = "jacobian") -> "Function":
        """Derivative by input slots as a new function; all other inputs are held (see `held`).

        mode: "jacobian" (the cheapest way is chosen; "forward" and "reverse" insist), "jvp" or "vjp". For q these are plain
        derivatives by all nq entries; `Model.tangent_derivative` gives those by motions. "parameters": by every one, the
        structural zeros too, at the same q: where a parameter moves a joint or a point, loops open, so this is no
        gradient of a design that is assembled again.
        """
        wrt = current_names(self.program, (wrt,) if isinstance(wrt, str) else tuple(wrt))
        names, base = names_of(wrt, self.program), self.unfolded
        if "parameters" in names and self._pattern:
            source = self._unfolded("the derivative by parameters", self._table.even(self._pattern))
            made, again = fold_entries(derive(source, names, mode), "parameters", self._pattern), None
        else:
            alike = self.alike
            made, again = (
                derive(self.program, names, mode),
                None if alike is None else lambda: derive(alike(), names, mode),
            )
        return Function(
            made,
            self._table,
            self._pattern,
            precision=self.precision,
            alike=again,
            unfolded=None if base is None else lambda kept: derive(base(kept), names, mode),
            held=tuple(s.name for s in self.program.inputs if s.name not in names),
        )

    def _unfolded(self, purpose: str, kept: Mapping[int, float]) -> Program:
        if self.unfolded is None:
            some = [self._table.names[i] for i in list(self._pattern)[:3]]
            raise UsageError(
                f"{self.name}: {purpose} needs programs in which structural zeros ({', '.join(some)}, …) are not folded, and "
                f"this function cannot make them (it was pickled, or is no plain function of a model). Take it from "
                f"model.function(NAME), or build the model with gough.build(robot, free=['*'])"
            )
        return self.unfolded(kept)

    @checked(backend=word, precision=word, dtype=word)
    def compile(self, backend: str = "llvm", precision: str | None = None, dtype: str | None = None) -> "Function":
        """This function compiled now instead of at a later call; with another `precision`, a new one.

        backend: "llvm" for this CPU or "cuda" for a GPU. dtype: "float32" on a GPU allows calls in single precision.
        """
        if backend not in MACHINES:
            raise UsageError(f"backend={backend!r}; use one of {', '.join(MACHINES)}")
        if dtype not in (None, "float64") and backend != "cuda":
            raise UsageError(f"dtype={dtype!r}: backend {backend!r} computes in float64; single precision needs 'cuda'")
        function = self if precision in (None, self.precision) else self._with(precision)
        if backend == "cuda":
            from gough.compilation._device import compile_for_device

            compile_for_device(function, dtype)
        else:
            function.kernel()
        return function

    def _with(self, precision: str | None) -> "Function":
        if precision not in PRECISIONS:
            raise UsageError(f"precision={precision!r}; use one of {', '.join(PRECISIONS)}")
        same = (self.alike, self.unfolded, self.held)
        return Function(self.program, self._table, self._pattern, self.interpreted, precision, *same)

    @first_one_state
    @checked(threads=whole(1), out=mapping())
    def __call__(self, *, threads: Any = None, out: Any = None, **inputs: Any) -> Evaluation:
        """Evaluate; every slot is an array (..., *shape), all broadcast on leading axes; CuPy arrays run on their GPU.

        threads: how many; default all cores (see `gough.set_threads`). out: arrays (*batch, *shape) of float64 to fill,
        by output name.
        """
        if any(map(on_gpu, inputs.values())):
            return self._on_device(inputs, out)
        rows = InputRows(self.name, self.program, inputs)
        return self._evaluate(rows, 0, rows.n, rows.batch, thread_count(threads), out)

    def _on_device(self, inputs: Mapping[str, Any], out: Any = None, checked: bool = True) -> Evaluation:
        from gough.compilation._device import evaluate

        if out is not None:
            raise UsageError(f"{self.name}: out= takes NumPy arrays; results of arrays on a GPU are made there")
        return evaluate(self, inputs, checked)

    @checked(states=whole(1), threads=whole(1))
    def chunks(self, states: int, *, threads: Any = None, **inputs: Any) -> Iterator[Evaluation]:
        """Evaluate `states` states at a time (of the flattened batch): outputs never take more memory than one chunk."""
        if isinstance(states, bool) or not isinstance(states, int) or states < 1:
            raise UsageError(f"chunks: states={states!r}; give a positive number")
        if any(map(on_gpu, inputs.values())):
            raise UsageError(f"{self.name}: chunks takes NumPy arrays; on a GPU give parts of the arrays")
        rows, workers = InputRows(self.name, self.program, inputs), thread_count(threads)
        for begin in range(0, rows.n, states):
            end = min(begin + states, rows.n)
            yield self._evaluate(rows, begin, end, (end - begin,), workers, None)

    def values(self, **inputs: Any) -> dict[str, np.ndarray]:
        """Outputs as computed, whatever the checks say: NaN where the arithmetic has no answer."""
        found = None if self.one_state is None else self.one_state.evaluate_rows(inputs)
        if found is not None:
            return found[0]
        if any(map(on_gpu, inputs.values())):
            return self._on_device(inputs, checked=False).outputs
        rows = InputRows(self.name, self.program, inputs)
        program, n = self._computed.program, rows.n
        if self._interpret(n):
            flat = flat_inputs(program, rows.chunk(0, n), n)
            nodes = evaluate_one(program, flat[0].tolist()) if n == 1 else evaluate_nodes(program, flat)
            flat = self._computed.spread(result_columns(program, nodes, n))
        else:
            flat = [np.empty((n, slot.size)) for slot in self.program.outputs]
            for _ in self._run(rows, 0, n, flat, thread_count()):
                pass
        return self._named(flat, rows.batch)

    def _evaluate(
        self,
        rows: InputRows,
        begin: int,
        end: int,
        batch: tuple[int, ...],
        threads: int,
        out: Mapping[str, np.ndarray] | None,
    ) -> Evaluation:
        """States begin … end of the rows."""
        n = end - begin
        flat = output_rows(self.name, self.program, n, batch, out)
        if self._interpret(n):
            self._check_designs(rows.chunk(begin, end))
            flagged = [np.arange(begin, end)] if n else []
        else:
            flagged = list(self._run(rows, begin, end, flat, threads))
        bad, failed = [], []
        for states in flagged:
            again = rows.some(states)
            clear = self._diagnose(again) if len(states) == 1 else None
            if clear is not None:
                for output in flat:
                    output[states - begin] = np.nan
                bad.append(states - begin)
                failed.append(np.array([clear], dtype=object))
                continue
            careful, names = self._judge(again, len(states))
            wrong = np.array([bool(failure) for failure in names])
            for output, better in zip(flat, careful, strict=True):
                output[states - begin] = better
            bad.append(states[wrong] - begin)
            failed.append(np.array(names, dtype=object)[wrong])
        where = np.concatenate(bad) if bad else np.zeros(0, dtype=np.int64)
        why = np.concatenate(failed) if failed else np.zeros(0, dtype=object)
        return Evaluation(self._named(flat, batch), where, why, batch, self.held)

    def _judge(self, rows: dict[str, np.ndarray], n: int) -> tuple[list[np.ndarray], list[Failure]]:
        """(outputs (n, size), NaN where a state is bad; what is wrong with it, GOOD where nothing) of rows, with care."""
        careful, names = evaluate_with_care(self._computed.program, flat_inputs(self._computed.program, rows, n))
        outputs = self._computed.spread(careful)
        for output in outputs:
            output[[bool(failure) for failure in names]] = np.nan
        return outputs, names

    def _diagnose(self, rows: dict[str, np.ndarray]) -> Failure | None:
        """What is wrong with one state that compiled code flags, where that is clear."""
        if self.interpreted or not self._kernels:
            return None
        with self._lock:
            if self._diagnosis is None:
                self._diagnosis = Diagnosis(self._computed.program, self.precision)
            return self._diagnosis(rows)

    def _run(self, rows: InputRows, begin: int, end: int, flat: list[np.ndarray], threads: int) -> Iterator[np.ndarray]:
        """Fill `flat` by compiled code, chunk by chunk; yields the states that a check flags."""
        shared = rows.shared if rows.shared is not None and rows.shared.shares else None
        one_design = shared is not None or not rows.varies("parameters")
        kernel = self.kernel(uniform=one_design)
        varying = sum(s.size for s in self.program.inputs if not (s.uniform and one_design))
        widest = max(varying, sum(s.size for s in self.program.outputs), 1)
        if shared is not None:  # what a run of states takes, for each of them
            widest += math.ceil((kernel.table_size + shared.designs.shape[1]) / shared.mean_run)
        step = max(4096, CHUNK_BYTES // (8 * widest) // 4096 * 4096)
        for a in range(begin, end, step):
            b = min(a + step, end)
            bounds, chunk = rows.runs(a, b) if shared is not None else (None, rows.chunk(a, b))
            if a == begin or not one_design or bounds is not None:
                self._check_designs(chunk)
            here = [x[a - begin : b - begin] for x in flat]
            computed = [
                x if full else np.empty((b - a, slot.size))
                for x, full, slot in zip(here, self._dense, self._computed.program.outputs, strict=True)
            ]
            ordered = [chunk[s.name] for s in self.program.inputs]
            run = kernel if bounds is None else kernel.over_designs
            flagged, _ = run(ordered, b - a if bounds is None else bounds, computed, threads)
            self._computed.fill(here, computed, self._dense)
            for first in range(0, len(flagged), CAREFUL):
                yield flagged[first : first + CAREFUL] + a

    def _check_designs(self, chunk: dict[str, np.ndarray]) -> None:
        design = chunk.get("parameters")
        if design is None:
            return
        key = design.tobytes() if len(design) == 1 else b""
        if key not in self._known:
            self._guard(design)
            if key and len(self._known) < KNOWN_DESIGNS:
                self._known.add(key)

    def _named(self, flat: list[np.ndarray], batch: tuple[int, ...]) -> dict[str, np.ndarray]:
        slots = self.program.outputs
        return {slot.name: x.reshape((*batch, *slot.shape)) for slot, x in zip(slots, flat, strict=True)}

    def _interpret(self, n: int) -> bool:
        """True while so few states were asked for that compiling would take longer, or for functions never compiled."""
        if self.interpreted:
            return True
        cost = 1 if n == 1 else OF_BATCH
        if self._kernels or n > LARGEST_BATCH or self._interpreted + cost > PATIENCE or are_steady():
            return False
        self._interpreted += cost
        return True

    def interprets(self, design: np.ndarray) -> bool:
        """Whether a call of one state of a design (n,), which counts as one, would run in the interpreter."""
        self._check_designs({"parameters": design[None]})
        return self._interpret(1)

    def kernel(self, uniform: bool = True) -> Any:
        """Machine code; uniform: one design for all states."""
        with self._lock:
            if uniform not in self._kernels:
                program = self._computed.program
                if not uniform:
                    program = replace(program, inputs=tuple(replace(s, uniform=False) for s in program.inputs))
                self._kernels[uniform] = compile_program(program, precision=self.precision)
            if uniform and self.one_state is None and self._kernels[True].has_entries:
                self.one_state = OneState(self.program, self._computed, self._bind, self._diagnose, self.held)
                self.plain_call = self.one_state.plain
            return self._kernels[uniform]

    def _bind(self, design: np.ndarray) -> Any:
        """The entries of the kernel with a design (n,)."""
        rows = {s.name: np.zeros((1, s.size)) for s in self.program.inputs}
        if "parameters" in rows:
            rows["parameters"] = design[None]
            self._check_designs(rows)
        return self._kernels[True].entries(list(rows.values()))

    def __getstate__(self) -> dict:
        own = {name: getattr(self, name) for name in ("program", "interpreted", "precision", "held")}
        return own | {"table": self._table, "pattern": self._pattern}

    def __setstate__(self, state: dict) -> None:
        self.__init__(**state)  # type: ignore[misc]
