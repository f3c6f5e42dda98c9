# outcome: returned
# item: 26
# delta: after=1
g = globals()
g["not an identifier"] = 1
g[""] = 2
g["\ud800"] = 3
after = 1
print(len([k for k in g if not k.isidentifier()]))
