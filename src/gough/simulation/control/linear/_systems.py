"""Linear controllers as matrices: taken from what is given, put into the order of a robot's drives, sampled."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from gough.arguments import floats, is_number
from gough.errors import UsageError

Vector = np.ndarray
COUNTED = ("u[", "y[", "sys")
"""How python-control begins labels that nobody gave."""


@dataclass(frozen=True, eq=False)
class ControllerMatrices:
    """A (k, k), B (k, inputs), C (outputs, k), D (outputs, inputs); period (s) or None; names of inputs and outputs, or None."""

    A: Vector
    B: Vector
    C: Vector
    D: Vector
    period: float | None = None
    inputs: Sequence[str] | None = None
    outputs: Sequence[str] | None = None

    def for_drives(self, name: str, drives: Sequence[str]) -> "ControllerMatrices":
        """With inputs the errors of these drives (or these, then their rates), outputs their forces."""
        n, (outputs, inputs) = len(drives), self.D.shape
        if outputs == 1 and n > 1 and self.outputs is None and self.inputs is None and inputs in (1, 2):
            return self._for_each(n)
        rates = [f"d/dt {drive}" for drive in drives]
        if self.inputs is None and inputs not in (n, 2 * n):
            raise UsageError(
                f"{name}: {inputs} inputs; give {n} (errors of {', '.join(drives)}), {2 * n} (their rates, too), or inputs="
            )
        if self.outputs is None and outputs != n:
            raise UsageError(f"{name}: {outputs} outputs; give {n}, forces of {', '.join(drives)}, or outputs=")
        columns = (
            list(range(inputs)) if self.inputs is None else _places(name, "inputs", self.inputs, [*drives, *rates])
        )
        rows = list(range(n)) if self.outputs is None else _places(name, "outputs", self.outputs, list(drives))
        missing = [drives[k] for k in range(n) if k not in rows]
        if missing:
            raise UsageError(f"{name}: outputs= has no force of {', '.join(missing)}; give one for every drive")
        wide = 2 * n if max(columns) >= n else n
        B, D, C = np.zeros((len(self.A), wide)), np.zeros((n, wide)), np.zeros((n, len(self.A)))
        B[:, columns] = self.B
        D[np.ix_(rows, columns)] = self.D
        C[rows] = self.C
        return replace(self, B=B, C=C, D=D, inputs=None, outputs=None)

    def _for_each(self, n: int) -> "ControllerMatrices":
        """The same controller for each of n drives; inputs: errors, then rates."""
        one = np.eye(n)
        parts = [np.kron(one, self.B[:, k : k + 1]) for k in range(self.B.shape[1])]
        through = [np.kron(one, self.D[:, k : k + 1]) for k in range(self.D.shape[1])]
        return replace(
            self,
            A=np.kron(one, self.A),
            B=np.concatenate(parts, axis=1),
            C=np.kron(one, self.C),
            D=np.concatenate(through, axis=1),
        )

    def sample(self, name: str, period: float) -> "ControllerMatrices":
        """From sample to sample by the bilinear rule, s = 2 (z - 1)/(T (z + 1))."""
        half = 0.5 * period * self.A
        one = np.eye(len(half))
        left = one - half
        if len(half) and np.linalg.cond(left) > 1e12:
            raise UsageError(
                f"{name}: the bilinear rule has no answer at a period of {period:g} s; give another period"
            )
        A = np.linalg.solve(left, one + half)
        B = np.linalg.solve(left, period * self.B)
        C = np.linalg.solve(left.T, self.C.T).T
        return replace(self, A=A, B=B, C=C, D=self.D + 0.5 * C @ (period * self.B), period=period)

    def typical(self, errors: Vector) -> Vector:
        """Sizes (k,) of states for errors (drives,) of the drives, above 0."""
        n = len(self.A)
        if not n:
            return np.zeros(0)
        given = np.concatenate([errors] * (self.B.shape[1] // len(errors)))
        fastest = max(float(np.abs(np.linalg.eigvals(self.A)).max()), 1.0)
        pushed = np.abs(self.B) @ given / fastest
        found = pushed
        for _ in range(n):
            found = np.maximum(found, np.minimum(np.abs(self.A) @ found / fastest, 1e3 * pushed.max()))
        return np.maximum(found, 1e-6 * max(float(found.max()), 1e-6))


def matrices_of(name: str, given: Any) -> ControllerMatrices:
    """What a law's arguments system, A, B, C, D, period, inputs, outputs say; UsageError where they do not fit."""
    system = given.system
    own = {key: getattr(given, key) for key in "ABCD"}
    if system is not None and any(x is not None for x in own.values()):
        raise UsageError(f"{name}: a system and matrices by name are given; give one of them")
    period, inputs, outputs = given.period, _names(name, "inputs", given.inputs), _names(name, "outputs", given.outputs)
    if period is not None and not (is_number(period) and period > 0):
        raise UsageError(f"{name}: period={period!r}; give a positive time (s), or None for one in continuous time")
    if system is None:
        if own["D"] is None and own["C"] is None:
            raise UsageError(f"{name}: give a system, (A, B, C, D), or the matrices by name (D alone is a gain)")
        return _fitting(name, own, period, inputs, outputs)
    if isinstance(system, list | tuple):
        if len(system) != 4:
            raise UsageError(f"{name}: {len(system)} matrices; give (A, B, C, D)")
        return _fitting(name, dict(zip("ABCD", system, strict=True)), period, inputs, outputs)
    module = type(system).__module__.partition(".")[0]
    if module != "control" or not (hasattr(system, "A") or hasattr(system, "num_list") or hasattr(system, "num")):
        raise UsageError(
            f"{name}: {type(system).__name__} is no linear system; give (A, B, C, D), or a control.StateSpace or "
            "control.TransferFunction"
        )
    if system.dt is True:
        raise UsageError(f"{name}: a discrete system without a period (dt=True); give it its dt in seconds")
    theirs = None if not system.dt else float(system.dt)
    if period is not None and theirs is not None and abs(period - theirs) > 1e-9 * period:
        raise UsageError(f"{name}: period={period:g} s, and the system's dt is {theirs:g} s; leave period= out")
    if hasattr(system, "A"):
        parts = {key: np.asarray(getattr(system, key), dtype=float) for key in "ABCD"}
    else:
        parts = _of_transfer_functions(name, system)
    inputs = inputs or _labels(system.input_labels)
    outputs = outputs or _labels(system.output_labels)
    return _fitting(name, parts, theirs if period is None else period, inputs, outputs)


