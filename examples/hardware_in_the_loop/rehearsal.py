"""A controller in C and a simulated robot, each in a process of its own, with datagrams between them. Needs a C compiler.

    python examples/hardware_in_the_loop/rehearsal.py [--robot fmu|stepper] [--real-time] [--samples 500] [--loss 0.02]
        [--late 0.05] [--most 3] [--lag 0] [--seed 1] [--hold 5] [--at HOST:PORT]

The law: computed torque of a five-bar from its encoders at 1 kHz, exported by `gough.export.export_law` and compiled with
controller.c. The robot: its FMU, or `gough.Stepper` (robot_side.py). wire.h is what they agree on. With `--at` the robot
talks to a controller that runs already: another machine, a microcontroller, a ROS node (ros2/).

Expected: in lock-step over a network that loses and delays nothing, the coordinates of `gough.simulate` with the same law to
1e-9; where every command takes `--lag` samples, those of the law with that delay. It is printed, and asserted.
"""

import argparse
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import gough
from gough import laws
from gough.export import export_fmu, export_law
from gough.sensors import Encoders

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from robot_side import FmuRobot, Network, StepperRobot, rehearse  # noqa: E402

PERIOD, STEP = 1e-3, 5e-4
SAMPLES = 500
SAME = 1e-9
"""rad; largest difference of coordinates from the run."""
IDLE = 5.0


def the_task():
    """Model, motion, law."""
    model = gough.build("five_bar")
    start = model.drives(model.home)
    motion = gough.motions.quintic(
        drives=[start, start + [0.25, -0.15], start], durations=0.5 * SAMPLES * PERIOD, extend="hold"
    )
    return model, motion, sampled(0)


def sampled(lag):
    """The law, its forces late by some samples; the controller in C is that without."""
    sensors = Encoders(bandwidth=100.0)
    return laws.Sampled(laws.ComputedTorque(bandwidth=6.0), PERIOD, limit=40.0, sensors=sensors, delay=lag * PERIOD)


def c_compiler(otherwise):
    """The C compiler; where there is none it says so, and ends."""
    found = shutil.which("gcc") or shutil.which("cc")
    if found is None:
        raise SystemExit(f"no C compiler here (gcc, cc): {otherwise}")
    return found


def compiled_controller(folder, model, motion, law):
    """The program of controller.c with the exported law."""
    compiler = shutil.which("gcc") or shutil.which("cc")
    if compiler is None:
        raise SystemExit(
            "no C compiler here (gcc, cc): the controller cannot be made; --at HOST:PORT takes one that runs"
        )
    export_law(model, law, folder, motion=motion, name="law")
    flags = ["-std=c99", "-O2", "-Wall", "-Wextra", "-pedantic", "-I", str(folder)]
    sources = [str(HERE / "controller.c"), str(Path(folder) / "law.c")]
    subprocess.run([compiler, *flags, *sources, "-lm", "-o", str(Path(folder) / "controller")], check=True)
    return Path(folder) / "controller"


class ControllerProcess:
    """A controller that runs: `address` to talk to; `end()` waits for it and returns what it printed."""

    def __init__(self, program, hold=5, idle=IDLE):
        words = [str(program), "0", str(hold), str(idle)]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        first = self.process.stdout.readline().split()  # it prints or ends at once
        if len(first) != 2 or first[0] != "port":
            self.process.kill()
            raise RuntimeError(f"the controller did not start: {' '.join(first)} {self.process.communicate()[0]}")
        self.address = "127.0.0.1", int(first[1])

    def end(self):
        try:
            return self.process.communicate(timeout=2 * IDLE)[0].strip()
        finally:
            self.process.kill()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


def exported_robot(model, folder):
    """The file of the robot as an FMU."""
    c_compiler("the FMU has no binary; take --robot stepper")
    return export_fmu(model, Path(folder) / "robot.fmu", step=STEP, derivatives=False)


def largest_difference(found, model, motion, lag=0):
    """Of coordinates at the samples, from `gough.simulate`."""
    run = gough.simulate(model, motion, sampled(lag), method="rk4", step=STEP, duration=len(found.forces) * PERIOD)
    rows = np.searchsorted(run.time, np.arange(len(found.q)) * PERIOD - 1e-9)
    return float(np.abs(found.q - run.q[rows]).max())


def largest_deviation(found, motion):
    """Of the drives from the motion (rad)."""
    wanted = [motion.at(k * PERIOD).position for k in range(len(found.readings))]
    return float(np.abs(found.readings - wanted).max())


def main(words=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--robot", choices=["fmu", "stepper"], default="fmu")
    parser.add_argument(
        "--real-time", action="store_true", help="samples when the clock says so; else as fast as it goes"
    )
    parser.add_argument("--samples", type=int, default=SAMPLES)
    parser.add_argument("--loss", type=float, default=0.0, help="part of the packets that is lost, each way")
    parser.add_argument("--late", type=float, default=0.0, help="part of the packets that is late")
    parser.add_argument("--most", type=int, default=3, help="samples that a late packet is late at most")
    parser.add_argument("--lag", type=int, default=0, help="samples that every command takes")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--hold", type=int, default=5, help="samples to hold a command before the stop")
    parser.add_argument("--at", help="HOST:PORT of a controller that runs already")
    asked = parser.parse_args(words)
    host, _, port = (asked.at or "127.0.0.1:0").rpartition(":")
    if not host or not port.isdigit() or asked.samples < 1 or not 0 <= asked.hold <= 1000:
        parser.error("--at is HOST:PORT, --samples 1 or more, --hold 0 to 1000")
    try:
        network = Network(asked.loss, asked.late, asked.most, asked.lag, asked.seed)
    except ValueError as problem:
        parser.error(str(problem))
    model, motion, law = the_task()
    more = {"real_time": asked.real_time, "hold": asked.hold}
    with tempfile.TemporaryDirectory() as folder:
        program = None if asked.at else compiled_controller(folder, model, motion, law)
        as_stepper = asked.robot == "stepper"
        robot = StepperRobot(model, STEP) if as_stepper else FmuRobot(exported_robot(model, folder), model)
        if program is None:
            found, told = rehearse(robot, (host, int(port)), asked.samples, PERIOD, network, **more), ""
        else:
            with ControllerProcess(program, asked.hold) as controller:
                found = rehearse(robot, controller.address, asked.samples, PERIOD, network, **more)
                told = controller.end()
        robot.close()
    print(found.report())
    print(f"drives off their motion by {1e3 * largest_deviation(found, motion):.2f} mrad at most")
    if told:
        print("controller:", told)
    if not asked.real_time and not asked.loss and not asked.late:
        off = largest_difference(found, model, motion, asked.lag)
        print("differs from gough.simulate by", f"less than {SAME:g}" if off < SAME else f"{off:.3g}")
        assert off < SAME
    return found


if __name__ == "__main__":
    main()
