"""[Long 2014, Table 4]: 18 joint values at the initial pose, from base points, hexagon and the pose found from them."""

import numpy as np

from gough_papers.comparison import KnownComparison, equals, half_digit, not_reproduced, paper_origin

TABLE_4 = (
    ("-1.671", "-1.373", "-2.016", "-1.958", "-1.656", "-1.936"),
    ("1.767", "1.764", "1.814", "1.859", "1.389", "1.345"),
    ("1.025", "1.039", "1.142", "1.126", "1.0203", "1.099"),
)
"""As printed. Rows q1, q2 (rad), q3 (m); columns legs 1 to 6."""
UNITS = ("rad", "rad", "m")
VALUES = np.array([[float(x) for x in row] for row in TABLE_4])
LAST = np.array([[10.0 ** -len(x.partition(".")[2]) for x in row] for row in TABLE_4])
"""(3, 6): a unit of the last digit of each."""
SHIFT = (-3.5e-5, -4.6e-5, -1.16e-4)
"""m: a way of the platform after which all of Table 4 is what is printed, rounded; found by linear programming."""


def joint_values(home: np.ndarray, q_names: tuple[str, ...]) -> np.ndarray:
    """(3, 6): q1, q2 and q3 of each leg in a configuration."""
    names = ("first", "second", "slide")
    return np.array([[home[q_names.index(f"leg{leg}.{name}")] for leg in range(6)] for name in names])


def as_rounded(found: np.ndarray) -> np.ndarray:
    """(3, 6): which joint values (3, 6), rounded to the printed digits, are those."""
    return np.abs(found - VALUES) <= LAST / 2


def as_cut_off(found: np.ndarray) -> np.ndarray:
    """(3, 6): the same with the digits that are not printed cut off."""
    return np.abs(np.trunc(found / LAST) * LAST - VALUES) < LAST / 2


def digits_told(found: np.ndarray) -> str:
    """How joint values (3, 6) and the printed ones fit together, in a sentence."""
    rounded, cut = as_rounded(found), as_cut_off(found)
    beyond = 1e6 * (np.abs(found - VALUES) - LAST / 2)[~rounded & ~cut]
    neither = f", {len(beyond)} neither (beyond half a digit by at most {beyond.max():.0f}e-6)" if len(beyond) else ""
    counts = (
        f"{int(rounded.sum())} agree when rounded, {int(cut.sum())} when cut off ({int((rounded & cut).sum())} both)"
    )
    return f"Of the 18 joint values {counts}{neither}."


def joint_comparisons(found: np.ndarray) -> list[KnownComparison]:
    """Of joint values (3, 6) with the table, each to half a unit of its own last digit; rows apart, and those of them that
    do not come out."""
    made = []
    for k, unit in enumerate(UNITS):
        for last in np.unique(LAST[k])[::-1]:
            legs = np.flatnonzero(LAST[k] == last)
            of = "legs 1 … 6" if len(legs) == 6 else f"leg {', '.join(str(leg + 1) for leg in legs)}"
            given = (
                f"q{k + 1} of {of}",
                found[k, legs].tolist(),
                VALUES[k, legs].tolist(),
                unit,
                half_digit(last / 2),
                paper_origin("[Long 2014, Table 4]"),
            )
            digits = f".{round(-np.log10(last))}f"
            if (k, last) in NOT_REPRODUCED:
                made.append(not_reproduced(*given, form=".5f", known_form=digits, note=NOT_REPRODUCED[k, last]))
            else:
                made.append(equals(*given, form=".5f", known_form=digits))
    return made


NOT_REPRODUCED = {
    (0, 1e-3): "legs 1 and 4 differ by 5.4e-4 and 5.2e-4, neither rounded nor cut off; a pose 0.13 mm away gives them",
    (2, 1e-4): "cut off, not rounded; a pose 0.13 mm away gives it rounded",
}
"""{(row, last digit): what is known}."""
