"""Descriptions of the second form and of legs that branch, and plain data of them to change."""

import copy
from typing import Any

from ruamel.yaml import YAML

FIVE_BAR = """\
format: 1
name: five_bar
title: Two cranks and a pin
gravity: [0, -9.81, 0]
bodies:
  - {name: crank1, mass: 1, center_of_mass: [0.2, 0, 0], frames: {clamp: {position: [0.1, 0, 0]}}}
  - name: rod1
    mass: 0.5
    inertia: {about: center_of_mass, xx: 0.001, yy: 0.02, zz: 0.02}
    telescopic: {joint: elbow1, inertia: {yy: [0.01, 0.001, 0.002], zz: [0.01, 0.001, 0.002]}}
  - {name: crank2, mass: 1}
  - {name: rod2, mass: 0.5}
joints:
  - {name: elbow1, type: revolute, parent: crank1, child: rod1, pose: {position: [400 mm, 0, 0]}, friction: {viscous: 0.1}}
  - name: motor1
    type: revolute
    parent: world
    child: crank1
    drive: {rotor_inertia: 1e-4, gear: 20, weight: 2}
    limits: {lower: -90 deg, upper: 180 deg}
  - {name: motor2, type: revolute, parent: world, child: crank2, mdh: {d: 0.5}, drive: {weight: 1.5}}
  - {name: elbow2, type: revolute, parent: crank2, child: rod2, pose: {position: [0.4, 0, 0]}, spring: {stiffness: 3}}
loops:
  - name: pin
    type: revolute
    first: {body: rod1, pose: {position: [0.5, 0, 0]}}
    second: {body: rod2, pose: {position: [0.5, 0, 0]}}
    friction: {viscous: 1e-3}
springs:
  - {name: s1, from: {body: world}, to: {body: rod2}, stiffness: 10}
velocities: [motor1, motor2]
drive_sharing: least_norm
home: {joints: {motor1: 120 deg, elbow1: -80 deg}}
"""

DELTA = """\
format: 1
name: delta
platform: {name: plate, mass: 0.4}
templates:
  arm:
    source: drawing 3
    chain:
      - {name: motor, type: revolute, axis: [0, 1, 0], drive: {}, body: {name: arm, mass: 0.3}}
      - name: left
        type: universal
        axes: [[0, 1, 0], [1, 0, 0]]
        pose: {position: [0.2, 0.03, 0]}
        body: {name: left_rod, mass: 0.05}
      - name: right
        type: universal
        axes: [[0, 1, 0], [1, 0, 0]]
        pose: {position: [0.2, -0.03, 0]}
        on: motor
        body: {name: right_rod, mass: 0.05}
    loops:
      - name: left_ball
        type: spherical
        first: {body: left_rod, pose: {position: [0, 0, -0.5]}}
        second: {body: plate, pose: {position: [0, 0.03, 0]}}
      - name: right_ball
        type: spherical
        first: {body: right_rod, pose: {position: [0, 0, -0.5]}}
        second: {body: plate, pose: {position: [0, -0.03, 0]}}
        limits: {cone: 40 deg}
legs:
  - {like: arm, base: {position: [0.1, 0, 0]}, on_platform: {position: [0.05, 0, 0]}}
  - like: arm
    base: {rpy_zyx: [120 deg, 0, 0]}
    on_platform: {rpy_zyx: [120 deg, 0, 0]}
    loops: {right_ball: {first: {pose: {position: [0, 0, -0.501]}}, limits: {cone: 50 deg}}}
  - like: arm
    name: third
    base: {rpy_zyx: [240 deg, 0, 0]}
    on_platform: {rpy_zyx: [240 deg, 0, 0]}
velocities: [vx, vy, vz]
home: {pose: {position: [0, 0, -0.45]}, joints: {leg0.motor: 10 deg}}
"""

