"""A keyword argument gets a wrong default value from a configuration."""


def configuration():
    return {"width": 80, "height": 12}  # <- writer


def area(*, width, height):
    return height


def test_it():
    settings = configuration()
    assert area(width=1, height=settings["height"]) == 24
