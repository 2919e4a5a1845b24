"""Reads a report: texts, pictures, places and links; complains of tags that are not closed."""

from html.parser import HTMLParser

ALONE = ("meta", "input", "img")


class HtmlPage(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.open, self.texts, self.pictures, self.places, self.links, self.loaded = [], [], [], set(), [], []
        self.frames = []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        if "id" in given:
            self.places.add(given["id"])
        if tag == "a":
            self.links.append(given["href"])
        if tag == "iframe":
            self.frames.append(given["srcdoc"])
        if tag == "img":
            self.pictures.append(given["src"])
        if tag in ("script", "link", "iframe") and ("src" in given or "href" in given):
            self.loaded.append(given)
        if tag not in ALONE:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if not self.open or self.open[-1] not in ("script", "style"):
            self.texts.append(data.strip())
