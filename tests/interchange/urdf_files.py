"""Small URDF files for the tests, asymmetric, with the corners that files of CAD programs have."""

from __future__ import annotations

from pathlib import Path

import numpy as np

LIMIT = '<limit lower="-3" upper="3" effort="0" velocity="0"/>'


def inertial(rng: np.random.Generator, size: float = 0.2) -> str:
    """A body of a general tensor, its axes turned."""
    x, y, z = rng.normal(size=3) * 0.3 * size
    r, p, w = rng.normal(size=3)
    a, b, c = rng.uniform(0.2, 0.3, size=3) * size**2
    mass, off = rng.uniform(0.5, 2.0), rng.normal(size=3) * 0.01 * size**2
    return (
        f'<inertial><origin xyz="{x} {y} {z}" rpy="{r} {p} {w}"/><mass value="{mass}"/>'
        f'<inertia ixx="{a}" iyy="{b}" izz="{c}" ixy="{off[0]}" ixz="{off[1]}" iyz="{off[2]}"/></inertial>'
    )


def link(name: str, rng: np.random.Generator | None = None, more: str = "") -> str:
    return f'<link name="{name}">{"" if rng is None else inertial(rng)}{more}</link>'


def joint(name: str, kind: str, parent: str, child: str, at: str = "", more: str = "") -> str:
    """at: attributes of <origin>."""
    origin = f"<origin {at}/>" if at else ""
    return f'<joint name="{name}" type="{kind}">{origin}<parent link="{parent}"/><child link="{child}"/>{more}</joint>'


def robot(*parts: str, name: str = "made") -> str:
    return "\n".join([f'<?xml version="1.0"?>\n<robot name="{name}">', *parts, "</robot>\n"])


def arm() -> str:
    """A tree: a heavy root, a plate fixed to it, axes of any length, losses, a finger that follows another."""
    rng = np.random.default_rng(3)
    return robot(
        link("base-link", rng),
        link("plate", rng),
        link("upper/arm", rng),
        link("slide", rng),
        link("wheel", rng),
        link("finger", rng),
        link("thumb", rng),
        link("tool"),
        joint(
            "bolts",
            "fixed",
            "base-link",
            "plate",
            'xyz="0.1 0 0.2" rpy="0.3 -0.2 1.1"',
            '<limit effort="1" velocity="1"/>',
        ),
        joint(
            "shoulder",
            "revolute",
            "plate",
            "upper/arm",
            'xyz="0 0.1 0.05" rpy="1.5707963267948966 0 0.4"',
            '<axis xyz="1 2 2"/><limit lower="-2" upper="2.5" effort="80" velocity="3"/><dynamics damping="0.4" friction="0.2"/>',
        ),
        joint(
            "lift",
            "prismatic",
            "upper/arm",
            "slide",
            'xyz="0.3 0 0"',
            f'<axis xyz="0 -1 0.5"/><dynamics damping="3"/>{LIMIT}',
        ),
        joint("spin", "continuous", "slide", "wheel", 'rpy="0 0.7 0"', '<limit effort="0" velocity="0"/>'),
        joint("close", "revolute", "wheel", "finger", 'xyz="0.05 0 0"', f'<axis xyz="0 0 1"/>{LIMIT}'),
        joint(
            "follow",
            "revolute",
            "wheel",
            "thumb",
            'xyz="-0.05 0 0"',
            f'<axis xyz="0 1 0"/><mimic joint="close" multiplier="-1.5" offset="0.2"/>{LIMIT}',
        ),
        joint("tip", "fixed", "finger", "tool", 'xyz="0 0 0.1"'),
        name="An Arm 7",
    )


FOUR_BAR = {
    "crank": ("0.05 0.02 0.1", "0.3 0.2 0.1"),
    "coupler": ("0.21 0 0", "0 0 0.9"),
    "rocker": ("0.55 0.06 0.08", "0.3 0.2 0.1"),
}
"""Where the pins stand on what carries them; the last pin is at 0.5 on the coupler and at 0.37 on the rocker."""


