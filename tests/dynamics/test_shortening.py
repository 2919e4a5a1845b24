"""Shortening as polynomials of the coordinates: the integrals they stand for, and the same equations as sums over shapes."""

from __future__ import annotations

import numpy as np
import pytest

import gough
from dynamics.test_stiffened import strip
from gough.dynamics import shortening
from gough.dynamics.inverse import inverse_dynamics
from gough.dynamics.numbers import Numbers
from gough.dynamics.shortening import Shortening, quadratic_terms
from gough.dynamics.terms import bias_force, mass_matrix
from gough.scalar import zeros


def test_integrals_are_those_of_points(rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    """Fields in any direction, one a pair of coordinates."""
    monkeypatch.setattr(shortening, "WORTH", np.inf)
    m, g = 3, 20
    rows, columns = np.triu_indices(m)
    mass, fields = rng.uniform(0.1, 1.0, g), rng.normal(size=(g, 3, len(rows)))
    forms = [zeros(m, m) for _ in rows]
    for form, k, ell in zip(forms, rows, columns, strict=True):
        form[k, ell] = form[ell, k] = rng.normal()
    products = np.einsum("g,gai,gbj->ijab", mass, fields, fields)
    terms = quadratic_terms(forms, [[x.astype(object) for x in row] for row in products])
    assert terms is not None
    e, rate = rng.normal(size=m), rng.normal(size=m)
    here = Shortening(e, terms)
    moved = np.einsum("gaj,jkl,l->gak", fields, np.array(forms, dtype=float), e)  # ∂_k u
    u, speed = 0.5 * moved @ e, moved @ rate
    R = np.einsum("g,gak,gbl->klab", mass, moved, moved)
    np.testing.assert_allclose(np.array(here.R, dtype=float), R, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(here.masses.astype(float), np.einsum("klaa->kl", R), rtol=1e-12)
    V = np.array(here.V, dtype=float)
    np.testing.assert_allclose(V, np.einsum("g,gak,gb->kab", mass, moved, u), rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.einsum("k,kab", rate, V), np.einsum("g,ga,gb->ab", mass, speed, u), rtol=1e-11)


@pytest.mark.parametrize("modes", ["number: 3", "number: 6"])
def test_the_same_equations_as_sums_over_shapes(modes: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = gough.build(strip(4, modes))
    rng = np.random.default_rng(2)
    elastic = model.mechanism.links[model.mechanism.flexible[0]].elastic
    assert elastic is not None
    q = model.home.copy()
    q[model.layout.elastic] = np.array(elastic.units) * rng.normal(size=elastic.modes)
    v, a = rng.normal(size=model.layout.nv), rng.normal(size=model.layout.mobility)
    v[model.layout.mobility :] *= 10 * np.array(elastic.units)
    found = []
    for worth in (np.inf, 0.0):
        monkeypatch.setattr(shortening, "WORTH", worth)
        numbers = Numbers(model.mechanism, np.array(model.parameters, dtype=object))
        x = [y.astype(object) for y in (q, v, a)]
        made = mass_matrix(numbers, x[0]) | bias_force(numbers, *x[:2]) | inverse_dynamics(numbers, *x)
        found.append({key: np.array(y, dtype=float) for key, y in made.items()})
    for key, y in found[0].items():
        np.testing.assert_allclose(y, found[1][key], rtol=0, atol=1e-11 * np.abs(y).max(), err_msg=key)
