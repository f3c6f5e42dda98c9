"""Idioms that hold two texts against each other: palindromes, rotations, anagrams, subsequences, overlaps, weaving.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== is_palindrome, reads_same, symmetric : palindrome/sentence/text
def $f($s):
«    return $s«|.lower()» == $s«|.lower()»[::-1]
|    $r = ''.join($x.lower() for $x in $s if $x.isalnum())
    return $r == $r[::-1]
|    $i, $j = 0, len($s) - 1
    while $i < $j:
        if $s[$i] != $s[$j]:
            return False
        $i += 1
        $j -= 1
    return True
|    for $i in range(len($s) // 2):
        if $s[$i] != $s[«-$i - 1|len($s) - 1 - $i|-1 - $i|~$i»]:
            return «False|False|$i|$s[:$i]»
    return True
|    if len($s) < 2:
        return True
    return $s[0] == $s[-1] and $f($s[1:-1])
|    $m = 0
    for $x, $y in zip($s, reversed($s)):
        if $x != $y:
            $m += 1
    return $m // 2
|    return all($s[$i] == $s[-$i - 1] for $i in range(len($s) // 2))
»
== make_palindrome, mirror : short
def $f($s):
«    return $s + $s[::-1]«|[1:]»
|    for $i in range(len($s)):
        if $s[$i:] == $s[$i:][::-1]:
            return $s + $s[:$i][::-1]
    return $s
|    $i = len($s) // 2
    return $s[:$i] + «$s[:$i][::-1]|$s[$i:][::-1]|$s[:$i + 1][::-1]»
|    $r = $s
    while $r != $r[::-1]:
        $r = $r«[1:]|[:-1]»
    return $r
»
== is_rotation, same_cycle : short rotated
def $f($s, $t):
«    return len($s) == len($t) and $t in $s + $s
|    if len($s) != len($t):
        return False
    for $i in range(len($s)):
        if $s[$i:] + $s[:$i] == $t:
            return «True|True|$i»
    return «False|False|-1»
|    return ($s * 2).find($t)
»
== interleave, weave, merge_strings, zip_text : short short
def $f($s, $t):
«    $r = ''
    for $x, $y in zip($s, $t):
        $r += $x + $y
    return $r«| + $s[len($t):] + $t[len($s):]|»
|    return ''.join($x + $y for $x, $y in zip($s, $t))
|    $r = ''
    for $i in range(max(len($s), len($t))):
        if $i < len($s):
            $r += $s[$i]
        if $i < len($t):
            $r += $t[$i]
    return $r
|    $r = ''
    $i = $j = 0
    while $i < len($s) and $j < len($t):
        if $s[$i] <= $t[$j]:
            $r += $s[$i]
            $i += 1
        else:
            $r += $t[$j]
            $j += 1
    return $r + $s[$i:] + $t[$j:]
|    return [$x for $x, $y in zip($s, $t) if $x «==|!=|<» $y]
|    return «list(zip($s, $t))|dict(zip($s, $t))|sorted(zip($s, $t))»
»
== differences, hamming, mismatch : short variant
def $f($s, $t):
«    return sum($x != $y for $x, $y in zip($s, $t))«| + abs(len($s) - len($t))»
|    $m = 0
    for $i in range(min(len($s), len($t))):
        if $s[$i] != $t[$i]:
            $m += 1
    return «$m|$m + abs(len($s) - len($t))|$m == 1»
|    for $i, ($x, $y) in enumerate(zip($s, $t)):
        if $x != $y:
            return «$i|($x, $y)|$s[:$i]»
    return -1
|    $l = []
    for $x, $y in zip($s, $t):
        $l.append($x if $x == $y else «#mark»)
    return ''.join($l)
|    return [($i, $x, $y) for $i, ($x, $y) in enumerate(zip($s, $t)) if $x != $y]
|    if $s == $t:
        return 0
    return «1 if $s > $t else -1|len($s) - len($t)»
»
== is_anagram, same_letters : word/gibberish/phrase variant
def $f($s, $t):
«    return sorted($s«|.lower()») == sorted($t«|.lower()»)
|    if len($s) != len($t):
        return False
    for $x in $s:
        if $s.count($x) != $t.count($x):
            return False
    return True
|    $d = {}
    for $x in $s:
        $d[$x] = $d.get($x, 0) + 1
    for $x in $t:
        if «$d.get($x, 0) == 0|$x not in $d or $d[$x] == 0»:
            return False
        $d[$x] -= 1
    return «True|all($v == 0 for $v in $d.values())|not any($d.values())»
|    $l = list($t)
    for $x in $s:
        if $x in $l:
            $l.remove($x)
        else:
            return False
    return «not $l|len($l) == 0|''.join($l)»
»
== common_letters, shared, intersection : short variant
def $f($s, $t):
«    return «''.join(sorted(set($s) & set($t)))|sorted(set($s) - set($t))|len(set($s) & set($t))\
|sorted(set($s) ^ set($t))»
|    $r = ''
    for $x in $s:
        if $x «in|in|not in» $t«| and $x not in $r»:
            $r += $x
    return $r
|    return [$x for $x in $s if $x in $t]
|    return «set($s) <= set($t)|all($x in $t for $x in $s)|any($x in $t for $x in $s)|set($s).isdisjoint($t)»
|    $l = list($t)
    $m = 0
    for $x in $s:
        if $x in $l:
            $l.remove($x)
            $m += 1
    return «$m|$m, ''.join($l)»
»
== is_subsequence, embeds : word/gibberish variant/part
def $f($s, $t):
«    $i = 0
    for $x in $s:
        if $i < len($t) and $x == $t[$i]:
            $i += 1
    return «$i == len($t)|$i|$t[$i:]»
|    $i = -1
    for $x in $t:
        $i = $s.find($x, $i + 1)
        if $i == -1:
            return False
    return True
|    if not $t:
        return True
    if not $s:
        return False
    if $s[0] == $t[0]:
        return $f($s[1:], $t[1:])
    return $f($s[1:], $t)
|    $g = iter($s)
    return all($x in $g for $x in $t)
»
== overlap, join_overlapping, merge_ends : short variant
def $f($s, $t):
    for $i in range(min(len($s), len($t)), 0, -1):
        if $s«.endswith($t[:$i])|[-$i:] == $t[:$i]»:
            return «$s + $t[$i:]|$i|$t[:$i]»
    return «$s + $t|0|''»

== match_prefix_length, shared_prefix : word variant
def $f($s, $t):
«    $i = 0
    while $i < len($s) and $i < len($t) and $s[$i] == $t[$i]:
        $i += 1
    return «$s[:$i]|$i|$s[$i:]|($s[:$i], $t[$i:])»
|    $l = []
    for $x, $y in zip($s, $t):
        if $x != $y:
            break
        $l.append($x)
    return «$l|len($l)»
»
"""
