"""Poles of a record of decaying waves, without a model: what delayed samples span is moved into itself by one delay.

Rows of delayed samples are H = O X with O = [c; c z; c z²; …]: the leading singular vectors span O, and O without its last row
times z is O without its first (the method ESPRIT of R. Roy and T. Kailath, 1989).
"""

import numpy as np

DELAYS = 240
PERIOD = 5.0
"""Samples a period of the fastest wave that are kept; those between them become further columns."""
MORE = 6
"""Waves that are looked for beyond those of the model: others in the record, and noise."""
ABOVE_NOISE = 12.0
"""Power of a wave, beside what noise alone gives it, that is seen."""


def poles_of_record(t: np.ndarray, y: np.ndarray, count: int, fastest_hz: float) -> np.ndarray:
    """s (m,) in 1/s above the real axis, slowest first, of waves that stand out of the noise of a record (n, channels) with even
    times (n,); fastest_hz: about the fastest of `count` that may be there."""
    step = float(t[-1] / (len(t) - 1))
    centred = (y - y.mean(axis=0)) / y.std(axis=0)
    every = max(1, min(int(1.0 / (PERIOD * fastest_hz * step)), len(t) // (16 * (count + MORE))))
    rows = max(min(DELAYS, len(t) // every // 2), 4)
    product = np.zeros((rows, rows))
    for begin in range(every):
        part = np.lib.stride_tricks.sliding_window_view(centred[begin::every], rows, axis=0)
        H = part.reshape(-1, rows)
        product += H.T @ H
    leading = np.linalg.eigh(product)[1][:, ::-1][:, : min(2 * (count + MORE) + 1, rows - 1)]
    z = np.linalg.eigvals(np.linalg.lstsq(leading[:-1], leading[1:], rcond=None)[0])
    s = np.log(np.where(z == 0, 1e-300, z)) / (every * step)
    s = s[(np.imag(s) > 2 * np.pi / t[-1]) & (np.abs(np.real(s)) < 0.5 * np.imag(s))]
    if not len(s):
        return s
    power, noise = _powers(t, centred, s)
    s = s[power > ABOVE_NOISE * max(noise, 1e-14)]
    return s[np.argsort(np.imag(s))]


def _powers(t: np.ndarray, y: np.ndarray, s: np.ndarray) -> tuple[np.ndarray, float]:
    """(power (m,) of each wave in the record, that of noise alone)."""
    waves = np.exp(t[:, None] * (np.minimum(np.real(s), 0.0) + 1j * np.imag(s)))
    columns = np.concatenate([np.real(waves), np.imag(waves), np.ones((len(t), 1))], axis=1)
    columns = columns / np.linalg.norm(columns, axis=0)
    a = np.linalg.lstsq(columns, y, rcond=1e-8)[0]
    left = float(np.sum((y - columns @ a) ** 2)) / max(y.shape[0] - columns.shape[1], 1)
    power = np.sum(a**2, axis=1)
    return power[: len(s)] + power[len(s) : 2 * len(s)], 2 * left
