"""From a choice of reduction to its shapes."""

from gough.errors import UsageError
from gough.fem.basis_attachment import attachment_modes
from gough.fem.basis_choices import (
    AttachmentModes,
    Basis,
    BasisChoice,
    ClampedModes,
    CraigBampton,
    FreeModes,
    Guyan,
    Nodal,
)
from gough.fem.basis_modal import clamped_modes, free_modes, nodal
from gough.fem.craig_bampton import craig_bampton
from gough.fem.memory import demand
from gough.fem.sparse_parts import order
from gough.fem.ties import TiedElements


def build_basis(tied: TiedElements, choice: BasisChoice) -> Basis:
    """The shapes (d, m) a choice gives, in the freedoms of `tied`; nothing in them is a rigid motion."""
    if isinstance(choice, Nodal):
        d, points = order(tied.elements.K), len(tied.elements.mass)
        taken = 8.0 * d * (4 * d + 9 * points)
        demand(taken, f"nodal coordinates: {d} of them", "reduce the body to modes, or take fewer elements")
    match choice:
        case FreeModes():
            return free_modes(tied, choice)
        case ClampedModes():
            return clamped_modes(tied, choice)
        case Nodal():
            return nodal(tied, choice)
        case CraigBampton():
            return craig_bampton(tied, choice)
        case Guyan():
            return craig_bampton(tied, CraigBampton(choice.interfaces, 0, choice.frame))
        case AttachmentModes():
            return attachment_modes(tied, choice)
    raise UsageError(
        f"{choice!r} is no way to reduce a body; use FreeModes, ClampedModes, Nodal, CraigBampton, Guyan, …"
    )
