"""A description's text as one of the newest format: comments, order and layout stay."""

import re

from gough.robot.errors import DescriptionError
from gough.robot.item import FORMAT
from gough.robot.reader import Map, read


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
    lines = text.splitlines(keepends=True)
    at = document.marks["format"].line - 1
    lines[at], changed = re.subn(rf"(['\"]?format['\"]?\s*:\s*){before}\b", rf"\g<1>{FORMAT}", lines[at], count=1)
    newer = "".join(lines)
    again, _ = read(newer, file)
    assert changed and isinstance(again, Map) and {**again, "format": before} == {**document}
    return newer, before, FORMAT
