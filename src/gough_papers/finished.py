"""Runs that are compared are whole, or ended by themselves."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from gough.simulation.results.run import Run
    from gough.simulation.scenarios.scenario import Scenario


def finished(scenario: "Scenario") -> "Run":
    """The scenario's run. A run keeps what it has when the user breaks it off; nothing can be compared then, so
    KeyboardInterrupt goes on."""
    run = scenario.run()
    if run.stopped.startswith("interrupted"):
        raise KeyboardInterrupt
    return run
