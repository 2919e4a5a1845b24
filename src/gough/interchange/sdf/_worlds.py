"""Which model of a file is the robot: those of a world that joints of the world tie together count as one."""

from dataclasses import dataclass, field

from gough.errors import UsageError
from gough.interchange.foreign import IN_SDF
from gough.interchange.sdf._files import SdfLibrary, refuse_include
from gough.interchange.sdf._joints import refuse_custom
from gough.interchange.sdf._scopes import SdfScope
from gough.interchange.sdf._values import SdfText, word_in
from gough.interchange.sdf._words import check_canonical, check_wind, check_words
from gough.interchange.xml import Element
from gough.robot.checks.suggestions import choice_of
from gough.robot.item import nearest

OF_MODEL = {"link", "joint", "frame", "model", "include", "pose", "static", IN_SDF}
QUIET = {"self_collide", "allow_auto_disable", "enable_wind"}
LEFT_OUT = {
    "actor": "actors are left out",
    "light": "lights are left out",
    "plugin": "plugins of the world are left out",
    "state": "the saved <state> is left out: links stand where the models put them",
    "road": "roads are left out",
    "population": "populations of models are left out",
    "wind": "wind is left out",
    "gripper": "grippers that stick by contact are left out",
}
SCENERY = {"scene", "gui", "physics", "atmosphere", "magnetic_field", "spherical_coordinates", "audio"}
SCENERY |= {"gravity", "name"}
STAGE = {"sun": "a light", "ground_plane": "a plane that stands still"}
"""Models of Gazebo that nearly every world includes, and what they are."""
IN_PHYSICS = (1, 5)
"""Up to this version <gravity> stands in <physics>, later in <world>."""


@dataclass
class Chosen:
    """The robot's models, everything nested in them first to last; around: the world, whose joints may tie them."""

    name: str
    scopes: list[SdfScope]
    around: list[SdfScope] = field(default_factory=list)
    gravity: tuple[float, float, float] = (0.0, 0.0, -9.81)


def choose_models(library: SdfLibrary, root: Element, text: SdfText, asked: str | None) -> Chosen | None:
    """The robot of a file; None where there is none, and it is refused."""
    worlds = root.all("world")
    if len(worlds) > 1:
        text.note(worlds[1], f"only the first of {len(worlds)} worlds is read")
    holder = worlds[0] if worlds else Element("world", {"name": "world"}, root.line, root.children)
    world = SdfScope((holder.get("name") or "world"), holder, text, is_world=True)
    missing = _fill_world(library, world, text, told=bool(worlds))
    gravity = _world_gravity(holder, text) if worlds else (0.0, 0.0, -9.81)
    groups = _groups(world)
    moving = [group for group in groups if any(not world.nested[name].static for name in group)]
    names = [name for group in moving for name in group if not world.nested[name].static]
    if asked is not None:
        group = next((g for g in groups if asked in g), None)
        if group is None and asked in missing:
            element, why = missing[asked]
            refuse_include(element, text, why)
            return None
        if group is None:
            raise UsageError(f"model of {text.file}: {asked!r} is not in the file; give {nearest(asked, names)}")
    else:
        jointed = [g for g in moving if any(_has_joints(world.nested[n]) for n in g) or len(g) > 1]
        group = moving[0] if len(moving) == 1 else jointed[0] if len(jointed) == 1 else None
        if group is None and moving:
            text.refuse(holder, f"{len(moving)} models that move", f"model=, {choice_of(names)}")
            return None
        if group is None:
            for element, why in missing.values():
                refuse_include(element, text, why)
            if not missing:
                text.refuse(holder, "no model that moves", "a <model> with links that is not static")
            return None
    for element, why in missing.values():
        text.note(element, f"{word_in(element, 'uri')[:120]!r} is left out: {why}")
    for name, scope in world.nested.items():
        if name not in group:
            scope.text.note(scope.element, f"model {name!r} is left out" + ("" if scope.static else ": see model="))
    world.settle()
    chosen = [world.nested[name] for name in group]
    if len(chosen) == 1:
        chosen[0].settle("", chosen[0].at)
    scopes = [inner for scope in chosen for inner in scope.walk()]
    for scope in scopes:
        _check_parts(scope)
    if worlds:
        check_words(world)
    first = next((name for name in group if not world.nested[name].static), group[0])
    return Chosen(asked or first, scopes, [_with_joints_of(world, group)], gravity)


