# outcome: returned
# item: 42
# stdin: 'no end'
# delta: got='no end'
got = input()
print(got)
