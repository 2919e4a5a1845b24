"""Where all links are: what a drawing needs.

Computes  position and rotation of every link in the world, massless ones and frames tied to flexible bodies included.
Frames    results in world axes; a link's axes are the description's (see Link.to_user), a tied frame's those of its body.
"""

from typing import Any

import numpy as np

from gough.dynamics.numbers import Numbers
from gough.dynamics.posture import Posture
from gough.structure import WORLD

Vector = np.ndarray


def link_poses(numbers: Numbers, q: Vector) -> dict[str, Any]:
    """positions (links, 3) and rotations (3 links, 3), one below the other.

    No loop has to be closed, so that what is wrong can be drawn too.
    """
    posture = Posture(numbers, q, gravity=False)
    p = [np.full(3, 0.0, dtype=object)]  # the world's comes first, so that links shift by one
    R = [np.array(np.eye(3), dtype=object)]
    for step in posture.steps:
        above = step.link.parent - WORLD
        turned = R[above] @ step.place_R
        turned = turned if step.turn is None else turned @ step.turn
        origin = p[above] + R[above] @ step.place_p
        p.append(origin if step.slide is None else origin + turned @ step.slide)
        R.append(turned)
    turned = [rotation @ link.to_user.T for rotation, link in zip(R[1:], posture.mechanism.links, strict=True)]
    return {"positions": np.array(p[1:], dtype=object), "rotations": np.concatenate(turned)}