def _fill_world(library: SdfLibrary, world: SdfScope, text: SdfText, told: bool) -> dict[str, tuple[Element, str]]:
    """Read the models of a world; {name: (include, why it is not there)} of those that were not found."""
    missing: dict[str, tuple[Element, str]] = {}
    for child in world.element.children:
        if child.tag == "include":
            found = library.locate(child, text)
            if isinstance(found, str):
                called = word_in(child, "uri").rstrip("/").rpartition("/")[2]
                if called.lower() in STAGE:
                    text.note(child, f"{word_in(child, 'uri')[:120]!r}, {STAGE[called.lower()]}, is left out")
                else:
                    missing[word_in(child, "name") or called] = child, found
                continue
            opened = library.open(found)
            if opened is not None and not opened[0].all("model"):
                text.note(child, f"{word_in(child, 'uri')[:120]!r}, which is no model, is left out")
                continue
            made = library.read_include(child, text)
            if made is None:
                continue
            scope, merged = made
            if merged:
                text.note(child, "a model that is merged into the world is a model of its own")
        elif child.tag == "model":
            scope = library.read_scope(child, text)
        else:
            if child.tag in LEFT_OUT:
                text.note(child, LEFT_OUT[child.tag])
            elif child.tag not in SCENERY | {"joint", "frame", "world"}:
                refuse_custom(world, child)
            continue
        if scope.name in world.nested:
            text.refuse(child, f"a second model {scope.name!r}", "names that stand once in a world")
        else:
            world.nested[scope.name] = scope
    if told:
        world.add_frames()
    return missing


def _has_joints(scope: SdfScope) -> bool:
    return any(f.kind == "joint" for inner in scope.walk() for f in inner.frames.values())


def _groups(world: SdfScope) -> list[list[str]]:
    """Names of models, those that joints of the world tie together in one list, in the file's order."""
    group: dict[str, str] = {name: name for name in world.nested}

    def root(name: str) -> str:
        while group[name] != name:
            name = group[name]
        return name

    for frame in world.frames.values():
        if frame.kind == "joint":
            ends = [end for end in _models_at(world, frame.element) if end is not None]
            if len(ends) == 2:
                group[root(ends[1])] = root(ends[0])
    found: dict[str, list[str]] = {}
    for name in world.nested:
        found.setdefault(root(name), []).append(name)
    return list(found.values())


def _with_joints_of(world: SdfScope, group: list[str]) -> SdfScope:
    """The world with those joints alone that hold the robot."""

    for name, frame in list(world.frames.items()):
        if frame.kind == "joint" and not set(group) & set(_models_at(world, frame.element)):
            del world.frames[name]
    return world


def _models_at(world: SdfScope, joint: Element) -> list[str | None]:
    """The models at both ends of a joint of the world; None for the world itself."""
    found: list[str | None] = []
    for tag in ("parent", "child"):
        end = world.link_of(word_in(joint, tag) or "world", joint)
        owners = () if end is None else (n for n, s in world.nested.items() if any(end[0] is i for i in s.walk()))
        found.append(next(iter(owners), None))
    return found


def _world_gravity(world: Element, text: SdfText) -> tuple[float, float, float]:
    physics, element = world.child("physics"), world.child("gravity")
    inside = None if physics is None else physics.child("gravity")
    if inside is not None and text.version > IN_PHYSICS:
        version = ".".join(str(part) for part in text.version)
        words = f"<gravity> of <physics> is of SDF 1.5 and older and left out in {version}"
        text.note(inside, f"{words}; <gravity> of <world> counts, and without it 0 0 -9.8")
    elif element is None:
        element = inside
    found = None if element is None else text.vector(element)
    return (0.0, 0.0, -9.8) if found is None else found


def _check_parts(scope: SdfScope) -> None:
    check_words(scope)
    check_canonical(scope)
    check_wind(scope.text, scope.element)
    for child in scope.element.children:
        if child.tag in LEFT_OUT and child.tag != "plugin":
            scope.text.note(child, LEFT_OUT[child.tag])
        elif child.tag not in OF_MODEL | QUIET | LEFT_OUT.keys():
            refuse_custom(scope, child)