MIXED = """\
format: 1
name: mixed
platform: plate
bodies:
  - {name: column, mass: 3}
  - {name: plate, mass: 2, frames: {tool: {position: [0, 0, 0.1]}}}
  - {name: tip, mass: 0.1}
  - {name: link, mass: 0.2}
joints:
  - {name: wrist, type: spherical, parent: plate, child: tip}
  - {name: lift, type: prismatic, parent: world, child: column, drive: {}}
  - {name: swing, type: universal, axes: [[1, 0, 0], [0, 1, 0]], parent: column, child: plate}
  - {name: hanger, type: revolute, parent: strut.upper, child: link}
legs:
  - name: strut
    base: {position: [1, 0, 0]}
    on_platform: {position: [0.3, 0, 0]}
    chain:
      - {name: hip, type: universal, axes: [[1, 0, 0], [0, 1, 0]], body: {name: lower, mass: 1}}
      - {name: slide, type: prismatic, drive: {}, body: {name: upper, mass: 1}}
      - {name: idler, type: revolute, on: base, body: {name: wheel, mass: 0.1}}
    loops:
      - {name: ball, type: spherical, first: {body: upper}, second: {body: plate}}
      - {name: rod, type: constant_length, length: 0.3, first: {body: world, pose: {position: [0, 0, 1]}}, second: {body: wheel}}
      - {name: tie, type: constant_length, length: 0.3, first: {body: link}, second: {body: strut.wheel}}
loops:
  - {name: rope, type: constant_length, length: 2, first: {body: world}, second: {body: tip}}
  - name: cross
    type: universal
    axes: [[1, 0, 0], [0, 1, 0]]
    first: {body: strut.lower}
    second: {body: plate, pose: {position: [0, 0, 1]}}
velocities: [vz, lift, wrist_wx, swing_2]
home: {joints: {wrist: [1, 0, 0, 0], strut.slide: 0.7}}
"""

VARIED = """
format: 2
name: varied
variables: {base_radius: 500 mm, top_radius: 0.6*base_radius, spread: 12 deg, top_mass: 5 kg, number: 3}
gravity: [0, 0, "-9.81 m/s2*number/3"]
platform:
  shape:
    - {hexagon_plate: {mass: top_mass, side: top_radius, thickness: 10 mm}}
    - {tube: {mass: "0.1*top_mass", radius: 50 mm, inner_radius: "40 mm", length: 0.1}, at: {position: [0, 0, 50 mm]}}
  frames: {tool: {position: [0, 0, 0.1], rpy_zyx: [spread, 0, 0]}}
templates:
  ups:
    chain:
      - {name: hip, type: universal, axes: [[1, 0, 0], [0, 1, 0]]}
      - {name: slide, type: prismatic, drive: {rotor_inertia: "2 kg*cos(spread)"}, body: {mass: top_mass/5}}
    cut: {type: spherical, friction: {viscous: 0.1}}
legs:
  - pattern: {circular: 3, start: "-spread"}
    like: ups
    name: right<i>
    base: {position: ["base_radius*cos(<angle>)", "base_radius*sin(<angle>)", 0], rpy_zyx: [<angle>, 0, 0]}
    on_platform: {position: ["top_radius*cos(<angle> - 36 deg)", "top_radius*sin(<angle> - 36 deg)", 0]}
  - pattern: {listed: [{at_: spread}, {at_: 120 deg + spread}, {at_: 240 deg + spread}]}
    like: ups
    name: left<i>
    base: {position: ["base_radius*cos(<at_>)", "base_radius*sin(<at_>)", 0], rpy_zyx: [<at_>, 0, 0]}
    on_platform: {position: ["top_radius*cos(<at_> + 36 deg)", "top_radius*sin(<at_> + 36 deg)", 0]}
springs:
  - pattern: {mirrored: [front, back]}
    name: <label>_spring
    from: {body: world, position: ["<side>*100 mm", 0, 1]}
    to: {body: platform}
    stiffness: max(100 N/m, 50 N/m*number)
home: {pose: {position: [0, 0, "sqrt(base_radius**2 + (300 mm)**2)"]}}
"""

FORMS = {"five_bar": FIVE_BAR, "delta": DELTA, "mixed": MIXED, "varied": VARIED}


def form(name: str) -> Any:
    """A description as plain data, free to change."""
    return copy.deepcopy(YAML(typ="safe", pure=True).load(FORMS[name]))
