"""Drake's reading of an SDF or URDF file: its tree, in the velocities of a model. Drake has no loops that are joints of a file.

What Drake leaves out and the file says is added from the file's own text: friction of joints.
"""

from __future__ import annotations

import re
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from pydrake.math import RollPitchYaw, RotationMatrix  # pyright: ignore[reportMissingImports]
from pydrake.multibody.parsing import Parser  # pyright: ignore[reportMissingImports]
from pydrake.multibody.plant import MultibodyPlant  # pyright: ignore[reportMissingImports]
from pydrake.multibody.tree import BodyIndex, MultibodyForces  # pyright: ignore[reportMissingImports]
from scipy.spatial.transform import Rotation

from reference.foreign.comparing import Reduced

AXIS = ("xyz", "dynamics", "limit", "mimic", "use_parent_model_frame")
"""What SDF has in an <axis>."""
ASIDE = ("sensor", "plugin", "visual", "gui", "light", "scene")


class DrakeReading:
    """The equations of a file by Drake, in the velocities of a model."""

    def __init__(self, file: Path, model: Any, packages: Sequence[Path] = ()) -> None:
        self.own = model
        self.plant = MultibodyPlant(0.0)
        parser = Parser(self.plant)
        _know(parser.package_map(), packages)
        try:
            parser.AddModels(str(file))
        except RuntimeError:  # it takes no element that SDF does not have, not even in a sensor
            if file.suffix == ".urdf":
                raise
            self.plant = MultibodyPlant(0.0)
            parser = Parser(self.plant)
            with tempfile.TemporaryDirectory() as folder:
                for described in (path for place in packages for path in place.glob("*/model.config")):
                    bare = Path(folder, described.parent.name)
                    bare.mkdir()
                    bare.joinpath("model.config").write_bytes(described.read_bytes())
                    for text in described.parent.glob("*.sdf"):
                        bare.joinpath(text.name).write_text(_bare(text), "utf-8")
                _know(parser.package_map(), [Path(folder)])
                parser.AddModelsFromString(_bare(file), "sdf")
        self.plant.mutable_gravity_field().set_gravity_vector(np.array(model.robot.gravity, float))
        self.plant.Finalize()
        self.context = self.plant.CreateDefaultContext()
        source = model.robot.source
        old = [dict(source.get(f"renamed {kind}", {})) for kind in ("joints", "bodies")]
        self.joint_of = self._found(self.plant.GetJointIndices(), self.plant.get_joint)
        self.body_of = self._found(map(BodyIndex, range(self.plant.num_bodies())), self.plant.get_body)
        self.old_joints, self.old_bodies = (
            {part.name: names.get(part.name, part.name).replace("::", "_") for part in parts}
            for names, parts in zip(old, (model.robot.joints, model.robot.bodies), strict=True)
        )
        self.rubs = {
            str(joint.get("name")): float(said)
            for joint in ET.fromstring(_bare(file)).iter("joint")
            for said in [*_texts(joint, "axis/dynamics/friction"), *_attributes(joint, "dynamics", "friction")]
        }

    def _found(self, indices: Any, part: Any) -> dict[str, Any]:
        """Parts by their names, and by those with their models' in front, joined as a description joins them."""
        found: dict[str, Any] = {}
        for index in indices:
            one = part(index)
            scope = self.plant.GetModelInstanceName(one.model_instance()).split("::")
            for k in range(len(scope) + 1):
                found.setdefault("_".join([*scope[k:], one.name()]), one)
        return found

    def reduced(self, q: np.ndarray, v: np.ndarray) -> Reduced:
        """M, h, S of Drake's tree on the motions of the model's velocities."""
        plant, context = self.plant, self.context
        self._place(q)
        N = np.stack([self._rates(q, self.own.configuration_rate(q, e)) for e in np.eye(len(v))], axis=1)
        u = N @ v
        plant.SetVelocities(context, u)
        M = plant.CalcMassMatrix(context)
        forces = MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)  # gravity, springs, damping of joints
        h = plant.CalcInverseDynamics(context, np.zeros(plant.num_velocities()), forces)
        for index in plant.GetJointIndices():
            joint = plant.get_joint(index)
            where = slice(joint.velocity_start(), joint.velocity_start() + joint.num_velocities())
            h[where] += self.rubs.get(joint.name(), 0.0) * np.sign(u[where])
        places = [self._coordinate(name) for name in self.own.layout.drive_names]
        return Reduced(N.T @ M @ N, N.T @ h, N[places].T, len(v))

    def _coordinate(self, name: str) -> int:
        """Where Drake has the rate of a joint of one coordinate, or of one of the two that a universal joint became."""
        own = self.old_joints.get(name, name)
        if own in self.joint_of:
            return self.joint_of[own].velocity_start()
        joint, _, part = own.rpartition("_")
        return self.joint_of[joint].velocity_start() + int(part) - 1

    def _place(self, q: np.ndarray) -> None:
        names, plant = list(self.own.layout.q_names), self.plant
        positions = plant.GetPositions(self.context)
        for joint in self.own.robot.joints:
            if joint.type == "fixed":
                continue
            if joint.type == "free":
                body = self.body_of[self.old_bodies[joint.child]]
                place, turn = self.own.frame_pose(q, joint.child)
                at = body.floating_positions_start()
                wxyz = np.roll(Rotation.from_matrix(turn).as_quat(), 1)
                positions[at : at + 7] = [*wxyz, *place]
            elif joint.type == "spherical":
                x = [q[names.index(f"{joint.name}_q{c}")] for c in "wxyz"]
                turn = RotationMatrix(Rotation.from_quat(np.roll(x, -1)).as_matrix())
                at = self.joint_of[self.old_joints[joint.name]].position_start()
                positions[at : at + 3] = RollPitchYaw(turn).vector()
            elif joint.type == "universal":
                at = self.joint_of[self.old_joints[joint.name]].position_start()
                positions[at : at + 2] = [q[names.index(f"{joint.name}_{k}")] for k in (1, 2)]
            else:
                # a coordinate and its rate have the same place in joints of one
                drake = self.joint_of.get(self.old_joints[joint.name])
                shift = 0 if drake is not None else int(joint.name.rpartition("_")[2]) - 1
                drake = drake or self.joint_of[self.old_joints[joint.name].rpartition("_")[0]]
                positions[drake.position_start() + shift] = q[names.index(joint.name)]
        plant.SetPositions(self.context, positions)

    def _rates(self, q: np.ndarray, rate: np.ndarray) -> np.ndarray:
        """Drake's velocities of the rates of a model's coordinates."""
        names, out = list(self.own.layout.q_names), np.zeros(self.plant.num_velocities())
        for joint in self.own.robot.joints:
            if joint.type == "fixed":
                continue
            if joint.type in ("free", "spherical"):
                at = [names.index(f"{joint.name}_q{c}") for c in "wxyz"]
                spin = Rotation.from_quat(np.roll(q[at], -1)).apply(_spin(q[at], rate[at]))
                if joint.type == "spherical":
                    start = self.joint_of[self.old_joints[joint.name]].velocity_start()
                    out[start : start + 3] = spin
                else:
                    start = self.body_of[self.old_bodies[joint.child]].floating_velocities_start_in_v()
                    out[start : start + 3] = spin
                    out[start + 3 : start + 6] = [rate[names.index(f"{joint.name}_{c}")] for c in "xyz"]
            elif joint.type == "universal":
                start = self.joint_of[self.old_joints[joint.name]].velocity_start()
                out[start : start + 2] = [rate[names.index(f"{joint.name}_{k}")] for k in (1, 2)]
            else:
                out[self._coordinate(joint.name)] = rate[names.index(joint.name)]
        return out


