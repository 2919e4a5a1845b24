"""Operations of [Lopes]: its own matrices counted body by body, and a formulation for this one robot; both give the library's
matrices, and the counts on file are theirs."""

from pathlib import Path

import numpy as np
import pytest

from gough_papers.counting import counts_of
from gough_papers.lopes.operations import ALONE, PRINTED, QUANTITIES, SIMPLIFIED, TRANSCRIBED
from gough_papers.lopes.paper import MATRICES_AT
from papers import library, lopes
from papers.operations import lopes_rods
from papers.operations.counted import Counted, Dual, Tally, derivative, value
from papers.operations.lopes_table import table
from papers.test_counting import OF_LOPES

STATES = [
    (lopes.P1 + s * (lopes.P2 - lopes.P1), xdot)
    for s, xdot in zip((0.0, 0.37, 1.0), np.random.default_rng(5).uniform(-1, 1, (3, 6)), strict=True)
]
RODS = {"lopes": lopes_rods.complete(), "lopes_simplified": lopes_rods.simplified()}
ROUNDING = 1e-12  # of entries of at most 5 kg or kg m²: some hundred operations in double precision


def transcribed(robot, x, xdot):
    """I_E and V_E by the transcription."""
    full = robot == "lopes"
    data = lopes.DATA if full else lopes.simplified()
    return lopes.inertia(x, data=data, with_links=full), lopes.coriolis(x, xdot, data=data, with_links=full)


def of_the_library(robot, x, xdot):
    """M and C in the paper's coordinates."""
    model = library.model(robot)
    position, R, twist, _ = lopes.world_state(x, xdot, np.zeros(6))
    terms = model.coordinate_terms(model.configuration(pose=(position, R)), twist, "rpy_zyx")
    return terms.M, terms.C


def counted(row):
    return row.coriolis_count, row.inertia_count


# ---- the paper's matrices


@pytest.mark.parametrize("state", STATES)
def test_the_matrices_of_the_bodies_add_up_to_the_robots(state):
    rows = table(*state).values()
    I, V = sum(row.inertia for row in rows), sum(row.coriolis for row in rows)
    for found, known in zip((I, V), transcribed("lopes", *state), strict=True):
        np.testing.assert_allclose(found, known, rtol=0, atol=ROUNDING)
    for found, known in zip((I, V), of_the_library("lopes", *state), strict=True):
        np.testing.assert_allclose(found, known, rtol=0, atol=library.TOLERANCE)


def test_the_first_two_bodies_are_the_simplified_model():
    rows = list(table(*STATES[1], lopes.simplified()).values())[:2]
    I, V = sum(row.inertia for row in rows), sum(row.coriolis for row in rows)
    for found, known in zip((I, V), of_the_library("lopes_simplified", *STATES[1]), strict=True):
        np.testing.assert_allclose(found, known, rtol=0, atol=library.TOLERANCE)


@pytest.mark.parametrize("state", STATES)
def test_counts_of_table_1(state):
    """Those that the report sets beside the printed ones, at any state."""
    found = {bodies: counted(row) for bodies, row in table(*state).items()}
    total = tuple(tuple(map(sum, zip(*column, strict=True))) for column in zip(*found.values(), strict=True))
    assert found | {"total": total} == TRANSCRIBED
    assert set(PRINTED) == set(TRANSCRIBED)


def test_numbers_of_table_1_that_come_out():
    """Stated in docs/papers/lopes.md: divisions of platform and actuators, four of thirty."""
    same = [
        (bodies, k, n)
        for bodies, counts in PRINTED.items()
        for k in range(2)
        for n in range(3)
        if counts[k][n] == TRANSCRIBED[bodies][k][n]
    ]
    assert same == [(bodies, k, 2) for bodies in SIMPLIFIED for k in range(2)]


def test_matrices_that_the_report_quotes():
    """At 0.6 s of the motion of 2 s."""
    x, xdot, _ = (part[30] for part in lopes.trajectory(101, 2.0))
    I, V = transcribed("lopes", x, xdot)
    for found, known in ((np.diag(I), MATRICES_AT[1]), (V @ xdot, MATRICES_AT[2])):
        np.testing.assert_allclose(found, known, rtol=0, atol=5e-8)


# ---- the formulation for this one robot


@pytest.mark.parametrize("robot", RODS)
@pytest.mark.parametrize("state", STATES)
def test_matrices_of_rods(robot, state):
    l = lopes.lengths(state[0])
    found = (
        lopes_rods.mass_matrix(state[0], l, RODS[robot]),
        lopes_rods.coriolis_matrix(state[0], l, state[1], RODS[robot]),
    )
    for ours, known in zip(found, transcribed(robot, *state), strict=True):
        np.testing.assert_allclose(ours, known, rtol=0, atol=ROUNDING)
    for ours, known in zip(found, of_the_library(robot, *state), strict=True):
        np.testing.assert_allclose(ours, known, rtol=0, atol=library.TOLERANCE)


