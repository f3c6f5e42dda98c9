import sys

name = input("name? ")
for word in sys.argv[1:]:
    print(word, name)
