"""What shapes show of a body's give under loads, against closed forms of rods and cantilevers."""

import numpy as np
import pytest

from gough.fem import (
    AttachmentModes,
    Circle,
    ClampedModes,
    CraigBampton,
    FreeModes,
    Guyan,
    Material,
    ModeCut,
    Nodal,
    NodeTie,
    beam_elements,
    plate_elements,
)
from gough.fem.reduction.compliance import missing_compliance
from inner.fem import tie_frames

CARBON = Material(1.2e11, 1600.0, 0.3)
LENGTH, SECTION = 0.8, Circle(0.006)
ROD = CARBON.young * SECTION.area / LENGTH
TIP = CARBON.young * SECTION.Iz * 3 / LENGTH**3
TWIST = CARBON.G * SECTION.J / LENGTH


def rod(way=(1.0, 0.0, 0.0)):
    end = LENGTH * np.array(way) / np.linalg.norm(way)
    elements = beam_elements(np.array([np.zeros(3), end]), SECTION, CARBON, elements=6)
    return tie_frames(elements, {"root": NodeTie((0, 0, 0)), "tip": NodeTie(end)}), end / LENGTH


@pytest.mark.parametrize("way", [(1.0, 0.0, 0.0), (0.0, 0.0, -1.0), (0.3, -0.5, 0.7)])
def test_clamped_modes_of_a_rod_lack_stretching_and_twist_alone(way):
    tied, along = rod(way)
    found = missing_compliance(tied, ClampedModes("root", ModeCut(6)))
    force, moment = ([m for m in found if m.kind == kind] for kind in ("force", "moment"))
    assert force[0].share == pytest.approx(1.0, abs=1e-9)
    assert np.abs(force[0].direction @ along) == pytest.approx(1.0, abs=1e-9)
    assert force[0].compliance == pytest.approx(1 / ROD, rel=1e-9)
    assert moment[0].share == pytest.approx(1.0, abs=1e-9) and moment[0].compliance == pytest.approx(
        1 / TWIST, rel=1e-9
    )
    for m in force[1:]:  # three modes a plane: 1 - Σ φ_k(L)²/k_k of L³/3EI, 0.971 + 0.0247 + 0.00315
        assert m.compliance == pytest.approx(1 / TIP, rel=1e-9)
        assert m.share == pytest.approx(1 - 0.97068 - 0.02472 - 0.00315, abs=2e-4)


@pytest.mark.parametrize(
    "choice",
    [
        AttachmentModes(("tip",), 0, "root"),
        CraigBampton(("root", "tip"), 2, "root"),
        Guyan(("root", "tip"), "root"),
        Nodal("root"),
    ],
)
def test_static_shapes_lack_nothing(choice):
    tied, _ = rod((0.3, -0.5, 0.7))
    assert max(m.share for m in missing_compliance(tied, choice)) < 1e-6


def test_a_free_rod_pushed_at_both_ends_shortens_by_a_third():
    """Balanced by its inertia, a force at one end of a free rod moves that end by L/3EA from the mean."""
    tied, along = rod()
    found = missing_compliance(tied, FreeModes(ModeCut(6)))
    for name in ("root", "tip"):
        first = next(m for m in found if m.frame == name and m.kind == "force")
        assert first.share == pytest.approx(1.0, abs=1e-9)
        assert first.compliance == pytest.approx(1 / (3 * ROD), rel=1e-2)  # six linear elements
        assert np.abs(first.direction @ along) == pytest.approx(1.0, abs=1e-9)


def test_more_modes_of_a_plate_lack_less():
    outline = [(-0.2, -0.15), (0.2, -0.15), (0.2, 0.15), (-0.2, 0.15)]
    plate = plate_elements(outline, 0.004, CARBON, size=0.1, points=[(0.15, 0.1)], theory="kirchhoff")
    tied = tie_frames(plate, {"p": NodeTie((0.15, 0.1, 0.0))})
    shares = [missing_compliance(tied, FreeModes(n)) for n in (6, 12, 20)]
    lacking = [next(m.share for m in found if m.kind == "force") for found in shares]
    assert lacking[0] > lacking[1] > lacking[2] > 0.0
    assert missing_compliance(tied, AttachmentModes(("p",), 6))[0].share < 1e-6
