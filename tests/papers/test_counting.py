"""Printed counts: as in the papers, each with its scope, and the library's beside them."""

import pytest

from gough.model import build
from gough_papers.counting import BOTH, COORDINATES, count_operations, counts_beside_papers, counts_of, paper_counts
from inner.dynamics import CATALOGUE


def test_table_1_of_lopes_adds_up():
    rows = {  # [Lopes, Table 1]: platform, actuators, translating and rotating links
        "Coriolis matrix V_E": ((310, 590, 0), (3028, 4403, 30), (4506, 9474, 36), (13080, 22266, 42)),
        "inertia matrix I_E": ((36, 90, 0), (297, 384, 12), (378, 1038, 30), (900, 1758, 18)),
    }
    totals = {k.quantity: tuple(k.count) for k in counts_of("lopes") if k.source == "[Lopes, Table 1]"}
    for quantity, parts in rows.items():
        assert totals[quantity] == tuple(map(sum, zip(*parts, strict=True)))
    assert totals["I_E and V_E"] == tuple(map(sum, zip(*(totals[q] for q in rows), strict=True)))


def test_every_count_has_its_scope():
    for known in paper_counts():
        assert known.scope and known.here and known.counted in (*CATALOGUE, *COORDINATES, BOTH)


OF_LOPES = {
    ("lopes", "coordinate_mass_matrix"): (363, 540, 48),
    ("lopes", "coordinate_coriolis_matrix"): (4294, 5613, 104),
    ("lopes", "coordinate_terms"): (4337, 5638, 104),
    ("lopes", "inverse_dynamics"): (461, 658, 30),
    ("lopes_simplified", "coordinate_mass_matrix"): (207, 300, 12),
    ("lopes_simplified", "coordinate_coriolis_matrix"): (2321, 2984, 68),
    ("lopes_simplified", "inverse_dynamics"): (305, 394, 24),
}
"""The library's counts as they are: one that changes is to be looked at, and docs/papers/lopes.md to be changed with it."""


LONG = ("coordinate_coriolis_matrix", "coordinate_terms")


@pytest.mark.parametrize(
    ("robot", "quantity"),
    [pytest.param(*of, marks=pytest.mark.slow if of[1] in LONG else ()) for of in OF_LOPES],
)
def test_lopes_here(robot, quantity):
    here = count_operations(build(robot), quantity)
    assert (here.add, here.mul, here.div) == OF_LOPES[robot, quantity]


def test_flexible_robot_of_briot_here():
    """No more operations than the paper's algorithm by the same rules (tests/papers/briot2014), of M and h and of the direct
    model; at most twice those of a form made by hand for this one robot."""
    entries = [e for e in counts_beside_papers(build("dualemps")) if not e["printed"]]
    assert [e["counted"] for e in entries] == [BOTH, "forward_dynamics", "forward_dynamics"]
    terms, direct, by_hand = entries
    assert terms["ratio"] >= 1 and direct["ratio"] >= 1 and by_hand["ratio"] >= 0.5


def test_robots_without_printed_counts():
    assert counts_beside_papers(build("lopes_simplified")) == []


@pytest.mark.slow
def test_all_of_lopes():
    entries = counts_beside_papers(build("lopes"))
    assert len(entries) == len(counts_of("lopes"))
    for entry in entries:
        here = entry["here"]
        assert (here["add"], here["mul"], here["div"]) == OF_LOPES["lopes", entry["counted"]]
        assert entry["ratio"] == entry["paper"]["operations"] / here["operations"]
