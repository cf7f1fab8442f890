"""What other tools read: formulas."""
