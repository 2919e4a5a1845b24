"""One factor for all of a flexible body's stiffness: beams, plates, meshes, modal data and matrices from files alike.

Shapes stay as they are when stiffness as a whole is multiplied. Damping follows as the description says it: ratios of modes stay
ratios, Rayleigh's β K grows with K, what a file states stays.
"""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

import numpy as np

from gough.errors import UsageError
from gough.structure.changing.names import names_meant
from gough.structure.elastic.bending_body import BendingBody, bending_bodies

if TYPE_CHECKING:
    from gough.model import Model

Array = np.ndarray
FACTOR = ".stiffness_factor"


def is_stiffness_factor(model: "Model", name: str) -> bool:
    """Whether a name is one of factors of stiffness, and no parameter or variable."""
    return name.endswith(FACTOR) and name not in model.parameter_names and name not in model.variables.names


def nearest_name(model: "Model", name: str) -> str:
    """What may have been meant by a name that nothing has, "; did you mean 'rod.M'?"; "" where nothing is near."""
    body, _, last = name.rpartition(".")
    bent = f"{body}{FACTOR}" if body and get_close_matches(last, [FACTOR[1:]], 1, 0.8) else ""
    near = [bent] if bent else get_close_matches(name, [*model.parameter_names, *model.variables.names], 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def scale_stiffness(model: "Model", factors: Mapping[str, Array], others: Sequence[str], designs: Array) -> None:
    """Multiply stiffness in designs (runs, n) by {name: (runs,)}. others: names of what else varies."""
    known = bending_bodies(model.robot, model.mechanism.links, model.parameters)
    taken = dict[str, str]()
    for name, values in factors.items():
        meant = [x.removesuffix(FACTOR) for x in names_meant(name, [body + FACTOR for body in known])]
        if not meant:
            told = ", ".join(known) if known else "none"
            raise UsageError(f"{model.robot.name} has no flexible body for {name!r}; its flexible bodies: {told}")
        if not (values > 0).all():
            raise UsageError(
                f"{name}: {values.min():.4g} for a factor, which is above 0; take within or uniform, which have bounds, or a "
                "smaller deviation"
            )
        for body in meant:
            if body in taken:
                raise UsageError(f"{body}{FACTOR} varies twice, by {taken[body]!r} and by {name!r}; leave one out")
            taken[body] = name
            _demand_own(model, known[body], others)
            known[body].scale_stiffness(designs, values)


def _demand_own(model: "Model", body: BendingBody, others: Sequence[str]) -> None:
    """UsageError where numbers that the factor multiplies are given, too, or what damping they follow by is not known."""
    own = {model.parameter_names[k] for k in (*body.springs, *body.dampers)}
    clash = own.intersection(others)
    if clash:
        raise UsageError(f"{min(clash)} and {body.name}{FACTOR}, which multiplies it, both vary; leave one out")
    dampers = {model.parameter_names[k] for k in body.dampers}
    moving = [n for n in others if n in model.variables.names and dampers.intersection(model.moved_parameters(n))]
    if moving and "damping.beta" in body.values:
        raise UsageError(
            f"the damping of {body.name}, Rayleigh's, follows {moving[0]}, and its part that stiffness makes follows "
            f"{body.name}{FACTOR}: vary one of the two"
        )
