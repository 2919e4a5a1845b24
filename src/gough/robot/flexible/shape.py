"""What a flexible body is made of: keys that become finite elements. A new kind is a file and a field of `Flexible`."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from gough.robot.item import Item

if TYPE_CHECKING:
    from gough.fem import FiniteElements


class BodyShape(Item):
    """Base of beams, plates, solids and matrices; its fields are its keys."""

    shortens: ClassVar[bool] = False
    """Whether its elements say how bending shortens them, which stiffening needs."""

    @abstractmethod
    def finite_elements(self, points: Sequence[np.ndarray], file: str | None) -> "FiniteElements":
        """The body in elements, in its axes, with node sets where it has named ones. points: attached ones (m, body axes), where
        a node should be; file: of the description, to which paths are relative."""
