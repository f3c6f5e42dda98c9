"""Several runs of one suite on one page: the main table of a paper, and what is behind each difference."""
