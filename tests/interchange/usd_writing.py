"""Small mechanisms as USD with the facts they are: frames are short decimals, so that single precision keeps them."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from reference.peers.facts import WORLD, BodyFact, Facts, JointFact

TURNS = np.array(
    [[1, 0, 0, 0], [0.8, 0.6, 0, 0], [0.6, 0, 0.8, 0], [0.8, 0, 0, -0.6], [0.5, 0.5, 0.5, 0.5], [0, 0.6, 0, 0.8]]
)
AXES = {"X": 0, "Y": 1, "Z": 2}


def rotation(wxyz: np.ndarray) -> np.ndarray:
    return Rotation.from_quat(np.roll(wxyz, -1)).as_matrix()


def product(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    w, x = a[0] * b[0] - a[1:] @ b[1:], a[0] * b[1:] + b[0] * a[1:] + np.cross(a[1:], b[1:])
    return np.array([w, *x])


@dataclass(frozen=True)
class Frame:
    p: np.ndarray
    q: np.ndarray

    def __matmul__(self, other: Frame) -> Frame:
        return Frame(self.p + rotation(self.q) @ other.p, product(self.q, other.q))

    def back(self) -> Frame:
        q = self.q * [1, -1, -1, -1]
        return Frame(-rotation(q) @ self.p, q)

    @property
    def matrix(self) -> np.ndarray:
        X = np.eye(4)
        X[:3, :3], X[:3, 3] = rotation(self.q), self.p
        return X


def listed(x: np.ndarray, digits: int = 9) -> str:
    return "(" + ", ".join(f"{round(float(v), digits):.9g}" for v in x) + ")"


@dataclass
class UsdWriting:
    """Bodies are added one by one, then joints between them; `text()` is the file, `facts` what it means, in SI."""

    seed: int = 0
    meters: float = 1.0
    kilograms: float = 1.0
    up: str = "Z"
    scale: float = 1.0
    """Of an Xform above all bodies."""
    frames: dict[str, Frame] = field(default_factory=dict)
    shown: dict[str, np.ndarray] = field(default_factory=dict)
    bodies: dict[str, BodyFact] = field(default_factory=dict)
    joints: dict[str, JointFact] = field(default_factory=dict)
    parts: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)

    def frame(self) -> Frame:
        return Frame(np.round(self.rng.uniform(-0.5, 0.5, 3), 2), TURNS[self.rng.integers(len(TURNS))])

    def unit(self) -> float:
        return self.meters * self.scale

    def body(self, name: str, turned: np.ndarray | None = None, extra: str = "") -> None:
        """turned: displacement (4, 4) in the world of where the stage shows it from where its joint is at zero."""
        X, axes, com = self.frame(), TURNS[self.rng.integers(len(TURNS))], np.round(self.rng.uniform(-0.2, 0.2, 3), 3)
        mass, moments = round(float(self.rng.uniform(0.5, 2.0)), 3), np.round(self.rng.uniform(0.03, 0.05, 3), 4)
        self.frames[name] = X
        R = rotation(X.q) @ rotation(axes)
        self.bodies[name] = BodyFact(mass, (X.matrix @ np.append(com, 1.0))[:3], R @ np.diag(moments) @ R.T)
        here = X.matrix if turned is None else turned @ X.matrix
        q = np.roll(Rotation.from_matrix(here[:3, :3]).as_quat(), 1)
        at = ", ".join(repr(float(v / self.unit())) for v in here[:3, 3])
        self.parts.append(f'''
        def Xform "{name}" (prepend apiSchemas = ["PhysicsRigidBodyAPI", "PhysicsMassAPI"])
        {{
            double3 xformOp:translate = ({at})
            quatd xformOp:orient = ({", ".join(repr(float(v)) for v in q)})
            uniform token[] xformOpOrder = ["xformOp:translate", "xformOp:orient"]
            float physics:mass = {mass / self.kilograms:.9g}
            point3f physics:centerOfMass = {listed(com / self.unit())}
            float3 physics:diagonalInertia = {listed(moments / self.kilograms / self.meters**2)}
            quatf physics:principalAxes = {listed(axes)}
            {extra}
        }}''')

    def joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        axis: str = "Z",
        at: Frame | None = None,
        words: str = "",
        schemas: tuple[str, ...] = (),
        **fact: object,
    ) -> None:
        """A joint whose frame is a short decimal in the child; `words`: more attributes of the prim."""
        J = at if at is not None else self.frames[child] @ self.frame()
        R = J.matrix[:3, :3]
        types = {"Revolute": "revolute", "Prismatic": "prismatic", "Spherical": "spherical", "Fixed": "fixed"}
        given = {"type": types.get(kind, "fixed"), "axis": R[:, AXES[axis]], **fact}
        self.joints[name] = JointFact(parent=parent, child=child, anchor=J.p, **given)  # type: ignore[arg-type]
        sides = []
        for k, body in enumerate((parent, child)):
            local = J if body == WORLD else self.frames[body].back() @ J
            unit = self.meters if body == WORLD else self.unit()
            if body != WORLD:
                sides.append(f"rel physics:body{k} = </rig/{body}>")
            sides.append(f"point3f physics:localPos{k} = {listed(local.p / unit)}")
            sides.append(f"quatf physics:localRot{k} = {listed(local.q)}")
        lines = "\n            ".join([*sides, words])
        own = "" if kind in ("", "Fixed") else f'uniform token physics:axis = "{axis}"'
        applied = (
            f" (prepend apiSchemas = [{', '.join(repr(s) for s in schemas)}])".replace("'", '"') if schemas else ""
        )
        self.parts.append(f'''
        def Physics{kind}Joint "{name}"{applied}
        {{
            {own}
            {lines}
        }}''')

    def text(self, gravity: float = 9.5) -> str:
        down = {"Z": "(0, 0, 0)", "Y": "(0, 0, 0)"}[self.up]
        return f'''#usda 1.0
(
    defaultPrim = "rig"
    metersPerUnit = {self.meters}
    kilogramsPerUnit = {self.kilograms}
    upAxis = "{self.up}"
)
def PhysicsScene "scene"
{{
    vector3f physics:gravityDirection = {down}
    float physics:gravityMagnitude = {gravity / self.meters:.9g}
}}
def Xform "rig"
{{
    float3 xformOp:scale = ({self.scale}, {self.scale}, {self.scale})
    uniform token[] xformOpOrder = ["xformOp:scale"]
{"".join(self.parts)}
}}
'''

    def facts(self, gravity: float = 9.5) -> Facts:
        down = (0.0, 0.0, -gravity) if self.up == "Z" else (0.0, -gravity, 0.0)
        return Facts(self.bodies, self.joints, down)

    def zero(self) -> dict[str, np.ndarray]:
        return {name: X.matrix for name, X in self.frames.items()}
