"""Small MJCF files with the corners that public ones have: asymmetric, every number its own."""

from __future__ import annotations

import numpy as np

BODY = '<inertial mass="{m}" pos="{x} 0.03 -0.02" diaginertia="{a} {b} {c}" euler="20 -35 50"/>'


def inertial(m: float, x: float = 0.1) -> str:
    """A body's mass, turned against its axes."""
    return BODY.format(m=m, x=x, a=0.02 * m, b=0.03 * m, c=0.041 * m)


CHAIN = f"""<mujoco model="chain">
  <compiler angle="degree" eulerseq="zyx"/>
  <option gravity="0.3 -0.4 -9.7"/>
  <default>
    <joint damping="0.05"/>
    <default class="stiff"><joint stiffness="2" springref="20" armature="0.05" frictionloss="0.3"/></default>
  </default>
  <worldbody>
    <body name="upper arm" pos="0.1 0.2 1" euler="10 20 30" childclass="stiff">
      <joint name="a-1" pos="0.1 0 0.2" axis="1 2 0" ref="15" range="-90 90"/>
      <joint name="a-2" pos="0 0.1 0" axis="0 1 1" type="slide" ref="0.1" range="-0.3 0.5" class="main"/>
      <joint name="a-3" axis="0 0 -2" ref="-25"/>
      {inertial(1.7)}
      <site name="tip" pos="0.3 0.1 0" euler="30 10 0"/>
      <body name="fixed part" pos="0.1 0 0.1" axisangle="1 1 0 40">
        {inertial(0.4)}
        <site name="camera" pos="0.1 0 0" zaxis="1 1 1"/>
        <body name="hand" pos="0.2 -0.1 0" xyaxes="0 1 0 -1 0 0.2">
          <joint name="ball" type="ball" pos="0.02 0.01 -0.03" damping="0.1" armature="0.02" stiffness="0.4" frictionloss="0"/>
          {inertial(0.8)}
          <geom type="box" size="0.1 0.05 0.02" contype="0" conaffinity="0"/>
        </body>
      </body>
    </body>
  </worldbody>
  <actuator>
    <position name="servo" joint="a-1" kp="10" gear="3" forcerange="-2 2"/>
    <motor joint="a-2" gear="-2" ctrlrange="-1 4" ctrllimited="true"/>
  </actuator>
</mujoco>"""

FROM_GEOMS = """<mujoco model="shapes">
  <compiler inertiagrouprange="0 2" settotalmass="5"/>
  <worldbody>
    <body name="float" pos="0 0 1">
      <freejoint name="root"/>
      <geom type="capsule" fromto="0 0 0 0.3 0.1 0.05" size="0.05"/>
      <geom type="ellipsoid" size="0.1 0.2 0.15" pos="-0.1 0 0" density="300"/>
      <geom type="sphere" size="2" group="4"/>
      <frame name="f" pos="0.3 0.1 0.05" euler="0 30 10">
        <body name="link"><joint name="hinge" axis="0 1 0.3" damping="0.1"/>
          <geom type="cylinder" size="0.03 0.2" pos="0 0 0.2" mass="0.7"/></body>
      </frame>
      <replicate count="3" euler="0 0 100" offset="0.05 0 0.02">
        <body name="wing" pos="0.1 0 0"><joint axis="0 1 0"/><joint name="feather" axis="1 0 0"/>
          <geom type="box" size="0.1 0.02 0.01" pos="0.1 0 0"/></body>
      </replicate>
    </body>
  </worldbody>
  <actuator><velocity joint="hinge" kv="3"/></actuator>
</mujoco>"""

