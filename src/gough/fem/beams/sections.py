"""Cross-sections of beams, in their own axes: x along the beam, y and z principal axes through the centroid.

Iz = ∫ y² dA resists bending in the xy plane, Iy = ∫ z² dA bending in the xz plane, J torsion. Shear factors ky, kz scale the
area that carries shear along y and z; they are Cowper's (J. Appl. Mech. 33, 1966), which depend on Poisson's ratio.
"""

from dataclasses import dataclass
from math import pi, tanh
from typing import Protocol

import numpy as np

from gough.errors import UsageError
from gough.fem._material import Material, demand_positive


class CrossSection(Protocol):
    """A cross-section; a member is a frozen dataclass whose sizes are checked when it is made.

    area A (m²); Iz = ∫ y² dA and Iy = ∫ z² dA (m⁴); J, the torsion constant (m⁴). Iy, J and kz of `shear_factors` (ky, kz) in a
    material are None where only motion in the xy plane is known of.
    """

    @property
    def area(self) -> float: ...
    @property
    def Iz(self) -> float: ...
    @property
    def Iy(self) -> float | None: ...
    @property
    def J(self) -> float | None: ...
    def shear_factors(self, material: Material) -> tuple[float, float | None]: ...


def strip_torsion(a: float, b: float) -> float:
    """Torsion constant of a rectangle a × b, Saint-Venant's series to rounding."""
    long, short = max(a, b), min(a, b)
    ratio = short / long
    series = sum(_tanh(n * pi / (2 * ratio)) / n**5 for n in range(1, 400, 2))
    return long * short**3 * (1 / 3 - 64 / pi**5 * ratio * series)


def _tanh(x: float) -> float:
    return np.tanh(x) if isinstance(x, complex) else tanh(x)


def strip_shear_factor(nu: float) -> float:
    """Cowper's factor of a rectangle."""
    return 10 * (1 + nu) / (12 + 11 * nu)


@dataclass(frozen=True)
class Rectangle:
    """size_y × size_z (m)."""

    size_y: float
    size_z: float

    def __post_init__(self) -> None:
        demand_positive("rectangle", size_y=self.size_y, size_z=self.size_z)

    @property
    def area(self) -> float:
        return self.size_y * self.size_z

    @property
    def Iy(self) -> float:
        return self.size_y * self.size_z**3 / 12

    @property
    def Iz(self) -> float:
        return self.size_z * self.size_y**3 / 12

    @property
    def J(self) -> float:
        return strip_torsion(self.size_y, self.size_z)

    def shear_factors(self, material: Material) -> tuple[float, float]:
        return strip_shear_factor(material.nu), strip_shear_factor(material.nu)


@dataclass(frozen=True)
class Circle:
    """Solid round bar of `radius` (m)."""

    radius: float

    def __post_init__(self) -> None:
        demand_positive("circle", radius=self.radius)

    @property
    def bore(self) -> float:
        """Inner radius (m)."""
        return 0.0

    @property
    def area(self) -> float:
        return pi * (self.radius**2 - self.bore**2)

    @property
    def Iy(self) -> float:
        return pi * (self.radius**4 - self.bore**4) / 4

    @property
    def Iz(self) -> float:
        return self.Iy

    @property
    def J(self) -> float:
        return 2 * self.Iy

    def shear_factors(self, material: Material) -> tuple[float, float]:
        nu = material.nu
        square = (self.bore / self.radius) ** 2
        sum_squared = (1 + square) ** 2
        k = 6 * (1 + nu) * sum_squared / ((7 + 6 * nu) * sum_squared + (20 + 12 * nu) * square)
        return k, k


@dataclass(frozen=True)
class Tube(Circle):
    """Round tube: outer `radius` and `wall` thickness (m)."""

    wall: float

    def __post_init__(self) -> None:
        demand_positive("tube", radius=self.radius, wall=self.wall)
        if self.wall >= self.radius:
            raise UsageError(
                f"tube: wall = {self.wall!r} must be less than radius = {self.radius!r} (the outer radius, not the "
                "diameter); a solid bar is a Circle"
            )

    @property
    def bore(self) -> float:
        return self.radius - self.wall


@dataclass(frozen=True)
class IBeam:
    """Doubly symmetric I: `height` along y over all, flanges `width` along z, thicknesses `web` and `flange` (m).

    Areas and second moments are exact for sharp corners. J is the sum of the three strips' own and the shear factors are
    those of thin walls: no warping stiffness, no fillets.
    """

    height: float
    width: float
    web: float
    flange: float

    def __post_init__(self) -> None:
        demand_positive("I section", height=self.height, width=self.width, web=self.web, flange=self.flange)
        if 2 * self.flange >= self.height:
            raise UsageError(f"I section: two flanges of {self.flange!r} do not fit into height = {self.height!r}")
        if self.web >= self.width:
            raise UsageError(f"I section: web = {self.web!r} must be less than the flanges' width = {self.width!r}")

    @property
    def clear(self) -> float:
        """Height of the web between the flanges (m)."""
        return self.height - 2 * self.flange

    @property
    def area(self) -> float:
        return 2 * self.width * self.flange + self.clear * self.web

    @property
    def Iy(self) -> float:
        return (2 * self.flange * self.width**3 + self.clear * self.web**3) / 12

    @property
    def Iz(self) -> float:
        return (self.width * self.height**3 - (self.width - self.web) * self.clear**3) / 12

    @property
    def J(self) -> float:
        return 2 * strip_torsion(self.width, self.flange) + strip_torsion(self.clear, self.web)

    def shear_factors(self, material: Material) -> tuple[float, float]:
        nu = material.nu
        between = self.height - self.flange
        m = 2 * self.width * self.flange / (between * self.web)
        n = self.width / between
        below = 12 + 72 * m + 150 * m**2 + 90 * m**3 + nu * (11 + 66 * m + 135 * m**2 + 90 * m**3)
        below += 30 * n**2 * (m + m**2) + 5 * nu * n**2 * (8 * m + 9 * m**2)
        along_web = 10 * (1 + nu) * (1 + 3 * m) ** 2 / below
        return along_web, strip_shear_factor(nu) * 2 * self.width * self.flange / self.area


@dataclass(frozen=True)
class GivenSection:
    """Any section by its numbers: area (m²), Iz, Iy, J (m⁴) and shear factors ky, kz (needed by Timoshenko beams alone).

    Beams in the plane need neither Iy, J nor kz.
    """

    area: float
    Iz: float
    Iy: float | None = None
    J: float | None = None
    ky: float | None = None
    kz: float | None = None

    def __post_init__(self) -> None:
        demand_positive("given section", area=self.area, Iz=self.Iz)
        for name in ("Iy", "J", "ky", "kz"):
            if getattr(self, name) is not None:
                demand_positive("given section", **{name: getattr(self, name)})

    def shear_factors(self, material: Material) -> tuple[float, float | None]:
        if self.ky is None:
            raise UsageError("given section: a Timoshenko beam needs the shear factor ky (and kz in space)")
        return self.ky, self.kz
