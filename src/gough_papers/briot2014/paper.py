"""[Briot 2014]: what its figures and tables are, and where they stand in the report."""

from gough_papers.briot2014.tour import Briot2014
from gough_papers.paper import Artefact, Choice, Paper

_CURVES = "our model; the measured curves and those of Adams are in no text"

ARTEFACTS = (
    Artefact("Fig. 1", "a general parallel robot and its tree", "drawing"),
    Artefact("Fig. 2", "a flexible element", "drawing"),
    Artefact(
        "Fig. 3", "the robot: a photograph, and its kinematic chain", "drawing", "the animation of this report draws it"
    ),
    Artefact("Fig. 4", "drawing of the legs", "drawing"),
    Artefact("Fig. 5", "setup of the modal test", "lost", "a photograph"),
    Artefact("Fig. 6", "what is measured and what is estimated", "drawing"),
    Artefact(
        "Fig. 7",
        "first trajectory: square in joint space, velocity profile",
        "redrawn",
        "1.8 s a move as printed, the other numbers ours",
    ),
    Artefact("Fig. 8", "both trajectories in the workspace", "redrawn"),
    Artefact("Fig. 9", "acceleration of P, first trajectory", "redrawn", _CURVES),
    Artefact("Fig. 10", "force of drive 1, first trajectory", "redrawn", _CURVES),
    Artefact("Fig. 11", "force of drive 2, first trajectory", "redrawn", _CURVES),
    Artefact("Fig. 12", "acceleration of P, second trajectory", "redrawn", _CURVES),
    Artefact("Fig. 13", "force of drive 1, second trajectory", "redrawn", _CURVES),
    Artefact("Fig. 14", "force of drive 2, second trajectory", "redrawn", _CURVES),
    Artefact("Table 1", "geometry", "data", "`dualemps.yaml`, key mdh; rows 23, 24 read as fixed joints"),
    Artefact(
        "Table 2",
        "inertias and friction",
        "data",
        "`dualemps.yaml`; `dualemps_refined.yaml` moves three inside their digits",
    ),
    Artefact("Table 3", "natural frequencies: model, Adams, measured", "compared"),
)

CHOICES = (
    Choice("plane of motion", "(x0, z0), slides along z0; gravity normal to it", "“along z0” contradicts Table 1"),
    Choice("Table 1", "rows 23 and 24 are fixed joints (σ = 2); d10 to d12 are d23 to d25"),
    Choice("platform", "element 15, fixed to leg 1; links 16 and 17 hang on it, leg 2 ends in element 25"),
    Choice(
        "elastic links",
        "uniform beams 4 × 50 mm, 74 GPa, 2800 kg/m³, one cubic element each",
        "ρAL, not Table 2's rounded values",
    ),
    Choice("Table 2", "moments zz about the frame's origin"),
    Choice(
        "Coulomb friction",
        "smoothed with 1 mm/s and 1 mrad/s",
        "the paper's “sign” sticks and chatters, as it says itself",
    ),
    Choice("square", "0.25 m, ramps 0.2 s, 6.25 s an edge", "25 s in all; the figure is lost"),
    Choice("point P", "origin of link 17", "the accelerometer's place is not printed"),
)

PAPER = Paper(
    name="briot2014",
    short="Briot 2014",
    reference=(
        "S. Briot, W. Khalil, “Recursive and symbolic calculation of the elastodynamic model of flexible parallel "
        "robots”, 2014."
    ),
    subject="DualEMPS, a planar robot with three flexible links: natural frequencies, operations, two trajectories.",
    robots=("dualemps", "dualemps_refined", "dualemps_8"),
    view="briot2014_square",
    tour=Briot2014,
    artefacts=ARTEFACTS,
    transcription="tests/papers/briot2014.py, tests/papers/briot2014_body.py, tests/papers/briot2014_closed.py",
    choices=CHOICES,
)
