# outcome[python]: tampered
# outcome: returned
# item: 20
# delta[native]: tail=[1, 2, 3]
def down():
    down()


try:
    down()
except RecursionError as error:
    print(type(error).__name__)
tail = [1, 2]
tail.append(3)
print(tail)
