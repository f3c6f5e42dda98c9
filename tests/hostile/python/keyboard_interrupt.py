# outcome: raised KeyboardInterrupt
# item: 25
# item: 31
# delta: before=1
before = 1
raise KeyboardInterrupt
