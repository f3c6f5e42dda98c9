def spin():
    n = 0
    while True:
        n += 1


if __name__ == "__main__":
    spin()
