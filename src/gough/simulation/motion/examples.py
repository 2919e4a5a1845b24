"""An example of every family of motions as it is written in files: what messages show where one is written wrong."""

AROUND = "offsets_from: home, poses: [{position: [0, 0, 0]}, {position: [20 mm, 0, 10 mm], rpy_zyx: [5 deg, 0, 0]}]"
"""There and back from wherever the platform is at home."""

EXAMPLES = {
    "quintic": f"{{{AROUND}, durations: 0.8 s}}",
    "septic": f"{{{AROUND}, durations: 0.8 s}}",
    "s_curve": f"{{{AROUND}, speed: 0.2 m/s, acceleration: 2 m/s^2, jerk: 50 m/s^3, turn_jerk: 5e4 deg/s^3}}",
    "quiet": f"{{{AROUND}, duration: 1 s}}",
    "trapezoid": f"{{{AROUND}, durations: 0.8 s, ramps: 0.2 s}}",
    "trigonometric": f"{{{AROUND}, durations: 0.8 s}}",
    "circle": "{pose: home, radius: 20 mm, duration: 2 s}",
    "polygon": (
        "{offsets_from: home, poses: [{position: [0, 0, 0]}, {position: [20 mm, 0, 0]}, {position: [0, 20 mm, 0]}], "
        "durations: 0.5 s}"
    ),
    "square": "{pose: home, side: 20 mm, durations: 0.5 s}",
    "spline": (
        "{offsets_from: home, poses: [{position: [0, 0, 0]}, {position: [20 mm, 0, 0]}, {position: [0, 0, 0]}], "
        "times: [0, 0.5 s, 1 s]}"
    ),
    "fourier": "{pose: home, period: 2 s, sines: {z: [10 mm, 0, 2 mm], yaw: [3 deg]}, cosines: {x: [5 mm]}}",
}


def motion_examples() -> dict[str, str]:
    """{family: an example as it is written under `motion` in a file}; those of drives have `drives: {NAME: [FROM, TO]}`, those of
    joints `joints: …`, in the place of poses. "home" and "quiet" need the robot."""
    return dict(EXAMPLES)
