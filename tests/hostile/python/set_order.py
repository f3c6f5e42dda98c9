# outcome: returned
# twice: same
# item: 13
# also: 3.12 3.13
# delta: s={None, False, 2, 10, 1.5, 'a', 'b', b'z', (1, 2)}
# delta: f=frozenset({1, 2, 3})
# delta: e=set()
# delta: d={'z': 1, 'a': 2, 'm': 3}
s = {"b", 10, None, (1, 2), 2, "a", False, b"z", 1.5}
f = frozenset([3, 1, 2])
e = set()
d = {"z": 1, "a": 2}
d["m"] = 3
print(sorted(f), list(d), list({"one", "two", "three"}))
