"""What kinematics works on: a structure in numbers with the functions made of it, and a mechanism assembled at home."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, Self

import numpy as np

from gough.compilation.function import Function
from gough.dynamics.catalogue import FunctionKey
from gough.dynamics.legs.geometry import Branch
from gough.frozen import lock_arrays
from gough.structure import Layout, Mechanism, Structure
from gough.structure.size import row_tolerances
from gough.text import short_repr


class Linkage(Protocol):
    """A structure, a design's parameters (n,), and functions of the catalogue by key."""

    @property
    def structure(self) -> Structure:
        """Tree, cuts, couplings, layout and the table of parameters."""
        ...

    @property
    def parameters(self) -> np.ndarray:
        """The design as numbers (n,)."""
        ...

    def function(self, name: str | FunctionKey, /) -> Function:
        """A function of the structure by name or key."""
        ...


@dataclass(frozen=True)
class LooseLinkage:
    """A linkage whose loops may stay open by more than its description says."""

    structure: Structure
    parameters: np.ndarray
    function: Callable[[str | FunctionKey], Function]


def loosen(linkage: Linkage, share: float) -> LooseLinkage:
    """The same linkage, whose loops may stay open by this share of its size."""
    structure = linkage.structure
    allowed = row_tolerances(structure.owners, structure.table.values, structure.length, share * structure.length)
    return LooseLinkage(replace(structure, tolerances=allowed), linkage.parameters, linkage.function)


@dataclass(frozen=True)
class Assembly:
    """A structure closed at home, and what moves there.

    home (nq,); around (n, nq): home and assembled neighbours; free_motions (n, nu, mobility): orthonormal bases of the motions
    that keep the loops closed at these, scaled. closures: rows that say all there is to say about them.
    kinds, branches: of every leg, its closed form (None without one) and which of its solutions home is.
    """

    home: np.ndarray
    around: np.ndarray
    free_motions: np.ndarray
    closures: tuple[int, ...]
    kinds: tuple[str | None, ...]
    branches: tuple[Branch, ...]

    def __post_init__(self) -> None:
        lock_arrays(vars(self).values())

    @property
    def mobility(self) -> int:
        """Number of independent velocities, idle ones and elastic rates among them."""
        return self.free_motions.shape[2]

    __repr__ = short_repr


class LedLinkage(Linkage, Protocol):
    """A mechanism assembled at home: v lead it. `gough.Model` is one."""

    @property
    def mechanism(self) -> Mechanism:
        """The structure with what leads it."""
        ...

    @property
    def layout(self) -> Layout:
        """Names, units and places in q and v."""
        ...

    @property
    def size(self) -> float:
        """The robot's characteristic length (m)."""
        ...

    @property
    def mobility(self) -> int:
        """Number of independent velocities that motions lead, idle and elastic rates not counted."""
        ...

    @property
    def assembly(self) -> Assembly:
        """What is known at home."""
        ...

    @property
    def home(self) -> np.ndarray:
        """The configuration at home (nq,)."""
        ...

    @property
    def sampled_states(self) -> dict[str, np.ndarray]:
        """{slot: (n, size)} of assembled states where v determine all velocities."""
        ...

    def cached(self, key: Any, make: Callable[[], Any], /) -> Any:
        """The value behind `key`, made once."""
        ...

    def led_by(self, independent: Sequence[int], around: np.ndarray, /) -> Self:
        """The same robot with other independent velocities v, which determine the others `around` (n, nq)."""
        ...
