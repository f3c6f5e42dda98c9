# outcome: limit disk
# item: 40
# limits: disk=4194304
# plain: skip
# delta: before=1
before = 1
with open("sparse", "wb") as file:
    file.truncate(1 << 40)
