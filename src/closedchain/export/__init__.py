"""What other tools read: formulas, C, FMUs, CasADi functions, JavaScript, systems and environments."""
