"""Finite elements: bodies that bend, from their shape and material to the few numbers the dynamics needs.

An element (beams, plates, solids, matrices of files) gives `FiniteElements`; `reduction` ties frames to its nodes, chooses
shapes and makes an `ElasticBody` of it. `modal` makes one of modes that another program computed.
"""

from typing import TYPE_CHECKING, Any

from gough._lazy import lazy_names
from gough.errors import warn_deprecated

# The public names, each once. They load when first used: scipy and scikit-fem are heavy.
if TYPE_CHECKING:
    from gough.fem._elements import FiniteElements as FiniteElements
    from gough.fem._elements import place_elements as place_elements
    from gough.fem._material import Material as Material
    from gough.fem._plates import plate_elements as plate_elements
    from gough.fem._reading import UnitFactors as UnitFactors
    from gough.fem._stiffening import SecondOrder as SecondOrder
    from gough.fem._stiffening import moment_shapes as moment_shapes
    from gough.fem._stiffening import rigid_motion_shapes as rigid_motion_shapes
    from gough.fem._stiffening import second_order as second_order
    from gough.fem._stiffening import slaved_shapes as slaved_shapes
    from gough.fem.beams.elements import beam_elements as beam_elements
    from gough.fem.beams.sections import Circle as Circle
    from gough.fem.beams.sections import CrossSection as CrossSection
    from gough.fem.beams.sections import GivenSection as GivenSection
    from gough.fem.beams.sections import IBeam as IBeam
    from gough.fem.beams.sections import Rectangle as Rectangle
    from gough.fem.beams.sections import Tube as Tube
    from gough.fem.elastic_body import ElasticBody as ElasticBody
    from gough.fem.elastic_body import Slaved as Slaved
    from gough.fem.elastic_body import TiedFrame as TiedFrame
    from gough.fem.files.abaqus import read_abaqus_matrices as read_abaqus_matrices
    from gough.fem.files.matrices import from_matrices as from_matrices
    from gough.fem.files.matrix_market import read_matrix_market as read_matrix_market
    from gough.fem.files.meshes import read_mesh as read_mesh
    from gough.fem.files.meshes import size_report as size_report
    from gough.fem.files.modal import read_modal_file as read_modal_file
    from gough.fem.files.modal import write_modal_file as write_modal_file
    from gough.fem.files.nastran.matrices import read_nastran_dmig as read_nastran_dmig
    from gough.fem.files.nastran.matrices import read_nastran_op4 as read_nastran_op4
    from gough.fem.files.nastran.modes import read_nastran_modes as read_nastran_modes
    from gough.fem.meshing.polygon import TriangleMesh as TriangleMesh
    from gough.fem.meshing.polygon import mesh_polygon as mesh_polygon
    from gough.fem.modal.body import elastic_body_of_modes as elastic_body_of_modes
    from gough.fem.modal.body import modal_data_of_elements as modal_data_of_elements
    from gough.fem.modal.data import ModalData as ModalData
    from gough.fem.modal.data import ModalFrame as ModalFrame
    from gough.fem.modal.data import Stated as Stated
    from gough.fem.reduction.choices import AttachmentModes as AttachmentModes
    from gough.fem.reduction.choices import ClampedModes as ClampedModes
    from gough.fem.reduction.choices import CraigBampton as CraigBampton
    from gough.fem.reduction.choices import FreeModes as FreeModes
    from gough.fem.reduction.choices import Guyan as Guyan
    from gough.fem.reduction.choices import ModeCut as ModeCut
    from gough.fem.reduction.choices import Nodal as Nodal
    from gough.fem.reduction.damping import DampingMatrix as DampingMatrix
    from gough.fem.reduction.damping import ModalRatio as ModalRatio
    from gough.fem.reduction.damping import Rayleigh as Rayleigh
    from gough.fem.reduction.reduce import reduce as reduce
    from gough.fem.reduction.ties import NodeTie as NodeTie
    from gough.fem.solids.elements import solid_elements as solid_elements
else:
    _load, __dir__, __all__ = lazy_names(__name__)

    def __getattr__(name: str) -> Any:
        if name in _RENAMED:
            warn_deprecated(f"gough.fem.{name} is called {_RENAMED[name]} now", leaves="0.3")
        return _load(_RENAMED.get(name, name))


_RENAMED = {
    "Cut": "ModeCut",
    "Section": "CrossSection",
    "Tie": "NodeTie",
    "Units": "UnitFactors",
    "placed": "place_elements",
}
"""Old names, which still work."""
