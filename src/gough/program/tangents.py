"""Recording without trigonometry where angles are arc tangents: sin atan2(y, x) = y / r, cos atan2(y, x) = x / r.

r = √(x² + y²), or what the equations gave for it. Sums and differences of arc tangents are taken apart by the addition
theorems. Where x = y = 0 the angle means nothing and the result is NaN instead of a direction chosen by convention.
"""

from gough.program.graph import ADD, ATAN2, COS, NEG, SIN, SQRT, SUB, Graph


class TangentGraph(Graph):
    """A graph whose sines and cosines of arc tangents are quotients."""

    __slots__ = ()

    def unary(self, op: int, a: int) -> int:
        """sqrt, sin, cos, abs or sign of a."""
        if op in (SIN, COS):
            pair = self._pair(a)
            if pair is not None:
                return pair[0 if op == SIN else 1]
        return super().unary(op, a)

    def _pair(self, a: int) -> tuple[int, int] | None:
        """(sine, cosine) of an angle made of arc tangents, else None."""
        ops, args = self.ops, self.args
        if ops[a] == ATAN2:
            y, x = args[a]
            r = self.radii.get(a)
            if r is None:
                r = super().unary(SQRT, self.add(self.mul(x, x), self.mul(y, y)))
            return self.div(y, r), self.div(x, r)
        if ops[a] == NEG:
            pair = self._pair(args[a][0])
            return None if pair is None else (self.neg(pair[0]), pair[1])
        if ops[a] in (ADD, SUB):
            first, second = self._pair(args[a][0]), self._pair(args[a][1])
            if first is None or second is None:
                return None
            (s1, c1), (s2, c2) = first, second
            if ops[a] == SUB:
                s2 = self.neg(s2)
            sine = self.add(self.mul(s1, c2), self.mul(c1, s2))
            return sine, self.sub(self.mul(c1, c2), self.mul(s1, s2))
        return None
