# outcome: returned
# item: 23
# delta: out=[0, 1, 4]
import asyncio


async def squares(n):
    for i in range(n):
        yield i * i
        await asyncio.sleep(0)


async def main():
    out = []
    async for x in squares(3):
        out.append(x)
    more = [x async for x in squares(2)]
    return out, more


print(asyncio.run(main()))
