"""Reduced bases against closed forms, complete eigensolutions and static solutions of the unreduced body."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.linalg import block_diag, eigh, subspace_angles
from scipy.sparse import csr_array

from fem.reduction_bodies import beam_frame, crooked_frame, straight_beam, truss
from gough.errors import ReductionWarning, UsageError
from gough.fem import AttachmentModes, ClampedModes, CraigBampton, FreeModes, Guyan, ModeCut, Nodal, NodeTie, reduce
from gough.fem.reduction._rigid import rigid_motions
from inner.fem import build_basis, order, tie_frames

FREE = np.array([4.730040744862704, 7.853204624095838, 10.995607838001671])
CANTILEVER = np.array([1.8751040687119611, 4.694091132974175, 7.854757438237613])
FRAMES = {"a": NodeTie((0.1, 0.2, 0.0)), "b": NodeTie((0.9, 0.1, 0.3)), "c": NodeTie((0.2, 0.6, 0.5))}
EVERY = [
    FreeModes(5),
    FreeModes(5, frame="a"),
    ClampedModes("a", 5),
    Nodal("a"),
    CraigBampton(("a", "b", "c"), 3),
    CraigBampton(("a", "b", "c"), 3, frame="b"),
    Guyan(("a", "b", "c")),
    Guyan(("a", "b"), frame="a"),
    AttachmentModes(("b", "c"), 3),
    AttachmentModes(("b", "c"), 3, frame="a"),
]


def complete(K, M):
    """All frequencies (rad/s), rigid ones left out."""
    w = np.sqrt(np.abs(eigh(K, M, eigvals_only=True)))
    return w[w > 1e-3]


def coupled(body):
    """Frequencies of a reduced body on a free rigid frame: elastic coordinates and rigid motion together."""
    X = body.N1
    beta = np.stack([[x[1, 2] - x[2, 1], x[2, 0] - x[0, 2], x[0, 1] - x[1, 0]] for x in X], axis=1)  # ∫ x × Φ dm
    S = np.array([[0, -body.MS[2], body.MS[1]], [body.MS[2], 0, -body.MS[0]], [-body.MS[1], body.MS[0], 0]])
    M = np.block([[body.mass * np.eye(3), S.T, body.MSde], [S, body.J, beta], [body.MSde.T, beta.T, body.M]])
    return complete(block_diag(np.zeros((6, 6)), body.K), M)


@pytest.mark.parametrize(("roots", "choice"), [(FREE, FreeModes(6)), (CANTILEVER, ClampedModes("root", 6))])
def test_beam_frequencies_converge_to_the_closed_form(roots, choice):
    EIy, EIz, line, L = 30.0, 50.0, 1.3, 0.8
    exact = np.sort(np.concatenate([roots**2 * np.sqrt(EI / line) / L**2 for EI in (EIy, EIz)])) / (2 * np.pi)
    errors = []
    for n in (8, 16):
        body = straight_beam(n, L, EIy=EIy, EIz=EIz, line_mass=line, EA=1e9)
        errors.append(np.abs(reduce(body, choice, {"root": NodeTie((0, 0, 0))}).frequencies_hz / exact - 1.0).max())
    assert errors[1] < 2e-4 and 3.8 < np.log2(errors[0] / errors[1]) < 4.2  # cubic elements: fourth order


@pytest.mark.parametrize("choice", EVERY, ids=repr)
def test_nothing_in_a_basis_is_rigid(choice):
    tied = tie_frames(crooked_frame(), FRAMES)
    V = build_basis(tied, choice).shapes
    rigid = rigid_motions(tied.elements)
    assert rigid.massive.shape[1] == 6 and rigid.massless.shape[1] == 0
    V = V / np.linalg.norm(V, axis=0)
    assert np.linalg.svd(np.concatenate([V, rigid.all / np.linalg.norm(rigid.all, axis=0)], axis=1))[1][-1] > 1e-6
    K = V.T @ (tied.elements.K @ V)
    assert np.linalg.eigvalsh(K / np.sqrt(np.outer(np.diag(K), np.diag(K))))[0] > 1e-9


@pytest.mark.parametrize("choice", [c for c in EVERY if getattr(c, "frame", "") == "mean"], ids=repr)
def test_mean_axes_carry_no_momentum(choice):
    body = reduce(crooked_frame(), choice, FRAMES)
    assert np.abs(body.MSde).max() < 1e-9 * np.sqrt(body.mass)
    assert np.abs(body.N1 - body.N1.transpose(0, 2, 1)).max() < 1e-9 * np.sqrt(np.trace(body.J))


@pytest.mark.parametrize(
    "choice", [c for c in EVERY if getattr(c, "frame", getattr(c, "at", "mean")) != "mean"], ids=repr
)
def test_a_held_frame_does_not_move(choice):
    held = getattr(choice, "frame", None) or choice.at
    frame = reduce(crooked_frame(), choice, FRAMES).frames[held]
    assert np.abs(frame.translation).max() < 1e-12 and np.abs(frame.turning).max() < 1e-12


@pytest.mark.parametrize(
    "choice",
    [
        FreeModes(30),
        FreeModes(30, frame="b"),
        ClampedModes("a", 30),
        Nodal("a"),
        CraigBampton(("a", "b"), 24),
        CraigBampton(("a", "b"), 24, frame="a"),
        AttachmentModes(("a",), 30),
    ],
    ids=repr,
)
def test_complete_bases_lose_nothing(choice):
    """With as many shapes as freedoms every basis, seen from any axes, has the free body's own frequencies."""
    fem = crooked_frame()
    exact = complete(fem.K.toarray(), fem.M.toarray())
    body = reduce(fem, choice, FRAMES)
    assert body.modes == 30
    assert np.allclose(coupled(body), exact, rtol=1e-6)
    assert np.allclose(coupled(body)[:10], exact[:10], rtol=1e-9)


