"""Materials: one of Poisson's ratio and shear modulus, and nothing that cannot be."""

import pytest

from gough.errors import UsageError
from gough.fem import Material


def test_shear_modulus_of_steel():
    assert pytest.approx(80.769e9, rel=1e-5) == Material(210e9, 7850.0, poisson=0.3).G


def test_poisson_from_shear():
    assert Material(2.8e7, 1.2, shear=1e7).nu == pytest.approx(0.4)


def test_timber_is_for_beams_alone():
    timber = Material(12e9, 450.0, shear=0.8e9)
    assert timber.G == 0.8e9
    with pytest.raises(UsageError, match=r"shear = 800000000.0 makes Poisson's ratio 6.5"):
        _ = timber.nu


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"young": -1.0}, "young = -1.0"),
        ({"young": float("nan")}, "young = nan"),
        ({"density": 0.0}, "density = 0.0"),
        ({"density": "7800"}, "density = '7800'"),
        ({"poisson": 0.5}, r"poisson = 0.5 .* 0.49"),
        ({"poisson": -1.0}, r"poisson = -1.0"),
        ({"poisson": None}, "either poisson"),
        ({"shear": 8e10}, "not both"),
        ({"poisson": None, "shear": 0.0}, "shear = 0.0"),
    ],
)
def test_bad_values_are_named(values, message):
    with pytest.raises(UsageError, match=message):
        Material(**({"young": 2e11, "density": 7850.0, "poisson": 0.3} | values))
