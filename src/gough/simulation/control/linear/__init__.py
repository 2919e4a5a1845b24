"""Laws of linear control theory: regulators and observers from the exact linear model, and any linear controller as matrices."""
