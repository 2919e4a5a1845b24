"""The names of a program's inputs that a call was given: which are missing, and which nobody knows."""

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from gough.errors import UsageError

NOTHING = {
    "wrench": "zeros where no load acts",
    "force": "zeros where nothing pushes",
    "tau": "zeros where no drive acts",
    "v": "zeros at rest",
    "acceleration": "zeros at even speed",
    "vdot": "zeros at even speed",
    "parameters": "model.parameters: the description's own",
}
"""What an input is where one has nothing to say of it."""
CHANGE = "d_"
"""Before the name of an input: of a jvp, how it changes."""


def demand_inputs(call: str, shapes: Mapping[str, tuple[int, ...]], given: Iterable[str]) -> None:
    """UsageError where the names given are not those of the inputs {name: shape}: which are missing, which nobody knows."""
    given = list(given)
    missing = [name for name in shapes if name not in given]
    problems = []
    for name in (name for name in given if name not in shapes):
        near = get_close_matches(name, missing or list(shapes), 1)
        problems.append(f"no input {name!r}" + (f" (did you mean {near[0]!r}?)" if near else ""))
        missing = [other for other in missing if other not in near]
    for name in missing:
        meaning = "zeros where it does not change" if name.startswith(CHANGE) else NOTHING.get(name, "")
        problems.append(f"{name} {_shape(shapes[name])} is missing" + (f" ({meaning})" if meaning else ""))
    if problems:
        known = ", ".join(f"{name} {_shape(shape)}" for name, shape in shapes.items())
        raise UsageError(f"{call}: {'; '.join(problems)}. It takes {known or 'no inputs'}")


def _shape(shape: tuple[int, ...]) -> str:
    return f"({', '.join(['...', *map(str, shape)])})"
