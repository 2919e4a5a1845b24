"""Which bodies of a stage are the robot: those that joints tie together, without what else lies about."""

from gough.errors import UsageError
from gough.interchange.foreign import WORLD
from gough.interchange.usd._bodies import BodiesRead, UsdBody
from gough.interchange.usd._joints import KINDS, find_ends
from gough.interchange.usd._stage import UsdReading
from gough.robot.checks.suggestions import choice_of


def choose_bodies(reading: UsdReading, bodies: BodiesRead, asked: str | None) -> tuple[str, list[UsdBody]] | None:
    """(the robot's name, its bodies in the stage's order); None where it is refused."""
    every = list(bodies.bodies.values())
    if not every:
        reading.refuse(None, "no rigid body that moves", "prims with PhysicsRigidBodyAPI")
        return None
    default = reading.stage.GetDefaultPrim()
    name = default.GetName() if default else every[0].name
    if asked is not None:
        below = [
            body
            for path, body in bodies.bodies.items()
            if path == asked or path.startswith(asked.rstrip("/") + "/") or asked in path.strip("/").split("/")
        ]
        if not below:
            names = list(bodies.bodies)[:20]
            raise UsageError(
                f"model of {reading.file}: no body below {asked!r}; give a prim above a body: {choice_of(names)}"
            )
        return asked.rpartition("/")[2] or asked, below
    pairs = _ends(reading, bodies)
    groups = _groups(pairs, bodies)
    held = {name for pair in pairs if WORLD in pair for name in pair if name != WORLD}
    jointed = [group for group in groups if len(group) > 1 or group[0].name in held]
    if len(groups) > 1 and len(jointed) != 1:
        heads = [str((group[0]).prim.GetPath()) for group in (jointed or groups)]
        if jointed and _one_root(reading) is not None:
            return name, [body for group in jointed for body in group]
        reading.refuse(None, f"{len(heads)} robots", f"model=, a prim above a body: {choice_of(heads)}")
        return None
    taken = jointed[0] if jointed else groups[0]
    for group in groups:
        if group is not taken:
            reading.note(group[0].prim, "no joint ties it to the robot: it is left out, see model=")
    return name, taken


def _one_root(reading: UsdReading) -> str | None:
    """The only articulation root of the stage."""
    roots = [str(p.GetPath()) for p in reading.prims() if "PhysicsArticulationRootAPI" in reading.schemas(p)]
    return roots[0] if len(roots) == 1 else None


def _ends(reading: UsdReading, bodies: BodiesRead) -> list[tuple[str, str]]:
    """Names of the bodies that joints tie, two by two."""
    out = []
    for prim in reading.prims():
        if str(prim.GetTypeName()) in KINDS and reading.truth(prim, "physics:jointEnabled", True):
            ends = find_ends(reading, bodies, prim, prim.GetName())
            if ends is not None:
                out.append((ends.parent, ends.child))
    return out


def _groups(pairs: list[tuple[str, str]], bodies: BodiesRead) -> list[list[UsdBody]]:
    """Bodies that joints tie together, the world between them not counted unless one root stands above all."""
    group = {body.name: body.name for body in bodies.bodies.values()}

    def root(name: str) -> str:
        while group[name] != name:
            group[name] = name = group[group[name]]
        return name

    for first, second in pairs:
        if WORLD not in (first, second):
            group[root(second)] = root(first)
    found: dict[str, list[UsdBody]] = {}
    for body in bodies.bodies.values():
        found.setdefault(root(body.name), []).append(body)
    return list(found.values())
