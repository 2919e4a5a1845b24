"""The material of a flexible body: isotropic, linear elastic."""

from dataclasses import dataclass
from math import isfinite
from numbers import Real

from gough.errors import UsageError
from gough.scalar.slopes import as_number


def demand_positive(owner: str, **values: float) -> None:
    """Refuse values that are not finite numbers > 0, naming the first; `owner` says whose they are."""
    for name, stated in values.items():
        value = stated.real if isinstance(stated, complex) else stated
        if not isinstance(value, Real) or isinstance(value, bool) or not isfinite(value) or value <= 0:
            raise UsageError(f"{owner}: {name} = {value!r} must be a finite number > 0 (units m, kg, N)")


@dataclass(frozen=True)
class Material:
    """Young's modulus `young` (N/m²), `density` (kg/m³), and either Poisson's ratio `poisson` or shear modulus `shear` (N/m²).

    `shear` alone may be any positive number (a beam of timber has E/G = 15); plates and solids then want the Poisson's
    ratio that follows from it to lie in -1 … 0.5.
    """

    young: float
    density: float
    poisson: float | None = None
    shear: float | None = None

    def __post_init__(self) -> None:
        demand_positive("material", young=self.young, density=self.density)
        if (self.poisson is None) == (self.shear is None):
            raise UsageError("material: give either poisson (Poisson's ratio) or shear (shear modulus, N/m²), not both")
        if self.shear is not None:
            demand_positive("material", shear=self.shear)
        else:
            self.nu  # noqa: B018 - checks it

    @property
    def nu(self) -> float:
        """Poisson's ratio, -1 < nu < 0.5."""
        if self.poisson is not None:
            value = self.poisson
            origin = f"poisson = {value!r}"
        else:
            assert self.shear is not None
            value = self.young / (2 * self.shear) - 1
            origin = f"shear = {self.shear!r} makes Poisson's ratio {value:.4g}, which"
        if not -1 < value < 0.5:
            raise UsageError(
                f"material: {origin} must lie between -1 and 0.5; for a nearly incompressible material take 0.49"
            )
        return as_number(value)

    @property
    def G(self) -> float:
        """Shear modulus (N/m²)."""
        return self.shear if self.shear is not None else self.young / (2 * (1 + self.nu))
