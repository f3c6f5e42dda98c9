# outcome: returned
# item: 42
# stdin: 'a\u00e9\x00z'
# delta: data=b'a\xc3\xa9\x00z'
import sys

data = sys.stdin.buffer.read()
print(len(data))
