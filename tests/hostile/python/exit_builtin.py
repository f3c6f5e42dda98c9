# outcome: exited 2
# item: 30
# delta: x=1
x = 1
exit(2)
