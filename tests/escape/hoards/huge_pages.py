"""Pages of the host's own store of huge ones."""

import mmap

from hoard import hoard

HUGETLB = 0x40000
kept = []


def sizes():
    while True:
        kept.append(mmap.mmap(-1, 2 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | HUGETLB))
        kept[-1][0] = 1
        yield 2 << 20


hoard(sizes())
