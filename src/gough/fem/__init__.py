"""Finite elements: bodies that bend, from their shape and material to the few numbers the dynamics needs."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

# Loaded when first used: scipy and scikit-fem are heavy.
_LAZY = {
    "FiniteElements": "gough.fem.finite_elements",
    "Material": "gough.fem.material",
    "Section": "gough.fem.sections",
    "Rectangle": "gough.fem.sections",
    "Circle": "gough.fem.sections",
    "Tube": "gough.fem.sections",
    "IBeam": "gough.fem.sections",
    "GivenSection": "gough.fem.sections",
    "beam_elements": "gough.fem.beam",
    "TriangleMesh": "gough.fem.polygon_mesh",
    "mesh_polygon": "gough.fem.polygon_mesh",
    "plate_elements": "gough.fem.plate",
    "solid_elements": "gough.fem.solid",
    "read_mesh": "gough.fem.mesh_file",
    "size_report": "gough.fem.mesh_file",
    "placed": "gough.fem.placement",
    "ElasticBody": "gough.fem.elastic_body",
    "Slaved": "gough.fem.elastic_body",
    "TiedFrame": "gough.fem.elastic_body",
    "SecondOrder": "gough.fem.second",
    "second_order": "gough.fem.second",
    "rigid_motion_shapes": "gough.fem.slaved",
    "slaved_shapes": "gough.fem.slaved",
    "Tie": "gough.fem.tie_nodes",
    "AttachmentModes": "gough.fem.basis_choices",
    "ClampedModes": "gough.fem.basis_choices",
    "CraigBampton": "gough.fem.basis_choices",
    "FreeModes": "gough.fem.basis_choices",
    "Guyan": "gough.fem.basis_choices",
    "Nodal": "gough.fem.basis_choices",
    "Cut": "gough.fem.modes_choice",
    "DampingMatrix": "gough.fem.damping",
    "ModalRatio": "gough.fem.damping",
    "Rayleigh": "gough.fem.damping",
    "ModalData": "gough.fem.modal_data",
    "ModalFrame": "gough.fem.modal_data",
    "Stated": "gough.fem.modal_data",
    "read_modal_file": "gough.fem.modal_file",
    "write_modal_file": "gough.fem.modal_file",
    "Units": "gough.fem.units",
    "from_matrices": "gough.fem.given_matrices",
    "read_matrix_market": "gough.fem.matrix_market",
    "read_abaqus_matrices": "gough.fem.abaqus",
    "read_nastran_dmig": "gough.fem.nastran",
    "read_nastran_op4": "gough.fem.nastran",
    "read_nastran_modes": "gough.fem.nastran_modes",
}

if TYPE_CHECKING:
    from gough.fem.abaqus import read_abaqus_matrices
    from gough.fem.basis_choices import AttachmentModes, ClampedModes, CraigBampton, FreeModes, Guyan, Nodal
    from gough.fem.beam import beam_elements
    from gough.fem.damping import DampingMatrix, ModalRatio, Rayleigh
    from gough.fem.elastic_body import ElasticBody, Slaved, TiedFrame
    from gough.fem.finite_elements import FiniteElements
    from gough.fem.given_matrices import from_matrices
    from gough.fem.material import Material
    from gough.fem.matrix_market import read_matrix_market
    from gough.fem.mesh_file import read_mesh, size_report
    from gough.fem.modal_data import ModalData, ModalFrame, Stated
    from gough.fem.modal_file import read_modal_file, write_modal_file
    from gough.fem.modes_choice import Cut
    from gough.fem.nastran import read_nastran_dmig, read_nastran_op4
    from gough.fem.nastran_modes import read_nastran_modes
    from gough.fem.placement import placed
    from gough.fem.plate import plate_elements
    from gough.fem.polygon_mesh import TriangleMesh, mesh_polygon
    from gough.fem.second import SecondOrder, second_order
    from gough.fem.sections import Circle, GivenSection, IBeam, Rectangle, Section, Tube
    from gough.fem.slaved import rigid_motion_shapes, slaved_shapes
    from gough.fem.solid import solid_elements
    from gough.fem.tie_nodes import Tie
    from gough.fem.units import Units

__all__ = [
    "AttachmentModes",
    "Circle",
    "ClampedModes",
    "CraigBampton",
    "Cut",
    "DampingMatrix",
    "ElasticBody",
    "FiniteElements",
    "FreeModes",
    "GivenSection",
    "Guyan",
    "IBeam",
    "Material",
    "ModalData",
    "ModalFrame",
    "ModalRatio",
    "Nodal",
    "Rayleigh",
    "Rectangle",
    "SecondOrder",
    "Section",
    "Slaved",
    "Stated",
    "Tie",
    "TiedFrame",
    "TriangleMesh",
    "Tube",
    "Units",
    "beam_elements",
    "from_matrices",
    "mesh_polygon",
    "placed",
    "plate_elements",
    "read_abaqus_matrices",
    "read_matrix_market",
    "read_mesh",
    "read_modal_file",
    "read_nastran_dmig",
    "read_nastran_modes",
    "read_nastran_op4",
    "rigid_motion_shapes",
    "second_order",
    "size_report",
    "slaved_shapes",
    "solid_elements",
    "write_modal_file",
]


def __getattr__(name: str) -> Any:
    if name not in _LAZY:
        raise AttributeError(f"module 'gough.fem' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
