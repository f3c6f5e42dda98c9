# outcome: limit disk
# item: 40
# limits: disk=4194304
# plain: skip
# delta: before=1
before = 1
with open("big", "wb") as file:
    while True:
        file.write(bytes(1 << 20))
