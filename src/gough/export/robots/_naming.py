"""Names for other programs' files: letters, digits and _, each once."""

import re
from collections.abc import Iterable


class UniqueNames:
    """{name in the description: name in the file}, in the order they come."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.of: dict[str, str] = {}
        self._taken = set(taken)

    def add(self, name: str) -> str:
        """The name for a part; another one where two would be called alike."""
        wanted = re.sub(r"\W", "_", name, flags=re.ASCII)
        chosen, number = wanted, 2
        while chosen in self._taken:
            chosen, number = f"{wanted}_{number}", number + 1
        self._taken.add(chosen)
        self.of[name] = chosen
        return chosen
