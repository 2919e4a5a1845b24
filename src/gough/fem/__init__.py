"""Finite elements: bodies that bend, from their shape and material to the few numbers the dynamics needs.

An element (beams, plates, solids, matrices of files) gives `FiniteElements`; `reduction` ties frames to its nodes, chooses
shapes and makes an `ElasticBody` of it. `modal` makes one of modes that another program computed.
"""

# ruff: noqa: F401 - names for type checkers

from importlib import import_module
from typing import TYPE_CHECKING, Any

from gough.errors import warn

# Loaded when first used: scipy and scikit-fem are heavy.
_NAMES = {
    "beams.elements": "beam_elements",
    "beams.sections": "Circle CrossSection GivenSection IBeam Rectangle Tube",
    "elastic_body": "ElasticBody Slaved TiedFrame",
    "elements": "FiniteElements place_elements",
    "files.abaqus": "read_abaqus_matrices",
    "files.matrices": "from_matrices",
    "files.matrix_market": "read_matrix_market",
    "files.meshes": "read_mesh size_report",
    "files.modal": "read_modal_file write_modal_file",
    "files.nastran.matrices": "read_nastran_dmig read_nastran_op4",
    "files.nastran.modes": "read_nastran_modes",
    "material": "Material",
    "meshing.polygon": "TriangleMesh mesh_polygon",
    "modal.body": "elastic_body_of_modes modal_data_of_elements",
    "modal.data": "ModalData ModalFrame Stated",
    "plates": "plate_elements",
    "reduction.choices": "AttachmentModes ClampedModes CraigBampton FreeModes Guyan ModeCut Nodal",
    "reduction.damping": "DampingMatrix ModalRatio Rayleigh",
    "reduction.reduce": "reduce",
    "reduction.ties": "NodeTie",
    "solids.elements": "solid_elements",
    "stiffening": "SecondOrder rigid_motion_shapes second_order slaved_shapes",
    "reading": "UnitFactors",
}
_LAZY = {name: f"gough.fem.{module}" for module, names in _NAMES.items() for name in names.split()}
_RENAMED = {
    "Cut": "ModeCut",
    "Section": "CrossSection",
    "Tie": "NodeTie",
    "Units": "UnitFactors",
    "placed": "place_elements",
}
"""Old names, which still work."""

if TYPE_CHECKING:
    from gough.fem.beams.elements import beam_elements
    from gough.fem.beams.sections import Circle, CrossSection, GivenSection, IBeam, Rectangle, Tube
    from gough.fem.elastic_body import ElasticBody, Slaved, TiedFrame
    from gough.fem.elements import FiniteElements, place_elements
    from gough.fem.files.abaqus import read_abaqus_matrices
    from gough.fem.files.matrices import from_matrices
    from gough.fem.files.matrix_market import read_matrix_market
    from gough.fem.files.meshes import read_mesh, size_report
    from gough.fem.files.modal import read_modal_file, write_modal_file
    from gough.fem.files.nastran.matrices import read_nastran_dmig, read_nastran_op4
    from gough.fem.files.nastran.modes import read_nastran_modes
    from gough.fem.material import Material
    from gough.fem.meshing.polygon import TriangleMesh, mesh_polygon
    from gough.fem.modal.body import elastic_body_of_modes, modal_data_of_elements
    from gough.fem.modal.data import ModalData, ModalFrame, Stated
    from gough.fem.plates import plate_elements
    from gough.fem.reading import UnitFactors
    from gough.fem.reduction.choices import (
        AttachmentModes,
        ClampedModes,
        CraigBampton,
        FreeModes,
        Guyan,
        ModeCut,
        Nodal,
    )
    from gough.fem.reduction.damping import DampingMatrix, ModalRatio, Rayleigh
    from gough.fem.reduction.reduce import reduce
    from gough.fem.reduction.ties import NodeTie
    from gough.fem.solids.elements import solid_elements
    from gough.fem.stiffening import SecondOrder, rigid_motion_shapes, second_order, slaved_shapes

__all__ = list(_LAZY)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name in _RENAMED:
        warn(f"gough.fem.{name} is called {_RENAMED[name]} now", DeprecationWarning)
        return __getattr__(_RENAMED[name])
    if name not in _LAZY:
        raise AttributeError(f"module 'gough.fem' has no attribute {name!r}")
    value = getattr(import_module(_LAZY[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_LAZY])
