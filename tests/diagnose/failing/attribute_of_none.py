"""A search returns None, whose attribute is read later."""


class Node:
    def __init__(self, name):
        self.name = name


def find(nodes, name):
    found = None  # <- writer
    for node in nodes:
        if node.name == name:
            found = node
    return found


def test_it():
    node = find([Node("a")], "b")
    assert node.name == "b"
