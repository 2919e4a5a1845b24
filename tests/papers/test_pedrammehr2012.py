"""[Pedrammehr 2012]: transcription against known forces, misprints against their sizes, library against both."""

from dataclasses import fields, replace

import numpy as np
import pytest

from gough_papers.pedrammehr2012.axes import ALONG_B, choices
from gough_papers.pedrammehr2012.known import APART, AT_REST, CLOSED, CLOSED_COSTS, COSTS, NO_SPIN
from papers import library
from papers.pedrammehr2012 import closed, direct
from papers.pedrammehr2012.direct import ALL_ON, DATA
from papers.pedrammehr2012.paths import path

# Forces of an independent model (energies, automatic differentiation), positive lengthens the leg, N.
MAXIMUM = {1: 1152.3, 2: 1683.2, 3: 2377.4}
RMS = {1: 630.0, 2: 694.0, 3: 872.3}
FIRST = {
    2: [271.010, -1270.130, 1683.231, -719.764, -248.035, 692.075],
    3: [145.366, -1692.133, 2377.362, -997.397, -548.394, 1244.382],
}


def forces(number, route=direct, **options):
    f = route.inverse_dynamics(*path(number).state, **options)
    return f if route is closed else f.f


def difference(number, route=direct, **options):
    return np.max(np.abs(forces(number, route, **options) - forces(number)))


def off(*names):
    return replace(ALL_ON, **dict.fromkeys(names, False))


PODS_TWICE = ("eq32_central", "eq32_axes")
"""(32)-(33) as printed."""


@pytest.mark.parametrize("number", [1, 2, 3])
def test_forces_along_the_path(number):
    f = forces(number)
    assert abs(np.max(np.abs(f)) - MAXIMUM[number]) <= 0.05
    assert abs(np.sqrt(np.mean(f**2)) - RMS[number]) <= 0.05


@pytest.mark.parametrize("number", [2, 3])
def test_first_sample(number):
    assert np.max(np.abs(forces(number)[0] - FIRST[number])) <= 0.0005


@pytest.mark.parametrize("number", [1, 2, 3])
def test_closed_form_equals_direct_route(number):
    assert difference(number, closed) <= 1e-10 * MAXIMUM[number]


def test_both_forms_of_the_leg_velocity_and_acceleration_agree():
    k = direct.kinematics(*path(3).state)
    w_12 = k.w_u[..., None] * k.u + k.w_v[..., None] * k.v
    assert np.max(np.abs(w_12 - k.w)) <= 1e-12 * np.max(np.abs(k.w))
    assert np.max(np.abs(k.alpha_18 - k.alpha)) <= 1e-12 * np.max(np.abs(k.alpha))
    assert np.max(np.abs(np.sum(k.w * k.c, axis=-1))) <= 1e-12


def test_leg_rates_are_derivatives():
    p = path(3, samples=60001)
    X, R, twist, acceleration = (part[2000:2100] for part in p.state)  # inside one piece of the profile
    k = direct.kinematics(X, R, twist, acceleration)
    step, inner = p.t[1] - p.t[0], slice(1, -1)
    assert np.max(np.abs(np.gradient(k.l, step, axis=0) - k.ldot)[inner]) <= 1e-7
    assert np.max(np.abs(np.gradient(k.ldot, step, axis=0) - k.lddot)[inner]) <= 1e-6
    assert np.max(np.abs(np.gradient(k.w, step, axis=0) - k.alpha)[inner]) <= 1e-6


# Size of each misprint on path 3 in N; half a unit of the stated digits.
@pytest.mark.parametrize(
    ("names", "route", "newton", "band"),
    [
        (PODS_TWICE, direct, 231.0, 0.5),
        (("eq32_central",), direct, 223.0, 0.5),
        (("eq50_central",), direct, 15.0, 0.05),
        (("eq25_spin",), direct, 0.35, 0.005),
        (PODS_TWICE, closed, 231.0, 0.5),
        (("eq32_central",), closed, 223.0, 0.5),
        (("eq50_central",), closed, 15.0, 0.05),
        (("eq25_spin",), closed, 0.35, 0.005),
        (("eq42_off_axis",), closed, 12.6, 0.05),
        (("eq43_lower",), closed, 14.1, 0.05),
        (("app1_rate",), closed, 47.6, 0.05),
    ],
)
def test_size_of_a_misprint(names, route, newton, band):
    assert abs(difference(3, route, on=off(*names)) - newton) <= band


def test_the_axes_of_the_parallel_terms_do_nothing_without_them():
    assert difference(3, on=off("eq32_axes")) == 0.0


def test_the_parallel_axis_counted_twice_beside_the_force():
    """A tenth of the largest force on the path; at another instant a quarter of the largest at that instant."""
    right, printed = forces(3), forces(3, on=off(*PODS_TWICE))
    assert abs(np.max(np.abs(printed - right)) / np.max(np.abs(right)) - 0.097) <= 0.0005
    assert abs(library.relative_error(printed, right) - 0.26) <= 0.005


def test_the_last_term_of_25_has_the_sign_of_its_v():
    """n·c = -|u × n| for v along u × n: the printed minus agrees, the divisor is missing. Along n × u the sign is wrong."""
    for sense in (1.0, -1.0):
        k = direct.kinematics(*path(3).state, data=replace(DATA, v_sign=sense))
        across = np.linalg.norm(np.cross(k.u, k.n), axis=-1)
        assert np.max(np.abs(np.sum(k.n * k.c, axis=-1) + sense * across)) <= 1e-12


def test_eq21_without_its_axis_spoils_the_angular_acceleration():
    k = direct.kinematics(*path(3).state, on=off("eq21_axis"))
    assert abs(np.max(np.abs(k.alpha_18 - k.alpha)) - 0.36) <= 0.005  # components
    assert abs(np.max(np.abs(k.alpha)) - 9.7) <= 0.05
    assert np.max(np.abs(forces(3, on=off("eq21_axis")) - forces(3))) == 0.0  # forces use (22)-(25)


