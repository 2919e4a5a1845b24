"""[Lopes]: what its figures and tables are, and where they stand in the report."""

from gough_papers.lopes.tour import Lopes
from gough_papers.paper import Artefact, Choice, Paper

ARTEFACTS = (
    Artefact("Fig. 1", "kinematic structure", "drawing"),
    Artefact("Fig. 2", "mass centre of an actuator", "drawing"),
    Artefact("Fig. 3", "mass centre of a link", "drawing"),
    Artefact(
        "Fig. 4", "motion of the actuators", "redrawn", "end points are the paper's, duration and spline are ours"
    ),
    Artefact(
        "Fig. 5",
        "forces of the actuators, complete and simplified model",
        "redrawn",
        "as Fig. 4; the curves are in no text",
    ),
    Artefact("Table 1", "operations of inertia and Coriolis matrices", "compared", "scope as far as it is stated"),
    Artefact("Table 2", "data of the robot", "data", "`lopes.yaml`, `lopes_simplified.yaml`"),
)

CHOICES = (
    Choice("base points", "15, 105, 135, 225, 255, 345 deg on r_B", "the figure is lost"),
    Choice("platform points", "60, 60, 180, 180, 300, 300 deg on r_P", "φ_P = 0: pairs coincide, a 6-3 robot"),
    Choice("kinematic Jacobian J_C", "row i = (a_i, p_i × a_i)/a_iz", "from the constant length of link i"),
    Choice(
        "duration, spline",
        "2 s each way, s = ½ − 9/16 cos(πt/T) + 1/16 cos(3πt/T)",
        "third order, at rest at both ends",
    ),
    Choice("gravity", "9.81 m/s² along −z"),
    Choice("universal joint's fixed axis", "base x", "without effect for links with I_Lxx = 0, as in Table 2"),
    Choice("a_cm", "any", "falls out of the forces"),
)

PAPER = Paper(
    name="lopes",
    short="Lopes",
    reference="A. M. Lopes, “Complete dynamic model of a Stewart version parallel manipulator”, undated.",
    subject="A 6-PUS robot with vertical actuators: complete and simplified Lagrange model, operation counts.",
    robots=("lopes", "lopes_simplified"),
    view="lopes_p1p2p1",
    tour=Lopes,
    artefacts=ARTEFACTS,
    transcription="tests/papers/lopes.py",
    choices=CHOICES,
    live={"τ = J_Eᵀ f": "transposed", "∂I/∂ẋ (zero)": "no derivative"},
)
