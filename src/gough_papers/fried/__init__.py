"""[Fried]: a 6-UPS robot in factorised form."""
