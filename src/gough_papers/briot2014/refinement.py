"""[Briot 2014, Table 3] as the mesh is refined: one, two, four and eight elements a link, tables as printed."""

from typing import Any

import numpy as np

from gough_papers.briot2014.square import frequencies
from gough_papers.plain import changed_model

ELEMENTS = (2, 4)
"""Between the gallery's one and eight."""


def refined(elements: int) -> np.ndarray:
    """The first six frequencies (Hz) with that many elements a link."""

    def change(data: Any) -> None:
        for body in data["bodies"]:
            if "flexible" in body:
                body["flexible"]["beam"]["elements"] = elements

    return frequencies(changed_model("dualemps", change))
