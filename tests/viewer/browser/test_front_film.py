"""An animation along a front in a real browser: it begins at the best of the objective, ends at its worst."""

from __future__ import annotations

import time
import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import gough
from studies.study.robots import EXAMPLES
from viewer.browser.viewing import session_of, until

pytest.importorskip("viser")
Image = pytest.importorskip("PIL.Image")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_an_animation_goes_from_end_to_end(open_page: Any, tmp_path: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        study = gough.load_study(EXAMPLES / "motion_platform_study.yaml")
        found = replace(study, search=replace(study.search, count=16)).run()
    with found.view(port=0, plain=True) as viewer:
        page = open_page(viewer.url)
        page.set_default_timeout(120_000)
        session = session_of(viewer)
        panel = session.panels["designs"]
        until(lambda: len(panel.stage.chosen) == len(panel.beside.usual), "chosen designs in the row")
        told: list[tuple[float, np.ndarray]] = []
        show = panel.show

        def note() -> None:
            show()
            told.append((float(panel.stage.place), np.array(panel.columns(panel.player.time)[0].values)))

        panel.show = note
        last = float(panel.stage.way.last)
        panel.player.speed = last * 15.0 / 3.0  # four frames
        page.get_by_text("Take away").first.click()
        with page.expect_download() as download:
            page.get_by_text("GIF", exact=True).first.click()
        path = tmp_path / "front.gif"
        download.value.save_as(path)
        panel.player.seek(last)
        show()
        session.client.flush()
        stills: list[np.ndarray] = []
        for _ in range(12):  # a busy browser shows its numbers late
            time.sleep(2.0)
            drawn = np.asarray(session.client.get_render(720, 1280, transport_format="png"), dtype=int)
            part = drawn[..., 3:] / 255
            stills.append(drawn[..., :3] * part + 255 * (1 - part))
            if len(stills) > 1 and np.abs(stills[-1] - stills[-2]).max() < 1:
                break
        still = stills[-1]
    with Image.open(path) as film:
        frames = []
        for k in range(film.n_frames):
            film.seek(k)
            frames.append(np.asarray(film.convert("RGB"), dtype=int))
    assert len(frames) == 4 and all(np.abs(a - b).max() > 100 for a, b in pairwise(frames))
    assert (np.abs(frames[-1] - still).max(axis=2) > 100).sum() < 20  # its numbers, too, are those of the last design
    way = panel.stage.way
    for place in np.linspace(0.0, last, 4):
        own = next(values for at, values in told if np.isclose(at, place) and at == pytest.approx(place))
        assert own == pytest.approx(found.study.evaluator.evaluate(way.variables(place)[None]).values[0], rel=1e-6)
