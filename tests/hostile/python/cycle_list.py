# outcome: returned
# item: 4
# delta: a=#1[1, #1]
# delta: d=#1{'self': #1}
# delta: b=#1[#2[#1], #2]
a = [1]
a.append(a)
d = {}
d["self"] = d
b = []
c = [b]
b.append(c)
b.append(c)
print(len(a), len(d), len(b))
