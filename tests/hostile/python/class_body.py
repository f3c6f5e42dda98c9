# outcome: returned
# item: 26
# delta: table=[0, 1, 2]
# delta: hidden=3
class Config:
    table = []
    for i in range(3):
        table.append(i)
    hidden = len(table)
    del i


print(Config.table, Config.hidden)
