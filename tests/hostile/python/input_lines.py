# outcome: returned
# item: 42
# also: 3.12 3.13
# stdin: 'Ada\n36\nrest\n'
# delta: name='Ada'
# delta: age=36
# delta: rest=['rest\n']
import sys

name = input()
age = int(input("age? "))
rest = sys.stdin.readlines()
print(name, age, rest)