FOUR_BAR = f"""<mujoco model="four_bar">
  <worldbody>
    <body name="crank" pos="0 0 0.5"><joint name="motor" axis="0 1 0" armature="0.01" damping="0.02"/>{inertial(0.5)}
      <body name="coupler" pos="0.2 0 0"><joint name="elbow" axis="0 1 0" frictionloss="0.1"/>{inertial(0.9, 0.2)}
        <site name="pen" pos="0.2 0 0.1"/>
      </body>
    </body>
    <body name="rocker" pos="0.5 0.01 0.4"><joint name="swing" axis="0 1 0" stiffness="1.5" springref="0.2"/>
      {inertial(0.7)}</body>
  </worldbody>
  <equality><connect name="pin" body1="coupler" body2="rocker" anchor="0.35 0 0.3"/></equality>
  <actuator><motor joint="motor" gear="5"/></actuator>
</mujoco>"""

SITES = f"""<mujoco model="sites">
  <worldbody>
    <site name="ground" pos="0.6 0 0.2" euler="10 20 30"/>
    <body name="a" pos="0 0 0.5"><joint name="j1" axis="0 0 1"/><joint name="j2" axis="0 1 0"/>{inertial(0.5)}
      <body name="b" pos="0.4 0 0"><joint name="j3" type="ball"/>{inertial(0.9, 0.2)}
        <site name="end" pos="0.35 0.05 0" euler="0 40 0"/>
      </body>
    </body>
    <body name="c" pos="0.3 0.3 0.2"><freejoint name="free"/>{inertial(0.3)}
      <site name="port" pos="0.05 0 0.02" euler="40 0 15"/>
      <body name="d" pos="0.1 0 0"><joint name="j4" axis="1 0 0.5"/>{inertial(0.2)}</body></body>
  </worldbody>
  <equality><connect site1="end" site2="ground"/><weld site1="port" site2="end"/></equality>
  <actuator><motor joint="j1"/><motor joint="j4"/></actuator>
</mujoco>"""

WELDS = f"""<mujoco model="welds">
  <worldbody>
    <body name="a" pos="0 0 0.5"><joint name="j1" axis="0 0 1"/><joint name="j2" axis="0 1 0"/>
      <joint name="j3" axis="1 0 0"/>{inertial(0.5)}
      <body name="b" pos="0.4 0 0" euler="0 30 0"><joint name="j4" axis="0 1 0.1"/>
        <joint name="s4" type="slide" axis="1 0 0"/>{inertial(0.9, 0.2)}</body>
    </body>
    <body name="c" pos="0.5 0.1 0.4" euler="20 10 5"><freejoint name="free"/>{inertial(0.3)}</body>
    <body name="d" pos="0.5 -0.1 0.4" euler="0 10 5"><freejoint name="loose"/>{inertial(0.35)}</body>
    <body name="e" pos="0.2 -0.3 0.4"><joint name="j6" axis="0 1 1" pos="0.1 0 0"/><joint name="j7" axis="0 1 -1"/>
      <joint name="s7" type="slide" axis="1 0 0"/>{inertial(0.25)}</body>
  </worldbody>
  <equality>
    <weld body1="b" body2="c" relpose="0.1 0.05 0.02 0.8 0.1 0.3 0.2" anchor="0.03 0.02 0.01"/>
    <weld body1="d" body2="b" anchor="0.1 0 0.2"/>
    <weld body1="e" body2="d" anchor="0.02 0.03 0.1" torquescale="0"/>
    <connect body1="e" body2="a" anchor="0.1 0.1 0.1" active="false"/>
  </equality>
  <actuator><motor joint="j1"/></actuator>
</mujoco>"""