def deflection(fem, held, load):
    """Static answer of the whole body clamped at node `held`."""
    free = np.setdiff1d(np.arange(order(fem.K)), np.r_[6 * held : 6 * held + 6])
    x = np.zeros(order(fem.K))
    x[free] = np.linalg.solve(fem.K.toarray()[np.ix_(free, free)], load[free])
    return x


@pytest.mark.parametrize(
    "choice",
    [
        Guyan(("a", "b", "c"), frame="a"),
        CraigBampton(("a", "b", "c"), 2, frame="a"),
        AttachmentModes(("b", "c"), frame="a"),
    ],
    ids=repr,
)
def test_static_loads_at_interfaces_are_exact(choice):
    fem = crooked_frame()
    body = reduce(fem, choice, FRAMES)
    rng = np.random.default_rng(4)
    wrench = {"b": rng.standard_normal(6), "c": rng.standard_normal(6)}
    load = np.zeros(36)
    load[12:18], load[30:36] = wrench["b"], wrench["c"]  # nodes 2 and 5
    x = deflection(fem, 0, load)
    Q = sum(np.concatenate([body.frames[n].translation, body.frames[n].turning]).T @ w for n, w in wrench.items())
    e = np.linalg.solve(body.K, Q)
    for name, node in (("b", 2), ("c", 5)):
        assert np.allclose(body.frames[name].translation @ e, x[6 * node : 6 * node + 3], rtol=1e-8, atol=1e-12)
        assert np.allclose(body.frames[name].turning @ e, x[6 * node + 3 : 6 * node + 6], rtol=1e-8, atol=1e-12)


def test_guyan_about_a_held_frame_is_the_exact_two_node_beam():
    """One element between two frames: condensation of many elements gives back the textbook stiffness."""
    many, one = straight_beam(9), straight_beam(1)
    body = reduce(many, Guyan(("root", "tip"), frame="root"), {"root": NodeTie((0, 0, 0)), "tip": NodeTie((0.8, 0, 0))})
    assert body.labels == ("tip.x", "tip.y", "tip.z", "tip.rx", "tip.ry", "tip.rz")
    assert np.allclose(body.K, one.K.toarray()[6:, 6:], rtol=1e-7, atol=1e-3)
    assert any("without mass" in remark for remark in body.remarks) == (body.M[3, 3] == 0.0)


def square_beam(**more):
    return straight_beam(8, EIy=40.0, EIz=40.0, **more)


@pytest.mark.parametrize(("pairs", "kept"), [("keep", 4), ("drop", 2), ("split", 3)])
def test_a_cut_that_splits_a_pair_warns(pairs, kept):
    with pytest.warns(ReductionWarning, match="splits the degenerate modes 3–4"):
        body = reduce(square_beam(), FreeModes(ModeCut(count=3, pairs=pairs)))
    assert body.modes == kept
    assert any("splits" in remark for remark in body.remarks)


def test_pairs_are_turned_the_same_way_whatever_the_solver_gives():
    """The bending plane of a pair is fixed by the frame named: y there, then z."""
    frames = {"tip": NodeTie((0.8, 0, 0))}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        body = reduce(square_beam(), FreeModes(4, align="tip"), frames)
    tip = body.frames["tip"].translation
    largest = np.abs(np.concatenate([tip, body.frames["tip"].turning])).argmax(axis=0)
    assert set(largest[:2].tolist()) == {4, 5}  # one turns about y, the other about z, neither about both
    assert np.abs(tip[1, 0] * tip[2, 0]) < 1e-12 and np.abs(tip[1, 1] * tip[2, 1]) < 1e-12


def test_signs_follow_the_largest_displacement():
    fem = crooked_frame()
    shapes = reduce(fem, FreeModes(8)).shapes.reshape(-1, 8)
    assert (shapes[np.abs(shapes).argmax(axis=0), np.arange(8)] > 0.0).all()


def test_frequency_limit_and_number_agree():
    fem = crooked_frame()
    ten = reduce(fem, FreeModes(10)).frequencies_hz
    limit = 0.5 * (ten[6] + ten[7])
    assert np.array_equal(reduce(fem, FreeModes(ModeCut(up_to_hz=limit))).frequencies_hz, ten[:7])
    with pytest.raises(UsageError, match="no mode is kept"):
        reduce(fem, FreeModes(ModeCut(up_to_hz=0.5 * ten[0])))


