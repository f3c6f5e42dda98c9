"""Loops for the methods that search, cut and join strings: one function for each form of a method (chars_loops.py)."""

from __future__ import annotations

SEARCHES = r'''
def find(s, sub):
    result = -1
    for i in range(len(s) - len(sub) + 1):
        j = 0
        while j < len(sub) and s[i + j] == sub[j]:
            j += 1
        if j == len(sub):
            result = i
            break
    return result

def find(s, sub, start):
    """start >= 0"""
    result = -1
    for i in range(start, len(s) - len(sub) + 1):
        j = 0
        while j < len(sub) and s[i + j] == sub[j]:
            j += 1
        if j == len(sub):
            result = i
            break
    return result

def rfind(s, sub):
    result = -1
    for i in range(len(s) - len(sub), -1, -1):
        j = 0
        while j < len(sub) and s[i + j] == sub[j]:
            j += 1
        if j == len(sub):
            result = i
            break
    return result

def index(s, sub):
    result = -1
    for i in range(len(s) - len(sub) + 1):
        j = 0
        while j < len(sub) and s[i + j] == sub[j]:
            j += 1
        if j == len(sub):
            result = i
            break
    if result < 0:
        raise ValueError('substring not found')
    return result

def index(s, sub, start):
    """start >= 0"""
    result = -1
    for i in range(start, len(s) - len(sub) + 1):
        j = 0
        while j < len(sub) and s[i + j] == sub[j]:
            j += 1
        if j == len(sub):
            result = i
            break
    if result < 0:
        raise ValueError('substring not found')
    return result

def rindex(s, sub):
    result = -1
    for i in range(len(s) - len(sub), -1, -1):
        j = 0
        while j < len(sub) and s[i + j] == sub[j]:
            j += 1
        if j == len(sub):
            result = i
            break
    if result < 0:
        raise ValueError('substring not found')
    return result

def contains(sub, s):
    result = False
    for i in range(len(s) - len(sub) + 1):
        j = 0
        while j < len(sub) and s[i + j] == sub[j]:
            j += 1
        if j == len(sub):
            result = True
            break
    return result

def count(s, sub):
    """sub != ''"""
    result = 0
    i = 0
    while i < len(s):
        j = 0
        while j < len(sub) and i + j < len(s) and s[i + j] == sub[j]:
            j += 1
        if j == len(sub):
            result += 1
            i += j
        else:
            i += 1
    return result

def replace(s, old, new):
    """old != ''"""
    result = ''
    i = 0
    while i < len(s):
        j = 0
        while j < len(old) and i + j < len(s) and s[i + j] == old[j]:
            j += 1
        if j == len(old):
            result += new
            i += j
        else:
            result += s[i]
            i += 1
    return result

def replace(s, old, new, n):
    """old != '' and n >= 0"""
    result = ''
    done = 0
    i = 0
    while i < len(s):
        j = 0
        while j < len(old) and i + j < len(s) and s[i + j] == old[j]:
            j += 1
        if j == len(old) and done < n:
            result += new
            done += 1
            i += j
        else:
            result += s[i]
            i += 1
    return result

def split(s):
    result = []
    part = ''
    for c in s:
        if not c.isspace():
            part += c
        elif part:
            result.append(part)
            part = ''
    if part:
        result.append(part)
    return result

def split(s, sep):
    """sep != ''"""
    result = []
    part = ''
    i = 0
    while i < len(s):
        j = 0
        while j < len(sep) and i + j < len(s) and s[i + j] == sep[j]:
            j += 1
        if j == len(sep):
            result.append(part)
            part = ''
            i += j
        else:
            part += s[i]
            i += 1
    result.append(part)
    return result

def split(s, sep, n):
    """sep != '' and n >= 0"""
    result = []
    part = ''
    i = 0
    while i < len(s):
        j = 0
        while j < len(sep) and i + j < len(s) and s[i + j] == sep[j]:
            j += 1
        if j == len(sep) and len(result) < n:
            result.append(part)
            part = ''
            i += j
        else:
            part += s[i]
            i += 1
    result.append(part)
    return result

def rsplit(s):
    result = []
    part = ''
    for c in s:
        if not c.isspace():
            part += c
        elif part:
            result.append(part)
            part = ''
    if part:
        result.append(part)
    return result

def rsplit(s, sep):
    """sep != ''"""
    result = []
    part = ''
    i = len(s)
    while i > 0:
        j = 0
        while j < len(sep) and j < i and s[i - j - 1] == sep[len(sep) - j - 1]:
            j += 1
        if j == len(sep):
            result.insert(0, part)
            part = ''
            i -= j
        else:
            part = s[i - 1] + part
            i -= 1
    result.insert(0, part)
    return result

def rsplit(s, sep, n):
    """sep != '' and n >= 0"""
    result = []
    part = ''
    i = len(s)
    while i > 0:
        j = 0
        while j < len(sep) and j < i and s[i - j - 1] == sep[len(sep) - j - 1]:
            j += 1
        if j == len(sep) and len(result) < n:
            result.insert(0, part)
            part = ''
            i -= j
        else:
            part = s[i - 1] + part
            i -= 1
    result.insert(0, part)
    return result

def splitlines(s):
    result = []
    part = ''
    i = 0
    while i < len(s):
        if s[i] in '\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029':
            if s[i] == '\r' and i + 1 < len(s) and s[i + 1] == '\n':
                i += 1
            result.append(part)
            part = ''
        else:
            part += s[i]
        i += 1
    if part:
        result.append(part)
    return result

def partition(s, sep):
    """sep != ''"""
    head = ''
    tail = ''
    found = ''
    i = 0
    while i < len(s):
        j = 0
        while j < len(sep) and i + j < len(s) and s[i + j] == sep[j]:
            j += 1
        if j == len(sep) and not found:
            found = sep
            i += j
        elif found:
            tail += s[i]
            i += 1
        else:
            head += s[i]
            i += 1
    result = (head, found, tail)
    return result

def rpartition(s, sep):
    """sep != ''"""
    head = ''
    tail = ''
    found = ''
    i = len(s)
    while i > 0:
        j = 0
        while j < len(sep) and j < i and s[i - j - 1] == sep[len(sep) - j - 1]:
            j += 1
        if j == len(sep) and not found:
            found = sep
            i -= j
        elif found:
            head = s[i - 1] + head
            i -= 1
        else:
            tail = s[i - 1] + tail
            i -= 1
    result = (head, found, tail)
    return result

def strip(s):
    start = 0
    while start < len(s) and s[start].isspace():
        start += 1
    end = len(s)
    while end > start and s[end - 1].isspace():
        end -= 1
    result = ''
    for i in range(start, end):
        result += s[i]
    return result

def strip(s, chars):
    start = 0
    while start < len(s) and s[start] in chars:
        start += 1
    end = len(s)
    while end > start and s[end - 1] in chars:
        end -= 1
    result = ''
    for i in range(start, end):
        result += s[i]
    return result

def lstrip(s):
    start = 0
    while start < len(s) and s[start].isspace():
        start += 1
    result = ''
    for i in range(start, len(s)):
        result += s[i]
    return result

def lstrip(s, chars):
    start = 0
    while start < len(s) and s[start] in chars:
        start += 1
    result = ''
    for i in range(start, len(s)):
        result += s[i]
    return result

def rstrip(s):
    end = len(s)
    while end > 0 and s[end - 1].isspace():
        end -= 1
    result = ''
    for i in range(end):
        result += s[i]
    return result

def rstrip(s, chars):
    end = len(s)
    while end > 0 and s[end - 1] in chars:
        end -= 1
    result = ''
    for i in range(end):
        result += s[i]
    return result

def join(s, items):
    """type(items) in (list, tuple, str)"""
    result = ''
    for i in range(len(items)):
        if type(items[i]) is not str:
            return s.join(items)
        if i > 0:
            result += s
        result += items[i]
    return result

def startswith(s, sub):
    i = 0
    while i < len(sub) and i < len(s) and s[i] == sub[i]:
        i += 1
    result = i == len(sub)
    return result

def endswith(s, sub):
    i = 0
    while i < len(sub) and i < len(s) and s[len(s) - i - 1] == sub[len(sub) - i - 1]:
        i += 1
    result = i == len(sub)
    return result

def removeprefix(s, sub):
    start = 0
    while start < len(sub) and start < len(s) and s[start] == sub[start]:
        start += 1
    if start < len(sub):
        start = 0
    result = ''
    for i in range(start, len(s)):
        result += s[i]
    return result

def removesuffix(s, sub):
    i = 0
    while i < len(sub) and i < len(s) and s[len(s) - i - 1] == sub[len(sub) - i - 1]:
        i += 1
    end = len(s)
    if i == len(sub):
        end -= i
    result = ''
    for i in range(end):
        result += s[i]
    return result

def reverse(s):
    result = ''
    for c in s:
        result = c + result
    return result

'''
