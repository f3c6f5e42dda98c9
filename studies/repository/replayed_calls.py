"""The test that replay.py adds to a repository: each case calls one function with the recorded arguments."""

import builtins
import contextlib
import importlib
import inspect
import sys
from functools import reduce
from itertools import islice

import pytest

CALLS = []
POSITIONAL_REST, KEYWORDS = 4, 8


def function_at(module, name, line):
    """The function that is written at a line, below any decorators."""
    found = reduce(getattr, name.split("."), importlib.import_module(module))
    if isinstance(found, type):
        pytest.fail("cannot build the body of a class")
    # The class is among the recorded arguments of a class method.
    found = found.__func__ if inspect.ismethod(found) else found
    seen = []
    while getattr(found, "__code__", None) is None or found.__code__.co_firstlineno != line:
        seen.append(found)
        inner = [getattr(found, attribute, None) for attribute in ("__wrapped__", "__func__", "func", "_func")]
        inner += [cell.cell_contents for cell in getattr(found, "__closure__", None) or ()]
        found = next((one for one in inner if callable(one) and one not in seen), None)
        if found is None:
            pytest.fail("cannot build a function that its decorators hide")
    return found


class Builder:
    """Builds the arguments of one call: objects by number, so that one that occurs twice is one object."""

    def __init__(self, module):
        self.module, self.objects = importlib.import_module(module), {}

    def named(self, kind, name):
        """A class, function or module with a name that the module knows."""
        if kind == "module":
            return importlib.import_module(name)
        package = self.module.__name__.partition(".")[0]
        others = [module for key, module in list(sys.modules.items()) if key.partition(".")[0] == package]
        for place in (self.module, builtins, *others):
            found = vars(place).get(name)
            if getattr(found, "__name__", None) == name and isinstance(found, type) == (kind == "class"):
                return found
        pytest.fail(f"cannot build a {kind} that its module does not know by name")

    def thing(self, number, name, fields):
        """An object with these fields, without calling its class."""
        cls = self.named("class", name)
        # An object without fields that a module holds is usually compared by its identity.
        alone = [one for one in vars(sys.modules[cls.__module__]).values() if type(one) is cls]
        if alone and not fields():
            self.objects[number] = alone[0]
            return alone[0]
        try:
            self.objects[number] = found = object.__new__(cls)
            for field, value in fields().items():
                object.__setattr__(found, field, value)
        except (TypeError, AttributeError):
            pytest.fail("cannot build an object whose class does not take its fields")
        return found

    def seen(self, number):
        """An object that was built before."""
        if number not in self.objects:
            pytest.fail("cannot build a reference to something outside the arguments")
        return self.objects[number]


def invoke(function, values):
    """Call a function with the values of its parameters."""
    code = function.__code__
    count = code.co_argcount + code.co_kwonlyargcount
    names, more = code.co_varnames[:count], iter(code.co_varnames[count : count + 2])
    positional = [values[name] for name in names[: code.co_argcount]]
    keywords = {name: values[name] for name in names[code.co_argcount :]}
    positional += values[next(more)] if code.co_flags & POSITIONAL_REST else ()
    keywords.update(values[next(more)] if code.co_flags & KEYWORDS else {})
    result = function(*positional, **keywords)
    # A generator that has ended without a value looks like a call: execute its body.
    return list(islice(result, 1_000)) if inspect.isgenerator(result) else result


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("number", range(len(CALLS)))
def test_call(number):
    """The call is recorded, whatever it does."""
    module, name, line, arguments = CALLS[number]
    function, builder = function_at(module, name, line), Builder(module)
    values = arguments(builder.named, builder.thing, builder.seen)
    with contextlib.suppress(Exception):
        invoke(function, values)
