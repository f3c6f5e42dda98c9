# outcome: returned
# item: 10
# series: x = 0.0 | -0.0 | nan | nan(7ff8000000000001) | nan(fff8000000000000) | inf | -inf | 1e+16 | 5e-324 | 0.1
# delta: z=complex(-0.0, nan)
import struct


def bits(word):
    return struct.unpack("<d", struct.pack("<Q", word))[0]


x = 0.0
x = -0.0
x = bits(0x7FF8000000000000)
x = bits(0x7FF8000000000000)
x = bits(0x7FF8000000000001)
x = bits(0xFFF8000000000000)
x = float("inf")
x = -x
x = 1e16
x = 5e-324
x = 0.1
z = complex(-0.0, bits(0x7FF8000000000000))
print(x)
