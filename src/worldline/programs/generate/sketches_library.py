"""Sketches that use what people import most: collections, itertools, functools, math, string, re, heapq, bisect."""

from __future__ import annotations

LIBRARY = (
    """
from collections import Counter

def $f($s):
    $d = Counter($s)
    «return $d.most_common(«1|2»)|return sorted($d.items())|return $d['a'] + $d['e']
    |return [$c for $c in $d if $d[$c] > 1]
    |return max($d.values(), default=0)|$d.update(«'abc'|$s[:2]»)\n    return dict($d)
    |return ''.join($c * $n for $c, $n in $d.items())»
> $f(%str!%)
""",
    """
from collections import defaultdict

def $f($ws):
    $d = defaultdict(«str|list»)
    for $w in $ws:
        $d[«len($w)|$w[:1]|$w.isdigit()»] += $w
    return dict($d)
> $f(%strs%)
""",
    """
from collections import defaultdict

def $f($xs):
    $d = defaultdict(list)
    for $i, $x in enumerate($xs):
        $d[«$x % 3|$x % 2 == 0|$x // 10»].«append($x)|append($i)»
    return «dict($d)|sorted($d)|len($d)|max($d, default=None)»
> $f(%ints%)
""",
    """
from collections import deque

def $f($xs, $n):
    queue = deque($xs«|, maxlen=3|, 4»)
    queue.«rotate($n)|rotate(-$n)|appendleft($n)|append($n)|extendleft([$n, 0])»
    «|if queue:\n        queue.popleft()|if len(queue) > 2:\n        queue.pop()|queue.append(len(queue))»
    return «list(queue)|queue|sum(queue)|queue[0] if queue else None»
> $f(%few%, %small%)
""",
    """
from collections import deque

def $f($n, $k):
    queue = deque(range(1, $n + 1))
    $out = []
    while queue:
        queue.rotate(-$k)
        $out.append(queue.popleft())
    return «$out|$out[-1]|$out[::-1]»
> $f(«2|3|4|5|6», «1|2|3»)
""",
    """
import itertools

def $f($xs, $n):
    return «list(itertools.chain($xs, [$n]))|list(itertools.accumulate($xs))
    |list(itertools.combinations($xs[:3], 2))
    |list(itertools.product([0, 1], $xs[:2]))|list(itertools.takewhile(lambda $x: $x > $n, $xs))
    |list(itertools.islice($xs, $n))
    |list(itertools.dropwhile(lambda $x: $x < $n, $xs))|list(itertools.pairwise($xs))
    |list(itertools.repeat($n, 3))
    |list(itertools.zip_longest($xs[:2], [$n], fillvalue=0))|list(itertools.permutations($xs[:2]))
    |[list(group) for key, group in itertools.groupby($xs, key=lambda $x: $x % 2)]
    |sum(itertools.chain.from_iterable([$xs, $xs[:1]]))»
> $f(%few%, %small%)
""",
    """
from itertools import groupby

def $f($s):
    «return [($c, len(list(group))) for $c, group in groupby($s)]|return ''.join($c for $c, _ in groupby($s))
    |$out = ''\n    for $c, group in groupby($s):\n        $out += $c + str(len(list(group)))\n    return $out»
> $f(«'aabbb'|%word%|%word%|'xxyxx'|%sub%»)
""",
    """
from functools import partial

def $g($a, $b, sign=1):
    return @int $a:int $b:int@ * sign

def $f($x, $y):
    $h = partial($g, «$x|$x, sign=-1|~int~»)
    return $h($y)«|, $h(0)»
> $f(%int%, %int%)
""",
    """
from functools import lru_cache

@lru_cache(maxsize=None)
def $f($n):
    if $n < «2|3»:
        return «$n|1»
    return $f($n - 1) + $f($n - 2)«| + 1»
> $f(«3|4|5|6|7|8»)
""",
    """
import math

def $f($n, $k):
    return «math.gcd($n, $k)|math.isqrt(abs($n))|math.floor($n / $k)|math.ceil($n / $k)|math.factorial($k % 7)
    |math.comb(6, $k % 7)|math.lcm($n, $k)|round(math.sqrt($k), 3)|math.prod([$n, $k, 2])
    |abs($n) // math.gcd($n, $k)»
> $f(%int%, %pos%)
""",
    """
import string

def $f($s):
    «return ''.join($c for $c in $s if $c in string.ascii_letters)
    |return [$c for $c in $s if $c in string.digits]
    |return $s.translate(str.maketrans('', '', string.punctuation))
    |return sum($c in string.ascii_uppercase for $c in $s)
    |return string.capwords($s)|return ''.join('_' if $c in string.whitespace else $c for $c in $s)»
> $f(%str!%)
""",
    """
import re

def $f($s):
    «return re.sub(r'\\d+', '#', $s)|return re.findall(r'[a-z]+', $s)|return re.split(r'[,;\\s]+', $s)
    |return re.sub('[aeiou]', '', $s)
    |return bool(re.match(r'[A-Z]', $s))|return re.findall(r'\\d', $s)
    |return re.sub(r'\\s+', ' ', $s).strip()|return re.findall(r'\\w+', $s)»
> $f(%str!%)
""",
    """
import heapq

def $f($xs, $n):
    heap = $xs[:]
    heapq.heapify(heap)
    «$out = []\n    while heap and len($out) < $n:\n        $out.append(heapq.heappop(heap))\n    return $out
    |heapq.heappush(heap, $n)\n    return heap[0]|return heapq.nsmallest($n, heap)
    |return heapq.nlargest($n, heap)»
> $f(%few%, %small%)
""",
    """
from bisect import bisect_left, bisect_right, insort

def $f($xs, $x):
    «$i = bisect_left($xs, $x)\n    return $i|$i = bisect_right($xs, $x)\n    return $xs[:$i]
    |insort($xs, $x)\n    return $xs
    |return bisect_right($xs, $x) - bisect_left($xs, $x)
    |$i = bisect_left($xs, $x)\n    return $i < len($xs) and $xs[$i] == $x»
> $f(%rising%, «%int%|%cnt%»)
""",
    """
from operator import itemgetter

def $f($xs):
    return «sorted($xs, key=itemgetter(1))|max($xs, key=itemgetter(1))[0]|list(map(itemgetter(0), $xs))
    |sorted($xs, key=itemgetter(1, 0), reverse=True)[:2]»
> $f(%pairs!%)
""",
    """
from copy import copy, deepcopy

def $f($rows, $n):
    other = «copy|deepcopy|list»($rows)
    «other[0].append($n)|other.append([$n])|other[-1] = $n»
    return «$rows|other|$rows == other|$rows, other»
> $f(%lists!%, %int%)
""",
    """
from collections import OrderedDict

def $f($ws, $w):
    $d = OrderedDict((item, len(item)) for item in $ws)
    if $w in $d:
        $d.move_to_end($w«|, last=False»)
    return «list($d)|list($d.items())|$d.popitem()[0] if $d else None»
> $f(%strs!%, «%member%|%str%»)
""",
)
