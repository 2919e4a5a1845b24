"""One comparison a term, for files that sweep it over subjects."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from laws.subjects import Subject, errors

PEER_TOLERANCE = 1e-10

Term = tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]
"""(of the library's model for a batch of states, of a reference for one state)"""

TERMS: dict[str, Term] = {
    "inverse": (
        lambda m, s: m.inverse_dynamics(s.q, s.v, s.acceleration, s.wrench).tau,
        lambda r, s: r.inverse(s.q, s.v, s.acceleration, s.wrench),
    ),
    "forward": (
        lambda m, s: m.forward_dynamics(s.q, s.v, s.tau, s.wrench).vdot,
        lambda r, s: r.forward(s.q, s.v, s.tau, s.wrench),
    ),
    "mass_matrix": (lambda m, s: m.mass_matrix(s.q), lambda r, s: r.mass_matrix(s.q)),
    "bias": (lambda m, s: m.bias_force(s.q, s.v), lambda r, s: r.bias(s.q, s.v)),
    "drive_map": (lambda m, s: m.drive_map(s.q), lambda r, s: r.drive_map(s.q)),
}


def compare(term: str, subject: Subject, truth: Any, tolerance: Any) -> None:
    """Demand that the library's `term` is that of `truth` at all states of the subject."""
    ours, theirs = TERMS[term]
    expected = np.array([theirs(truth, s) for s in subject.states])
    found = errors(ours(subject.model, subject.batch), expected)
    assert (found < tolerance).all(), f"{subject.name} {term}: relative errors {found}, accepted {tolerance}"


def compare_with_reference(term: str, subject: Subject) -> None:
    """Against energies and automatic differentiation."""
    compare(term, subject, subject.reference, subject.tolerances)


def compare_with_peer(term: str, subject: Subject, kind: str) -> None:
    """Against MuJoCo or Pinocchio."""
    compare(term, subject, subject.peer(kind), PEER_TOLERANCE)
