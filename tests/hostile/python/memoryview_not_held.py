# outcome: returned
# item: 12
# delta: view=<memoryview>
# gone: view
# delta: data=bytearray(b'abcd')
# delta: data=bytearray(b'Xbcde')
def work():
    data = bytearray(b"abcd")
    view = memoryview(data)
    view[0] = 88
    del view
    data.append(101)
    return data


print(work())
