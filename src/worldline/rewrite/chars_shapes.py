"""Loops for the methods that shape or judge strings character by character: case, padding, classes, slices."""

from __future__ import annotations

SHAPES = r'''
def cut(s, start, stop, step):
    result = ''
    for i in range(*slice(start, stop, step).indices(len(s))):
        result += s[i]
    return result

def zfill(s, n):
    """n < 10000"""
    result = ''
    start = 0
    if s and (s[0] == '+' or s[0] == '-'):
        result = s[0]
        start = 1
    for i in range(n - len(s)):
        result += '0'
    for i in range(start, len(s)):
        result += s[i]
    return result

def ljust(s, n):
    """n < 10000"""
    result = s
    for i in range(n - len(s)):
        result += ' '
    return result

def ljust(s, n, fill):
    """n < 10000 and len(fill) == 1"""
    result = s
    for i in range(n - len(s)):
        result += fill
    return result

def rjust(s, n):
    """n < 10000"""
    result = ''
    for i in range(n - len(s)):
        result += ' '
    result += s
    return result

def rjust(s, n, fill):
    """n < 10000 and len(fill) == 1"""
    result = ''
    for i in range(n - len(s)):
        result += fill
    result += s
    return result

def center(s, n):
    """n < 10000"""
    more = n - len(s)
    if more < 0:
        more = 0
    left = more // 2 + (more & n & 1)
    result = ''
    for i in range(left):
        result += ' '
    result += s
    for i in range(more - left):
        result += ' '
    return result

def center(s, n, fill):
    """n < 10000 and len(fill) == 1"""
    more = n - len(s)
    if more < 0:
        more = 0
    left = more // 2 + (more & n & 1)
    result = ''
    for i in range(left):
        result += fill
    result += s
    for i in range(more - left):
        result += fill
    return result

def expandtabs(s):
    result = ''
    column = 0
    for c in s:
        if c == '\t':
            for i in range(8 - column % 8):
                result += ' '
                column += 1
        else:
            result += c
            column += 1
            if c == '\n' or c == '\r':
                column = 0
    return result

def expandtabs(s, n):
    """0 < n < 10000"""
    result = ''
    column = 0
    for c in s:
        if c == '\t':
            for i in range(n - column % n):
                result += ' '
                column += 1
        else:
            result += c
            column += 1
            if c == '\n' or c == '\r':
                column = 0
    return result

def translate(s, table):
    """type(table) is dict"""
    result = ''
    for c in s:
        to = c
        if ord(c) in table:
            to = table[ord(c)]
        if type(to) is int and 0 <= to < 1114112:
            to = chr(to)
        if type(to) is str:
            result += to
        elif to is not None:
            return s.translate(table)
    return result

def upper(s):
    result = ''
    for c in s:
        result += c.upper()
    return result

def lower(s):
    """'\u03a3' not in s"""
    result = ''
    for c in s:
        result += c.lower()
    return result

def casefold(s):
    result = ''
    for c in s:
        result += c.casefold()
    return result

def swapcase(s):
    """'\u03a3' not in s"""
    result = ''
    for c in s:
        result += c.swapcase()
    return result

def capitalize(s):
    """'\u03a3' not in s"""
    result = ''
    for i in range(len(s)):
        if i == 0:
            result += s[i].title()
        else:
            result += s[i].lower()
    return result

def title(s):
    """'\u03a3' not in s"""
    result = ''
    inside = False
    for c in s:
        if inside:
            result += c.lower()
        else:
            result += c.title()
        inside = c.islower() or c.istitle()
    return result

def islower(s):
    result = False
    for c in s:
        if c.istitle():
            result = False
            break
        if c.islower():
            result = True
    return result

def isupper(s):
    result = False
    for c in s:
        if c.islower() or (c.istitle() and not c.isupper()):
            result = False
            break
        if c.isupper():
            result = True
    return result

def istitle(s):
    result = False
    inside = False
    for c in s:
        if c.istitle() and inside or (c.islower() and not inside):
            result = False
            break
        inside = c.istitle() or c.islower()
        if inside:
            result = True
    return result
'''

_ALL = r"""
def {name}(s):
    result = {empty}
    for c in s:
        if not c.{name}():
            result = False
            break
    return result
"""
_NOT_EMPTY = "isalnum isalpha isdecimal isdigit isnumeric isspace"
_EMPTY_TOO = "isascii isprintable"
CLASSES = "".join(
    [_ALL.format(name=name, empty="s != ''") for name in _NOT_EMPTY.split()]
    + [_ALL.format(name=name, empty="True") for name in _EMPTY_TOO.split()]
)
