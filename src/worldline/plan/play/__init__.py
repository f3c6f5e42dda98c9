"""Playing games: search over executed or predicted rules, players, matches, and a comparison with OpenSpiel."""
