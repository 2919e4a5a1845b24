"""The cheapest cut of a small network (Dinic's algorithm): which nodes stay on the side of the source."""

from collections import deque

ENDLESS = 1e15
SMALL = 1e-9


class Network:
    """Arcs with capacities between nodes 0 … n-1."""

    def __init__(self, n: int) -> None:
        self.arcs: list[list[list]] = [[] for _ in range(n)]

    def arc(self, a: int, b: int, capacity: float) -> None:
        """An arc from a to b."""
        self.arcs[a].append([b, capacity, len(self.arcs[b])])
        self.arcs[b].append([a, 0.0, len(self.arcs[a]) - 1])

    def source_side(self, source: int, target: int) -> list[bool]:
        """Nodes on the source's side of a cheapest cut; of several the one with fewest nodes there."""
        while True:
            level = self._levels(source)
            if level[target] < 0:
                return [x >= 0 for x in level]
            tried = [0] * len(self.arcs)
            while self._push(source, target, level, tried):
                pass

    def _levels(self, source: int) -> list[int]:
        level = [-1] * len(self.arcs)
        level[source] = 0
        queue = deque([source])
        while queue:
            a = queue.popleft()
            for b, room, _ in self.arcs[a]:
                if room > SMALL and level[b] < 0:
                    level[b] = level[a] + 1
                    queue.append(b)
        return level

    def _push(self, source: int, target: int, level: list[int], tried: list[int]) -> bool:
        """Send what fits along one path of rising levels."""
        path: list[tuple[int, int]] = []
        at = source
        while at != target:
            while tried[at] < len(self.arcs[at]):
                b, room, _ = self.arcs[at][tried[at]]
                if room > SMALL and level[b] == level[at] + 1:
                    break
                tried[at] += 1
            else:
                if not path:
                    return False
                at, k = path.pop()
                tried[at] = k + 1
                continue
            path.append((at, tried[at]))
            at = b
        amount = min(self.arcs[a][k][1] for a, k in path)
        for a, k in path:
            b, _, back = self.arcs[a][k]
            self.arcs[a][k][1] -= amount
            self.arcs[b][back][1] += amount
        return True
