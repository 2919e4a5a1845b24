"""Hooks of mkdocs: links that leave docs/ lead to copies inside the site.

Pages link to sources as they lie in the repository (`../src/gough/dynamics/inverse.py#inverse_dynamics`). Here such a link
becomes one to a coloured copy of the file with numbered lines, at the line where the function stands today; pictures are copied,
folders get a list. README.md, CONTRIBUTING.md and CHANGELOG.md become pages. Numbers of tables stay on one line.

The copies are files of the site from the beginning, so that mkdocs knows them when it checks the links of a page.
"""

import ast
import html
import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
EXTRA_PAGES = {"about.md": "README.md", "contributing.md": "CONTRIBUTING.md", "changelog.md": "CHANGELOG.md"}
SAME = {file: page for page, file in EXTRA_PAGES.items()}
LINK = re.compile(r"(\]\()([^)\s]+)(\))")
CODE = re.compile(r"(^```.*?^```)", flags=re.DOTALL | re.MULTILINE)
CELL = re.compile(r"<td[^>]*>.*?</td>", flags=re.DOTALL)
SMALL_NUMBER = re.compile(r"\(?\b\d[\d.]*e-\d+\)?")


def on_files(files, config):
    """The pages that lie outside docs/, and copies of what pages link to."""
    from mkdocs.structure.files import File

    for page, file in EXTRA_PAGES.items():
        files.append(File.generated(config, page, content=(ROOT / file).read_text(encoding="utf-8")))
    wanted = {}  # {address in the site: file or folder of the repository}
    for page in files.documentation_pages():
        for target in (m[2] for part in CODE.split(page.content_string)[::2] for m in LINK.finditer(part)):
            address, path, _ = _inside(target, page.src_uri)
            if address and address.startswith("source/"):
                wanted[address] = path
    for address, path in wanted.items():
        if path.suffix == ".png":
            files.append(File.generated(config, address, abs_src_path=str(path)))
        else:
            content = _folder(path, address, wanted) if path.is_dir() else _source(path, address)
            files.append(File.generated(config, address, content=content))
    return files


def on_page_markdown(markdown, page, config, files):
    """Links of a page, outside its code blocks, that leave docs/."""
    uri = page.file.src_uri
    parts = CODE.split(markdown)
    parts[::2] = [LINK.sub(lambda m: f"{m[1]}{_moved(m[2], uri)}{m[3]}", part) for part in parts[::2]]
    return "".join(parts)


def on_page_content(content, page, config, files):
    """A number of a table is not broken at the hyphen of its exponent."""
    return CELL.sub(lambda cell: SMALL_NUMBER.sub(r'<span class="number">\g<0></span>', cell[0]), content)


def _moved(target, uri):
    """Where a link of the page leads in the site."""
    address, path, anchor = _inside(target, uri)
    if address is None:
        return target
    if address.startswith("source/"):
        line = _line(path, anchor)
        anchor = f"L-{line}" if line else ""
    return "../" * uri.count("/") + address + ("#" + anchor if anchor else "")


def _inside(target, uri):
    """Address in the site, path and anchor of a link; no address where it stays as it is."""
    file, _, anchor = target.partition("#")
    base = ROOT if uri in EXTRA_PAGES else (DOCS / uri).parent
    path = (base / file).resolve()
    if re.match(r"[a-z]+:|#", target) or not path.is_relative_to(ROOT) or not path.exists():
        return None, path, anchor  # mkdocs says what is wrong with it
    inside = path.relative_to(ROOT).as_posix()
    if inside in SAME:
        return SAME[inside], path, anchor
    if path.is_relative_to(DOCS) and path.is_file():
        return path.relative_to(DOCS).as_posix(), path, anchor
    return (
        f"source/{inside}" + ("" if path.suffix == ".png" else "/index.html" if path.is_dir() else ".html"),
        path,
        anchor,
    )


def _line(path, name):
    """Line of a function or class by its dotted name; None at the head of a file."""
    if not name or path.suffix != ".py":
        return None
    node = ast.parse(path.read_text(encoding="utf-8"))
    for part in name.split("."):
        node = next((n for n in ast.walk(node) if getattr(n, "name", None) == part), None)
        if node is None:
            raise ValueError(f"{path.relative_to(ROOT)} has no {name}")
    return node.lineno


STYLE = """
body {margin: 0 auto; max-width: 70rem; padding: 1rem; font-family: sans-serif; color: #222; background: #fff}
pre {font-size: .82rem; line-height: 1.45; overflow-x: auto} h1 {font-size: 1.1rem} a {color: #3949ab}
.linenos, .linenos a {color: #999; text-decoration: none; user-select: none}
a:target + a .linenos {background: #ffe082; color: #222}
pre a {text-decoration: none}
"""
DARK = "body {color: #ddd; background: #1e2129} a {color: #8c9eff} a:target + a .linenos {background: #6d5f1c; color: #fff}"


def _page(path, address, body, css=""):
    name = html.escape(path.relative_to(ROOT).as_posix())
    home = "../" * address.count("/") + "index.html"
    return (
        f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>{name}</title>"
        f"<meta name='viewport' content='width=device-width, initial-scale=1'><style>{STYLE}{css}</style></head>"
        f"<body><p><a href='{home}'>gough</a></p><h1>{name}</h1>{body}</body></html>\n"
    )


def _source(path, address):
    from pygments import highlight
    from pygments.formatters import HtmlFormatter
    from pygments.lexers import get_lexer_for_filename
    from pygments.lexers.special import TextLexer
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_for_filename(path.name)
    except ClassNotFound:
        lexer = TextLexer()
    settings = {"linenos": "inline", "lineanchors": "L", "anchorlinenos": True, "nobackground": True}
    light, dark = HtmlFormatter(style="friendly", **settings), HtmlFormatter(style="github-dark", **settings)
    css = light.get_style_defs(".highlight")
    css += f"@media (prefers-color-scheme: dark) {{{DARK} {dark.get_style_defs('.highlight')}}}"
    return _page(path, address, highlight(path.read_text(encoding="utf-8"), lexer, light), css)


def _folder(path, address, wanted):
    """What lies in a folder; what the site has a copy of is linked."""
    rows = []
    for entry in sorted(path.iterdir()):
        if entry.name.startswith((".", "__pycache__")):
            continue
        inner = f"{address.removesuffix('index.html')}{entry.name}"
        link = next((a for a in (inner, f"{inner}.html", f"{inner}/index.html") if a in wanted), None)
        name = html.escape(entry.name + ("/" if entry.is_dir() else ""))
        here = posixpath.dirname(address)
        rows.append(f"<li><a href='{posixpath.relpath(link, here)}'>{name}</a></li>" if link else f"<li>{name}</li>")
    css = f"@media (prefers-color-scheme: dark) {{{DARK}}}"
    return _page(path, address, f"<ul>{''.join(rows)}</ul>", css)
