"""Short names of the five papers, as the source cites them, and the ways people write them."""

import re

PAPERS = {
    "long2014": "Long 2014",
    "lopes": "Lopes",
    "briot2014": "Briot 2014",
    "fried": "Fried",
    "pedrammehr2012": "Pedrammehr 2012",
}
"""{key on the command line: short name in citations}"""

EQUATIONS = {"long2014": 49, "lopes": 91, "briot2014": 68, "fried": 97, "pedrammehr2012": 51}
"""{key: number of the paper's last equation}"""

_AUTHOR = {key: name.split()[0].lower() for key, name in PAPERS.items()}


def split_name(text: str) -> tuple[str | None, str]:
    """(key of the paper a text begins with or speaks of, the rest); None where no paper is named.

    Any case, with or without year, initials, "et al." or further authors: "Briot & Khalil (2014)", "long2014".
    """
    for key, author in _AUTHOR.items():
        year = re.escape(PAPERS[key].partition(" ")[2])
        others = r"(?:\s*(?:,|and|&|et)\s*(?!eq|tab|fig|sec|app|§)(?:al\b\.?|[A-Za-zÀ-ÿ]+))*?"
        dated = rf"\s*,?\s*\(?{year}\)?" if year else ""
        match = re.search(rf"\b{author}\b{others}(?:{dated})(?=\W|$)", text, re.IGNORECASE) or re.search(
            rf"\b{author}(?:{year}|\b)", text, re.IGNORECASE
        )
        if match:
            return key, (text[: match.start()] + " " + text[match.end() :]).strip(" ,:;[]")
    return None, text.strip(" ,:;[]")
