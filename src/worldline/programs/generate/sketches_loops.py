"""Sketches of while loops, nested loops, loops with several pieces of state, and walks by index."""

from __future__ import annotations

LOOPS = (
    """
def $f($n):
    $total = 0
    while $n > 0:
        $total «+= $n % 10|= $total * 10 + $n % 10|+= 1|= max($total, $n % 10)»
        $n //= 10
    return $total
> $f(%long%)
""",
    """
def $f($n):
    $out = ''
    while $n:
        $out = str($n % «2|2|3») + $out
        $n «//= 2|>>= 1|//= 3»
    return $out«| or '0'»
> $f(%cnt%)
""",
    """
def $f($n, $k):
    $i = 0
    while $n «!= 1|> 1» and $i < $k:
        $n = «$n // 2 if $n % 2 == 0 else 3 * $n + 1|$n - 1 if $n % 3 else $n // 3|($n * 7 + 1) % 13»
        $i += 1
    return «$n, $i|$i|$n»
> $f(%pos%, «5|8|10|12|4»)
""",
    """
def $f($s, $c):
    $i = 0
    while $i < len($s) and $s[$i] «!=|==» $c:
        $i += 1
    return «$i|$s[$i:]|$s[:$i]|$s[:$i] + $s[$i + 1:]|$i == len($s)»
> $f(%str!%, %char%)
""",
    """
def $f($s):
    $a, $b = 0, len($s) - 1
    while $a < $b:
        if $s[$a] != $s[$b]:
            return «False|$a|$s[$a] + $s[$b]»
        $a += 1
        $b -= 1
    return «True|-1|$s»
> $f(«%word%|'level'|'abcba'|'noon'|%str!%|'abca'»)
""",
    """
def $f($s):
    $xs = list($s)
    $i, $y = 0, len($xs) - 1
    while $i < $y:
        «$xs[$i], $xs[$y] = $xs[$y], $xs[$i]
        |if $xs[$i] > $xs[$y]:\n            $xs[$i], $xs[$y] = $xs[$y], $xs[$i]»
        $i += 1
        $y -= 1
    return «''.join($xs)|$xs»
> $f(%word%)
""",
    """
def $f($xs):
    $out = []
    while $xs:
        $x = $xs.pop(«|0|-1»)
        if @bool $x:int@:
            $out.append(@int $x:int@)
        «|else:\n            $out.insert(0, $x)|elif $xs:\n            $xs.pop()»
    return $out
> $f(%few%)
""",
    """
def $f($xs, $n):
    while $xs and $xs[«0|-1»] «<|>|!=» $n:
        $xs.pop(«0|»)
    return $xs«|, len($xs)»
> $f(%ints%, %int%)
""",
    """
def $f($s, $a, $b):
    $i = $s.find($a)
    $n = 0
    while $i != -1 and $n < 10:
        $s = $s[:$i] + $b + $s[$i + len($a):]
        $i = $s.find($a, $i + len($b))
        $n += 1
    return $s«|, $n»
> $f(%str!%, %char%, «'-'|''|'**'|'_'|%word%»)
""",
    """
def $f($s):
    while «$s.startswith(' ')|$s and $s[0] == $s[-1] and len($s) > 1|len($s) > «3|5|8»|'  ' in $s
    |$s and not $s[-1].isalnum()»:
        $s = «$s[1:]|$s[1:-1]|$s[:-1]|$s[2:]»«|»
        if len($s) < 2:
            break
    return $s
> $f(«%str!%|%str!%|'  ab  c'|'abccba'»)
""",
    """
def $f($a, $b):
    $i = $y = 0
    $out = []
    while $i < len($a) and $y < len($b):
        if $a[$i] <= $b[$y]:
            $out.append($a[$i])
            $i += 1
        else:
            $out.append($b[$y])
            $y += 1
    return $out + $a[$i:] + $b[$y:]
> $f(%rising%, %rising%)
""",
    """
def $f($xs):
    for $i in range(len($xs)):
        for $y in range(«len($xs) - 1 - $i|len($xs) - 1»):
            if $xs[$y] «>|<» $xs[$y + 1]:
                $xs[$y], $xs[$y + 1] = $xs[$y + 1], $xs[$y]
    return $xs
> $f(%few%)
""",
    """
def $f($xs):
    for $i in range(1, len($xs)):
        $key = $xs[$i]
        $y = $i - 1
        while $y >= 0 and $xs[$y] «>|<» $key:
            $xs[$y + 1] = $xs[$y]
            $y -= 1
        $xs[$y + 1] = $key
    return $xs
> $f(%few%)
""",
    """
def $f($n, $k):
    $out = []
    for $i in range(«1, |»$n):
        for $y in range(«$i|1, $k|$k»):
            «if ($i + $y) % «2|3» == 0:\n                $out.append(«$i * $y|($i, $y)|$i + $y»)
            |$out.append($i * $y)
            |if $y > $i:\n                break\n            $out.append($i - $y)»
    return $out
> $f(«2|3|4», «2|3|4»)
""",
    """
def $f($rows):
    $total = 0
    for $i, $row in enumerate($rows):
        for $y, $x in enumerate($row):
            if «$i == $y|@bool $x:int@|($i + $y) % 2 == 0|$x > $i»:
                $total «+=|-=» $x
    return $total
> $f(%lists!%)
""",
    """
def $f($n):
    $out = []
    for $i in range(2, $n«| + 1»):
        for $y in range(2, $i):
            if $i % $y == 0:
                break
        else:
            $out.append($i)
    return $out
> $f(«5|6|8|9|10|3|2»)
""",
    """
def $f($s):
    $out = []
    $a = 0
    for $b in range(1, len($s) + 1):
        if $b == len($s) or $s[$b] != $s[$a]:
            $out.append(«$s[$a:$b]|($s[$a], $b - $a)|$s[$a] + str($b - $a)|$b - $a»)
            $a = $b
    return $out
> $f(«'aabbb'|'abc'|'zzz'|%word%|'1122'|'aabccc'|%sub%»)
""",
    """
def $f($xs, $n):
    $a, $b = 0, len($xs) - 1
    while $a <= $b:
        mid = ($a + $b) // 2
        if $xs[mid] == $n:
            return mid
        «if $xs[mid] < $n:\n            $a = mid + 1\n        else:\n            $b = mid - 1
        |elif $xs[mid] > $n:\n            $b = mid - 1\n        else:\n            $a = mid + 1»
    return «-1|$a|None»
> $f(«%rising%, %int%|%rising%, %int%|[1, 3, 4, 7, 9, 12, 20], «3|9|20|%int%»
|[2, 5, 8, 13, 21, 34], «8|2|%int%»»)
""",
    """
def $f($s):
    stack = []
    pairs = {')': '(', ']': '[', '}': '{'}
    for $c in $s:
        if $c in pairs.values():
            stack.append($c)
        elif $c in pairs:
            if not stack or stack.pop() != pairs[$c]:
                return «False|$c|-1»
    return «not stack|len(stack) == 0|len(stack)»
> $f(«'()'|'([])'|'(]'|'((a)'|'{[()]}'|'a(b)c'|')('|'[{}'|%str!%»)
""",
    """
def $f($s):
    depth = best = 0
    for $c in $s:
        if $c == '(':
            depth += 1
            best = max(best, depth)
        elif $c == ')':
            depth -= 1
    return «best|best, depth|depth»
> $f(«'(())'|'()()'|'((a)b)'|'(x(y(z)))'|'a(b)c(d)'|'))(('»)
""",
    """
def $f(expr):
    stack = []
    for token in expr.split():
        if token in '+-*':
            $b = stack.pop()
            $a = stack.pop()
            if token == '+':
                stack.append($a + $b)
            elif token == '-':
                stack.append($a - $b)
            else:
                stack.append($a * $b)
        else:
            stack.append(int(token))
    return stack«[0]|.pop()|[-1]»
> $f('«%small% %pos% +|%pos% %cnt% -|%small% %small% + %pos% *|%cnt% %small% %small% * +|%long% %pos% -»')
""",
    """
def $f($xs, $n):
    queue = $xs[:]
    $out = []
    while len(queue) > «1|0|2»:
        for _ in range($n - 1):
            queue.append(queue.pop(0))
        $out.append(queue.pop(0))
    return «$out|queue|$out + queue»
> $f(«[1, 2, 3]|[1, 2, 3, 4]|%few%|['a', 'b', 'c']», «1|2|2|3»)
""",
    """
def $f($d, start):
    seen = []
    todo = [start]
    while todo:
        node = todo.pop(«0||0»)
        if node in seen:
            continue
        seen.append(node)
        «todo.extend($d.get(node, []))|for $x in $d.get(node, []):\n            todo.append($x)
        |todo = $d.get(node, []) + todo»
    return «seen|len(seen)|''.join(seen)»
> $f({'a': «['b', 'c']|['b']|['c', 'd']», 'b': «['c']|['d', 'a']|[]», 'c': «['a']|['d']|[]»}, «'a'|'b'|'c'»)
""",
    """
def $f($n):
    $a, $b = «0, 1|1, 1|2, 1»
    $i = 0
    while $a < $n:
        $a, $b = $b, $a + $b
        $i += 1
    else:
        «$i *= 10|print($a)|$b = 0»
    return «$a|$i|$a, $b|$i, $b»
> $f(%int%)
""",
)
