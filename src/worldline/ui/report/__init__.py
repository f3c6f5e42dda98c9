"""Self-contained HTML pages of runs, debugged programs and searches: no scripts, no network, everything escaped."""
