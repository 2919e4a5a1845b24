"""[Fried]: what its figures and tables are, and where they stand in the report."""

from gough_papers.fried.tour import Fried
from gough_papers.paper import Artefact, Choice, Paper

_ASSUMED = "assumed geometry and trajectory"

ARTEFACTS = (
    Artefact("Fig. 1", "links, frames and vectors of a leg", "drawing"),
    Artefact("Fig. 2", "the robot", "drawing"),
    Artefact("Fig. 3", "way of the tool", "redrawn", f"{_ASSUMED}; the constant orientation is the paper's"),
    Artefact("Fig. 4", "velocity of the tool", "redrawn", _ASSUMED),
    Artefact("Fig. 5", "acceleration of the tool", "redrawn", _ASSUMED),
    Artefact("Fig. 6", "positions of the active joints", "redrawn", _ASSUMED),
    Artefact("Fig. 7", "velocities of the active joints", "redrawn", _ASSUMED),
    Artefact("Fig. 8", "accelerations of the active joints", "redrawn", _ASSUMED),
    Artefact("Fig. 9", "forces of the active joints", "redrawn", _ASSUMED),
    Artefact(
        "Table 1",
        "masses and inertias",
        "data",
        "`fried.yaml`; the second link's inertia changes with the leg's length",
    ),
)

CHOICES = (
    Choice("A_i, B_i", "base radius 0.6 m, platform radius 0.4 m", "assumed: none is printed"),
    Choice("mass centres", "0.15 m and −0.2 m along the leg, platform at its origin", "assumed"),
    Choice("gravity", "9.81 m/s² along −x; x is up", "assumed; x is the axis of the platform's largest inertia"),
    Choice(
        "trajectory",
        "closed loop of 3 s, 0.08 m up, 0.10 m and 0.06 m sideways",
        "assumed; only the orientation is printed",
    ),
    Choice("eqs. 22, 62, 63, 76, 82", "the usual definitions", "missing in the text we work from"),
    Choice("universal joint's fixed axis", "base y", "from eq. 2"),
)

PAPER = Paper(
    name="fried",
    short="Fried",
    reference="G. Fried, K. Djouani, D. Borojeni, S. Iqbal, “An inverse dynamic model of the Gough–Stewart platform”, undated.",
    subject="A 6-UPS robot in factorised form: six legs that are independent until one sum.",
    robots=("fried",),
    view="fried",
    tour=Fried,
    artefacts=ARTEFACTS,
    transcription="tests/papers/fried.py",
    choices=CHOICES,
    live={"I_C2 taken as constant": "constant"},
)
