"""What shows that (42) and (43) of [Pedrammehr 2012] lose terms, without a force of ours: symmetry, and pods that need none."""

import numpy as np

from gough import Run
from gough_papers.comparison import Demonstration, Origin, equals, exact, rounding
from gough_papers.pedrammehr2012.closed import closed_form_forces, closed_form_mass_matrix, plain_pods
from gough_papers.pedrammehr2012.pods import Pods, Switches, pod_forces
from gough_papers.section import ReportSection

LOST = Switches(eq42=False)
"""(42) and (43) without what they lose, all else corrected."""


def check_closed_form(section: ReportSection, pods: Pods, run: Run) -> None:
    """At the states of a run with `pods`' own axes."""
    pose = run.q[:, :7]
    library = run.model.mass_matrix(run.q)
    right, printed = (closed_form_mass_matrix(pods, pose, do) for do in (Switches(), LOST))
    largest = float(np.abs(library).max())
    what, why = "path 3, M of (48), (51), corrected: M - Mᵀ, of max |M|", "M is compared with the library's, symmetric"
    section.demonstrations.append(Demonstration(what, f"{_asymmetry(right) / largest:.1e}", why))
    apart = float(np.abs(right - library).max()) / largest
    what, origin = "path 3, M of (48), (51), corrected, minus the library's", Origin("transcription", "(42), corrected")
    section.comparisons.append(equals(what, apart, 0.0, "of max |M|", rounding(1e-12), origin, form=".1e"))
    plain = plain_pods(pods)
    direct = pod_forces(plain, pose, run.v, run.acceleration).f
    apart = np.abs(closed_form_forces(plain, pose, run.v, run.acceleration, LOST) - direct).max() / np.abs(direct).max()
    what = "path 3, plain pods: (42)–(43) without the lost terms minus direct route"
    origin = exact("they lose nothing there")
    section.comparisons.append(equals(what, apart, 0.0, "of max |f|", rounding(1e-12), origin, form=".1e"))
    section.said.append(
        "† and (25) corrected, (42) and (43) are right for plain pods, whose axis is principal and holds the mass centres. Those "
        "of Appendix 2 are not such: the matrix M before (Ẍ, α) in (48) and (51) is then not symmetric. M - Mᵀ has "
        f"{_asymmetry(printed):.2g}, the largest entry of M being {largest:.3g} (kg, kg m, kg m²); with what is lost it is "
        "symmetric, and is the library's."
    )


def _asymmetry(M: np.ndarray) -> float:
    return float(np.abs(M - np.swapaxes(M, -1, -2)).max())
