# outcome[python]: tampered
# outcome: raised RecursionError
# item: 20
# delta: before='here'
def down(n):
    return down(n + 1)


before = "here"
down(0)
