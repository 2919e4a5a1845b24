"""[Pedrammehr 2012]: what its figures are, and where they stand in the report."""

from gough_papers.paper import Artefact, Choice, Paper
from gough_papers.pedrammehr2012.tour import Pedrammehr2012

_OURS = "with our axes; the curves are in no text"

ARTEFACTS = (
    Artefact("Fig. 1", "the platform and the vectors of a pod", "drawing"),
    Artefact("Fig. 2", "kinematics of the universal joint", "drawing"),
    Artefact("Fig. 3", "free body of a pod", "drawing"),
    Artefact("Fig. 4", "free body of the platform", "drawing"),
    Artefact(
        "Fig. 5",
        "path 1, angular velocities of the pods",
        "redrawn",
        f"{_OURS}; no spin with them, the paper has some in pods 3, 4, 5",
    ),
    Artefact("Fig. 6", "path 1, angular accelerations of the pods", "redrawn", _OURS),
    Artefact("Fig. 7", "path 2, angular velocities of the pods", "redrawn", _OURS),
    Artefact("Fig. 8", "path 2, angular accelerations of the pods", "redrawn", _OURS),
    Artefact("Fig. 9", "path 2, forces of the pods by both models", "redrawn", f"{_OURS}; corrected equations"),
    Artefact("Fig. 10", "path 3, forces of the pods by both models", "redrawn", f"{_OURS}; corrected equations"),
    Artefact(
        "Appendix 2",
        "data of the robot and of three paths",
        "data",
        "`pedrammehr2012.yaml`; there are no numbered tables",
    ),
)

CHOICES = (
    Choice("fixed axis u of the universal joints", "base x", "base y or tangential: forces change by 297–465 N"),
    Choice("sense of v", "v = (u × n)/|u × n|", "v = n × u: up to 692 N"),
    Choice("axes of the mass-centre and inertia data", "T = [n, v, n × v]", "follows v"),
    Choice("gravity", "9.81 m/s² along −z"),
    Choice("reference of the tensors", "mass centres", "see eqs. 32–33 and 50"),
    Choice("path 1", "constant velocity, 0.5 m in 6 s", "a trapezoid with the printed 0.08 m/s needs 6.25 s"),
    Choice(
        "paths 2 and 3",
        "ramps of 2.4645 s and 1.0 s (path 3: a tenth) for translation and rotation",
        "both reach the printed speeds",
    ),
    Choice("samples", "t = (k + ½) T/601", "forces jump at the ends of ramps; no sample falls on a jump"),
)

PAPER = Paper(
    name="pedrammehr2012",
    short="Pedrammehr 2012",
    reference=(
        "S. Pedrammehr, M. Mahboubkhah, N. Khani, “Improved dynamic equations for the generally configured Stewart platform "
        "manipulator”, 2012."
    ),
    subject="A general 6-UPS robot: true kinematics of the universal joint, joint friction, forces on three paths.",
    robots=("pedrammehr2012",),
    view="pedrammehr2012_path3",
    tour=Pedrammehr2012,
    artefacts=ARTEFACTS,
    transcription="tests/papers/pedrammehr2012.py, tests/papers/pedrammehr2012_closed.py",
    choices=CHOICES,
    live={
        "parallel-axis terms in I_d, I_u": "parallel axes, pods",
        "parallel-axis term in I_p": "parallel axis, platform",
        "− ω_u ω_v": "sign of the spin",
    },
)
