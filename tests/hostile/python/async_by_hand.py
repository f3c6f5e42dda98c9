# outcome: returned
# item: 23
# delta: got='reply'
# delta: result='reply!'
class Ask:
    def __await__(self):
        got = yield "question"
        return got


async def main():
    got = await Ask()
    return got + "!"


coro = main()
asked = coro.send(None)
try:
    coro.send("reply")
except StopIteration as stop:
    result = stop.value
print(asked, result)
