"""Robots that bend, all asymmetric, whose numbers follow variables."""

FLEXIBLE_FIVE_BAR = """
format: 2
name: uneven_five_bar
variables: {apart: 0.31 m, reach: 0.42 m, load: 1.3 kg, stiff: 900 N.m/rad}
gravity: [0.4, -9.6, 0.2]
bodies:
  - {name: left, mass: 1.1, center_of_mass: [0.11, 0.01, 0], inertia: {about: center_of_mass, zz: 0.02,
        xx: 0.01, yy: 0.02}}
  - name: rod
    flexible:
      beam: {length: 0.42, section: {rectangle: {y: 6 mm, z: 20 mm}}, material: &steel {E: 210 GPa, nu: 0.3,
            density: 7800}, plane: true}
      modes: {kind: craig_bampton, interfaces: [tip], number: 1}
      damping: {ratio: 0.01}
    frames: {tip: {position: [0.42, 0, 0]}, middle: {position: [0.21, 0, 0]}}
  - name: right
    flexible:
      beam: {length: 0.25, section: {rectangle: {y: 8 mm, z: 20 mm}}, material: *steel, plane: true, elements: 4}
      modes: {kind: craig_bampton, interfaces: [end], number: 0}
    frames: {end: {position: [0.25, 0, 0]}}
  - {name: bar, mass: 0.7, center_of_mass: [reach/2, 0.02, 0], inertia: {about: center_of_mass, zz: 0.015}}
  - {name: head, mass: load, center_of_mass: [0.05, 0.02, 0], inertia: {about: center_of_mass, zz: 0.004},
        frames: {pen: {position: [0.08, 0.03, 0]}}}
joints:
  - {name: first, type: revolute, parent: world, child: left, axis: [0, 0, 1], drive: {rotor_inertia: 0.02}}
  - {name: second, type: revolute, parent: world, child: right, axis: [0, 0, 1], pose: {position: [apart, 0.02,
        0]}, drive: {rotor_inertia: 0.03}}
  - {name: elbow, type: revolute, parent: left, child: rod, axis: [0, 0, 1], pose: {position: [0.24, 0, 0]}}
  - {name: other, type: revolute, parent: right, child: bar, axis: [0, 0, 1], pose: {position: [0.25, 0, 0]}}
  - {name: wrist, type: revolute, parent: bar, child: head, axis: [0, 0, 1], pose: {position: [reach, 0, 0]},
        spring: {stiffness: stiff, rest: 0.3}}
loops:
  - {name: tie, type: revolute, axis: [0, 0, 1], first: {body: rod, pose: {position: [0.42, 0, 0]}},
        second: {body: bar, pose: {position: [reach, 0, 0]}}}
home: {joints: {first: 2.1, second: 0.9, elbow: -1.3, other: 1.2, wrist: 0.1}}
velocities: [first, second, wrist]
"""