def test_every_switch_is_tested():
    tested = {"eq21_axis", "eq25_spin", *PODS_TWICE, "eq50_central", "eq42_off_axis", "eq43_lower", "app1_rate"}
    assert {f.name for f in fields(ALL_ON)} == tested


def test_simplifications_the_paper_improves_on():
    """The known numbers of the report."""
    p = path(1)
    still = (p.position, p.rotation, 0 * p.twist, 0 * p.acceleration)
    with_moment = direct.inverse_dynamics(*still).f
    without = direct.inverse_dynamics(*still, moment=False).f
    assert AT_REST == 67.0 and abs(np.max(np.abs(without - with_moment)) - AT_REST) <= 0.5  # even at rest
    assert NO_SPIN == 10.5 and abs(difference(3, spin=False) - NO_SPIN) <= 0.05


ALL_OFF = replace(ALL_ON, **{f.name: False for f in fields(ALL_ON)})


@pytest.mark.parametrize("number", [1, 2, 3])
def test_differences_from_the_simplified_model(number):
    """Of the direct route, as printed and corrected: the known numbers of the report."""
    simplified = forces(number, spin=False, moment=False)
    for name, on in (("as printed", ALL_OFF), ("corrected", ALL_ON)):
        assert abs(np.max(np.abs(forces(number, on=on) - simplified)) - APART[name][1][number - 1]) <= 0.05, name


@pytest.mark.parametrize(("number", "newton"), enumerate(CLOSED, 1))
def test_the_closed_form_as_printed_is_elsewhere(number, newton):
    """The report states these: all slips of (25), (32)-(33), (42)-(43), (50) and Appendix 1 together."""
    simplified = forces(number, spin=False, moment=False)
    assert abs(np.max(np.abs(forces(number, closed, on=ALL_OFF) - simplified)) - newton) <= 0.05


def test_costs_of_the_report():
    """Each alone, by the route that shows it."""
    switches = {"parallel axes, pods": PODS_TWICE, "parallel axes, pods, in their own axes": ("eq32_central",)}
    switches |= {"parallel axis, platform": ("eq50_central",), "divisor in (25)": ("eq25_spin",)}
    assert switches.keys() == COSTS.keys()
    for name, (_, known, tolerance) in COSTS.items():
        assert abs(difference(3, on=off(*switches[name])) - known) <= tolerance, name
    more = {"terms off the axis": "eq42_off_axis", "arm of the lower part": "eq43_lower", "rate in S_i": "app1_rate"}
    assert more.keys() == CLOSED_COSTS.keys()
    for name, (_, known, tolerance) in CLOSED_COSTS.items():
        assert abs(difference(3, closed, on=off(more[name])) - known) <= tolerance, name


def test_most_choices_that_are_not_printed_matter_more():
    """Than any misprint of the direct route, on the same path; u along b with v = u × n on path 3 does not."""
    for number in (1, 2, 3):
        slips = max(difference(number, on=off(*names)) for names in (("eq25_spin",), PODS_TWICE, ("eq50_central",)))
        less = []
        for choice in choices(DATA.b):
            changed = difference(number, data=replace(DATA, u=choice.u, v_sign=choice.sense))
            less += [choice.name] if changed < slips else []
        assert less == ([ALONG_B] if number == 3 else [])


def test_the_printed_tensors_are_not_physical():
    for tensor in (DATA.I_do, DATA.I_uo, DATA.I_p):
        small, middle, large = np.linalg.eigvalsh(tensor)
        assert small < 0 or small + middle < large


def test_external_wrench_is_in_platform_axes():
    p = path(2, samples=3)
    force, moment = np.array([10.0, -20.0, 30.0]), np.array([1.0, 2.0, -3.0])
    change = forces_of(p, F_ext=force, M_ext=moment) - forces_of(p)
    k = direct.kinematics(*p.state)
    total = np.einsum("sk,ski->si", change, k.n), np.einsum("sk,ski->si", change, np.cross(k.q, k.n))
    assert np.allclose(total[0], -np.einsum("sij,j->si", p.rotation, force), atol=1e-9)
    assert np.allclose(total[1], -np.einsum("sij,j->si", p.rotation, moment), atol=1e-9)


def forces_of(p, **options):
    return direct.inverse_dynamics(*p.state, **options).f


@pytest.mark.parametrize("number", [1, 2, 3])
def test_library(number):
    found = library.drive_forces("pedrammehr2012", *path(number).state)
    assert library.relative_error(found, forces(number)) <= library.TOLERANCE


def test_reactions_of_the_library():
    """(38), and (34) with (37): force of the platform on a pod, moment in its universal joint without friction."""
    m, p = library.model("pedrammehr2012"), path(3, samples=7)
    right = direct.inverse_dynamics(*p.state)
    found = m.joint_reactions(m.configuration(pose=(p.position, p.rotation)), p.twist, p.acceleration)
    assert np.max(np.abs(found.cuts[..., :3] + right.F)) <= library.TOLERANCE * np.max(np.abs(right.F))
    pods = np.stack([right.legs.n, right.legs.v, np.cross(right.legs.n, right.legs.v)], axis=-1)
    hips = [k for k, name in enumerate(found.joint_names) if name.endswith("hip")]
    assert len(hips) == 6
    moment = np.einsum("nkij,nkj->nki", pods, found.joints[:, hips, 3:]) + DATA.C_u * right.legs.w
    along = right.m[..., None] * right.legs.c
    assert np.max(np.abs(moment - along)) <= library.TOLERANCE * np.max(np.abs(along))
