"""Where the parts of a reproduction work: where pictures go, whom they tell what they do, and models made once."""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gough_papers.report.section import Picture, Section, Tell

if TYPE_CHECKING:
    from gough.compilation import Model


@dataclass
class Workshop:
    """folder: of pictures. draws: whether there are any. tell: says what is being done now."""

    folder: Path
    tell: Tell
    draws: bool = True
    models: "dict[str, Model]" = field(default_factory=dict)
    build_s: dict[str, float] = field(default_factory=dict)

    def model(self, robot: str) -> "Model":
        """A gallery robot's model; made once, `build_s[robot]` is what it took."""
        if robot not in self.models:
            from gough.compilation import build
            from gough.robot import load

            begin = time.perf_counter()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # unphysical inertias: the report says so itself
                self.models[robot] = build(load(robot))
            self.build_s[robot] = time.perf_counter() - begin
        return self.models[robot]

    def draw(self, section: Section, file: str, caption: str, drawing: Callable[[], Any], label: str = "") -> None:
        """Draw a picture and put it into the section; drawing makes a matplotlib figure."""
        if not self.draws:
            return
        from gough_papers.report.canvas import saved

        section.pictures.append(Picture(saved(drawing(), self.folder / f"{file}.png"), caption, label))
