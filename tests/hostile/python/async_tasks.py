# outcome: returned
# item: 23
# also: 3.12 3.13
# delta: log=['a0', 'b0', 'a1', 'b1']
# delta: total=3
import asyncio

log = []


async def work(name, n):
    for i in range(2):
        log.append(f"{name}{i}")
        await asyncio.sleep(0)
    return n


async def main():
    one, two = await asyncio.gather(work("a", 1), work("b", 2))
    return one + two


total = asyncio.run(main())
print(log, total)
