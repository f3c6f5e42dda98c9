# outcome: returned
# item: 25
# also: 3.12 3.13
# delta: names=['ValueError', 'TypeError']
# gone: group
names = []
try:
    raise ExceptionGroup("both", [ValueError(1), TypeError(2)])
except* ValueError as group:
    names.append(type(group.exceptions[0]).__name__)
except* TypeError as group:
    names.append(type(group.exceptions[0]).__name__)
print(names)
