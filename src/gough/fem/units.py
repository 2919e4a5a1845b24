"""Units of files from other codes, and masses and sizes that no body of a robot has."""

from dataclasses import dataclass

import numpy as np

from gough.errors import UsageError

DENSEST = 22600.0  # kg/m³, osmium
LARGEST = 50.0  # m


@dataclass(frozen=True)
class UnitFactors:
    """What the units of a file are in m, kg, s; force follows. mm, tonne, s, N: UnitFactors(1e-3, 1e3)."""

    length: float = 1.0
    mass: float = 1.0
    time: float = 1.0

    def __post_init__(self) -> None:
        if not all(np.isfinite(u) and u > 0.0 for u in (self.length, self.mass, self.time)):
            raise UsageError(f"units must be positive factors to m, kg, s, not {self.length}, {self.mass}, {self.time}")


SI = UnitFactors()


def doubtful_units(mass: float, nodes: np.ndarray) -> list[str]:
    """Sentences on a mass (kg) or nodes (n, 3) (m) that are not credible; empty where they are."""
    size = float(np.ptp(nodes, axis=0).max()) if len(nodes) else 0.0
    found = []
    if size > LARGEST:
        found.append(
            f"the nodes span {size:.4g} m: is the length unit mm? Convert it, or give units= where a file is read"
        )
    if size > 0.0 and mass > DENSEST * size**3:
        found.append(
            f"the body weighs {mass:.6g} kg in a cube of {size:.4g} m, more than solid osmium: check density and units "
            "(kg, m; or units= where a file is read)"
        )
    return found
