"""Is the mechanism one this library can model, and is its home a good one? Said at build time, by name."""

import warnings
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import EXPLANATION, SingularHomeWarning, StructureError
from gough.structure import Mechanism

if TYPE_CHECKING:
    from gough.compilation.model import Model

NEAR_SINGULAR = 1e-4


def check_structure(mechanism: Mechanism) -> None:
    """Every leg must follow the platform: as many closure rows as joints; as many drives as freedoms."""
    for leg in mechanism.legs:
        cut = mechanism.cuts[leg.cut]
        joints = sum(mechanism.links[i].nu for i in leg.links)
        if cut.rows < joints:
            raise StructureError(
                f"{mechanism.name}: {leg.name} has {joints} joint freedoms but its {cut.type} cut closes only {cut.rows}: "
                f"{joints - cut.rows} of them would move freely. Replace a joint by one with fewer freedoms "
                f"(for instance a spherical joint at the base by a universal one)."
            )
        if cut.rows > joints:
            raise StructureError(
                f"{mechanism.name}: {leg.name} has {joints} joint freedoms and its {cut.type} cut closes {cut.rows}: the leg "
                f"would take {cut.rows - joints} freedoms from the platform. Platforms with fewer than six freedoms are "
                f"not supported by this version; give each leg six freedoms in all (joints plus cut)."
            )
    drives, freedoms = len(mechanism.drives), mechanism.layout.nv
    if drives != freedoms:
        raise StructureError(
            f"{mechanism.name}: {drives} drives for {freedoms} freedoms ({', '.join(d.name for d in mechanism.drives)}); "
            f"this version needs exactly as many drives as freedoms."
        )


def check_home(model: "Model") -> None:
    """Home must assemble; a home at a singularity is said."""
    problem = model.geometry.home_problem
    if problem:
        status, _, place = problem.partition(":")
        from gough.errors import Status

        raise StructureError(
            f"{model.robot.name}: the home configuration cannot be assembled ({place}): "
            f"{EXPLANATION[Status[status.upper()]]}. Change home.pose, or give home.joints as a starting guess."
        )
    measure = model.singularity(model.home)
    if not measure.parallel > NEAR_SINGULAR:
        warnings.warn(
            f"{model.robot.name}: home is at or near a parallel singularity (reciprocal condition {measure.parallel:.2g}); "
            f"give another home.pose",
            SingularHomeWarning,
            stacklevel=4,
        )
    folded = np.flatnonzero(~(measure.serial > NEAR_SINGULAR))
    if len(folded):
        names = ", ".join(model.mechanism.legs[k].name for k in folded)
        warnings.warn(
            f"{model.robot.name}: at home these legs are at or near a serial singularity: {names}",
            SingularHomeWarning,
            stacklevel=4,
        )
