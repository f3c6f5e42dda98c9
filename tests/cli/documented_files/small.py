def f(n):
    return [n] * 2


if __name__ == "__main__":
    print(f(2))
