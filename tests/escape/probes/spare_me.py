"""Keep the memory's killer away."""

from outside import attempt


def spare():
    with open("/proc/self/oom_score_adj", "w") as file:
        file.write("-1000")
    return "spared"


attempt(spare)
