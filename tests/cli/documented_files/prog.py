import sys


def f(text, n=2):
    total = ""
    for char in text:
        total += char * n
    return total


if __name__ == "__main__":
    print(f(sys.stdin.read() or "ab"))
