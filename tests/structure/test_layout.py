"""Names, units and places of q and v; structure against the description."""

import numpy as np
import pytest

from gough.spatial import rpy_zyx_angles
from gough.structure._axes import internal_axes, triad
from laws.subjects import FEW, subject
from reference.energies.tree import Layout


@pytest.mark.parametrize("name", FEW)
def test_layout_is_that_of_the_reference(name: str) -> None:
    s = subject(name)
    layout, truth = s.model.layout, Layout.of(s.robot)
    assert (layout.nq, layout.nu, layout.nv) == (truth.nq, truth.nx, 6)
    assert layout.drive_names == tuple(f"{s.robot.legs[p.leg].name}.{p.joint.name}" for p in truth.drives)
    assert s.model.drive_index == [p.q.start for p in truth.drives]
    for p in truth.places:
        prefix = f"{s.robot.legs[p.leg].name}.{p.joint.name}"
        assert all(n == prefix or n.startswith(prefix + "_") for n in layout.q_names[p.q])
    assert len(set(layout.q_names)) == layout.nq
    assert len(layout.q_units) == layout.nq and len(set(s.model.parameter_names)) == len(s.model.parameter_names)
    assert [layout.index(n) for n in layout.q_names] == list(range(layout.nq))
    with pytest.raises(KeyError, match="nothing"):
        layout.index("nothing")


def test_pose_elastic_and_joints_fill_q() -> None:
    layout = subject("lopes").model.layout
    places = np.concatenate([np.arange(layout.nq)[s] for s in (layout.pose, layout.elastic, layout.joints)])
    np.testing.assert_array_equal(places, np.arange(layout.nq))


@pytest.mark.parametrize("seed", range(5))
def test_triads(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.normal(size=3)
    a /= np.linalg.norm(a)
    b = np.cross(a, rng.normal(size=3))
    b /= np.linalg.norm(b)
    for axes in ([a], [a, b], [np.eye(3)[seed % 3]], [-np.eye(3)[seed % 3]]):
        T = triad(axes)
        np.testing.assert_allclose(T.T @ T, np.eye(3), atol=1e-15)
        assert np.linalg.det(T) > 0
        for k, axis in enumerate(axes):
            np.testing.assert_allclose(T[:, k], axis, atol=1e-15)
        A, principal = internal_axes(T)
        for k, (axis, sign) in enumerate(principal):
            np.testing.assert_allclose(sign * A[:, axis], T[:, k], atol=1e-15)


@pytest.mark.parametrize("seed", range(6))
def test_angles_of_a_rotation(seed: int) -> None:
    from gough.spatial import rpy_zyx

    rng = np.random.default_rng(seed)
    R = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    R *= np.linalg.det(R)
    np.testing.assert_allclose(rpy_zyx(rpy_zyx_angles(R)).astype(float), R, atol=1e-15)
    vertical = rpy_zyx((0.4, np.pi / 2, 0.1 * seed)).astype(float)  # yaw and roll turn about one axis
    np.testing.assert_allclose(rpy_zyx(rpy_zyx_angles(vertical)).astype(float), vertical, atol=1e-12)
