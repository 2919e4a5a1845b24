"""A scenario from the options of `gough simulate`."""

from typing import TYPE_CHECKING, Any

from gough.errors import UsageError
from gough.robot.errors import DescriptionError
from gough.robot.fields import expectation, number_fault
from gough.robot.reader import Mark, read
from gough.robot.units import UnitError, convert, demand_fit

if TYPE_CHECKING:
    from gough.model import Model
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


def law(text: str, model: "Model") -> "Law":
    """A controller for a robot as it is written under `controller:` in a scenario."""
    from gough.simulation.scenarios.controller import controller_in

    document, problems = read(text, "--controller")
    found = None
    if not problems:
        found, problems = controller_in(document, getattr(document, "mark", Mark(1, "")), "--controller", model)
    if found is None:
        raise DescriptionError(problems)
    return found


def robot_with(name: str, smoothing: float | tuple[float, float] | None) -> "Robot":
    """A robot by name or path, its Coulomb friction smoothed."""
    from gough.robot import load
    from gough.robot.friction import change_friction

    return change_friction(load(name), smoothing=smoothing)


def scenario_of(robot: str | None, given: dict[str, Any]) -> "Scenario":
    """The scenario that the options say: that of --scenario, or an empty one, with the other options in place."""
    from gough.model import build
    from gough.simulation.motion.files import load_motion
    from gough.simulation.scenarios.files import load_scenario, scenario_names
    from gough.simulation.scenarios.scenario import Scenario

    as_described = given["smoothing"] == "described"
    smoothing = None if as_described else _widths(given["smoothing"])
    if given["scenario"] is not None:
        made = load_scenario(given["scenario"], robot, allow_outside=bool(given.get("allow_outside")))
        if smoothing is not None:
            from gough.robot.friction import change_friction

            made = made.with_(model=build(change_friction(made.model.robot, smoothing=smoothing)))
    elif robot is None:
        raise UsageError(f"give a ROBOT, or --scenario with a file or one of {', '.join(scenario_names())}")
    else:
        made = Scenario(build(robot_with(robot, smoothing)))
    changes: dict[str, Any] = {
        "motion": None if given["motion"] is None else load_motion(given["motion"], made.model),
        "controller": None if given["controller"] is None else law(given["controller"], made.model),
        "duration": seconds(given["duration"], "--duration"),
        "step": seconds(given["step"], "--step"),
        "smoothing": "described" if as_described else None,
        **{name: given[name] for name in ("method", "tolerance", "rho_infinity", "every", "check", "estimate")},
    }
    changes = {name: value for name, value in changes.items() if value is not None}
    return made.with_(**changes, start=_start(made, given), outputs=_outputs(made, given))


def _widths(text: str | None) -> float | tuple[float, float] | None:
    """Smoothing of Coulomb friction from "1e-3", "1 mm/s", or "1 mm/s, 2 mrad/s" of joints that slide and that turn."""
    wanted = "m/s and rad/s, or two (1 mm/s, 2 mrad/s) of joints that slide and that turn, or 'described'"
    parts = [] if text is None else text.split(",")
    kinds: list[tuple[str, ...]] = [("speed", "angular speed")] if len(parts) == 1 else [("speed",), ("angular speed",)]
    if len(parts) > 2:
        raise UsageError(f"--smoothing {text!r}: give {wanted}")
    found = [quantity(part.strip(), "--smoothing", kind, wanted) for part, kind in zip(parts, kinds, strict=False)]
    widths = tuple(width for width in found if width is not None)
    return (widths[0], widths[1]) if len(widths) == 2 else widths[0] if widths else None


def _start(made: "Scenario", given: dict[str, Any]) -> Any:
    from gough.kinematics.leading import coordinate_units
    from gough.simulation.scenarios.scenario import Start, rate_units

    if given["start"] not in (None, "static", "given"):
        raise UsageError(f"--start {given['start']!r}; use static or given")
    static = made.start.static if given["start"] is None else given["start"] == "static"
    at = named_values(given["at"], "--at", ("length", "angle"))
    rates = named_values(given["rate"], "--rate", ("speed", "angular speed"))
    demand_fit(at, coordinate_units(made.model), "--at")
    demand_fit(rates, rate_units(made.model), "--rate")
    return Start(static, {**made.start.coordinates, **at}, {**made.start.rates, **rates})


def _outputs(made: "Scenario", given: dict[str, Any]) -> Any:
    from gough.simulation.scenarios.scenario import Outputs

    old = made.outputs
    file, channels = given["out"] or old.file, tuple(given["channel"] or old.channels)
    if given["channel"] and file is None:
        raise UsageError("--channel goes with --out: the scenario writes no file")
    if given["panel"] and given["plot"] is None and old.plot is None:
        raise UsageError("--panel goes with --plot: the scenario draws nothing")
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
            raise UsageError(f"{option} {text!r}: {name.strip()} is given twice; leave one out")
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
            raise UsageError(
                f"{where}: {error}; give {expectation(dimensions)}, or a plain number in SI units"
            ) from None
    fault = number_fault(value, dimensions)
    if fault is not None:
        raise UsageError(f"{where}: {fault.message}")
    return value
