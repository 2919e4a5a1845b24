"""The drive forces of a run as a motion that another run can replay."""

from dataclasses import replace

from gough.arguments import a_run, checked
from gough.errors import warn
from gough.simulation.control.replay import forces
from gough.simulation.motion.motion import Motion
from gough.simulation.results.run import Run


@checked(run=a_run)
def forces_of(run: Run) -> Motion:
    """The drive forces of a run as a motion of kind "forces" that starts where the run did.

    Between stored states by cubic splines (for a run with sampled forces as they were held): of fourth order in the spacing.
    """
    made = forces(
        run.time - run.time[0],
        run.tau,
        held=run.tau_held,
        names=run.layout.drive_names,
        units=run.layout.drive_units,
    )
    return replace(made, first=(run.q[0].copy(), run.v[0].copy()))


def replay(run: Run) -> Motion:
    """The old name of `forces_of`."""
    warn("gough.laws.replay is called gough.laws.forces_of now", DeprecationWarning)
    return forces_of(run)
