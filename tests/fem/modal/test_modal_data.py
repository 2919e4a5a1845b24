"""The neutral file of modal data: the same body comes back, and data that cannot be right are refused or warned about."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.linalg import eigh

from fem.reduction_bodies import crooked_frame, lumped_frame, shortened
from fem.test_elastic_body import direct, energy
from gough.errors import ModalDataWarning, UsageError
from gough.fem import (
    ClampedModes,
    CraigBampton,
    FreeModes,
    ModalData,
    ModalFrame,
    ModalRatio,
    NodeTie,
    Stated,
    UnitFactors,
    elastic_body_of_modes,
    modal_data_of_elements,
    read_modal_file,
    reduce,
    write_modal_file,
)
from gough.fem.modal.body import frame_motion
from gough.fem.modal.data import in_si, mass_points

ENDS = {"root": NodeTie((0, 0, 0)), "tip": NodeTie((0.8, 0, 0))}


def lumped_modes(count=5):
    """Free modes of nodes with masses and inertias, by a complete eigensolution."""
    body, masses, inertias = lumped_frame()
    values, x = eigh(body.K.toarray(), body.M.toarray())
    x = x[:, 6 : 6 + count].reshape(-1, 6, count)
    K = np.diag(values[6 : 6 + count])
    frames = {"tip": ModalFrame(body.nodes[2] + [0, 0, 0.1], node=2)}
    return ModalData(body.nodes, masses, x, K, np.eye(count), inertias=inertias, frames=frames)


def same(a, b, tolerance=1e-12):
    for name in ("mass", "MS", "J", "MSde", "N1", "N2", "M", "K", "D", "MSdd"):
        x, y = getattr(a, name), getattr(b, name)
        if x is None or y is None:
            assert x is y
        else:
            assert np.allclose(x, y, rtol=tolerance, atol=tolerance * max(1e-2, np.abs(x).max())), name
    if a.slaved is not None:
        rng = np.random.default_rng(9)
        v, w, e, edot = (rng.standard_normal(n) for n in (3, 3, a.modes, a.modes))
        T = energy(b, b.M, v, w, e, edot, b.slaved)
        assert energy(a, a.M, v, w, e, edot, a.slaved) == pytest.approx(T, rel=1e-11)
    assert a.frames.keys() == b.frames.keys()
    for name, frame in a.frames.items():
        for part in ("position", "rotation", "translation", "turning", "second"):
            x, y = getattr(frame, part), getattr(b.frames[name], part)
            assert (x is None and y is None) or np.allclose(np.array(x), np.array(y), atol=tolerance), (name, part)


@pytest.mark.parametrize(
    ("fem", "choice", "frames"),
    [
        (shortened, ClampedModes("root", 5), ENDS),
        (shortened, CraigBampton(("root", "tip"), 3), ENDS),
        (crooked_frame, FreeModes(6), {"a": NodeTie((0.9, 0.1, 0.3))}),
    ],
    ids=["clamped", "craig-bampton", "free"],
)
def test_a_file_gives_back_the_reduced_body(fem, choice, frames, tmp_path):
    body = reduce(fem(), choice, frames, ModalRatio(0.02))
    path = write_modal_file(tmp_path / "body", modal_data_of_elements(fem(), choice, frames, ModalRatio(0.02)))
    assert path.suffix == ".npz"
    again = elastic_body_of_modes(read_modal_file(path))
    same(body, again)
    assert again.labels == body.labels


def test_nodal_inertias_count_in_every_integral():
    """Energy of random motions of rigid nodes that translate and turn."""
    data = lumped_modes()
    body = elastic_body_of_modes(data)
    rng = np.random.default_rng(8)
    v, w, e, edot = rng.standard_normal(3), rng.standard_normal(3), np.zeros(5), rng.standard_normal(5)
    T = 0.0
    for k, (mass, tensor) in enumerate(zip(data.masses, np.array(data.inertias), strict=True)):
        u = v + np.cross(w, data.nodes[k]) + data.shapes[k, :3] @ edot
        spin = w + data.shapes[k, 3:] @ edot
        T += 0.5 * mass * u @ u + 0.5 * spin @ tensor @ spin
    assert energy(body, body.M, v, w, e, edot) == pytest.approx(T, rel=1e-10)
    e = 0.1 * rng.standard_normal(5)
    mass, x, phi = mass_points(data)
    expected = direct(mass, x, phi, np.zeros((len(mass), 3, 5, 5)), v, w, e, edot)
    assert energy(body, body.M, v, w, e, edot) == pytest.approx(expected, rel=1e-10)


def test_frames_by_node_and_by_the_fit_of_nodes():
    data = lumped_modes()
    arm = np.array([0, 0, 0.1])
    body = elastic_body_of_modes(data, {"fit": NodeTie(nodes=[0, 1, 3])})
    tip = body.frames["tip"]
    assert np.allclose(tip.turning, data.shapes[2, 3:])
    assert np.allclose(tip.translation, data.shapes[2, :3] + np.cross(data.shapes[2, 3:].T, arm).T)
    rigid = np.array([0.1, -0.2, 0.3]), np.array([0.4, 0.5, -0.6])
    moved = replace(
        data, shapes=np.array([[*(rigid[0] + np.cross(rigid[1], p)), *rigid[1]] for p in data.nodes])[:, :, None]
    )
    move, turn = frame_motion(moved, "fit", np.array([0, 1, 3]), body.frames["fit"].position)
    assert np.allclose(turn[:, 0], rigid[1])
    assert np.allclose(move[:, 0], rigid[0] + np.cross(rigid[1], body.frames["fit"].position))


@pytest.mark.parametrize("units", [UnitFactors(1e-3, 1e3), UnitFactors(1e-3, 1e-3, 1e-3), UnitFactors(0.0254, 0.45)])
def test_units_are_converted(units):
    """The same body written in other units: shapes per coordinate of unit modal mass scale as 1/√mass."""
    data = lumped_modes()
    L, m, T = units.length, units.mass, units.time
    other = replace(
        data,
        nodes=data.nodes / L,
        masses=data.masses / m,
        inertias=data.inertias / (m * L**2),
        shapes=data.shapes * np.array([np.sqrt(m)] * 3 + [np.sqrt(m) * L] * 3)[:, None],
        K=data.K * T**2,
        frames={"tip": replace(data.frames["tip"], position=data.frames["tip"].position / L)},
        stated=Stated(mass=data.masses.sum() / m),
    )
    same(elastic_body_of_modes(data), elastic_body_of_modes(in_si(other, units)), 1e-9)


def test_units_in_the_file(tmp_path):
    data = lumped_modes()
    arrays: dict[str, Any] = {
        "nodes": 1000 * data.nodes,
        "masses": data.masses / 1000,
        "inertias": 1000 * np.array(data.inertias),
        "shapes": data.shapes * np.array([np.sqrt(1000)] * 3 + [np.sqrt(1000) / 1000] * 3)[:, None],
        "K": data.K,
        "modal_format": 1,
    }
    np.savez(tmp_path / "mm.npz", units=[1e-3, 1e3, 1.0], **arrays)
    body = elastic_body_of_modes(read_modal_file(tmp_path / "mm.npz"))
    assert body.mass == pytest.approx(data.masses.sum()) and np.allclose(body.M, np.eye(5))
    with pytest.raises(UsageError, match="leave units= out"):
        read_modal_file(tmp_path / "mm.npz", UnitFactors())
    np.savez(tmp_path / "silent.npz", **arrays)
    with pytest.warns(ModalDataWarning, match="length unit mm"):
        elastic_body_of_modes(read_modal_file(tmp_path / "silent.npz"))


def change(**more):
    return lambda data: replace(data, **{k: v(data) if callable(v) else v for k, v in more.items()})


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (change(shapes=lambda d: d.shapes * (1 + 0.1j)), "is complex"),
        (change(K=lambda d: d.K * (1 + 0.01j)), "is complex"),
        (change(K=lambda d: d.K - 2 * d.K[0, 0] * np.eye(5)), "negative eigenvalue"),
        (change(K=lambda d: np.diag([0.0, *np.diag(d.K)[1:]])), "coordinate 0 has no stiffness"),
        (change(K=lambda d: d.K + np.triu(np.ones((5, 5)), 1) * d.K[0, 0]), "not symmetric"),
        (change(shapes=lambda d: 3.0 * d.shapes), "do not belong together"),
        (change(stated=Stated(mass=1.3e-3)), "a wrong unit"),
        (change(stated=Stated(frequencies_hz=np.full(5, 1.0))), "file states 1 Hz"),
        (change(shapes=lambda d: d.shapes[:3]), "6 nodes, 3 or 6, modes"),
        (change(masses=lambda d: 0 * d.masses), "no mass"),
        (change(masses=lambda d: d.masses[:2]), r"masses must be \(6,\)"),
        (change(shapes=lambda d: d.shapes[:, :3], frames={}), "no rotations"),
        (change(shapes=lambda d: np.full_like(d.shapes, np.nan)), "not finite"),
        (change(K_G=np.ones((3, 5, 5))), r"K_G must be \(12, 5, 5\)"),
        (change(frames={"x": ModalFrame(np.zeros(3))}), "give its node"),
        (change(frames={"x": ModalFrame(np.zeros(3), node=9)}), "node 9"),
        (change(D=-np.eye(5)), "damping D has the negative"),
        (
            change(labels=("a", "b", "c", "b", "d")),
            "two coordinates are called 'b'; give each its own label in the file",
        ),
    ],
)
def test_data_that_cannot_be_right_are_refused(wrong, words):
    with pytest.raises(UsageError, match=words):
        elastic_body_of_modes(wrong(lumped_modes()))


def test_rigid_modes_are_refused():
    data = lumped_modes()
    rigid = np.concatenate([np.tile([1.0, 0, 0, 0, 0, 0], (6, 1))[:, :, None], data.shapes[:, :, 1:]], axis=2)
    with pytest.raises(UsageError, match="rigid motion"):
        elastic_body_of_modes(replace(data, shapes=rigid, M=None))


TURNED = np.eye(5)
TURNED[:2, 1] = 0.2, np.sqrt(1 - 0.2**2)
"""A second shape of modal mass one that leans on the first."""


@pytest.mark.parametrize(
    ("doubtful", "words"),
    [
        (change(shapes=lambda d: 3.0 * d.shapes, M=None), "not mass-normalised"),
        (
            change(shapes=lambda d: d.shapes @ TURNED, K=lambda d: TURNED.T @ d.K @ TURNED, M=None, frames={}),
            "coupled by 0.2",
        ),
        (change(stated=lambda d: Stated(mass=1.05 * d.masses.sum())), "the file states"),
        (change(stated=Stated(center=np.array([2.0, 0.0, 0.0]))), "mass centre"),
        (change(stated=Stated(inertia=np.eye(3))), "inertia about the origin differs"),
        (change(masses=lambda d: 1.02 * d.masses), "used as stated"),
        (change(masses=lambda d: 73070.9 / d.masses.sum() * d.masses, inertias=None, M=None), "73070.9 kg"),
    ],
)
def test_doubtful_data_warn_by_name(doubtful, words):
    with pytest.warns(ModalDataWarning, match=words):
        body = elastic_body_of_modes(doubtful(lumped_modes()))
    assert any(words in remark for remark in body.remarks)


def test_modes_that_are_not_mass_normalised_keep_their_frequencies():
    data = lumped_modes()
    scale = np.linspace(0.5, 2.0, 5)
    other = replace(data, shapes=data.shapes * scale, K=data.K * scale**2, M=None)
    with pytest.warns(ModalDataWarning, match="not mass-normalised"):
        assert np.allclose(elastic_body_of_modes(other).frequencies_hz, elastic_body_of_modes(data).frequencies_hz)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text.npz").write_text("no archive")
    np.savez(tmp_path / "other.npz", a=1)
    np.savez(tmp_path / "pickled.npz", modal_format=1, nodes=np.array([None]))
    good = write_modal_file(tmp_path / "good", lumped_modes())
    with np.load(good) as file:
        arrays = dict(file)
    newer: dict[str, Any] = arrays | {"modal_format": 2}
    extra: dict[str, Any] = arrays | {"stiffnes": 1}
    np.savez(tmp_path / "newer.npz", **newer)
    np.savez(tmp_path / "extra.npz", **extra)
    for name, words in (
        ("missing", "no such file"),
        ("text", "not an NPZ"),
        ("other", "lacks modal_format"),
        ("pickled", "plain arrays"),
        ("newer", "format 2"),
        ("extra", "unknown keys stiffnes"),
    ):
        with pytest.raises(UsageError, match=words):
            read_modal_file(tmp_path / f"{name}.npz")


def geometric_stiffness(data):
    """∫ Ψ dm and ∫ Ψ x dm of data with Ψ at its nodes, as a code that knows no field would give them."""
    first = np.einsum("g,gakl->akl", data.masses, data.second)
    return np.concatenate([first, np.einsum("g,gb,gakl->abkl", data.masses, data.nodes, data.second).reshape(9, 4, 4)])


@pytest.mark.parametrize("form", ["on", "moments", "rigid_motion"])
def test_supplied_geometric_stiffness_stiffens(form):
    """K_G of a beam without the elements: a displacement with its integrals comes back, and can be switched off."""
    data = modal_data_of_elements(shortened(), ClampedModes("root", 4), ENDS)
    integrals = geometric_stiffness(data)
    data = replace(data, second=None, K_G=integrals)
    body = elastic_body_of_modes(replace(data, frames={}), stiffening=form)
    assert f"stiffening: {form}" in body.remarks
    guessed = any("smallest one" in remark for remark in body.remarks)
    assert guessed == (form == "on")  # with rigid motion alone K_G says everything
    slaved = body.slaved
    assert slaved is not None and slaved.own <= 2  # a straight beam: its mean and its stretching
    size = np.abs(integrals).max()
    assert np.allclose(np.array(body.MSdd), integrals[:3], atol=1e-12 * size)
    # -∫ x̂ Ψ̂ dm = tr(∫ Ψ xᵀ dm) 1 - ∫ Ψ xᵀ dm
    moment = integrals[3:].reshape(3, 3, 4, 4)
    crossed = np.einsum("cckl,ab->abkl", moment, np.eye(3)) - moment
    shapes = slaved.N1 if not np.any(slaved.along) else slaved.N1 + np.einsum("kj,kab->jab", slaved.along, body.N1)
    assert np.allclose(np.einsum("jab,jkl->abkl", shapes, slaved.forms), crossed, atol=1e-12 * size)
    assert elastic_body_of_modes(data, stiffening="off").slaved is None
    with pytest.raises(UsageError, match="supply `second` or K_G"):
        elastic_body_of_modes(replace(data, K_G=None), stiffening="on")
    bare = replace(data, frames={"tip": replace(data.frames["tip"], second=None)})
    assert any("taken as zero: tip" in remark for remark in elastic_body_of_modes(bare).remarks)


def test_a_displacement_by_its_moments_is_what_geometric_stiffness_says():
    """Of K_G the smallest displacement with its integrals is taken; that is what `moments` makes of the displacement itself."""
    data = modal_data_of_elements(shortened(), ClampedModes("root", 4), ENDS)
    said = elastic_body_of_modes(replace(data, second=None, K_G=geometric_stiffness(data), frames={}), stiffening="on")
    made = elastic_body_of_modes(data, stiffening="moments")
    rng = np.random.default_rng(3)
    v, w, e, edot = (rng.standard_normal(n) for n in (3, 3, 4, 4))
    both = [energy(body, body.M, v, w, 0.05 * e, 0.05 * edot, body.slaved) for body in (said, made)]
    assert both[0] == pytest.approx(both[1], rel=1e-11)


def test_second_order_that_cannot_be():
    data = modal_data_of_elements(shortened(), ClampedModes("root", 4), ENDS)
    integrals = geometric_stiffness(data)
    with pytest.raises(UsageError, match="give one"):
        elastic_body_of_modes(replace(data, K_G=integrals))
    beside = integrals.copy()
    beside[5] = np.eye(4)  # a moment of the axial displacement with z, in which all nodes are at 0
    with pytest.raises(UsageError, match="does not fit the masses"):
        elastic_body_of_modes(replace(data, second=None, K_G=beside))
    with pytest.raises(UsageError, match="second is not symmetric"):
        elastic_body_of_modes(replace(data, second=np.array(data.second) + np.triu(np.ones((4, 4)), 1)))
    with pytest.raises(UsageError, match=r"second must be \("):
        elastic_body_of_modes(replace(data, second=np.zeros((3, 4, 4))))
