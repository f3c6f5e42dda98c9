def parse(text):
    try:
        return int(text)
    except ValueError as error:
        raise KeyError(text) from error


def first(texts):
    for text in texts:
        number = parse(text)
    return number
