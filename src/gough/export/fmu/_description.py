"""The texts beside the code: modelDescription.xml of both versions, how sources are built, terminals, a page about the model."""

from collections.abc import Iterable, Sequence
from html import escape

from gough.export.fmu._programs import POSE, TWIST
from gough.export.fmu._subject import FmuSubject
from gough.export.fmu._units import exponents
from gough.export.fmu._variables import LOAD, Variable, Variables

HEAD = '<?xml version="1.0" encoding="UTF-8"?>'


def _tag(element: str, /, *children: str, **given: object) -> str:
    """An element; attributes that are None are left out, a trailing _ of their names too."""
    words = [f'{key.rstrip("_")}="{escape(_word(value))}"' for key, value in given.items() if value is not None]
    head = " ".join([element, *words])
    if not children:
        return f"<{head}/>"
    inner = "\n".join("  " + line for child in children for line in child.split("\n"))
    return f"<{head}>\n{inner}\n</{element}>"


def _word(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def _units(variables: Iterable[Variable]) -> list[str]:
    """Definitions of the units that are used."""
    out = []
    for unit in sorted({x.unit for x in variables if x.unit}):
        found = exponents(unit)
        if found is not None:
            out.append(_tag("Unit", _tag("BaseUnit", **found), name=unit))
    return out


def _unit(x: Variable) -> str | None:
    return x.unit if x.unit and exponents(x.unit) is not None else None


def description(
    subject: FmuSubject, variables: Variables, name: str, version: str, token: str, sources: Sequence[str], tool: str
) -> str:
    """Text of modelDescription.xml. sources: that are compiled."""
    make = _version2 if version == "2.0" else _version3
    return f"{HEAD}\n{make(subject, variables, name, token, sources, tool)}\n"


def _about(subject: FmuSubject) -> str:
    how = {"forces": "drives push", "motions": "drives have accelerations", "": "moved by a law of its own"}[
        subject.drives
    ]
    title = subject.model.robot.title or subject.model.robot.name
    return f"{title}; {how}"


def _version3(
    subject: FmuSubject, variables: Variables, name: str, token: str, sources: Sequence[str], tool: str
) -> str:
    derivatives = subject.derivatives and not subject.coupled
    both = {
        "modelIdentifier": name,
        "canGetAndSetFMUState": True,
        "canSerializeFMUState": True,
        "providesDirectionalDerivatives": derivatives,
        "providesAdjointDerivatives": derivatives,
    }
    own = []
    for x in variables.all:
        start = None if x.start is None else x.start
        own.append(
            _tag(
                "Float64",
                name=x.name,
                valueReference=x.reference,
                description=x.text,
                causality=x.causality,
                variability="fixed" if x.causality == "parameter" else "continuous",
                initial=_initial(x),
                unit=_unit(x),
                nominal=x.nominal,
                derivative=x.of,
                start=start,
            )
        )
    structure = [_tag("Output", valueReference=x.reference) for x in variables.all if x.causality == "output"]
    structure += [_tag("ContinuousStateDerivative", valueReference=x.reference) for x in variables.derivatives]
    structure += [_tag("InitialUnknown", valueReference=x.reference) for x in _unknown(variables)]
    return _tag(
        "fmiModelDescription",
        _tag("ModelExchange", **both, needsCompletedIntegratorStep=True),
        _tag(
            "CoSimulation",
            **both,
            canHandleVariableCommunicationStepSize=True,
            fixedInternalStepSize=subject.step,
            maxOutputDerivativeOrder=0,
            hasEventMode=False,
        ),
        _tag("UnitDefinitions", *_units(variables.all)),
        _tag("LogCategories", *_categories()),
        _tag("DefaultExperiment", startTime=0.0, stopTime=1.0, tolerance=1e-8, stepSize=subject.step),
        _tag("ModelVariables", *own),
        _tag("ModelStructure", *structure),
        fmiVersion="3.0",
        modelName=subject.model.robot.name,
        instantiationToken=token,
        description=_about(subject),
        generationTool=tool,
        variableNamingConvention="flat",
    )


def _version2(
    subject: FmuSubject, variables: Variables, name: str, token: str, sources: Sequence[str], tool: str
) -> str:
    both = {
        "modelIdentifier": name,
        "canGetAndSetFMUstate": True,
        "canSerializeFMUstate": True,
        "providesDirectionalDerivative": subject.derivatives and not subject.coupled,
    }
    files = _tag("SourceFiles", *(_tag("File", name=file) for file in sources))
    own = []
    for x in variables.all[1:]:  # without time, which importers know; so that an index is a value reference
        real = _tag(
            "Real",
            unit=_unit(x),
            nominal=x.nominal,
            start=x.start,
            derivative=x.of,
        )
        own.append(
            _tag(
                "ScalarVariable",
                real,
                name=x.name,
                valueReference=x.reference,
                description=x.text,
                causality=x.causality,
                variability="fixed" if x.causality == "parameter" else "continuous",
                initial=_initial(x),
            )
        )
    outputs = [_tag("Unknown", index=x.reference) for x in variables.all if x.causality == "output"]
    rates = [_tag("Unknown", index=x.reference) for x in variables.derivatives]
    unknown = [_tag("Unknown", index=x.reference) for x in _unknown(variables)]
    parts = [("Outputs", outputs), ("Derivatives", rates), ("InitialUnknowns", unknown)]
    return _tag(
        "fmiModelDescription",
        _tag("ModelExchange", files, **both),
        _tag("CoSimulation", files, **both, canHandleVariableCommunicationStepSize=True),
        _tag("UnitDefinitions", *_units(variables.all)),
        _tag("LogCategories", *_categories()),
        _tag("DefaultExperiment", startTime=0.0, stopTime=1.0, tolerance=1e-8, stepSize=subject.step),
        _tag("ModelVariables", *own),
        _tag("ModelStructure", *(_tag(key, *children) for key, children in parts if children)),
        fmiVersion="2.0",
        modelName=subject.model.robot.name,
        guid=token,
        description=_about(subject),
        generationTool=tool,
        variableNamingConvention="flat",
        numberOfEventIndicators=0,
    )


def _categories() -> list[str]:
    return [
        _tag("Category", name="logStatusError", description="what was asked for wrongly, or cannot be"),
        _tag("Category", name="logStatusDiscard", description="states and steps that cannot be computed"),
    ]


def _initial(x: Variable) -> str | None:
    if x.causality in ("input", "independent"):
        return None
    return "exact" if x.start is not None else "calculated"


def _unknown(variables: Variables) -> list[Variable]:
    """What is calculated at the begin: outputs, then rates of states."""
    outputs = [x for x in variables.all if x.causality == "output"]
    return [*outputs, *variables.derivatives]


def build_description(name: str, sources: Sequence[str]) -> str:
    """Text of sources/buildDescription.xml, of version 3.0."""
    files = _tag("SourceFileSet", *(_tag("SourceFile", name=file) for file in sources), language="C99")
    library = _tag("Library", name="m", external=True)
    made = _tag(
        "fmiBuildDescription", _tag("BuildConfiguration", files, library, modelIdentifier=name), fmiVersion="3.0"
    )
    return f"{HEAD}\n{made}\n"


def terminals(subject: FmuSubject, variables: Variables) -> str:
    """Text of terminalsAndIcons.xml, of version 3.0: a terminal a drive, one a frame."""
    names = {x.name: x for x in variables.all}
    out = []
    for drive in subject.names:
        out.append(
            _terminal(
                f"drive {drive}",
                names,
                {key: f"{drive}.{key}" for key in ("force", "acceleration", "position", "velocity")},
            )
        )
    frames = dict.fromkeys(
        (*subject.frames, *(f or subject.model.mechanism.platform.name for f in subject.plant.wrenches.frames))
    )
    for frame in frames:
        members = {axis: f"frame.{frame}.{axis}" for axis in (*POSE, *TWIST)}
        out.append(_terminal(f"frame {frame}", names, members | {axis: f"load.{frame}.{axis}" for axis, _ in LOAD}))
    made = _tag("fmiTerminalsAndIcons", *([_tag("Terminals", *out)] if out else []), fmiVersion="3.0")
    return f"{HEAD}\n{made}\n"


def _terminal(name: str, names: dict[str, Variable], members: dict[str, str]) -> str:
    own = [
        _tag("TerminalMemberVariable", variableName=variable, memberName=member, variableKind="signal")
        for member, variable in members.items()
        if variable in names
    ]
    return _tag("Terminal", *own, name=name, matchingRule="plug", terminalKind="gough")


def page(subject: FmuSubject, variables: Variables, name: str, tool: str) -> str:
    """Text of documentation/index.html."""
    rows = "\n".join(
        f"<tr><td>{escape(x.name)}</td><td>{x.causality}</td><td>{escape(x.unit)}</td><td>{escape(x.text)}</td></tr>"
        for x in variables.all
    )
    compile_it = f"cc -std=c99 -O2 -fPIC -shared -I sources sources/*.c -lm -o {name}.so"
    return (
        f"<!DOCTYPE html>\n<html><head><meta charset='utf-8'><title>{escape(subject.model.robot.name)}</title></head><body>\n"
        f"<h1>{escape(_about(subject))}</h1>\n<p>Made by {escape(tool)}. Co-Simulation: {subject.method.name} with steps of "
        f"{subject.step:g} s. SI units, world axes. Compile the sources: <code>{compile_it}</code>, without -ffast-math.</p>\n"
        f"<table>\n{rows}\n</table>\n</body></html>\n"
    )
