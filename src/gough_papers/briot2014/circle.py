"""The second trajectory of [Briot 2014, section 5]: the end-effector on a circle of 0.1 m at 0.2 m/s.

The slides are led as undeformed links would need it; the links then vibrate. One turn, at full speed from the first moment:
how the authors brought the robot onto the circle is not stated.
"""

from typing import TYPE_CHECKING

import numpy as np

from gough_papers.comparison import Comparison, equals
from gough_papers.finished import finished
from gough_papers.known import EXACT

if TYPE_CHECKING:
    from gough.simulation.results.run import Run
    from gough.simulation.scenarios.scenario import Scenario

MOTION = "briot2014_circle"
RADIUS, SPEED, CENTRE = 0.1, 0.20, (0.28, 0.90)
"""m, m/s, m (x0, z0), as printed."""
KNOTS = 201
ENERGY = 1e-3
"""Allowed error of the energy balance, of the energy exchanged, as for the square."""


def circle(scenario: "Scenario") -> "Run":
    """One turn with the model and the settings of the square."""
    from gough.simulation.motion.files import load_motion
    from gough.simulation.motions import spline, states_along

    model = scenario.model
    path = load_motion(MOTION, model)
    t = np.linspace(0.0, path.duration, KNOTS)
    drives = model.drives(states_along(model, path, t).q)
    drives[-1] = drives[0]
    led = {name: drives[:, k] for k, name in enumerate(model.layout.drive_names)}
    motion = spline(times=t, drives=led, degree=5, ends="periodic")
    return finished(scenario.with_(motion=motion, duration=path.duration, check="off"))


def comparisons(run: "Run") -> list[Comparison]:
    """With what the text says of the circle, and the balance of energy."""
    P = run["link17.pose"][:, :3]
    v = run["link17.twist"][:, :3]
    text = "[Briot 2014, section 5]"
    away = np.hypot(P[:, 0] - CENTRE[0], P[:, 2] - CENTRE[1])
    return [
        equals("circle: mean distance of P from the centre", away.mean(), RADIUS, "m", 5e-4, text, form=".5f"),
        equals("circle: mean speed of P", np.linalg.norm(v, axis=1).mean(), SPEED, "m/s", 5e-3, text, form=".4f"),
        equals(
            "circle: energy balance",
            run.summary()["energy_error"],
            0.0,
            "of the energy exchanged",
            ENERGY,
            EXACT,
            form=".1e",
        ),
    ]
