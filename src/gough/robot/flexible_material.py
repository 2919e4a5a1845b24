"""The material of a flexible body, as written: isotropic, linear elastic."""

from collections.abc import Iterator
from typing import Any

from gough.robot.fields import Number
from gough.robot.flexible_fields import Density, Pressure, one_of, value_of
from gough.robot.item import Fault, Item


class ElasticMaterial(Item):
    """Young's modulus E (Pa), density (kg/m3), and either Poisson's ratio nu or the shear modulus G (Pa)."""

    E: Pressure
    density: Density
    nu: Number | None = None
    G: Pressure | None = None

    @classmethod
    def faults(cls, data: dict[str, Any]) -> Iterator[Fault]:
        yield from one_of(data, ("nu", "G"), "resistance to shear")
        nu = value_of(data, "nu", "number")
        if nu is not None and not -1 < nu < 0.5:
            message = "Poisson's ratio of 0.5 or more" if nu > 0 else "Poisson's ratio of -1 or less"
            yield Fault(("nu",), data["nu"], message, "a number between -1 and 0.5 (nearly incompressible: 0.49)")
