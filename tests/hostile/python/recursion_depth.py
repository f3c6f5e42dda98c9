# outcome[python]: tampered
# outcome: returned
# item: 20
# also: 3.12 3.13
# perturbed[python]: the readable core's callbacks take a few of the program's recursion levels
# delta[native]: tail=[1, 2, 3]
deepest = 0


def down(n):
    global deepest
    deepest = n
    down(n + 1)


try:
    down(1)
except RecursionError:
    print("caught at", deepest)
tail = [1, 2]
tail.append(3)
print(tail)
