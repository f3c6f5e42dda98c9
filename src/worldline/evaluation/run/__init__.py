"""A suite asked of a predictor, and the run as a directory that only ever grows."""
