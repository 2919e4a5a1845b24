"""A scenario from the options of `gough simulate`."""

from typing import TYPE_CHECKING, Any

from gough.errors import UsageError
from gough.robot.errors import DescriptionError
from gough.robot.fields import number_fault
from gough.robot.reader import Mark, read
from gough.robot.units import UnitError, convert

if TYPE_CHECKING:
    from gough.robot import Robot
    from gough.simulation.control.law import Law
    from gough.simulation.scenarios.scenario import Scenario


def seconds(text: str | None, option: str) -> float | None:
    """A time from "0.01", "100us", "25 s"."""
    return quantity(text, option, ("time",), "a time in s, or with its unit: 100us, 1ms")


def quantity(text: str | None, option: str, dimensions: tuple[str, ...], wanted: str) -> float | None:
    """A positive number in SI units, or with a unit."""
    if text is None:
        return None
    value = signed(text, f"{option} {text!r}", dimensions)
    if value <= 0:
        raise UsageError(f"{option} {text!r}: not positive; give {wanted}")
    return value


def law(text: str) -> "Law":
    """A controller as it is written under `controller:` in a scenario."""
    from gough.simulation.scenarios.controller import controller_in

    document, problems = read(text, "--controller")
    found = None
    if not problems:
        found, problems = controller_in(document, getattr(document, "mark", Mark(1, "")), "--controller")
    if found is None:
        raise DescriptionError(problems)
    return found


def robot_with(name: str, smoothing: float | None) -> "Robot":
    """A robot by name or path, its Coulomb friction smoothed."""
    from gough.robot import load
    from gough.robot.changed_friction import change_friction

    return change_friction(load(name), smoothing=smoothing)


def scenario_of(robot: str | None, given: dict[str, Any]) -> "Scenario":
    """The scenario that the options say: that of --scenario, or an empty one, with the other options in place."""
    from gough.compilation import build
    from gough.simulation.motion.files import load_motion
    from gough.simulation.scenarios.files import load_scenario, scenario_names
    from gough.simulation.scenarios.scenario import Scenario

    as_described = given["smoothing"] == "described"
    width = None if as_described else given["smoothing"]
    smoothing = quantity(width, "--smoothing", ("speed", "angular speed"), "m/s and rad/s, or 'described'")
    if given["scenario"] is not None:
        made = load_scenario(given["scenario"], robot, allow_outside=bool(given.get("allow_outside")))
        if smoothing is not None:
            from gough.robot.changed_friction import change_friction

            made = made.with_(model=build(change_friction(made.model.robot, smoothing=smoothing)))
    elif robot is None:
        raise UsageError(f"give a ROBOT, or --scenario with a file or one of {', '.join(scenario_names())}")
    else:
        made = Scenario(build(robot_with(robot, smoothing)))
    changes: dict[str, Any] = {
        "motion": None if given["motion"] is None else load_motion(given["motion"], made.model),
        "controller": None if given["controller"] is None else law(given["controller"]),
        "duration": seconds(given["duration"], "--duration"),
        "step": seconds(given["step"], "--step"),
        "smoothing": "described" if as_described else None,
        **{name: given[name] for name in ("method", "tolerance", "rho_infinity", "every", "check", "estimate")},
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    return made.with_(**changes, start=_start(made, given), outputs=_outputs(made, given))


def _start(made: "Scenario", given: dict[str, Any]) -> Any:
    from gough.simulation.scenarios.scenario import Start

    if given["start"] not in (None, "static", "given"):
        raise UsageError(f"--start {given['start']!r}; use static or given")
    static = made.start.static if given["start"] is None else given["start"] == "static"
    at = named_values(given["at"], "--at", ("length", "angle"))
    rates = named_values(given["rate"], "--rate", ("speed", "angular speed"))
    return Start(static, {**made.start.coordinates, **at}, {**made.start.rates, **rates})


def _outputs(made: "Scenario", given: dict[str, Any]) -> Any:
    from gough.simulation.scenarios.scenario import Outputs

    old = made.outputs
    file, channels = given["out"] or old.file, tuple(given["channel"] or old.channels)
    if given["channel"] and file is None:
        raise UsageError("--channel goes with --out")
    said = ((old.file, given["out"]), (old.plot, given["plot"]))  # a place on the command line is the user's own word
    confined = tuple(path for path, own in said if own is None and path in old.confined and path is not None)
    return Outputs(file, channels, given["plot"] or old.plot, tuple(given["panel"] or old.panels), confined)


def named_values(texts: list[str] | None, option: str, dimensions: tuple[str, ...]) -> dict[str, float]:
    """{name: SI number} from NAME=VALUE, with or without a unit."""
    found = {}
    for text in texts or []:
        name, equals, value = text.partition("=")
        if not (name.strip() and equals and value.strip()):
            raise UsageError(f"{option} {text!r}; give NAME=VALUE")
        if name.strip() in found:
            raise UsageError(f"{option}: {name.strip()} is given twice")
        found[name.strip()] = signed(value.strip(), f"{option} {text!r}", dimensions)
    return found


def signed(text: str, where: str, dimensions: tuple[str, ...]) -> float:
    """A finite number in SI units, or with a unit."""
    try:
        value = float(text)
    except ValueError:
        try:
            value = convert(text, dimensions)
        except UnitError as error:
            raise UsageError(f"{where}: {error}") from None
    fault = number_fault(value, dimensions)
    if fault is not None:
        raise UsageError(f"{where}: {fault.message}")
    return value
