"""Low-pass filters without lag, derivatives and shifts in time: one linear operation in the frequency domain.

A channel x at equal steps h is continued oddly about both of its ends (its chord taken away), so that it is periodic and smooth
there, and its spectrum is multiplied by

    H(f) (i 2πf)^k e^{i 2πf δ},   H = 1 / (1 + (f / band)^8):                                                       (1)

a Butterworth filter of fourth order run forwards and backwards, the k-th derivative, and what is measured δ late brought back.
The same H on positions, forces and wrenches keeps equations that are linear in them as they were. Its memory fades as
e^{-0.38·2π band t}: MEMORY / band seconds at either end are marked by the ends. Derivatives "central" are those of central
differences instead, i sin(2πf h)/h, for comparison with work that used them: they are (2πf h)²/6 short a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

ORDER = 4
MEMORY = 4.0
"""Of a filter, in 1/band: e^{-0.38·2π·4} = 7e-5."""
NINE = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0.0, 4 / 5, -1 / 5, 4 / 105, -1 / 280])
NINE_SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
"""Central differences over nine points, of order h⁸, for channels that are not filtered."""


@dataclass(frozen=True)
class LowPass:
    """Equation (1); band_hz None: nothing is filtered, and derivatives are differences over nine points."""

    band_hz: float | None
    derivative: str = "exact"

    @property
    def memory(self) -> float:
        """How long (s) the ends of a record are felt; without a filter four steps are."""
        return 0.0 if self.band_hz is None else MEMORY / self.band_hz

    def __call__(self, x: np.ndarray, step: float, late: float = 0.0, order: int = 0) -> np.ndarray:
        """The channel (n,), filtered, `late` seconds brought back, its derivative of this order."""
        return self.derivatives(x, step, late, (order,))[0]

    def derivatives(
        self, x: np.ndarray, step: float, late: float = 0.0, orders: Sequence[int] = (0, 1, 2)
    ) -> list[np.ndarray]:
        """Derivatives of these orders of a channel (n,), filtered and brought back."""
        from scipy.fft import irfft, next_fast_len, rfft

        if self.band_hz is None and not late:
            return [_differences(x, step, k, self.derivative) if k else x for k in orders]
        n = len(x)
        longer = min(int(next_fast_len(n - 1, real=True) or n - 1) + 1 - n, n - 1)  # a little further, for speed
        y = np.concatenate([x, 2 * x[-1] - x[-2 : -2 - longer : -1]]) if longer else x
        slope = (y[-1] - y[0]) / ((len(y) - 1) * step)
        time = step * np.arange(len(y))
        bent = y - (y[0] + slope * time)
        period = 2 * (len(y) - 1)
        spectrum = rfft(np.concatenate([bent, -bent[-2:0:-1]]))
        f = np.fft.rfftfreq(period, step)
        out = []
        for order in orders:
            made = np.asarray(irfft(spectrum * self._factor(f, step, late, order), period))[:n]
            out.append(made + (y[0] + slope * (time[:n] + late) if order == 0 else slope if order == 1 else 0.0))
        return out

    def _factor(self, f: np.ndarray, step: float, late: float, order: int) -> np.ndarray:
        w = 2 * np.pi * f
        rate = w if self.derivative == "exact" else np.sin(w * step) / step
        low = 1.0 if self.band_hz is None else 1.0 / (1.0 + (f / self.band_hz) ** (2 * ORDER))
        return low * (1j * rate) ** order * (np.exp(1j * w * late) if late else 1.0)


def _differences(x: np.ndarray, step: float, order: int, kind: str) -> np.ndarray:
    if kind == "central":
        once = np.gradient(x, step)
        return once if order == 1 else np.gradient(once, step)
    longer = np.concatenate([2 * x[0] - x[4:0:-1], x, 2 * x[-1] - x[-2:-6:-1]])
    kernel = NINE if order == 1 else NINE_SECOND
    return np.correlate(longer, kernel, "valid") / step**order


def noise_bandwidth(band_hz: float) -> float:
    """Hz: of the rectangle that lets as much white noise through as |H|² does: band · Γ(1/8) Γ(15/8) / 8."""
    from scipy.special import gamma

    return float(band_hz * gamma(1 / 8) * gamma(15 / 8) / 8)
