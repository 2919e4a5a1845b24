"""What [Long 2014] does not print, and what is taken instead."""

from gough_papers.paper import Choice

CHOICES = (
    Choice(
        "γ_i, d_1i",
        "polar angle and length of b_i − b_1",
        "with sin q2 > 0 it gives all 18 joint values of Table 4; γ = 0 turns the universal joints: 38 % in the static forces",
    ),
    Choice(
        "platform at the start",
        "hexagon of side 0.5 m centred at (0.25, √3/4, 1) m, orientation identity",
        "from Table 4",
    ),
    Choice("Poisson's ratio", "0.3", "fits Table 2"),
    Choice("plate", "mass 73.0709 kg", "density and dimensions; the printed 73.069 takes √3/4 as 0.433"),
    Choice("gravity", "9.81 m/s² along −z"),
    Choice(
        "motion",
        "`long2014_poses`: three offsets from the start, quintic, 0.8 s each",
        "the paper's numbers are in no text",
    ),
    Choice("start", "static equilibrium", "the paper says nothing of the elastic coordinates at the start"),
    Choice(
        "feedback", "400 1/s², 40 1/s on the floating frame", "the paper has none: its loop is an identity and drifts"
    ),
)
