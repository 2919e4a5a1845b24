"""Operations of formulas as they are written: scalars that count, and what [Lopes, Table 1] counts."""