def _labels(labels: Sequence[str]) -> tuple[str, ...] | None:
    return None if all(x.startswith(COUNTED) for x in labels) else tuple(labels)


def _names(name: str, key: str, given: Any) -> tuple[str, ...] | None:
    if given is None:
        return None
    found = (given,) if isinstance(given, str) else given
    if not isinstance(found, list | tuple) or not all(isinstance(x, str) for x in found):
        raise UsageError(f"{name}: {key}={given!r}; give names of drives, or 'd/dt drive'")
    return tuple(found)


def _places(name: str, key: str, given: Sequence[str], known: list[str]) -> list[int]:
    """Where names stand among those that are known; python-control has no dots in names."""
    plain = [x.replace(".", "_") for x in known]
    out = []
    for x in given:
        if x.replace(".", "_") not in plain:
            raise UsageError(f"{name}: {key} {x!r}; there are {', '.join(known)}")
        out.append(plain.index(x.replace(".", "_")))
    if len(set(out)) < len(out):
        raise UsageError(f"{name}: {key} names a drive twice: {', '.join(given)}")
    return out


def _fitting(name: str, parts: dict[str, Any], period: Any, inputs: Any, outputs: Any) -> ControllerMatrices:
    """ControllerMatrices whose shapes fit; those that are not given are 0."""
    found: dict[str, Vector] = {}
    for key, x in parts.items():
        if x is None:
            continue
        array = floats(f"{name}: {key}", x)
        array = np.atleast_2d(array) if array.size else np.zeros(array.shape if array.ndim == 2 else (0, 0))
        if array.ndim != 2 or not np.isfinite(array).all():
            raise UsageError(f"{name}: {key} has shape {array.shape}; give a matrix of finite numbers")
        found[key] = array
    n = len(found["A"]) if "A" in found else 0
    if n and not {"B", "C"} <= set(found):
        raise UsageError(f"{name}: A has {n} states; give B and C, too")
    if n:
        rows, columns = len(found["C"]), found["B"].shape[1]
    elif "D" in found:
        rows, columns = found["D"].shape
    else:
        raise UsageError(f"{name}: no states and no D; give D, or A, B and C")
    wanted = {"A": (n, n), "B": (n, columns), "C": (rows, n), "D": (rows, columns)}
    for key, shape in wanted.items():
        if key not in found or (not n and key != "D"):
            if key in found and found[key].size:
                raise UsageError(f"{name}: {key} is given without A; give A, B, C and D, or D alone")
            found[key] = np.zeros(shape)
        if found[key].shape != shape:
            raise UsageError(f"{name}: {key} has shape {found[key].shape}; with the others it must be {shape}")
    for key, names, count in (("inputs", inputs, columns), ("outputs", outputs, rows)):
        if names is not None and len(names) != count:
            raise UsageError(f"{name}: {len(names)} names of {key} for {count}")
    every = found["A"], found["B"], found["C"], found["D"]
    return ControllerMatrices(*every, None if period is None else float(period), inputs, outputs)


def _of_transfer_functions(name: str, system: Any) -> dict[str, Vector]:
    """A realisation of every entry by itself, side by side."""
    from scipy import linalg, signal

    outputs, inputs = system.noutputs, system.ninputs
    blocks: list[tuple[Vector, Vector, Vector]] = []
    D = np.zeros((outputs, inputs))
    for i in range(outputs):
        for j in range(inputs):
            num, den = (
                np.trim_zeros(np.atleast_1d(np.asarray(x[i][j], dtype=float)), "f") for x in (system.num, system.den)
            )
            if not len(num):
                continue
            if len(num) > len(den):
                raise UsageError(
                    f"{name}: entry ({i}, {j}) has {len(num) - 1} zeros and {len(den) - 1} poles: it differentiates its "
                    "input. Give rates of the errors inputs of their own (twice as many inputs), or the derivative a lag"
                )
            a, b, c, d = (np.asarray(x) for x in signal.tf2ss(num, den))
            D[i, j] = d[0, 0]
            if len(den) == 1:
                continue
            wide, tall = np.zeros((len(a), inputs)), np.zeros((outputs, len(a)))
            wide[:, j], tall[i] = b[:, 0], c[0]
            blocks.append((a, wide, tall))
    if not blocks:
        return {"A": np.zeros((0, 0)), "B": np.zeros((0, inputs)), "C": np.zeros((outputs, 0)), "D": D}
    A = np.asarray(linalg.block_diag(*(x[0] for x in blocks)))
    B, C = np.concatenate([x[1] for x in blocks]), np.concatenate([x[2] for x in blocks], axis=1)
    return {"A": A, "B": B, "C": C, "D": D}
