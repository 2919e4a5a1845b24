"""[Briot 2014]: DualEMPS, its natural frequencies (Table 3) and 25 s of the square (scenario `briot2014_square`).

Frequencies: slides locked at q11 = q21 = 0, undeformed. The tables as printed miss the paper's own row in the third digit; inside
the printed digits of three inertias there are values (gallery robot `dualemps_refined`) that give it to every digit.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from gough.papers.comparison import Comparison, equals
from gough.papers.finished import finished
from gough.papers.known import EXACT, INDEPENDENT

if TYPE_CHECKING:
    from gough.compilation import Model
    from gough.simulation.results.run import Run
    from gough.simulation.scenarios.scenario import Scenario

SCENARIO = "briot2014_square"
TABLE_3 = {
    "model": (14.22, 25.09, 48.22, 92.37, 109.08, 423.39),
    "Adams": (14.41, 24.92, 49.78, 97.91, 110.86, 219.60),
    "measured, ±1": (14.0, 25.0, 48.0, 93.0, 108.0, 163.0),
}
"""[Briot 2014, Table 3], Hz."""
AS_PRINTED = (14.207, 25.042, 48.156, 91.907, 110.326, 436.197)
"""Hz: Tables 1 and 2 as printed, by an energy model."""
EIGHT_ELEMENTS = (14.18, 24.52, 45.91, 89.80, 105.38, 188.54)
"""Hz: eight elements a link in place of one, by an energy model."""
PAPER_S = 365.0
"""s: what 25 s took the authors in 2014; their solver is not stated."""
ENERGY = 1e-3
"""Allowed error of the energy balance of the square, of the energy exchanged: the accuracy asked of this run."""
_PERIOD, _SETTLED = 6.25, 2.0
"""s: of an edge; from its begin until the drives have stopped and the higher modes can be told apart."""


def frequencies(model: "Model", count: int = 6) -> np.ndarray:
    """The first natural frequencies (count,), Hz: drives locked at home, undeformed."""
    from gough.analysis.modes import natural_frequencies

    return natural_frequencies(model, about="undeformed").frequencies_hz[:count]


def frequency_comparisons(printed: np.ndarray, refined: np.ndarray, eight: np.ndarray) -> list[Comparison]:
    """Of `dualemps`, `dualemps_refined` and `dualemps_8` with Table 3 and energy models."""
    return [
        equals("tables as printed", printed, AS_PRINTED, "Hz", 0.0005, INDEPENDENT, form=".3f"),
        equals(
            "inertias refined in their printed digits",
            refined,
            TABLE_3["model"],
            "Hz",
            0.005,
            "[Briot 2014, Table 3]",
            form=".2f",
        ),
        equals(
            "eight elements a link",
            eight,
            EIGHT_ELEMENTS,
            "Hz",
            0.005,
            INDEPENDENT,
            form=".2f",
            note="the paper's f6 is an artefact of one element a link; measured: 163 ± 1 Hz",
        ),
    ]


@dataclass(frozen=True)
class Square:
    """run: the scenario as it is. ringing: the same without Coulomb friction, which would stop the links at every rest."""

    run: "Run"
    ringing: "Run"

    @property
    def residual_hz(self) -> float:
        """The strongest frequency of link 13's tip while the drives rest, over all four rests."""
        return float(np.mean([residual_frequency(self.ringing, _PERIOD * k) for k in range(4)]))

    def comparisons(self) -> list[Comparison]:
        """With the paper's first natural frequency and with what is exact."""
        return [
            equals(
                "residual vibration at the rests, no Coulomb friction",
                self.residual_hz,
                14.2,
                "Hz",
                0.05,
                "f1 of [Briot 2014, Table 3]",
                form=".2f",
            ),
            *(
                equals(
                    f"energy balance, {friction} Coulomb friction",
                    run.summary()["energy_error"],
                    0.0,
                    "of the energy exchanged",
                    ENERGY,
                    EXACT,
                    form=".1e",
                )
                for friction, run in (("with", self.run), ("without", self.ringing))
            ),
        ]


def square(scenario: "Scenario") -> Square:
    """The scenario with Coulomb friction and without."""
    from gough.compilation import build
    from gough.robot.friction import change_friction

    run = finished(scenario)
    smooth = scenario.with_(model=build(change_friction(scenario.model.robot, coulomb=0.0)), check="off")
    return Square(run, finished(smooth))


def rest_spectrum(run: "Run", begin: float) -> tuple[np.ndarray, np.ndarray]:
    """(frequencies (n,), Hz; amplitudes (n,)) of link 13's tip in the rest of the edge begun at `begin` (s); Hann window."""
    part = run.between(begin + _SETTLED, begin + _PERIOD - 1e-9)
    times = np.linspace(part.time[0], part.time[-1], 4096)
    y = np.interp(times, part.time, part["link13.tip.y"])
    lines = np.abs(np.fft.rfft((y - y.mean()) * np.hanning(len(y))))
    return np.fft.rfftfreq(len(y), times[1] - times[0]), lines


def residual_frequency(run: "Run", begin: float) -> float:
    """Hz: the highest line of that spectrum. A rest of 4 s resolves 0.25 Hz; a parabola through the logarithms of the highest
    three lines does better."""
    hertz, lines = rest_spectrum(run, begin)
    k = int(lines[1:-1].argmax()) + 1
    a, b, c = np.log(lines[k - 1 : k + 2])
    return float((k + 0.5 * (a - c) / (a - 2 * b + c)) * hertz[1])
