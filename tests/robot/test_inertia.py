"""Ten parameters and central inertia against sums over clouds of point masses."""

from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gough.robot import Body, Inertia, Parameters, Payload, Pose, Telescopic


def cloud(rng, count=40):
    return rng.uniform(0.1, 1.0, count), rng.normal(size=(count, 3)) + rng.normal(size=3)


def summed(masses, points):
    """M, MS and the tensor about the origin by summing -[r]x [r]x dm, in the order of the ten parameters."""
    tensor = np.zeros((3, 3))
    for mass, (x, y, z) in zip(masses, points, strict=True):
        tensor += mass * np.array(
            [[y * y + z * z, -x * y, -x * z], [-x * y, x * x + z * z, -y * z], [-x * z, -y * z, x * x + y * y]]
        )
    return np.array([masses.sum(), *(masses @ points), *tensor[0], *tensor[1, 1:], tensor[2, 2]])


def tensor_of(ten):
    xx, xy, xz, yy, yz, zz = ten[4:]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def inertia(about, tensor):
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    return Inertia(about=about, xx=xx, xy=xy, xz=xz, yy=yy, yz=yz, zz=zz)


def body_of(masses, points, about) -> dict[str, Any]:
    center = masses @ points / masses.sum()
    tensor = tensor_of(summed(masses, points if about == "origin" else points - center))
    return {"mass": masses.sum(), "center_of_mass": center, "inertia": inertia(about, tensor)}


@pytest.mark.parametrize("about", ["origin", "center_of_mass"])
def test_body(rng, about):
    masses, points = cloud(rng)
    body = Body(**body_of(masses, points, about))
    np.testing.assert_allclose(body.ten_parameters(), summed(masses, points), rtol=1e-12, atol=1e-12)
    mass, center, tensor = body.central_inertia()
    assert mass == pytest.approx(masses.sum())
    np.testing.assert_allclose(center, masses @ points / masses.sum(), atol=1e-12)
    np.testing.assert_allclose(tensor, tensor_of(summed(masses, points - center)), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("about", ["origin", "center_of_mass"])
def test_payload_is_part_of_the_body(rng, about):
    masses, points = cloud(rng)
    loads, spots = cloud(rng)
    turn, position = Rotation.random(rng=rng).as_matrix(), rng.normal(size=3)
    payload = Payload(**body_of(loads, spots, about), at=Pose.from_matrix(turn, position))
    body = Body(**body_of(masses, points, about), payload=payload)
    expected = summed(np.concatenate([masses, loads]), np.concatenate([points, spots @ turn.T + position]))
    np.testing.assert_allclose(body.ten_parameters(), expected, rtol=1e-11, atol=1e-11)


def test_parameters_go_through_untouched(rng):
    names = ("M", "MX", "MY", "MZ", "XX", "XY", "XZ", "YY", "YZ", "ZZ")
    values = np.abs(rng.normal(size=10))
    body = Body(parameters=Parameters(**dict(zip(names, values, strict=True))))
    np.testing.assert_array_equal(body.ten_parameters(), values)
    assert body.mass == values[0]
    np.testing.assert_allclose(body.center_of_mass, values[1:4] / values[0])


def test_a_mass_without_inertia_is_a_point():
    np.testing.assert_allclose(
        Body(mass=2, center_of_mass=(0, 0, 3)).ten_parameters(), summed(np.array([2.0]), np.array([[0, 0, 3.0]]))
    )


def test_telescopic_coefficients():
    telescopic = Telescopic.model_validate({"joint": "slide", "inertia": {"yy": [1, 2, 3], "xz": [0, 0.5, 0]}})
    coefficients = telescopic.coefficients()
    assert coefficients.shape == (3, 3, 3)
    np.testing.assert_array_equal(coefficients[:, 1, 1], [1, 2, 3])
    np.testing.assert_array_equal(coefficients[1], [[0, 0, 0.5], [0, 2, 0], [0.5, 0, 0]])
