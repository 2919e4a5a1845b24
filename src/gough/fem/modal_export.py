"""Own elements as modal data: the mass points become the nodes, so that nothing is lost."""

from collections.abc import Mapping

import numpy as np

from gough.fem.basis import build_basis
from gough.fem.basis_choices import BasisChoice
from gough.fem.damping import Damping
from gough.fem.finite_elements import FiniteElements
from gough.fem.integrals import second_order
from gough.fem.modal_data import ModalData, ModalFrame, Stated
from gough.fem.reduce import assembled, stiffens
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
    """The data of `reduce(...)` with the same arguments; `elastic_body` of it is the same body."""
    tied = tie(elements, frames or {})
    chosen = build_basis(tied, basis)
    stiff = stiffens(stiffening, elements.shortening is not None)
    body = assembled(tied, chosen, damping, stiff)
    K_G = None
    if stiff:
        second = second_order(elements.mass, elements.position, second_order_field(tied, chosen).points)
        K_G = np.concatenate([second.first, second.moment.reshape(9, body.modes, body.modes)])
    return ModalData(
        nodes=elements.position,
        masses=elements.mass,
        shapes=(tied.elements.field @ chosen.shapes).reshape(-1, 3, body.modes),
        K=body.K,
        M=body.M,
        D=body.D,
        K_G=K_G,
        frames={
            name: ModalFrame(f.position, f.rotation, None, f.translation, f.turning, f.second)
            for name, f in body.frames.items()
        },
        labels=body.labels,
        stated=Stated(body.mass, body.MS / body.mass, body.J),
    )
