"""A robot's function as C, compiled and called from here: what a controller would run. Needs a C compiler (`cc`).

Expected: the numbers of the library itself (which are verified elsewhere) to rounding, a status of 0 at good states and another
one where the loop does not close; and from statics the motors of a five-bar in a horizontal plane need nothing to hold it.
"""

import ctypes
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import gough

STATES = 200
EXPECTED = {  # value, tolerance
    "largest difference from Python (N m)": (0.0, 1e-12),
    "states with a status": (0, 0),
    "status where the loop is open": (1, 0),
    "torque at rest (N m)": (0.0, 1e-12),
}


def compiled(model, folder):
    """The exported inverse dynamics as a function of (q, v, acceleration) of one state: (tau, status)."""
    model.export("inverse_dynamics", folder, name="torque")
    library = Path(folder) / "torque.so"
    subprocess.run(
        ["cc", "-O2", "-shared", "-fPIC", str(Path(folder) / "torque.c"), "-lm", "-o", str(library)], check=True
    )
    code = ctypes.CDLL(str(library))
    code.torque.restype = ctypes.c_uint64
    array = ctypes.POINTER(ctypes.c_double)
    prepared = np.zeros(256)  # TORQUE_PREPARED_SIZE of the header is less
    parameters = np.ascontiguousarray(model.parameters)
    assert code.torque_prepare(parameters.ctypes.data_as(array), prepared.ctypes.data_as(array)) == 0

    def call(q, v, acceleration):
        tau, wrench = np.zeros(2), np.zeros(2)
        arrays = [np.ascontiguousarray(x, dtype=float) for x in (q, v, acceleration, wrench, prepared, tau)]
        status = code.torque(*[x.ctypes.data_as(array) for x in arrays])
        return arrays[-1], status

    return call


def main():
    model = gough.build("five_bar")
    rng = np.random.default_rng(0)
    q = model.configuration(drives=np.radians([140.0, 50.0]) + rng.uniform(-0.3, 0.3, (STATES, 2)))
    v, acceleration = rng.normal(size=(STATES, 2)), 10 * rng.normal(size=(STATES, 2))
    tau = model.inverse_dynamics(q, v, acceleration).tau
    with tempfile.TemporaryDirectory() as folder:
        call = compiled(model, folder)
        found = [call(*state) for state in zip(q, v, acceleration, strict=True)]
        rest, _ = call(q[0], np.zeros(2), np.zeros(2))
        _, open_loop = call(q[0] + [0, 0.1, 0, 0], v[0], acceleration[0])
    return {
        "largest difference from Python (N m)": np.abs(np.array([t for t, _ in found]) - tau).max(),
        "states with a status": sum(status != 0 for _, status in found),
        "status where the loop is open": int(open_loop != 0),
        "torque at rest (N m)": np.abs(rest).max(),
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
