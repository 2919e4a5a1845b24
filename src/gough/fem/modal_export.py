"""Own elements as modal data: the mass points become the nodes, so that nothing is lost."""

from collections.abc import Mapping

from gough.fem.basis import build_basis
from gough.fem.basis_choices import BasisChoice
from gough.fem.damping import Damping
from gough.fem.finite_elements import FiniteElements
from gough.fem.modal_data import ModalData, ModalFrame, Stated
from gough.fem.reduce import assembled, decided
from gough.fem.reduce_second import second_order_field
from gough.fem.tie_nodes import Tie
from gough.fem.ties import tie


def modal_data(
    elements: FiniteElements,
    basis: BasisChoice,
    frames: Mapping[str, Tie] | None = None,
    damping: Damping | None = None,
    stiffening: str = "auto",
) -> ModalData:
    """The data of `reduce(...)` with the same arguments; `elastic_body` of it, with the same stiffening, is the same body."""
    tied = tie(elements, frames or {})
    chosen = build_basis(tied, basis)
    settled = decided(stiffening, elements.shortening is not None)
    body = assembled(tied, chosen, damping, settled)
    second = None if settled == "off" else second_order_field(tied, chosen)
    points = elements.mass, elements.position, (tied.elements.field @ chosen.shapes).reshape(-1, 3, body.modes)
    if second is not None and second.sampled is not None:
        points = second.sampled
    mass, position, shapes = points
    return ModalData(
        nodes=position,
        masses=mass,
        shapes=shapes,
        K=body.K,
        M=body.M,
        D=body.D,
        second=None if second is None else second.at_points,
        frames={
            name: ModalFrame(f.position, f.rotation, None, f.translation, f.turning, f.second)
            for name, f in body.frames.items()
        },
        labels=body.labels,
        stated=Stated(body.mass, body.MS / body.mass, body.J),
    )
