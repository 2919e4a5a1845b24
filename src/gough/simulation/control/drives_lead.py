"""Robots whose drives lead them: the same robot with its drives' rates as velocities."""

from typing import TYPE_CHECKING

from gough.errors import StructureError, UsageError
from gough.model.sharing import share_code
from gough.simulation.coordinates import drive_of_entries

if TYPE_CHECKING:
    from gough.model import Model


def led_by_drives(model: "Model") -> "Model":
    """The model itself, or that of the same robot whose rigid velocities are the drives' rates."""
    if drive_of_entries(model.mechanism) is not None:
        return model
    drives = len(model.mechanism.drives)
    if drives != model.mobility:
        raise UsageError(
            f"{model.robot.name}: {drives} drives that follow a motion do not go with {model.mobility} freedoms, there must be "
            "one for each; use a controller"
        )

    def made() -> "Model":
        if model.like is not None:
            same = share_code(led_by_drives(model.like), model.robot, model.parameters)
            assert same is not None
            return same
        try:
            return model.with_(velocities="drives")
        except StructureError as problem:
            raise UsageError(
                f"{model.robot.name}: its drives do not lead it ({problem}); use a controller"
            ) from problem

    return model.cached("led by drives", made)