RELATIONS = f"""<mujoco model="relations">
  <compiler autolimits="true"/>
  <worldbody>
    <body name="a"><joint name="j1" axis="0 0 1" ref="0.3" damping="0.2"/>{inertial(0.5)}
      <body name="b" pos="0.4 0 0"><joint name="j2" axis="0 1 0" ref="-0.2"/>{inertial(0.9, 0.2)}
        <body name="c" pos="0.3 0 0.1"><joint name="j3" axis="1 0 0" ref="0.1" stiffness="3"/>{inertial(0.2)}
          <body name="d" pos="0.1 0.2 0.1"><joint name="s4" type="slide" axis="1 0 0.5"/>{inertial(0.3)}
            <body name="e" pos="0.1 0.2 0"><joint name="j5" axis="1 0 0.5"/>{inertial(0.1)}
              <body name="f" pos="0.1 0.1 0"><joint name="s6" type="slide"/>{inertial(0.15)}</body>
            </body></body></body></body></body>
  </worldbody>
  <tendon>
    <fixed name="sum" stiffness="2" damping="0.3" springlength="0.4" frictionloss="0.2" armature="0.07" range="-2 2">
      <joint joint="j1" coef="0.5"/><joint joint="j2" coef="-1.5"/></fixed>
    <fixed name="j1"><joint joint="s4" coef="2"/><joint joint="j5" coef="0.5"/></fixed>
    <fixed name="second"><joint joint="j5" coef="1"/><joint joint="s6" coef="-3"/></fixed>
  </tendon>
  <equality>
    <joint joint1="j3" polycoef="0.25"/>
    <joint joint1="s4" joint2="j2" polycoef="0.02 0.3 0 0 0"/>
    <tendon tendon1="j1" tendon2="second" polycoef="0.1 0.7 0 0 0"/>
  </equality>
  <actuator>
    <motor tendon="sum" gear="2" forcerange="-3 3"/><motor joint="j1"/><motor tendon="j1"/>
  </actuator>
</mujoco>"""

SPRING = f"""<mujoco model="spring">
  <worldbody>
    <site name="hook" pos="0.1 0.5 0.7"/>
    <body name="a"><joint name="j1" axis="0 1 0"/><joint name="j2" axis="0 0 1"/>{inertial(0.5)}
      <site name="eye" pos="0.2 0.05 0"/></body>
  </worldbody>
  <tendon><spatial name="rope" stiffness="40" damping="0.6" springlength="0.3"><site site="hook"/><site site="eye"/>
    </spatial>
    <spatial name="ruler"><site site="hook"/><site site="eye"/></spatial></tendon>
</mujoco>"""

ROD = f"""<mujoco model="rod">
  <worldbody>
    <site name="hook" pos="0.1 0.5 0.7"/><site name="nail"/>
    <body name="a"><joint name="j1" axis="0 1 0"/>{inertial(0.5)}<site name="eye" pos="0.2 0.05 0"/></body>
    <body name="b" pos="0.5 0.1 0.2"><joint name="j2" axis="0 1 0.3" damping="0.1"/><joint name="j3" axis="1 0 0"/>
      {inertial(0.4)}<site name="end" pos="0.1 0.3 -0.1"/></body>
  </worldbody>
  <tendon>
    <spatial name="bar" stiffness="3"><site site="eye"/><site site="end"/></spatial>
    <spatial name="rope" stiffness="40" damping="0.6" springlength="0 0.3"><site site="hook"/><site site="eye"/></spatial>
    <spatial name="slack" stiffness="70" springlength="0 2"><site site="hook"/><site site="end"/></spatial>
    <spatial name="inside" damping="3"><site site="hook"/><site site="nail"/></spatial>
  </tendon>
  <equality><tendon name="bar" tendon1="bar" polycoef="0.01 0 0 0 0"/></equality>
  <actuator><motor joint="j1"/><motor tendon="bar"/></actuator>
</mujoco>"""


