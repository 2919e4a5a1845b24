"""The numbers of a description that give wanted parameters: small systems of equations, each solved on its own.

Most formulas are single numbers, the others linear (inertias and positions in turned axes) or quotients (gears): Newton's steps
with exact derivatives end after one or a few.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from gough.scalar import FormulaNode, replay, variables_of

MOST_STEPS = 30
TINY = 1e-30
"""Imaginary step of derivatives: formulas are sums, products and quotients."""
ROUNDING = 1e-15
"""A number moved by less than this, beside the largest of its equations, is where it was."""


def solve_numbers(
    formulas: Sequence[FormulaNode], wanted: np.ndarray, moved: np.ndarray, numbers: Mapping[str, float]
) -> dict[str, float]:
    """{symbol: new number} of those that move so that all formulas have their wanted values (n,). moved (n,): whether that is
    another one than now. What cannot be solved is left as near as it comes."""
    found: dict[str, float] = {}
    names = [sorted(variables_of([node])) for node in formulas]
    for own in _groups(names):
        if moved[own].any():
            found |= _solve([formulas[k] for k in own], wanted[own], _one_list(names, own), numbers)
    return found


def _one_list(names: Sequence[Sequence[str]], own: Sequence[int]) -> list[str]:
    return list(dict.fromkeys(name for k in own for name in names[k]))


def _groups(names: Sequence[Sequence[str]]) -> list[list[int]]:
    """Formulas (by index) that share symbols, directly or through others."""
    leader: dict[str, str] = {}

    def lead(name: str) -> str:
        while leader.setdefault(name, name) != name:
            leader[name] = leader[leader[name]]
            name = leader[name]
        return name

    for own in names:
        for name in own[1:]:
            leader[lead(name)] = lead(own[0])
    groups: dict[str, list[int]] = {}
    for k, own in enumerate(names):
        groups.setdefault(lead(own[0]), []).append(k)
    return list(groups.values())


def _solve(
    formulas: Sequence[FormulaNode], wanted: np.ndarray, names: Sequence[str], numbers: Mapping[str, float]
) -> dict[str, float]:
    if len(formulas) == 1 and formulas[0].op == "variable":
        return {names[0]: float(wanted[0])}
    start = np.array([numbers[name] for name in names])
    x, best, least = start, start, np.inf
    for _ in range(MOST_STEPS):
        steps = x + 1j * TINY * np.eye(len(names))
        rows = replay(formulas, dict(zip(names, steps.T, strict=True)))
        values = np.array([np.broadcast_to(row, (len(names),)) for row in rows])
        off = wanted - np.real(values[:, 0])
        if not np.abs(off).max() < least:
            break
        least, best = np.abs(off).max(), x
        x = x + np.linalg.lstsq(np.imag(values) / TINY, off, rcond=1e-12)[0]
    moved = np.abs(best - start) > ROUNDING * max(np.abs(wanted).max(), np.abs(start).max())
    return {name: float(best[k]) for k, name in enumerate(names) if moved[k]}
