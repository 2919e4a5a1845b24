"""A description's text as one of the newest format: comments, order and layout stay."""

import re

from gough.robot.errors import DescriptionError, Problem
from gough.robot.item import FORMAT
from gough.robot.reader import Map, read, scalar_place


def upgrade_text(text: str, file: str = "<text>") -> tuple[str, int, int]:
    """(text of the newest format, the format it had, the newest one).

    What format 1 says, every later one says in the same words, so that the number alone changes.
    """
    document, problems = read(text, file)
    if problems or not isinstance(document, Map) or not isinstance(document.get("format"), int):
        raise DescriptionError(problems)
    before = document["format"]
    if before >= FORMAT:
        return text, before, before
    begin, end = scalar_place(text, "format")
    number = re.search(r"\S+$", text[begin:end])  # after a tag or an anchor, which stay
    newer = text if number is None else f"{text[: begin + number.start()]}{FORMAT}{text[end:]}"
    again, _ = read(newer, file)
    if not isinstance(again, Map) or {**again, "format": before} != {**document} or again["format"] != FORMAT:
        message = "a number that cannot be changed by itself: an alias may repeat it elsewhere"
        raise DescriptionError(
            [Problem(file, document.marks["format"].line, "format", before, message, f"format: {FORMAT} by hand")]
        )
    return newer, before, FORMAT