def four_bar(closing: str = "", losses: str = '<dynamics damping="0.05"/>') -> str:
    """Crank, coupler and rocker with pins about the base's z, all tilted; open at zero. closing: what else stands in it."""
    rng = np.random.default_rng(9)
    axis = '<axis xyz="0 0 1"/>'
    (crank, tilt), (coupler, bent), _ = FOUR_BAR.values()
    return robot(
        link("ground"),
        link("tilted"),
        *(link(name, rng) for name in FOUR_BAR),
        link("end_a"),
        link("end_b"),
        joint("tilt", "fixed", "ground", "tilted", f'xyz="{crank}" rpy="{tilt}"'),
        joint(
            "motor", "revolute", "tilted", "crank", "", axis + '<limit lower="-9" upper="9" effort="5" velocity="2"/>'
        ),
        joint("elbow", "continuous", "crank", "coupler", f'xyz="{coupler}" rpy="{bent}"', axis + losses),
        joint("foot", "continuous", "tilted", "rocker", 'xyz="0.48 -0.03 0.02" rpy="0 0 1.2"', axis + losses),
        joint("at_a", "fixed", "coupler", "end_a", 'xyz="0.5 0 0"'),
        joint("at_b", "fixed", "rocker", "end_b", 'xyz="0.37 0 -0.02"'),
        closing,
        name="four_bar",
    )


PLUS = """<loop name="pin" type="revolute">
  <predecessor link="coupler"><origin xyz="0.5 0 0"/></predecessor>
  <successor link="rocker"><origin xyz="0.37 0 -0.02"/></successor>
  <axis xyz="0 0 1"/>
</loop>"""
OWN = """
loops:
  - {name: pin, type: revolute, first: {body: coupler, pose: {position: [500 mm, 0, 0]}},
     second: {body: rocker, pose: {position: [0.37, 0, -0.02]}}}
drives: [mot*]
home: {joints: {motor: 60 deg, elbow: -1.9, foot: 0.4}}
"""
LAAS = """
closed_loop: [['end_a', 'end_b']]
type: ['3d']
name_mot: ['motor']
"""


def hexapod() -> tuple[str, str]:
    """(URDF, loops): six legs of two turns and a slide each, a floating platform, balls between them."""
    rng = np.random.default_rng(21)
    parts, loops = [link("base", rng), link("top_plate", rng)], ["loops:"]
    parts.append(joint("carried", "floating", "base", "top_plate", 'xyz="0.02 -0.01 0.6" rpy="0 0 0.1"'))
    for k in range(6):
        foot, head = np.pi / 3 * k + (-1) ** k * 0.35, np.pi / 3 * k + (-1) ** (k + 1) * 0.25
        low = 0.5 * np.array([np.cos(foot), np.sin(foot), 0.0]) + rng.normal(size=3) * 0.01
        high = 0.3 * np.array([np.cos(head), np.sin(head), 0.0]) + rng.normal(size=3) * 0.01
        parts += [link(f"cross{k}", rng), link(f"tube{k}", rng), link(f"rod{k}", rng)]
        parts += [
            joint(f"hip_x{k}", "continuous", "base", f"cross{k}", f'xyz="{low[0]} {low[1]} {low[2]}" rpy="0 0 {foot}"'),
            joint(f"hip_y{k}", "continuous", f"cross{k}", f"tube{k}", "", '<axis xyz="0 1 0"/>'),
            joint(
                f"leg{k}",
                "prismatic",
                f"tube{k}",
                f"rod{k}",
                'xyz="0 0 0.3"',
                '<axis xyz="0 0 1"/><dynamics damping="2"/><limit lower="0.1" upper="0.7" effort="900" velocity="1"/>',
            ),
        ]
        drive = f'<joint name="leg{k}"/><actuator name="m{k}"><mechanicalReduction>50</mechanicalReduction></actuator>'
        parts.append(f'<transmission name="screw{k}"><type>a/SimpleTransmission</type>{drive}</transmission>')
        loops.append(
            f"  - {{name: ball{k}, type: spherical, first: {{body: rod{k}, pose: {{position: [0, 0, 20 mm]}}}}, "
            f"second: {{body: top_plate, pose: {{position: {high.tolist()}}}}}}}"
        )
    return robot(*parts, name="hexapod"), "\n".join(loops) + "\n"


def write(folder: Path, text: str, name: str = "made.urdf") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path