@pytest.mark.parametrize("robot", RODS)
def test_forces_of_rods(robot):
    found, known, states = [], [], []
    for state in zip(*(part[:11] for part in lopes.trajectory(11, 0.5)), strict=True):
        world = lopes.world_state(*state)
        found.append(lopes_rods.drive_forces(*world[:2], lopes.lengths(state[0]), *world[2:], RODS[robot]))
        known.append(lopes.inverse_dynamics_x(*state, model="complete" if robot == "lopes" else "simplified").tau)
        states.append(world)
    assert library.relative_error(found, known) <= ROUNDING
    ours = library.drive_forces(robot, *(np.array(part) for part in zip(*states, strict=True)))
    assert library.relative_error(found, ours) <= library.TOLERANCE


def test_two_columns_of_a_rotation():
    h = np.array([0.9, 0.1, -0.3, 0.2])
    w, x, y, z = h = h / np.linalg.norm(h)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    np.testing.assert_allclose(lopes_rods.rotation_of(h), (np.eye(3) + 2 * w * K + 2 * K @ K)[:, :2], atol=1e-15)


COUNTERS = (lopes_rods.count_coriolis_matrix, lopes_rods.count_mass_matrix, lopes_rods.count_drive_forces)


@pytest.mark.parametrize("robot", RODS)
def test_counts_of_rods(robot):
    """Those that the report quotes."""
    counts = [count(RODS[robot]) for count in COUNTERS]
    assert [(c.add, c.mul, c.div) for c in counts] == list(ALONE[robot]) and not any(c.sqrt for c in counts)


def test_counts_on_file():
    """`counts.yaml`, for `gough count`, has the same numbers."""
    kept = {(c.counted, c.source): tuple(c.count) for c in counts_of("lopes") if not c.printed}
    known = {(name, "for this robot alone"): ALONE["lopes"][k] for k, name in enumerate(QUANTITIES)}
    known |= {(name, "its matrices counted"): TRANSCRIBED["total"][k] for k, name in enumerate(QUANTITIES[:2])}
    assert kept == known


def test_the_table_of_the_papers_page():
    """docs/papers/lopes.md: sums of the counts that tests hold."""
    simple = {k: [sum(sum(rows[b][k]) for b in SIMPLIFIED) for rows in (PRINTED, TRANSCRIBED)] for k in range(2)}
    known = {
        "[Lopes, Table 1]": [sum(c) for c in PRINTED["total"]],
        "its matrices, counted": [sum(c) for c in TRANSCRIBED["total"]],
        "the library's programs": [sum(OF_LOPES["lopes", q]) for q in QUANTITIES],
        "for this robot alone": [sum(c) for c in ALONE["lopes"]],
        "simplified: [Lopes, Table 1]": [simple[0][0], simple[1][0]],
        "simplified: its matrices, counted": [simple[0][1], simple[1][1]],
        "simplified: the library's programs": [sum(OF_LOPES["lopes_simplified", q]) for q in QUANTITIES],
        "simplified: for this robot alone": [sum(c) for c in ALONE["lopes_simplified"]],
    }
    page = (Path(__file__).parents[2] / "docs" / "papers" / "lopes.md").read_text(encoding="utf-8")
    for name, numbers in known.items():
        cells = [*map(str, numbers), *["–"] * (3 - len(numbers))]
        assert f"| {name} | {' | '.join(cells)} |" in page


# ---- the scalars that count


def test_what_counts():
    tally = Tally()
    x, y = Counted(2.0, tally), Counted(5.0, tally)
    found = np.array([[x, 0], [1, y]], object) @ np.array([[1, y], [x, 0]], object)
    assert tally.count == (1, 2, 0) and [value(v) for v in found.flat] == [2.0, 10.0, 11.0, 5.0]
    assert value(-x / y) == -0.4 and tally.count == (1, 2, 1)
    assert x / x == 1 and x * 0 == 0 and tally.count == (1, 2, 1)
    assert value(np.sqrt(x * x)) == 2.0 and tally.apart == 1


def test_chain_rule():
    """Of x y/√(x + y²) + sin x cos y, by differences of the same numbers."""

    def function(x, y):
        return x * y / np.sqrt(x + y**2) + np.sin(x) * np.cos(y) - 2 / y

    tally = Tally()
    x, y = (Dual(Counted(v, tally), by) for v, by in ((0.7, (1, 0)), (1.3, (0, 1))))
    found = function(x, y)
    assert value(found) == pytest.approx(function(0.7, 1.3), rel=1e-15)
    for k, step in enumerate(np.eye(2)):
        slope = np.imag(function(*(np.array([0.7, 1.3]) + 1e-30j * step))) / 1e-30
        assert value(derivative(found, k)) == pytest.approx(slope, rel=1e-14)
