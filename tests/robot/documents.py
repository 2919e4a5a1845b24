"""A small valid description and how tests change it."""

import copy
import io
from typing import Any

from ruamel.yaml import YAML

from gough.robot import Cut, DescriptionError, Leg, Platform, Problem, Robot, loads

VALID = """\
format: 1
name: small
title: A small tripod
source: {paper: none, page: 3}
platform:
  mass: 4
  center_of_mass: [0.01, 0, 0]
  inertia: {about: center_of_mass, xx: 0.05, yy: 0.04, zz: 0.08, xy: 0.001}
  frames: {tool: {position: [0, 0, 0.1], rpy_zyx: [30 deg, 0, 0]}}
  payload: {mass: 2, center_of_mass: [0, 0, 0.1], inertia: {about: origin, xx: 0.03, yy: 0.03, zz: 0.01}}
templates:
  ups:
    source: workshop drawing 7
    chain:
      - name: hip
        type: universal
        axes: [[1, 0, 0], [0, 1, 0]]
        friction: {viscous: 1e-4}
        limits: {cone: 50 deg}
        body:
          name: lower
          mass: 3 kg
          center_of_mass: [0, 0, 200 mm]
          inertia: {about: center_of_mass, xx: 0.01, yy: 0.01, zz: 0.001}
      - name: slide
        type: prismatic
        drive: {rotor_inertia: 0.5, viscous: 10 N.s/m, stroke: [300 mm, 1.2], force_limit: 1 kN}
        spring: {stiffness: 100 N/m, rest: 0.7}
        limits: {lower: 0.3, upper: 1.2, speed: 0.5, force: 900}
        body:
          name: upper
          mass: 1
          center_of_mass: [0, 0, -0.2]
          telescopic: {joint: slide, inertia: {xx: [0.01, 0.001, 0.002], yy: [0.01, 0.001, 0.002]}}
    cut: {name: ball, type: spherical, friction: {viscous: 2e-4}, limits: {cone: 40 deg}}
legs:
  - {like: ups, base: {position: [0.5, 0, 0]}, on_platform: {position: [0.2, 0, 0]}}
  - like: ups
    base: {position: [-0.2, 0.4, 0]}
    on_platform: {position: [-0.1, 0.2, 0]}
    joints: {slide: {drive: {viscous: 12}}}
    bodies: {lower: {mass: 3.1}}
    cut: {friction: {coulomb: 0.1}}
    source: rebuilt
  - {name: back, like: ups, base: {position: [-0.2, -0.4, 0]}, on_platform: {position: [-0.1, -0.2, 0]}}
springs:
  - {name: s1, from: {body: world}, to: {body: platform, position: [0, 0, 0.1]}, stiffness: 100 N/m, rest_length: 0.2}
  - {name: s2, from: {body: leg0.lower}, to: {body: back.upper}, damping: 3}
home:
  pose: {position: [0, 0, 0.6]}
  joints: {leg0.hip: [0, -20 deg], leg0.slide: 700 mm}
"""


def tree() -> Any:
    """The valid description as plain data, free to change."""
    return copy.deepcopy(YAML(typ="safe", pure=True).load(VALID))


def text(data: Any) -> str:
    """Plain data as YAML."""
    stream = io.StringIO()
    YAML(typ="safe", pure=True).dump(data, stream)
    return stream.getvalue()


def put(data: Any, path: str, value: Any) -> Any:
    """Set data at a path such as "legs.0.like"; "-" as the value deletes."""
    *heads, last = [int(step) if step.isdigit() else step for step in path.split("/")]
    node = data
    for step in heads:
        node = node.setdefault(step, {}) if isinstance(node, dict) else node[step]
    if value == "-":
        del node[last]
    else:
        node[last] = value
    return data


def problems(document: str, file: str = "robot.yaml") -> list[Problem]:
    """What is wrong with a description."""
    try:
        loads(document, file)
    except DescriptionError as error:
        return error.problems
    return []


def platform_of(robot: Robot) -> Platform:
    """The platform of a robot that has one of its own."""
    assert isinstance(robot.platform, Platform)
    return robot.platform


def cut_of(leg: Leg) -> Cut:
    """The cut of a leg that has one."""
    assert leg.cut is not None
    return leg.cut
