"""The five programs that every recorder is timed on; this file is the recorded program."""

from __future__ import annotations


def int_loop(n):
    total = 0
    for i in range(n):
        total += i
    return total


def string_build(n):
    text = ""
    for i in range(n):
        text += chr(97 + i % 26)
    return text


def bubble_sort(xs):
    n = len(xs)
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return xs


def dict_bfs(graph, start):
    distance = {start: 0}
    queue = [start]
    while queue:
        node = queue.pop(0)
        for other in graph[node]:
            if other not in distance:
                distance[other] = distance[node] + 1
                queue.append(other)
    return distance


def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)
