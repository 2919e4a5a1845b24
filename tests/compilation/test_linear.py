"""Linear models at rest: the slope of smoothed Coulomb friction is there or not as asked, and said."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import pytest

import gough
from compilation.test_parameter_derivatives import build, described
from gough.errors import FrictionWarning


def ankle(coulomb: float) -> gough.Model:
    """Linear drives with 12 N of friction, smoothed over 1 mm/s: 12 000 N s/m at rest."""
    data: dict[str, Any] = described("ankle")
    slide = next(j for j in data["templates"]["leg"]["chain"] if j["name"] == "slide")
    slide["drive"] |= {"coulomb": coulomb, "smoothing": 0.001} if coulomb else {}
    return build(data)


def differences(model: gough.Model, tau: np.ndarray, step: float) -> np.ndarray:
    """∂v̇/∂v (nv, nv) at rest."""
    columns = []
    for e in np.eye(model.layout.nv) * step:
        up, down = (model.forward_dynamics(model.home, v, tau).vdot for v in (e, -e))
        columns.append((up - down) / (2 * step))
    return np.array(columns).T


def test_the_slope_of_friction_is_there_or_not_as_asked() -> None:
    rough, smooth = ankle(12.0), ankle(0.0)
    rest = np.zeros(2)
    tau = rough.inverse_dynamics(rough.home, rest, rest).tau
    with pytest.warns(FrictionWarning, match="friction='viscous' leaves it out"):
        whole = rough.linearize(rough.home, rest, tau)
    viscous = rough.linearize(rough.home, rest, tau, friction="viscous")
    truth = differences(rough, tau, 1e-6)
    np.testing.assert_allclose(whole.A[2:, 2:], truth, atol=1e-5 * np.abs(truth).max())
    truth = differences(smooth, tau, 1e-6)  # the same robot described without Coulomb friction
    np.testing.assert_allclose(viscous.A[2:, 2:], truth, atol=1e-5 * np.abs(truth).max())
    np.testing.assert_array_equal(whole.A[:, :2], viscous.A[:, :2])
    found, expected = (gough.natural_frequencies(m, drives={"stiffness": 1e5}).damping for m in (rough, smooth))
    np.testing.assert_allclose(found, expected, rtol=1e-9)


def test_no_warning_where_it_does_not_matter() -> None:
    rough, smooth = ankle(12.0), ankle(0.0)
    with warnings.catch_warnings():
        warnings.simplefilter("error", FrictionWarning)
        smooth.linearize(smooth.home, np.zeros(2), np.zeros(2))
        rough.linearize(rough.home, np.array([3.0, 4.0]), np.zeros(2))  # far above 1 mm/s
    with pytest.raises(gough.UsageError, match="friction='none'; use one of smoothed, viscous"):
        rough.linearize(rough.home, np.zeros(2), np.zeros(2), friction="none")
