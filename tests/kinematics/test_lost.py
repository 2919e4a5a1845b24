"""What is lost at a singular state is named, and it is what a reference says."""

import numpy as np
import pytest

import gough
from gough.robots import four_bar_chain


def test_a_flat_chain_says_what_can_move() -> None:
    """A four-bar stretched flat: crank 1 may leave crank 0."""
    m = gough.build(four_bar_chain(1))
    q = m.home.copy()
    q[m.layout.index("foot0")] = q[m.layout.index("foot1")] = np.pi / 2
    q[m.layout.index("tip0")] = -np.pi / 2
    assert m.closure_error(q) < 1e-12
    with pytest.raises(gough.BadStateError, match=r"FOLDED(.|\n)*can move while v stands still: .*foot1"):
        m.forward_dynamics(q, [0.0], [])
    marked = m.forward_dynamics(np.array([m.home, q]), [0.0], [], on_bad_state="mark")
    assert marked.status.tolist() == [0, int(gough.Status.FOLDED)]
    assert np.isfinite(marked.vdot[0]).all() and np.isnan(marked.vdot[1]).all()


def test_collinear_rods_of_a_five_bar() -> None:
    """With both drives held, the joint between collinear rods moves across them: the loop's measure vanishes there."""
    m = gough.build("five_bar")
    names = list(m.layout.q_names)
    found = m.assemble(coordinates={n: m.home[names.index(n)] for n in m.layout.v_names})
    assert (m.singularity(found.q).parallel > 0.05).all()
    spread = np.linspace(0.0, 1.2, 200)
    left, right = (m.home[names.index(n)] for n in m.layout.v_names)
    line = m.assemble(drives=np.stack([left + spread, right - spread], axis=1), on_bad_state="mark")
    good = line.status == 0
    assert good.any() and not good.all()
    measure = m.singularity(line.q[good]).parallel
    assert measure[-1] < 0.2 * measure[0]
