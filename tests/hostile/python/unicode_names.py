# outcome: returned
# item: 11
# delta: größe=3
# delta: 名=4
größe = 3
名 = größe + 1
print(名)
