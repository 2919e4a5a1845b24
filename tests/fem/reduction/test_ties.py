"""Frames tied to nodes: rigid pieces, carried motions, and what is refused."""

import numpy as np
import pytest
from scipy.sparse import csr_array

from fem.reduction_bodies import crooked_frame, straight_beam, truss
from gough.errors import UsageError
from gough.fem import FiniteElements, NodeTie
from inner.fem import order, tie_frames


def planar(elements=4):
    """A beam whose nodes move in its plane only: freedoms u, v, θz."""
    full = straight_beam(elements)
    keep = np.flatnonzero(np.isin(np.arange(order(full.K)) % 6, (0, 1, 5)))
    T, R, field = (csr_array(A[:, keep]) for A in (full.translation, csr_array(full.rotation), full.field))
    K, M = (csr_array(A[keep][:, keep]) for A in (full.K, full.M))
    return FiniteElements(full.nodes, K, M, T, R, full.mass, full.position, field, full.cells)


def distances(points):
    return np.linalg.norm(points[:, None] - points[None], axis=2)


def test_node_at_its_place_only_changes_variables():
    body = crooked_frame()
    tied = tie_frames(body, {"tip": NodeTie((0.9, 0.1, 0.3))})
    assert tied.elements.K.shape == body.K.shape
    assert tied.frames["tip"].components == ("x", "y", "z", "rx", "ry", "rz")
    y = np.random.default_rng(0).standard_normal(len(tied.freedoms))
    x = tied.expansion @ y
    assert np.allclose(tied.frames["tip"].motion @ y, x[12:18], rtol=0, atol=1e-14)  # node 2


def test_motion_is_carried_to_an_offset_frame():
    body = crooked_frame()
    arm = np.array([0.02, -0.05, 0.03])
    tied = tie_frames(body, {"tool": NodeTie(body.nodes[2] + arm, nodes=[2])})
    y = np.random.default_rng(1).standard_normal(len(tied.freedoms))
    x = tied.expansion @ y
    expected = np.concatenate([x[12:15] + np.cross(x[15:18], arm), x[15:18]])
    assert np.allclose(tied.frames["tool"].motion @ y, expected, atol=1e-13)


def test_nodes_of_a_solid_become_one_rigid_piece():
    body = truss()
    tied = tie_frames(body, {"end": NodeTie((0.3, 0.1, 0.1), radius=0.15)})
    nodes = tied.frames["end"].nodes
    assert len(nodes) == 14 and len(tied.freedoms) == order(body.K) - 3 * 14 + 6
    small = 1e-6 * np.random.default_rng(2).standard_normal(len(tied.freedoms))
    moved = body.nodes + (tied.elements.translation @ small).reshape(-1, 3)
    change = np.abs(distances(moved[nodes]) - distances(body.nodes[nodes])).max()
    assert change < 1e-11  # of second order in 1e-6
    assert np.abs(distances(moved) - distances(body.nodes)).max() > 1e-7


def test_loaded_frame_equals_constraints_by_multipliers():
    """A force on a rigid end: elimination against the bordered system of the same constraints."""
    body = truss()
    frames = {"root": NodeTie((0.0, 0.1, 0.1), radius=0.15), "end": NodeTie((0.3, 0.1, 0.1), radius=0.15)}
    tied = tie_frames(body, frames)
    root, end = tied.frames["root"], tied.frames["end"]
    free = np.setdiff1d(np.arange(order(tied.elements.K)), root.own)
    load = np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    K = tied.elements.K.toarray()
    y = np.zeros(len(K))
    y[free] = np.linalg.solve(K[np.ix_(free, free)], (end.motion.T @ load)[free])
    # bordered: x, frame q, multipliers of u_i - t - θ × a_i = 0 at the end, u_i = 0 at the root
    d, rows = order(body.K), []
    for i in end.nodes:
        a = body.nodes[i] - end.position
        row = np.zeros((3, d + 6))
        row[:, 3 * i : 3 * i + 3], row[:, d : d + 3] = np.eye(3), -np.eye(3)
        row[:, d + 3 :] = -np.array([np.cross(e, a) for e in np.eye(3)]).T
        rows.append(row)
    for i in root.nodes:
        row = np.zeros((3, d + 6))
        row[:, 3 * i : 3 * i + 3] = np.eye(3)
        rows.append(row)
    C = 1e5 * np.concatenate(rows)  # scaled as the stiffness is
    big = np.zeros((d + 6 + len(C),) * 2)
    big[:d, :d] = body.K.toarray()
    big[d + 6 :, : d + 6], big[: d + 6, d + 6 :] = C, C.T
    solution = np.linalg.lstsq(big, np.concatenate([np.zeros(d), load, np.zeros(len(C))]), rcond=1e-13)[0]
    assert np.allclose(end.motion @ y, solution[d : d + 6], rtol=1e-8)
    assert np.allclose(tied.expansion @ y, solution[:d], atol=1e-7 * np.abs(solution[:d]).max())


