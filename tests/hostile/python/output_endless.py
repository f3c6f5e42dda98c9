# outcome: limit output
# item: 39
# limits: wall=30 output=20000
# plain: skip
# also: 3.12 3.13
# delta: before=1
before = 1
while True:
    print("spam and more spam " * 20)
