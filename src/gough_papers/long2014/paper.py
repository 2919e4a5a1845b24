"""[Long 2014]: what its figures and tables are, and where they stand in the report."""

from gough_papers.long2014.choices import CHOICES
from gough_papers.long2014.tour import Long2014
from gough_papers.paper import Artefact, Paper

_OURS = "our poses: the paper's numbers are in no text; judged by what the text says of it"

ARTEFACTS = (
    Artefact("Fig. 1", "the manipulator", "drawing"),
    Artefact("Fig. 2", "forces and vectors of the platform, boundary conditions", "drawing"),
    Artefact(
        "Fig. 3",
        "signal flow of the simulation",
        "drawing",
        "its loop is run below with feedback, and replayed without",
    ),
    Artefact("Fig. 4", "forces of the prismatic joints", "redrawn", _OURS),
    Artefact(
        "Fig. 5", "accelerations by the direct model, and their differences from the wanted ones", "redrawn", _OURS
    ),
    Artefact("Fig. 6", "linear and angular deformation at the platform's origin", "redrawn", _OURS),
    Artefact("Fig. 7", "deformation at the attachment points", "redrawn", _OURS),
    Artefact("Table 1", "geometry of a leg", "data", "`long2014.yaml`, key mdh; with our γ_i and d_1i"),
    Artefact("Table 2", "frequencies, stiffnesses and damping of the plate's modes", "compared"),
    Artefact(
        "Table 3", "inertial parameters of the legs", "data", "`long2014.yaml`; some central tensors are not physical"
    ),
    Artefact("Table 4", "base points and initial joint values", "compared"),
)

PAPER = Paper(
    name="long2014",
    short="Long 2014",
    reference="P. Long, W. Khalil, P. Martinet, “Dynamic modeling of parallel robots with flexible platforms”, 2014.",
    subject="A Gough–Stewart robot whose platform is a flexible plate with ten modes: inverse and direct model, simulation.",
    robots=("long2014", "long2014_rigid"),
    view="long2014_poses",
    tour=Long2014,
    artefacts=ARTEFACTS,
    transcription="tests/papers/long2014.py, tests/papers/long2014_flexible.py",
    choices=CHOICES,
    live={
        "weight in v̇ − g and again in c_r": "weight twice",
        "g as it stands": "weight not turned",
        "tensors taken at the mass centres": "centres",
        "v̇_p as the rate of the components of v_p in Σ_p": "rate of components",
        "IA in kg m² left out": "no rotor",
    },
)
