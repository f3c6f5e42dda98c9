"""Playing games: search over the executed or the imagined rules, players, matches, and OpenSpiel beside them."""
