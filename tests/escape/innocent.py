"""Locks, sockets, shared memory and children of an innocent program: they work, with a cgroup and without."""

import asyncio
import fcntl
import multiprocessing
import tempfile
from multiprocessing import shared_memory


async def echo(reader, writer):
    writer.write(await reader.readline())
    writer.close()


async def talk():
    server = await asyncio.start_server(echo, "127.0.0.1", 0)
    reader, writer = await asyncio.open_connection(*server.sockets[0].getsockname())
    writer.write(b"heard\n")
    return await reader.read()


def square(n):
    return n * n


print(asyncio.run(talk()))
with tempfile.NamedTemporaryFile() as file:
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
with multiprocessing.get_context("fork").Pool(2) as pool:
    print(pool.map(square, range(3)))
block = shared_memory.SharedMemory(create=True, size=4096)
block.buf[0] = 7
block.close()
block.unlink()
