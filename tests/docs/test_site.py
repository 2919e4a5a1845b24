"""The pages become a site: built strictly, complete, and with nothing from elsewhere."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.blocks import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` serves it; a warning fails the build (not with --quiet: it hides them from the count)."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)]
    quiet = os.environ | {"NO_MKDOCS_2_WARNING": "1"}
    done = subprocess.run(command, cwd=ROOT, env=quiet, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_every_page_is_there(site: Path) -> None:
    docs = ROOT / "docs"
    missing = [p for p in docs.rglob("*.md") if not (site / p.relative_to(docs).with_suffix(".html")).exists()]
    assert not missing
    assert all((site / page).exists() for page in ("about.html", "contributing.html", "changelog.html"))


def test_nothing_comes_from_elsewhere(site: Path) -> None:
    """Scripts, styles, fonts and pictures are in the site; only links lead out of it."""
    for page in site.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        loaded = re.findall(r"<(?:script|img|iframe)[^>]*\ssrc=[\"']([^\"']+)", text)
        loaded += re.findall(
            r"<link[^>]*rel=[\"'](?:stylesheet|preconnect|preload|icon)[\"'][^>]*href=[\"']([^\"']+)", text
        )
        loaded += re.findall(r"<link[^>]*href=[\"']([^\"']+)[\"'][^>]*rel=[\"'](?:stylesheet|preconnect|preload)", text)
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)], page.name
    for style in site.rglob("*.css"):
        assert not re.findall(r"url\([\"']?https?:", style.read_text(encoding="utf-8")), style.name


def test_links_to_code_lead_to_its_line(site: Path) -> None:
    """A link to a function in a page is one to the line where it stands."""
    text = (site / "notation.html").read_text(encoding="utf-8")
    links = re.findall(r'href="(source/(src/[^"#]+\.py)\.html)#L-(\d+)"[^>]*>.*?<code>([\w.]+)</code></a>', text)
    assert len(links) > 20
    for page, file, line, name in links:
        shown = (ROOT / file).read_text(encoding="utf-8").splitlines()[int(line) - 1]
        assert re.match(rf"\s*(def|class) {name.split('.')[-1]}\b", shown), (file, line, name)
        assert f'id="L-{line}"' in (site / page).read_text(encoding="utf-8")


def test_links_inside_the_site_lead_somewhere(site: Path) -> None:
    lost = []
    for page in site.rglob("*.html"):
        if page.name == "404.html":
            continue
        for link in re.findall(r'href="([^"]+)"', page.read_text(encoding="utf-8")):
            file = link.partition("#")[0]
            if not re.match(r"[a-z]+:|//", link) and file and not (page.parent / file).exists():
                lost.append((page.name, link))
    assert not lost


def test_the_hooks_say_which_function_is_missing() -> None:
    sys.path.insert(0, str(ROOT / "docs" / "site"))
    try:
        import hooks  # pyright: ignore[reportMissingImports]
    finally:
        sys.path.pop(0)
    file = ROOT / "src/gough/dynamics/inverse.py"
    found = hooks._line(file, "inverse_dynamics")
    [node] = [
        n for n in ast.parse(file.read_text(encoding="utf-8")).body if getattr(n, "name", "") == "inverse_dynamics"
    ]
    assert found == node.lineno
    with pytest.raises(ValueError, match="has no no_such"):
        hooks._line(file, "no_such")
