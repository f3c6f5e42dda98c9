# outcome: returned
# item: 29
# delta: line=8
import warnings

with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    warnings.warn("careful")
line = caught[0].lineno
print(line)
