"""Facts as SDF, each time with other frames: random ones of links and joints, `relative_to`, every form of a pose."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.spatial.transform import Rotation

from reference.peers.facts import WORLD, Facts, JointFact

KINDS = {"spherical": "ball", "helical": "screw"}


def placed(rng: np.random.Generator) -> np.ndarray:
    X = np.eye(4)
    X[:3, :3] = Rotation.from_rotvec(rng.normal(size=3)).as_matrix()
    X[:3, 3] = rng.uniform(-0.5, 0.5, 3)
    return X


def words(*x: float) -> str:
    return " ".join(repr(float(v)) for v in x)


@dataclass
class SdfWriting:
    """text: the file; frames: {link: its frame in the world}."""

    facts: Facts
    version: str = "1.9"
    seed: int = 0
    model_pose: bool = True
    plugins: str = ""
    frames: dict[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.rng = np.random.default_rng(self.seed)
        self.number = tuple(int(x) for x in self.version.split("."))
        self.model = placed(self.rng) if self.model_pose else np.eye(4)
        self.named: dict[str, np.ndarray] = {}
        for name in self.facts.bodies:
            if not name.endswith("_cross"):
                self.frames[name] = placed(self.rng)

    def pose(self, X: np.ndarray, in_frame: np.ndarray, relative_to: str = "") -> str:
        Y = np.linalg.inv(in_frame) @ X
        R = Rotation.from_matrix(Y[:3, :3])
        named = f' relative_to="{relative_to}"' if relative_to else ""
        form = self.rng.integers(3) if self.number >= (1, 9) else 0
        if form == 2:
            return f'<pose rotation_format="quat_xyzw"{named}>{words(*Y[:3, 3], *R.as_quat())}</pose>'
        angles = R.as_euler("xyz", degrees=form == 1)
        unit = ' degrees="true"' if form == 1 else ""
        return f"<pose{unit}{named}>{words(*Y[:3, 3], *angles)}</pose>"

    def somewhere(self) -> tuple[str, np.ndarray]:
        """A frame that is named already, or the model's; ('', …) for the model's by default."""
        names = ["", "__model__", *self.named] if self.number >= (1, 7) else [""]
        name = names[self.rng.integers(len(names))]
        return name, self.named.get(name, self.model)

    def text(self) -> str:
        parts = [self.link(name) for name in self.frames]
        if self.number >= (1, 7):
            parts.insert(0, self.frame("first", ""))
            parts.append(self.frame("second", "first"))
        parts += [self.joint(*pair) for pair in self.joints()]
        whole = f'<model name="rig">{self.pose(self.model, np.eye(4))}{"".join(parts)}{self.plugins}</model>'
        g = words(*self.facts.gravity)
        gravity = f"<gravity>{g}</gravity>" if self.number >= (1, 6) else f"<physics><gravity>{g}</gravity></physics>"
        return f'<?xml version="1.0"?>\n<sdf version="{self.version}"><world name="w">{gravity}{whole}</world></sdf>'

    def frame(self, name: str, attached: str) -> str:
        X = placed(self.rng)
        base, at = self.somewhere() if attached else ("", self.model)
        self.named[name] = X
        on = f' attached_to="{attached}"' if attached else ""
        if attached and not base:
            at = self.named[attached]
        return f'<frame name="{name}"{on}>{self.pose(X, at, base)}</frame>'

    def link(self, name: str) -> str:
        body, X = self.facts.bodies[name], self.frames[name]
        base, at = self.somewhere()
        self.named[name] = X
        C = placed(self.rng)
        C[:3, 3] = body.center
        I = C[:3, :3].T @ body.inertia @ C[:3, :3]
        entries = {"ixx": I[0, 0], "iyy": I[1, 1], "izz": I[2, 2], "ixy": I[0, 1], "ixz": I[0, 2], "iyz": I[1, 2]}
        tensor = "".join(f"<{k}>{float(v)!r}</{k}>" for k, v in entries.items())
        return (
            f'<link name="{name}">{self.pose(X, at, base)}<inertial>{self.pose(C, X)}<mass>{body.mass!r}</mass>'
            f"<inertia>{tensor}</inertia></inertial></link>"
        )

    def joints(self) -> list[tuple[str, JointFact, JointFact | None]]:
        """Joints of the file: halves of a universal one are one."""
        found: list[tuple[str, JointFact, JointFact | None]] = []
        for name, joint in self.facts.joints.items():
            if joint.child.endswith("_cross"):
                second = self.facts.joints[name.removesuffix("_1") + "_2"]
                found.append((name.removesuffix("_1"), joint, second))
            elif joint.type != "free" and not joint.parent.endswith("_cross"):
                found.append((name, joint, None))
        return found

    def joint(self, name: str, joint: JointFact, half: JointFact | None) -> str:
        J = placed(self.rng)
        J[:3, 3] = joint.anchor
        child = half.child if half is not None else joint.child
        base, at = ("", self.frames[child])
        if self.number >= (1, 7) and self.rng.integers(2):
            base, at = self.somewhere()
            if not base:
                base = "__model__"
        if half is not None:
            self.frames[f"{name}_cross"] = J
        kind = "universal" if half is not None else KINDS.get(joint.type, joint.type)
        parts = [self.pose(J, at, base), f"<parent>{joint.parent}</parent><child>{child}</child>"]
        if joint.type == "helical":
            new = self.number >= (1, 10)
            pitch = joint.lead if new else -2 * math.pi / joint.lead
            parts.append(f"<{'screw_' * new}thread_pitch>{pitch!r}</{'screw_' * new}thread_pitch>")
        if kind not in ("fixed", "ball"):
            parts.append(self.axis("axis", joint, joint.axis, J))
        if kind == "universal":
            own, along = (half, half.axis) if half is not None else (JointFact("", WORLD, ""), joint.axis2)
            parts.append(self.axis("axis2", own, along, J))
        return f'<joint name="{name}" type="{kind}">{"".join(parts)}</joint>'

    def axis(self, tag: str, joint: JointFact, along: np.ndarray | None, J: np.ndarray) -> str:
        base, flag = J, ""
        expressed = ""
        if self.number == (1, 4):
            base = self.model
        elif self.number < (1, 7) and self.rng.integers(2):
            base, flag = self.model, "<use_parent_model_frame>1</use_parent_model_frame>"
        elif self.number >= (1, 7) and self.rng.integers(2):
            name, base = self.somewhere()
            expressed = f' expressed_in="{name or "__model__"}"'
        xyz = base[:3, :3].T @ np.asarray(along) * 2.5  # of any length
        dynamics = f"<damping>{joint.viscous!r}</damping><spring_stiffness>{joint.stiffness!r}</spring_stiffness>"
        dynamics += f"<spring_reference>{joint.rest!r}</spring_reference>"
        limit = "<limit><lower>-1e16</lower><upper>1e16</upper><effort>-1</effort></limit>"
        return f"<{tag}><xyz{expressed}>{words(*xyz)}</xyz>{flag}<dynamics>{dynamics}</dynamics>{limit}</{tag}>"
