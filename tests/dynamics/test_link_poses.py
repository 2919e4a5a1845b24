"""Where links are drawn, against MuJoCo's kinematics of the same trees and against named frames."""

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import gough
from reference.designs import design
from reference.peers.mujoco import MujocoPeer

pytestmark = pytest.mark.filterwarnings("ignore::gough.UnphysicalInertiaWarning")

RIGID = ("pedrammehr2012", "long2014_rigid", "delta", "lopes", "tripod_wrist", "andrews", "redundant_planar")
FLEXIBLE = ("long2014", "dualemps_8", "spin_up_beam", "flexible_slider_crank", "hexapod_flexible", "delta_flexible")
UNSEEN = ("tripod", "inner_loop", "odd_joints", "other_cuts")


def random_states(model: gough.Model, rng: np.random.Generator, count: int) -> np.ndarray:
    """Any q with unit quaternions; loops need not be closed."""
    q = model.home + rng.normal(scale=0.4, size=(count, model.layout.nq))
    for k, name in enumerate(model.layout.q_names):
        if name.endswith("qw"):
            q[:, k : k + 4] /= np.linalg.norm(q[:, k : k + 4], axis=1, keepdims=True)
    return q


def poses(model: gough.Model, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    e = model.function("link_poses")(q=q, parameters=model.parameters)
    p = e.outputs["positions"]
    return p, e.outputs["rotations"].reshape(*p.shape, 3)


def check_against_mujoco(model: gough.Model, rng: np.random.Generator) -> None:
    peer = MujocoPeer(model.robot, model.layout.v_names)
    q = random_states(model, rng, 5)
    p, R = poses(model, q)
    bodies = 0
    for k, state in enumerate(q):
        peer.set_state(state, np.zeros(peer.nv))
        for i, link in enumerate(model.mechanism.links):
            if "#" in link.name or (link.is_platform and peer.layout.tied):
                continue
            body = peer.data.body(link.name)
            np.testing.assert_allclose(p[k, i], body.xpos, atol=1e-12 * max(1.0, model.size))
            np.testing.assert_allclose(R[k, i], body.xmat.reshape(3, 3), atol=1e-12)
            bodies += 1
    assert bodies >= 5 * (len(peer.bodies) - 1)


@pytest.mark.parametrize("name", RIGID)
def test_gallery_bodies_are_where_mujoco_has_them(name: str, rng: np.random.Generator):
    check_against_mujoco(gough.build(name), rng)


@pytest.mark.parametrize("family", UNSEEN)
def test_general_bodies_are_where_mujoco_has_them(family: str, rng: np.random.Generator):
    check_against_mujoco(gough.build(design(family, 3)), rng)


@pytest.mark.quick_cases("long2014", "dualemps_8", "flexible_slider_crank")
@pytest.mark.parametrize("name", [*FLEXIBLE, "pedrammehr2012", "tripod_wrist"])
def test_named_frames_stand_on_their_links(name: str, rng: np.random.Generator):
    model = gough.build(name)
    q = np.array(model.home)
    for i in model.mechanism.flexible:
        elastic = model.mechanism.links[i].elastic
        assert elastic is not None
        q[elastic.coordinates] = 0.3 * np.array(elastic.units) * rng.normal(size=elastic.modes)
    p, R = poses(model, q)
    for frame in model.mechanism.frames.values():
        place, turn = model.frame_pose(q, frame.name, on_bad_state="mark")
        if not np.isfinite(place).all():  # bent bodies leave the loops open, which frame_pose does not accept
            place, turn = model.frame_pose(model.home, frame.name)
            p_link, R_link = poses(model, model.home)
        else:
            p_link, R_link = p, R
        numbers = model.parameters[list(frame.placement)] if frame.placement else np.zeros(6)
        local = model.mechanism.links[frame.link].to_user @ numbers[:3]
        np.testing.assert_allclose(p_link[frame.link] + R_link[frame.link] @ local, place, atol=1e-12)
        own = model.mechanism.links[frame.link].to_user @ Rotation.from_euler("ZYX", numbers[3:]).as_matrix()
        np.testing.assert_allclose(R_link[frame.link] @ own, turn, atol=1e-12)


def test_a_batch_is_its_states(rng: np.random.Generator):
    model = gough.build("hexapod_flexible")
    q = random_states(model, rng, 100)[:, None]
    q[..., model.layout.elastic] *= 1e-3
    p, R = poses(model, q)
    assert p.shape == (100, 1, len(model.mechanism.links), 3)
    for k in (0, 57, 99):
        one = poses(model, q[k, 0])
        np.testing.assert_allclose(p[k, 0], one[0], atol=1e-13)
        np.testing.assert_allclose(R[k, 0], one[1], atol=1e-13)