def _know(known: Any, packages: Sequence[Path]) -> None:
    """Tell Drake's map of packages the models in folders."""
    for folder in packages:
        for described in sorted(folder.glob("*/model.config")):
            if not known.Contains(described.parent.name):
                known.Add(described.parent.name, str(described.parent))


def _bare(file: Path) -> str:
    """The text without what is beside the dynamics, and without prefixes that nothing declares."""
    data = file.read_bytes().lstrip()
    try:
        root = ET.fromstring(data)
    except ET.ParseError:
        root = ET.fromstring(re.sub(rb"(</?|\s)\w+:([\w]+[\s=>/])", rb"\1foreign_\2", data))
    for place in list(root.iter()):
        for child in list(place):
            if child.tag in ASIDE or child.tag.startswith("foreign_"):
                place.remove(child)
        for name in [name for name in place.attrib if name.startswith("foreign_")]:
            del place.attrib[name]
    for uri in root.iter("uri"):
        said = uri.text or ""
        if said.startswith("model://") and said.count("/") == 2:  # Drake asks for the file
            uri.text = f"{said}/model.sdf"
    for axis in root.iter("axis"):
        for child in [c for c in axis if c.tag not in AXIS]:
            axis.remove(child)
    for link in root.iter("link"):
        for pose in link.findall("inertial/pose"):
            if pose.get("relative_to") == link.get("name"):  # where it stands anyway
                del pose.attrib["relative_to"]
    return ET.tostring(root, encoding="unicode")


def _texts(element: ET.Element, path: str) -> list[str]:
    return [found.text for found in element.findall(path) if found.text]


def _attributes(element: ET.Element, path: str, name: str) -> list[str]:
    return [found.attrib[name] for found in element.findall(path) if name in found.attrib]


def _spin(wxyz: np.ndarray, rate: np.ndarray) -> np.ndarray:
    """Angular velocity in the turned axes, of a quaternion and its rate."""
    w, u = wxyz[0], wxyz[1:]
    return 2.0 * (w * rate[1:] - rate[0] * u - np.cross(u, rate[1:]))
