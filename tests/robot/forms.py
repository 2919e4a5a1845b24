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

GEARED = """\
format: 2
name: geared
platform: {name: plate, mass: 1}
bodies:
  - {name: wheel1, mass: 0.3}
  - {name: wheel2, mass: 0.4}
  - {name: bar, mass: 0.5}
joints:
  - {name: a, type: revolute, parent: world, child: wheel1, drive: {}}
  - {name: b, type: revolute, parent: world, child: wheel2, pose: {position: [0.1, 0, 0]}}
  - {name: c, type: cylindrical, parent: plate, child: bar}
templates:
  strut:
    chain:
      - {name: hip, type: universal, axes: [[1, 0, 0], [0, 1, 0]], body: {name: lower, mass: 1}}
      - {name: motor, type: revolute, on: hip, drive: {}, body: {name: rotor, mass: 0.1}}
      - {name: slide, type: prismatic, on: hip, body: {name: upper, mass: 1}}
    cut: {type: spherical}
    couplings:
      - {name: rack, type: rack, pinion: motor, slide: slide, radius: 12 mm, offset: 0.4 m, source: assumed}
legs:
  - {like: strut}
  - {like: strut, couplings: {rack: {radius: -11 mm}}}
  - {like: strut, name: third, couplings: [{name: belt, type: mimic, joint: hip_1, of: leg0.hip_1, ratio: 2, offset: 10 deg}]}
couplings:
  - {name: mesh, type: gear, joints: [a, b], teeth: [20, 30], module: 2 mm, internal: true}
  - {name: pair, type: gear, joints: [b, leg0.hip_2], radii: [20 mm, 0.03]}
  - {name: nut, type: differential, coefficients: {c_angle: 0.01, c_offset: -1, third.slide: 0.5}, offset: -0.2}
  - {name: back, type: mimic, joint: leg1.hip_1, of: a, offset: home}
home: {pose: {position: [0, 0, 0.5]}, joints: {a: 10 deg, leg1.hip: [20 deg, 0]}}
"""


EFFECTS = """\
format: 2
name: effects
bodies:
  - {name: arm, mass: 2}
  - {name: hand, mass: 1}
  - {name: sled, mass: 1}
joints:
  - name: hinge
    type: universal
    axes: [[0, 1, 0], [0, 0.6, 0.8]]
    parent: world
    child: arm
    armature: [0.05, 0.02 kg.m2]
    limits: {lower: [-1, null], upper: [1, 2], speed: [3, 180 deg/s], cone: 60 deg}
    friction: [{coulomb: 0.1}, null]
    spring: [{table: [[-90 deg, -6], [0, 0], [1, 6 N.m]], damping: 0.1}, {polynomial: [0, 20, 3], tension_only: true}]
  - name: wrist
    type: spherical
    parent: arm
    child: hand
    pose: {position: [0.6, 0, 0]}
    spring: {stiffness: 8, rest_quaternion_wxyz: [0.6, 0, 0.8, 0]}
    armature: 0.1
  - {name: slide, type: cylindrical, parent: world, child: sled, pose: {position: [0, 1, 0]}, armature: 0.2}
loops:
  - {name: rod, type: revolute_spherical, length: 900 mm, first: {body: world}, second: {body: hand}}
  - name: cross
    type: universal
    axes: [[1, 0, 0], [0, 1, 0]]
    angle: 80 deg
    first: {body: hand, pose: {position: [0.3, 0, 0]}}
    second: {body: sled}
    friction: [{viscous: 0.1}, {coulomb: 0.2}]
springs:
  - {name: cable, from: {body: world}, to: {body: arm}, stiffness: 8, rest_length: 0.7, tension_only: true, rounding: 5 mm}
  - {name: bent, from: {body: world}, to: {body: hand}, table: [[0, -1], [100 mm, 2 N]], clearance: 1 mm}
  - {name: curved, from: {body: world}, to: {body: hand}, polynomial: [1, 2, 3], rest_length: 0.1}
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

FORMS = {"five_bar": FIVE_BAR, "delta": DELTA, "mixed": MIXED, "geared": GEARED, "effects": EFFECTS, "varied": VARIED}


def form(name: str) -> Any:
    """A description as plain data, free to change."""
    return copy.deepcopy(YAML(typ="safe", pure=True).load(FORMS[name]))