def winches(seed: int = 4) -> str:
    """A free platform on six pulled tendons, some with friction, armature, bounds and springs that may be slack."""
    rng, words = np.random.default_rng(seed), "{} {} {}".format
    hooks, eyes, ropes, motors = [], [], [], []
    effects = ('armature="0.3"', 'frictionloss="0.4"', 'range="0.1 2" limited="true"', 'damping="2"')
    effects += ('stiffness="30" springlength="0 0.4" damping="0.7"', 'stiffness="20" springlength="0.2"')
    for k, own in enumerate(effects):
        a, b = np.pi / 3 * (k + 0.25 * (-1) ** k), np.pi / 3 * (k - 0.2 * (-1) ** k + 0.3)
        hook = np.array([0.5 * np.cos(a), 0.5 * np.sin(a), 1.2]) + rng.uniform(-0.02, 0.02, 3)
        eye = np.array([0.3 * np.cos(b), 0.3 * np.sin(b), 0.0]) + rng.uniform(-0.02, 0.02, 3)
        hooks.append(f'<site name="hook{k}" pos="{words(*hook)}"/>')
        eyes.append(f'<site name="eye{k}" pos="{words(*eye)}"/>')
        ropes.append(f'<spatial name="rope{k}" {own}><site site="hook{k}"/><site site="eye{k}"/></spatial>')
        motors.append(f'<motor tendon="rope{k}" gear="{2 + k}" forcerange="-3 3" armature="0.02" damping="0.1"/>')
    return (
        f'<mujoco model="winches"><worldbody>{"".join(hooks)}<body name="platform" pos="0 0 0.6" euler="5 10 3">'
        f'<freejoint name="pose"/>{inertial(4.0, 0.02)}{"".join(eyes)}</body></worldbody>'
        f"<tendon>{''.join(ropes)}</tendon><actuator>{''.join(motors)}</actuator></mujoco>"
    )


ACTUATORS = f"""<mujoco model="motors">
  <worldbody>
    <body name="a"><joint name="j1" axis="0 1 0" armature="0.1" damping="0.2" actuatorfrcrange="-7 5"/>{inertial(0.5)}
      <body name="b" pos="0.2 0.1 0"><joint name="j2" axis="1 0 0.2"/>{inertial(0.4)}</body></body>
  </worldbody>
  <tendon><fixed name="belt"><joint joint="j1" coef="0.4"/><joint joint="j2" coef="0.7"/></fixed></tendon>
  <actuator>
    <motor joint="j1" gear="3" armature="0.5" damping="0.7" forcerange="-2 2"/>
      <motor joint="j1" gear="2" armature="0.25" forcerange="-1 1"/>
    <general tendon="belt" gear="1.5" armature="0.3" damping="0.1" gainprm="3" biastype="affine" biasprm="0 -3 -1"/>
  </actuator>
</mujoco>"""


def hexapod(seed: int = 3) -> str:
    """Six legs with two hinges and a driven slide; each ends in a ball on a free platform; irregular."""
    rng = np.random.default_rng(seed)
    legs, ties, motors = [], [], []
    for k in range(6):
        a = np.pi / 3 * (k + 0.25 * (-1) ** k)
        base = np.array([0.5 * np.cos(a), 0.5 * np.sin(a), 0.0]) + rng.uniform(-0.02, 0.02, 3)
        b = np.pi / 3 * (k - 0.2 * (-1) ** k + 0.3)
        top = np.array([0.3 * np.cos(b), 0.3 * np.sin(b), 0.6]) + rng.uniform(-0.02, 0.02, 3)
        axis, words = top - base, "{} {} {}".format
        length = float(np.linalg.norm(axis))
        legs.append(
            f'<body name="lower{k}" pos="{words(*base)}" zaxis="{words(*axis)}">'
            f'<joint name="hip{k}x" axis="1 0 0"/><joint name="hip{k}y" axis="0 1 0"/>{inertial(0.6 + 0.1 * k)}'
            f'<body name="upper{k}"><joint name="slide{k}" type="slide" axis="0 0 1" damping="{3 + k}" armature="0.2"/>'
            f'<inertial mass="{0.4 + 0.05 * k}" pos="0 0.01 {length - 0.2}" diaginertia="0.01 0.012 0.003"/></body></body>'
        )
        ties.append(f'<connect body1="upper{k}" body2="platform" anchor="0 0 {length}"/>')
        motors.append(f'<motor name="m{k}" joint="slide{k}" gear="{2 + k}"/>')
    return (
        f'<mujoco model="hexapod"><worldbody>{"".join(legs)}<body name="platform" pos="0 0 0.6"><freejoint name="pose"/>'
        f'{inertial(4.0, 0.02)}<site name="tool" pos="0 0.1 0.2" euler="0 30 10"/></body></worldbody>'
        f"<equality>{''.join(ties)}</equality><actuator>{''.join(motors)}</actuator></mujoco>"
    )
