"""Other programs' files: URDF, MJCF, SDF and USD become descriptions.

A reader (`urdf`, `mjcf`, `sdf`, `usd`) makes a `ForeignRobot`; `compose` makes a `Robot` of it.
"""

from gough.interchange.findings import ConversionWarning
from gough.interchange.loading import load

__all__ = ["ConversionWarning", "load"]