def test_planar_nodes_leave_a_frame_three_coordinates():
    tied = tie_frames(planar(), {"tip": NodeTie((0.8, 0.0, 0.0))})
    assert tied.frames["tip"].components == ("x", "y", "rz")
    assert tied.expansion.shape == (15, 15)


def test_two_beam_nodes_made_rigid_lose_six_freedoms():
    body = straight_beam(5)
    tied = tie_frames(body, {"root": NodeTie(nodes=[0, 1])})
    assert tied.expansion.shape == (36, 30)
    assert np.allclose(tied.frames["root"].position, body.nodes[:2].mean(axis=0))


def test_operators_that_mix_freedoms():
    """Freedoms turned by a random matrix: the same body, ties need the general solution."""
    body = crooked_frame()
    d = order(body.K)
    Q = np.linalg.qr(np.random.default_rng(3).standard_normal((d, d)))[0]
    mixed = FiniteElements(
        body.nodes,
        csr_array(Q.T @ body.K.toarray() @ Q),
        csr_array(Q.T @ body.M.toarray() @ Q),
        csr_array(body.translation @ Q),
        csr_array(body.rotation @ Q),
        body.mass,
        body.position,
        csr_array(body.field @ Q),
        body.cells,
    )
    frames = {"a": NodeTie(nodes=[0, 1]), "b": NodeTie(nodes=[4])}
    ours, theirs = tie_frames(body, frames), tie_frames(mixed, frames)
    assert ours.expansion.shape == theirs.expansion.shape
    for name in frames:
        own = [t.frames[name].own for t in (ours, theirs)]
        inverse = []
        for t, mine in zip(
            (ours, theirs), own, strict=True
        ):  # compliance at the frame, everything else free but held at "b"
            held = t.frames["b"].own
            free = np.setdiff1d(np.arange(order(t.elements.K)), held)
            K = t.elements.K.toarray()[np.ix_(free, free)]
            load = t.frames["a"].motion.toarray()[:, free].T
            inverse.append(load.T @ np.linalg.solve(K, load))
            assert len(mine) == 6
        assert np.allclose(*inverse, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        (
            {"tip": NodeTie((0.85, 0.0, 0.0))},
            ["tip", "off the body", "nearest node is 6", "0.05 m", "ties: {radius: 52.5 mm}"],
        ),
        ({"tip": NodeTie((0.85, 0.0, 0.0), radius=0.01)}, ["no node within 0.01 m", "nearest node is 6"]),
        ({"a": NodeTie(nodes=[1, 2]), "b": NodeTie(nodes=[2, 3])}, ["node 2", "'a'", "'b'"]),
        ({"a": NodeTie(nodes=[99])}, ["indices from 0 to 6"]),
        ({"a": NodeTie()}, ["position="]),
        ({"a": NodeTie((0, 0, np.nan))}, ["three finite numbers"]),
        ({"a": NodeTie((0, 0, 0), rotation=-np.eye(3))}, ["right-handed"]),
        ({"a": NodeTie((0, 0, 0), nodes=[0], radius=1.0)}, ["not both"]),
        ({"a": NodeTie((0, 0, 0)), "b": NodeTie((0, 0, 0))}, ["tied to both 'a' and 'b'", "one frame of the body"]),
        (
            {"a": NodeTie((0, 0, 0), radius=2.0), "b": NodeTie((0.9, 0.1, 0.3), radius=2.0)},
            [
                "tied to both 'a' and 'b', which are 0.954 m apart",
                "ties: {at: {a: {radius: 429 mm}, b: {radius: 429 mm}}}",
            ],
        ),
    ],
)
def test_bad_ties_are_refused(frames, words):
    with pytest.raises(UsageError) as caught:
        tie_frames(straight_beam(6), frames)
    assert all(word in str(caught.value) for word in words), caught.value


@pytest.mark.parametrize("nodes", [[0], [0, 1], [0, 1, 2]])
def test_solids_need_three_nodes_off_one_line(nodes):
    with pytest.raises(UsageError, match="three or more"):
        tie_frames(truss(), {"a": NodeTie(nodes=nodes)})  # nodes 0 1 2 are on one line


def test_unknown_frame_lists_those_there():
    with pytest.raises(UsageError, match="there are: a"):
        tie_frames(straight_beam(2), {"a": NodeTie((0, 0, 0))}).frame("b")