@pytest.mark.parametrize(
    "choice", [FreeModes(14), ClampedModes("a", 12), ClampedModes("a", ModeCut(up_to_hz=400.0))], ids=repr
)
def test_lanczos_finds_what_the_complete_solution_has(choice, limits):
    fem = truss((7, 4, 4))  # symmetric: degenerate pairs are there to be overlooked
    fem = replace(fem, M=csr_array(0.03 * np.eye(order(fem.K))), mass=np.full(len(fem.nodes), 0.03))
    frames = {"a": NodeTie((0.0, 0.15, 0.15), radius=0.12)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReductionWarning)
        dense = reduce(fem, choice, frames)
        limits(dense_modes=10)
        sparse = reduce(fem, choice, frames)
    assert np.allclose(sparse.frequencies_hz, dense.frequencies_hz, rtol=1e-9)
    assert (
        np.abs(subspace_angles(sparse.shapes.reshape(-1, sparse.modes), dense.shapes.reshape(-1, dense.modes))).max()
        < 1e-5
    )


def test_spin_of_a_thin_beam_has_no_mass_and_is_left_out():
    rigid = rigid_motions(straight_beam(4))
    assert rigid.massive.shape[1] == 5 and rigid.massless.shape[1] == 1
    assert reduce(straight_beam(4), FreeModes(3)).modes == 3


def two_parts():
    nodes = [(0, 0, 0), (0.5, 0, 0), (0, 1, 0), (0.5, 1, 0)]
    return beam_frame(nodes, [(0, 1), (2, 3)], off=0.01)


@pytest.mark.parametrize(
    ("body", "choice", "words"),
    [
        (two_parts, FreeModes(2), "not connected"),
        (two_parts, ClampedModes("a", 2), "not connected"),
        (crooked_frame, FreeModes(31), "only 30 elastic"),
        (crooked_frame, ClampedModes(None, 3), "6 rigid motion"),
        (crooked_frame, FreeModes(3, frame="nowhere"), "no frame 'nowhere'"),
        (crooked_frame, CraigBampton((), 2), "at least one"),
        (crooked_frame, CraigBampton(("a",), 2, frame="b"), "no frame|must be 'mean'"),
        (crooked_frame, Guyan(("a",)), "rigid motions only|nothing is left"),
        (crooked_frame, Guyan(("a",), frame="a"), "nothing is left"),
        (crooked_frame, AttachmentModes(("a",), frame="a"), "carry loads"),
        (crooked_frame, "modes", "no way to reduce"),
    ],
)
def test_what_cannot_be_reduced_is_refused(body, choice, words):
    fem = body()
    with pytest.raises(UsageError, match=words):
        reduce(fem, choice, {"a": NodeTie(fem.nodes[0])})


def test_a_model_that_is_held_is_reduced_as_it_is():
    fem = crooked_frame()
    grounded = replace(fem, K=csr_array(fem.K + csr_array(([1e7] * 6, (range(6), range(6))), shape=fem.K.shape)))
    with pytest.raises(UsageError, match="held somewhere"):
        reduce(grounded, FreeModes(3))
    exact = complete(grounded.K.toarray(), grounded.M.toarray())[:4]
    assert np.allclose(2 * np.pi * reduce(grounded, ClampedModes(None, 4)).frequencies_hz, exact, rtol=1e-9)


@pytest.mark.parametrize(
    "cut", [{}, {"count": 2, "up_to_hz": 1.0}, {"count": -1}, {"up_to_hz": 0.0}, {"count": 2, "pairs": "?"}]
)
def test_cuts_that_say_nothing_are_refused(cut):
    with pytest.raises(UsageError):
        ModeCut(**cut)


def test_a_body_whose_nodes_are_all_interfaces():
    """One element between two frames: Guyan and Craig and Bampton keep everything, cantilever L³/3EI and rod L/EA included."""
    beam = straight_beam(1)
    length = float(np.ptp(beam.nodes[:, 0]))
    ties = {"root": NodeTie(beam.nodes[0]), "tip": NodeTie(beam.nodes[1])}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a thin beam has no inertia about its axis
        bodies = [
            reduce(beam, choice, ties)
            for choice in (Guyan(("root", "tip"), "root"), CraigBampton(("root", "tip"), 0, "root"))
        ]
        modal = reduce(beam, CraigBampton(("root", "tip"), 4), ties)
    whole = beam.K.toarray()[6:, 6:]
    for body in bodies:
        order = [body.labels.index(f"tip.{c}") for c in ("x", "y", "z", "rx", "ry", "rz")]
        assert np.allclose(body.K[np.ix_(order, order)], whole, rtol=1e-12)
    compliance = np.linalg.inv(whole)
    assert compliance[1, 1] == pytest.approx(length**3 / (3 * whole[5, 5] * length / 4), rel=1e-9)  # 4EI/L is its entry
    assert any("all freedoms" in remark for remark in modal.remarks)
