# outcome: limit disk
# item: 40
# limits: disk=4194304
# plain: skip
# delta: before=1
before = 1
n = 0
while True:
    n += 1
    with open(f"f{n}", "wb") as file:
        file.write(bytes(300_000))
