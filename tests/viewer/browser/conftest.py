"""A real browser for the viewer's tests: Chromium, headless, with WebGL in software."""

import os
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
FLAGS = (
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--no-sandbox",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
REQUIRED = os.environ.get("GOUGH_BROWSER_TESTS") == "required"
MISSING = (
    "browser tests of the viewer are skipped: no Chromium found; install it (Debian, Ubuntu: apt install chromium), "
    "or name one in GOUGH_BROWSER"
)
HARMLESS = ("THREE.Clock: This module has been deprecated", "GPU stall due to ReadPixels", "GL Driver Message")
"""Warnings of the page's own libraries."""


def browser_path() -> str | None:
    """The browser to test with."""
    named = os.environ.get("GOUGH_BROWSER")
    return named or next((path for name in NAMES if (path := shutil.which(name))), None)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running browser, shared by the tests of a process."""
    path = browser_path()
    if path is None:
        if REQUIRED:
            pytest.fail("GOUGH_BROWSER_TESTS=required, but no Chromium was found")
        pytest.skip(MISSING)
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    with playwright.sync_playwright() as p:
        browser = p.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium: Any) -> Iterator[Callable[..., Any]]:
    """open_page(url, width, height, offline) -> page, loaded. At the end no page may have complained on its console."""
    opened: list[tuple[Any, list[str]]] = []

    def open_(
        url: str, width: int = 1280, height: int = 800, offline: bool = False, wait: str = "canvas", **options: Any
    ) -> Any:
        context = chromium.new_context(viewport={"width": width, "height": height}, offline=offline, **options)
        page, complaints = context.new_page(), []
        opened.append((context, complaints))
        page.on("console", lambda m: complaints.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: complaints.append(str(e)))
        page.goto(url)
        page.wait_for_selector(wait, timeout=60_000)
        return page

    yield open_
    for context, _ in opened:
        context.close()
    complaints = [text for _, texts in opened for text in texts if not any(h in text for h in HARMLESS)]
    assert not complaints, complaints
