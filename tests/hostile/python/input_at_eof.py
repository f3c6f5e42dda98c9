# outcome: raised EOFError
# item: 42
# delta: first='only'
# stdin: 'only\n'
first = input()
second = input()
