"""Batches: arrays broadcast on leading axes, designs too, and bad states are marked, never hidden.

Expected (robot of [Lopes] at rest): at height 2 m the six forces carry the platform, six actuators and part of six
links; far to the side (3 m) no leg reaches. By statics with vertical drives the sum of the forces is the whole weight
at every pose: (1.430 + 6·0.123 + 6·0.389) g, and 1 kg more on the platform adds g.
"""

import numpy as np

import gough

WEIGHT = (1.430 + 6 * 0.123 + 6 * 0.389) * 9.81
EXPECTED = {  # value, tolerance
    "sum of forces, smallest (N)": (WEIGHT, 1e-9),
    "sum of forces, largest (N)": (WEIGHT, 1e-9),
    "more with 1 kg on the platform (N)": (9.81, 1e-9),
    "bad states": (1, 0),
    "NaN forces": (6, 0),
}


def main():
    model = gough.build("lopes")
    still = np.zeros(6)

    height = np.linspace(1.9, 2.3, 5)[:, None]  # (5, 1)
    yaw = np.radians(np.linspace(-15.0, 15.0, 7))  # (7,)
    q = model.configuration(coordinates={"z": height, "yaw": yaw})  # (5, 7, nq)
    total = model.inverse_dynamics(q, still, still).tau.sum(axis=-1)  # (5, 7)

    heavier = model.parameters_with({"platform.M": np.array([1.430, 2.430])})  # two designs, one compilation
    both = model.inverse_dynamics(q[..., None, :], still, still, parameters=heavier).tau.sum(axis=-1)  # (5, 7, 2)

    try:
        model.configuration(coordinates={"x": [0.0, 0.1, 3.0]})
    except gough.BadStateError as error:  # by default a bad state raises; the message names state, leg and remedy
        print(error)
    q = model.configuration(coordinates={"x": [0.0, 0.1, 3.0]}, on_bad_state="mark")
    marked = model.inverse_dynamics(q, still, still, on_bad_state="mark")  # or NaN rows and a status
    return {
        "sum of forces, smallest (N)": total.min(),
        "sum of forces, largest (N)": total.max(),
        "more with 1 kg on the platform (N)": (both[..., 1] - both[..., 0]).mean(),
        "bad states": int((marked.status != gough.Status.OK).sum()),
        "NaN forces": int(np.isnan(marked.tau).sum()),
    }


if __name__ == "__main__":
    for name, value in main().items():
        expected, tolerance = EXPECTED[name]
        print(f"{name}: {value:.6g}, expected {expected:.6g}")
        assert abs(value - expected) <= tolerance
