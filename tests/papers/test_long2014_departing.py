"""[Long 2014]: how far the flexible robot is from its path under control that loses it, by energies integrated with SciPy.

The distances that the report puts beside the library's, to their digits; a hundredth of the tolerance leaves them.
"""

import numpy as np
import pytest

from gough_papers.long2014 import runs
from papers.long2014.departing import distance, replay_law, rigid_law
from papers.test_long2014_rest import reference, still
from reference.flexible.runs import integrate

pytestmark = pytest.mark.slow
TOLERANCE = 1e-6


def distances(law, times):
    """mm, from rest."""
    course = integrate(reference(), still().q, np.zeros(len(reference().velocities)), law, [0.0, *times], TOLERANCE)
    assert np.abs(reference().closure(course.q[-1])).max() < 1e-6
    return [1e3 * distance(q, t) for t, q in zip(course.t, course.q, strict=True)][1:]


def test_computed_torque_with_a_rigid_model():
    np.testing.assert_allclose(distances(rigid_law(), runs.RIGID_TIMES), runs.RIGID_MM, rtol=0, atol=0.0005)


def test_replay_with_a_push():
    law = replay_law(reference(), still(), np.array(runs.PUSH), runs.PUSHED_TIMES[-1], TOLERANCE)
    off = np.abs(np.array(distances(law, runs.PUSHED_TIMES)) - runs.PUSHED_MM)
    assert (off <= [0.0005, 0.005]).all()
