"""The whole way from elements to a flexible body: frames, stiffening, remarks, doubtful units."""

import numpy as np
import pytest
from scipy.integrate import solve_bvp
from scipy.linalg import eigh
from scipy.spatial.transform import Rotation

from fem.reduction_bodies import crooked_frame, shortened, straight_beam, truss
from gough.errors import ReductionWarning, UsageError
from gough.fem import ClampedModes, FreeModes, Guyan, Nodal, NodeTie, reduce

ENDS = {"root": NodeTie((0, 0, 0)), "tip": NodeTie((0.8, 0, 0))}


def spinning_beam_frequency(speed, L=0.8, EI=30.0, line=1.3):
    """First flapping frequency (rad/s) of a beam on a spinning hub: EI w'''' - (T w')' = ω² line w, T = ½ line Ω² (L² - x²)."""

    def equation(x, y, p):
        T, dT = 0.5 * line * speed**2 * (L**2 - x**2), -line * speed**2 * x
        return np.array([y[1], y[2], y[3], (T * y[2] + dT * y[1] + p[0] ** 2 * line * y[0]) / EI])

    def ends(a, b, p):
        return np.array([a[0], a[1], b[2], b[3], b[0] - 1.0])

    x = np.linspace(0.0, L, 41)
    z = x / L
    guess = np.array([z**2, 2 * z / L, 2 + 0 * z, 0 * z])
    start = 3.516 * np.sqrt(EI / line) / L**2
    answer = solve_bvp(equation, ends, x, guess, p=[np.hypot(start, speed)], tol=1e-8)
    assert answer.success
    return abs(answer.p[0])


@pytest.mark.quick_cases("30.0")
@pytest.mark.parametrize("speed", [0.0, 30.0, 80.0])
def test_spinning_beam_stiffens_as_the_differential_equation_says(speed):
    """Flapping out of the plane of rotation about z: centrifugal acceleration field -Ω² diag(1, 1, 0) x acts through Ψ."""
    body = reduce(shortened(elements=12), ClampedModes("root", 40), ENDS)
    turn = speed**2
    # e-equation, ω = Ω z: M ë + [K - Ω² (N2 - ∫ x̂ Ψ̂ dm)_zz] e, the parts ∫ Φ_x² + Φ_y² and ∫ Ψ_x x + Ψ_y y
    assert body.slaved is not None and not body.slaved.along.any()
    second = np.einsum("j,jkl->kl", body.slaved.N1[:, 2, 2], body.slaved.forms)
    K = body.K - turn * (body.N2[:, :, 2, 2] + second)
    w, V = eigh(K, body.M)
    out_of_plane = np.abs(body.frames["tip"].translation[2] @ V) > 10 * np.abs(body.frames["tip"].translation[1] @ V)
    first = np.sqrt(w[out_of_plane][0])
    assert first == pytest.approx(spinning_beam_frequency(speed), rel=1e-4)
    if speed:
        soft = reduce(shortened(), ClampedModes("root", 8), ENDS, stiffening="off")
        lowest = np.sqrt(soft.K[0, 0])
        assert lowest < 0.9 * first


def test_frames_have_places_axes_and_motions():
    R = Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
    fem = crooked_frame()
    body = reduce(
        fem,
        Nodal("a"),
        {"a": NodeTie(fem.nodes[0]), "tool": NodeTie(fem.nodes[2] + [0, 0, 0.1], nodes=[2], rotation=R)},
    )
    tool = body.frames["tool"]
    assert np.array_equal(tool.rotation, R) and np.allclose(tool.position, fem.nodes[2] + [0, 0, 0.1])
    k = body.labels.index("tool.rx")
    assert np.allclose(tool.turning[:, k], [1, 0, 0]) and np.allclose(tool.translation[:, k], 0.0)
    node = body.shapes[2][:, k]  # turned about the frame's origin, 0.1 m above
    assert np.allclose(node, np.cross([1, 0, 0], [0, 0, -0.1]))


def test_an_arm_beside_the_beam_has_its_own_second_order():
    """A tip frame 0.1 m beyond the beam: a turn by θ draws it back by ½ θ² 0.1 m beside the beam's own shortening."""
    frames = {"root": NodeTie((0, 0, 0)), "tip": NodeTie((0.8, 0, 0)), "far": NodeTie((0.9, 0, 0), nodes=[5])}
    body = reduce(shortened(), ClampedModes("root", 3), frames)
    far, node = body.frames["far"], 0.8 / 6 * 5
    theta = far.turning
    beam = (
        reduce(shortened(), ClampedModes("root", 3), {"root": NodeTie((0, 0, 0)), "n": NodeTie((node, 0, 0))})
        .frames["n"]
        .second
    )
    expected = np.array(beam)[0] - (0.9 - node) * (np.outer(theta[1], theta[1]) + np.outer(theta[2], theta[2]))
    assert np.allclose(np.array(far.second)[0], expected, atol=1e-10)


def test_remarks_say_what_was_done():
    body = reduce(truss(), FreeModes(4), {"end": NodeTie((0.3, 0.1, 0.1), radius=0.15)})
    assert body.remarks == (
        "axes: mean (the shapes carry no momentum)",
        "stiffening: off",
        "frame end holds 14 nodes rigidly",
        "damping: none",
    )
    assert body.labels == ("mode 1", "mode 2", "mode 3", "mode 4")
    assert body.shapes.shape == (36, 3, 4) and body.modes == 4


def test_frequencies_are_in_hertz_of_each_coordinate_alone():
    body = reduce(
        crooked_frame(), Guyan(("a", "b"), frame="a"), {"a": NodeTie((0.1, 0.2, 0)), "b": NodeTie((0.9, 0.1, 0.3))}
    )
    assert np.allclose(body.frequencies_hz, np.sqrt(np.diag(body.K) / np.diag(body.M)) / (2 * np.pi))


def test_stiffening_on_needs_elements_that_know_it():
    for asked in ("on", "rigid_motion"):
        with pytest.raises(UsageError, match=f"'{asked}', but this body does not say how it shortens"):
            reduce(crooked_frame(), FreeModes(2), stiffening=asked)
    with pytest.raises(UsageError, match="'auto', 'on', 'moments', 'rigid_motion' or 'off'"):
        reduce(crooked_frame(), FreeModes(2), stiffening="yes")  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(("change", "words"), [("mass", "osmium"), ("nodes", "length unit mm")])
def test_units_that_make_no_robot_warn(change, words):
    fem = straight_beam(4, 800.0, off=10.0) if change == "nodes" else straight_beam(4, line_mass=9e4, off=0.01)
    with pytest.warns(ReductionWarning, match=words):
        body = reduce(fem, FreeModes(2))
    assert any(words in remark for remark in body.remarks)
