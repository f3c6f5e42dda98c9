"""Sources of programs: generated programs, state-tracking tasks and translations. Nothing here stores them."""
