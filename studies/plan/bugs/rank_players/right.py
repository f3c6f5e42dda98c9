def rank_players(scores):
    """Return [rank, name] pairs, best score first.

    Equal scores share a rank and the ranks after them are skipped;
    within a rank the names are alphabetical.
    """
    ordered = sorted(scores, key=lambda name: (-scores[name], name))
    ranking = []
    rank = 0
    previous = None
    for position, name in enumerate(ordered, start=1):
        if scores[name] != previous:
            rank = position
            previous = scores[name]
        ranking.append([rank, name])
    return ranking
