# outcome: returned
# item: 35
# core: native
# limits: wall=30
# steps: >= 300000
# delta: total=149998
total = 0
for i in range(149_999):
    total = i
print(total)
