"""What the report of [Pedrammehr 2012] says of the axes that are not stated."""

from collections.abc import Mapping

import numpy as np

from gough_papers.pedrammehr2012.search import DIRECTIONS, READINGS, SAMPLES, Gaps, Reading, SearchedFamily, Swing, gaps
from gough_papers.section import Grid

CLAIM = (
    "Text to Figs. 5 and 6, path 1: “The results of both simplified and improved models indicate that the angular velocity in "
    "pods 1, 2 and 6 of Fig. 5 and the angular acceleration in pod 3 of Fig. 6 show great extent of consistency. Therefore, in "
    "this path, the angular velocities and accelerations of the pods are perpendicular to the direction of the pod and the "
    "differences in other pods present the contribution of the tangential components in the angular velocities and "
    "accelerations of those pods.” Tangential is along the pod here. The fixed axes u_i “can be obtained from the geometry of "
    "the mechanism” and are not stated. The paper has “the same geometric and inertial properties” and “the same parameters of "
    "the path” as its reference [19], which may state the axes and which we do not have."
)
EXACTLY = (
    "Taken exactly, no axes agree with this. On path 1 a pod stays in a plane with normal e: ω = w e + ω_t n and "
    "α = ẇ e + ω_t w e × n + α_t n, against w e and ẇ e without spin. If α agrees all along, ω_t = 0, and ω agrees too; if ω "
    "agrees, so does α. A pod agrees in both or in neither, but the text has pods 1, 2 and 6 agree in the one and pod 3 in "
    "the other. The same follows with (25) as printed. Nor can α·n alone vanish in pod 3 while it spins: ω_t would be "
    "constant, which no axis gives (a polynomial in x of degree 2 would equal one of degree 6)."
)
VELOCITIES = (
    "Angular velocities alone: an axis without spin in pods 1, 2 and 6 lies in the plane of n and x, y/z = -1/3, -3/4 and "
    "1/9, or along its normal e. The planes share x alone and hold no e of another pod. So one direction for all pods must "
    "be x, and then no pod spins. Horizontal axes must be x in all three, which excludes those that turn by a fixed angle "
    "from pod to pod, from a radial direction, or by 120° from pair to pair. Axes free in every pod can do it, but then α "
    "agrees in 1, 2 and 6 too."
)
NEARLY = (
    "Nearly, some axes do. Gap: the largest difference on the path over the largest size without spin, of magnitudes "
    "(|ω| - |w e|), of vectors (|ω - w e|), or of the tangential parts alone (|ω_t|, |α_t|). Contrast: the smallest gap that the "
    "text calls a difference over the largest that it calls an agreement. Above 1 the order is the text's."
)


def spinning_pods(swing: Swing, spin: np.ndarray) -> str:
    """What ours do, beside the text; spin (6, k), rad/s."""
    count = int((np.abs(spin).max(axis=-1) > 1e-9).sum())
    return (
        f"With u along base x {count} of the {len(swing.n)} pods spin on path 1, since x lies in the plane of every pod; by the "
        "text ω has a tangential part in pods 3, 4 and 5. The paper's axes are others: this statement is not reproduced. It "
        "is no number that the paper prints, and is not counted as one."
    )


def search_summary(found: list[SearchedFamily], apart: dict[Reading, float], along_b: Gaps) -> str:
    """How much was tried and what came of it. apart: of pod 3 alone, see `most_apart`. along_b: of u along b_i, vectors."""
    plain, swept = ([f for f in found if (f.tried == 1) == one] for one in (True, False))
    best, most = (max(some, key=lambda f: f.both["magnitudes"]) for some in (plain, swept))
    above = [sum(f.both["magnitudes"] > 1 for f in some) for some in (plain, swept)]
    tangential = [sum(f.both["tangential"] > 1 for f in some) for some in (plain, swept)]
    level = next(f for f in plain if f.family == "b_i, horizontal part")
    u = ", ".join(f"{x:.2f}" for x in most.best[0])
    return (
        f"Tried at {SAMPLES} samples of path 1: {len(plain)} rules without a free number and {len(swept)} families with one or "
        f"two, {sum(f.tried for f in found)} sets of six axes in all. In magnitudes {above[0]} of the rules is above 1, "
        f"{best.family}: {best.both['magnitudes']:.2f}, in vectors {best.both['vectors']:.2f}, tangential "
        f"{best.both['tangential']:.2f}. Of the families {above[1]} have a member above 1, so the text does not single one out; "
        f"tangential parts alone: {tangential[0]} rules, {tangential[1]} families. The largest contrast of magnitudes has "
        f"“{most.family}”, with two angles fitted (pod 1: {u}): {most.both['magnitudes']:.2f}; it turns against the sense in "
        f"which the pairs follow each other. The best in vectors of that family, which may be another member, has "
        f"{most.both['vectors']:.2f}. Axes along b_i are shown beside ours because they need no number and have the text's "
        "order; they are not known to be the paper's. "
        f"In vectors they part {100 * float(along_b.same):.1f} %, which the text calls consistent, from "
        f"{100 * float(along_b.other):.1f} %, which it does not; and they do it by the heights of b_2, b_3 and b_5 alone: their "
        f"horizontal (radial) parts have {level.both['magnitudes']:.2f}. What the text says of pod 3 bounds every contrast, even "
        "with axes free in each pod: whatever its axis, its gap of velocities is at most "
        f"{apart['vectors']:.1f} times that of accelerations in vectors, {apart['tangential']:.1f} times in tangential parts, "
        f"{apart['magnitudes']:.0f} times in magnitudes ({5 * DIRECTIONS} directions, gaps of velocity from 1 %)."
    )


def gaps_grid(swing: Swing, cases: Mapping[str, np.ndarray]) -> Grid:
    """Pod by pod, for named axes (6, 3)."""
    rows = []
    for name, u in cases.items():
        for reading in READINGS:
            found = gaps(swing, u, reading)
            for kind, values in (("ω", found.velocity), ("α", found.acceleration)):
                rows.append((f"{name}, {kind}, {reading}", *(f"{100 * x:.1f}" for x in values)))
    head = ("gap, %", *(f"pod {k}" for k in range(1, 7)))
    title = "With and without spin on path 1; by the text ω agrees in pods 1, 2 and 6, α in pod 3"
    return Grid(head, tuple(rows), head[1:], title)


def search_grids(found: list[SearchedFamily]) -> list[Grid]:
    """Rules without a free number, and families."""
    head = ("axes", "sets", *READINGS, *(f"ω alone, {reading}" for reading in READINGS))
    out = []
    for title, one in (("Rules without a free number", True), ("Families, the best of each", False)):
        rows = tuple(
            (f.family, str(f.tried), *(f"{values[r]:.2f}" for values in (f.both, f.velocity) for r in READINGS))
            for f in found
            if (f.tried == 1) == one
        )
        out.append(Grid(head, rows, head[1:], f"{title}: contrast", only="report"))
    return out
