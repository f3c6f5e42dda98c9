"""REval: four questions about lines of a program, all answered from one predicted trace (arXiv 2403.16437)."""
