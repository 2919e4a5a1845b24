"""Operations of the paper's own algorithm on DualEMPS: its transcription on symbols, [Briot 2014, §4.4, steps 0 to 4].

What is counted: M (upper triangle) and c of (44); the direct model, M and c solved by LDLᵀ for the accelerations. All positions
and rates of the tree are known, no friction. A number of the design that is not 0 is a symbol, equal ones of one integral the
same; zeros and ones are structure.
"""

from dataclasses import dataclass, fields, replace

import numpy as np

from papers.briot2014 import dualemps
from papers.briot2014.closed import closed_model
from papers.briot2014.symbols import Book
from papers.briot2014.tree import State
from papers.shape_integrals import Integrals


@dataclass(frozen=True)
class Counted:
    """inputs: numbers of all symbols. M, c and the accelerations of q̈_r as symbols of the book."""

    book: Book
    inputs: dict
    M: np.ndarray
    c: np.ndarray
    accelerations: np.ndarray

    @property
    def terms(self):
        """(additions, multiplications and divisions) of M and c."""
        return self.book.count(np.triu(self.M), self.c)

    @property
    def direct(self):
        """The same of the direct model."""
        return self.book.count(self.accelerations)


class Inputs:
    """Symbols for numbers, and what they stand for."""

    def __init__(self, shared):
        self.book, self.numbers = Book(shared), {}

    def vary(self, name, numbers):
        """A symbol for each entry of a vector that changes with the state."""
        self.numbers |= {f"{name}{k}": float(x) for k, x in enumerate(numbers)}
        return np.array([self.book.symbol(f"{name}{k}") for k in range(len(numbers))], dtype=object)

    def fix(self, name, numbers):
        """Symbols for the numbers of a design that are not 0; equal sizes are one symbol."""
        found = np.asarray(numbers, dtype=float)
        out = np.zeros(found.shape, dtype=object)
        for k in np.ndindex(found.shape):
            if abs(found[k]) > 1e-15:
                size = f"{name}.{abs(found[k]):.9e}"
                self.numbers[size] = abs(float(found[k]))
                out[k] = self.book.symbol(size, varying=False) * (1 if found[k] > 0 else -1)
        return out

    def body(self, name, of):
        """A body's integrals."""
        given = {f.name: self.fix(f"{name}.{f.name}", getattr(of, f.name)) for f in fields(Integrals)}
        return replace(of, **given | {"m": given["m"][()]})


def count_paper(state, tau, shared=True):
    """The transcription on symbols for DualEMPS without friction; state and tau (2,): numbers to put in for them."""
    put, robot = Inputs(shared), dualemps.robot()
    elements = tuple(
        replace(e, place_R=np.round(e.place_R), place_p=put.fix(f"{k}.p", e.place_p), body=put.body(f"{k}", e.body))
        for k, e in enumerate(robot.elements)
    )
    none = np.zeros(robot.size)
    robot = replace(robot, elements=elements, g=put.fix("g", robot.g), F_v=none, F_s=none)
    known = State(put.vary("q", state.q), put.vary("dq", state.dq), np.eye(3), np.zeros(6))
    model = closed_model(robot, known)
    load = np.concatenate([put.vary("tau", tau), np.zeros(len(model.c) - len(tau))])
    return Counted(put.book, put.numbers, model.M, model.c, solve(model.M, load - model.c))


def solve(M, right):
    """x (n,) of M x = right, M (n, n) symmetric, by LDLᵀ without a choice of pivots."""
    M, x, n = M.copy(), right.copy(), len(right)
    for k in range(n):
        for i in range(k + 1, n):
            factor = M[k, i] / M[k, k]
            x[i] = x[i] - factor * x[k]
            for j in range(i, n):
                M[i, j] = M[i, j] - factor * M[k, j]
    for k in reversed(range(n)):
        x[k] = (x[k] - M[k, k + 1 :] @ x[k + 1 :]) / M[k, k]
    return x
