import numpy as np
import pytest

from inner.viewer import offset_beside

Z = np.array([0.0, 0.0, 1.0])


@pytest.mark.parametrize("seed", range(20))
def test_robots_beside_each_other_do_not_meet_and_stay_level(seed: int) -> None:
    rng = np.random.default_rng(seed)
    first, second = (np.sort(rng.normal(size=(2, 3)), axis=0) for _ in range(2))
    for up in np.eye(3):
        shift = offset_beside(first, second, up)
        along = int(np.abs(shift).argmax())
        assert shift @ up == 0 and np.count_nonzero(shift) == 1
        moved = second + shift
        gap = max(moved[0, along] - first[1, along], first[0, along] - moved[1, along])
        widest = max(np.ptp(first, axis=0)[along], np.ptp(second, axis=0)[along])
        assert 0 < gap <= 1.3 * widest


def test_a_flat_robot_is_put_along_its_breadth() -> None:
    flat = np.array([[0, -0.01, 0], [1.0, 0.01, 2.0]])
    assert offset_beside(flat, flat, Z).tolist() == pytest.approx([1.3, 0, 0])
    assert np.isfinite(offset_beside(np.zeros((2, 3)), np.zeros((2, 3)), np.zeros(3))).all()
