"""Benchmarks of world models: suites, runs, scores, comparisons and other harnesses."""
