"""What the accelerometer of [Briot 2014, section 5] would have measured: point P of link 17, across the link."""

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from gough.simulation.results.run import Run

CUT_OFF = 100.0
"""Hz: of the low-pass filter that the paper puts on its measurement."""
RATE = 2000.0
"""Hz: of the even samples that are filtered."""


def acceleration_of_P(run: "Run") -> tuple[np.ndarray, np.ndarray]:
    """(t (n,), s; ¹⁷ÿ_P (n,), m/s²): filtered at 100 Hz forwards and backwards, so that nothing is shifted in time."""
    from scipy.signal import butter, sosfiltfilt

    from gough.spatial.poses import rotation_of_quaternion

    t = np.arange(run.time[0], run.time[-1], 1.0 / RATE)
    velocity = _even(run.time, run["link17.twist"][:, :3], t)
    across = rotation_of_quaternion(_even(run.time, run["link17.pose"][:, 3:7], t))[:, :, 1]
    y = np.einsum("ni,ni->n", np.gradient(velocity, t, axis=0), across)
    return t, sosfiltfilt(butter(2, CUT_OFF, fs=RATE, output="sos"), y)


def _even(time: np.ndarray, values: np.ndarray, t: np.ndarray) -> np.ndarray:
    return np.stack([np.interp(t, time, column) for column in values.T], axis=1)
