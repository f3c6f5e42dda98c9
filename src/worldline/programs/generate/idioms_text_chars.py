"""Idioms that walk over the characters of a text: counting, filtering, mapping, cases, vowels, positions.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== count_chars, count_matching, tally : text
def $f($s):
    $m = 0
«    for $x in $s:
        if «#pred $x»:
            $m += 1
|    for $i in range(len($s)):
        if «#pred $s[$i]»:
            $m += 1
|    $i = 0
    while $i < len($s):
        if «#pred $s[$i]»:
            $m += 1
        $i += 1
|    for $i, $x in enumerate($s):
        if «#pred $x»:
            $m += «1|1|$i|$i + 1»
|    $m = sum(1 for $x in $s if «#pred $x»)
|    $m = len([$x for $x in $s if «#pred $x»])
»    return $m

== count_char, occurrences : text char
def $f($s, $c):
«    return $s.count($c)«| + $s.count($c.upper())| * 2|, len($s)»
|    $m = 0
    for $x in $s«|.lower()»:
        if $x == $c:
            $m += 1
        «|elif $x == «#letter»:
            «$m -= 1|break»
»    return $m
|    $m = 0
    $i = $s.find($c)
    while $i != -1:
        $m += 1
        $i = $s.find($c, $i + 1)
    return $m
|    return «sum($x == $c for $x in $s)|len([$x for $x in $s if $x == $c])|len($s) - len($s.replace($c, ''))\
|len($s.split($c)) - 1»
»
== keep, filter_chars, only : text
def $f($s):
«    $r = ''
    for $x in $s:
        if «#pred $x»:
            $r += $x
    return $r
|    return ''.join($x for $x in $s if «#pred $x»)
|    return ''.join([$x for $x in $s if «#pred $x»])
|    $l = []
    for $x in $s:
        if «#pred $x»:
            $l.append($x)
    return «''.join($l)|$l|''.join($l)|«#sep».join($l)|len($l)|$l[::-1]»
|    return ''.join(filter(lambda $x: «#pred $x», $s))
|    $r = ''
    for $i in range(len($s)):
        if «#pred $s[$i]»:
            continue
        $r = «$r + $s[$i]|$s[$i] + $r»
    return $r
|    $l = list($s)
    for $x in «$l[:]|list($l)|$s»:
        if «#pred $x»:
            $l.remove($x)
    return «''.join($l)|$l|''.join($l)»
»
== remove_chars, strip_all, without : text substring
def $f($s, $t):
«    for $x in $t:
        $s = $s.replace($x, «''|''|«#mark»»)
    return $s«||.strip()»
|    $r = ''
    for $x in $s:
        if $x not in $t:
            $r += $x
    return $r
|    return ''.join([$x for $x in $s if $x «not in|in» $t])
|    return $s.translate(str.maketrans('', '', $t))
|    $l = list($s)
    for $x in $t:
        while $x in $l:
            $l.remove($x)
    return ''.join($l)
|    $u = set($t)
    return ''.join(«$x|$x.upper()|$x|$x» for $x in $s if $x not in $u)
»
== map_chars, transform, encode : text
def $f($s):
    $r = ''
    for $x in $s:
        if «#pred $x»:
            $r += «#cx $x»
        «|elif «#pred $x»:
            $r += «#cx $x»
        »else:
            $r += «$x|$x|«#cx $x»»
    return $r«||||[::-1]|.strip()»

== replace_each, mask, convert : text
def $f($s):
«    $l = []
    for $x in $s:
        $l.append(«#cx $x» if «#pred $x» else $x)
    return «''.join($l)|''.join($l)|«#sep».join($l)|$l»
|    return ''.join(«#cx $x» if «#pred $x» else «$x|$x|«#cx $x»» for $x in $s)
|    return «#sep».join([«#cx $x» for $x in $s«| if «#pred $x»»])
|    $l = list($s)
    for $i in range(len($l)):
        if «#pred $l[$i]»:
            $l[$i] = «$l[$i].upper()|$l[$i].lower()|«#mark»|$l[$i] * 2|''|' '|$l[$i].swapcase()»
    return ''.join($l)«||||[::-1]|.title()»
|    $l = [$x for $x in $s]
    for $i, $x in enumerate($l):
        if «#pred $x»:
            $l[$i] = «#cx $x»
    return ''.join($l)
|    return ''.join(map(lambda $x: «#cx $x», $s))
»
== swap_case, toggle, invert_case : text
def $f($s):
«    $r = ''
    for $x in $s:
        if $x.isupper():
            $r += $x.lower()
        el«se|if $x.islower()»:
            $r += $x.upper()
    return $r
|    return ''.join($x.lower() if $x.isupper() else $x.upper() for $x in $s)
|    return $s.swapcase()«|[::-1]|.replace(«#letter», «#mark»)|.title()|.split()»
|    $l = list($s)
    for $i in range(«0, len($l)«|, 2|, 3»|len($l)»):
        $l[$i] = $l[$i].swapcase()
    return ''.join($l)
»
== alternate_case, spongecase, zigzag_case : text
def $f($s):
«    $r = ''
    for $i in range(len($s)):
        if $i % «2|2|2|3» == «0|1»:
            $r += $s[$i].upper()
        else:
            $r += $s[$i]«.lower()|.lower()|»
    return $r
|    return ''.join($x.upper() if $i % 2 «== 0|!= 0|» else $x.lower() for $i, $x in enumerate($s))
|    $b = True
    $r = ''
    for $x in $s:
        if $x.isalpha():
            $r += $x.upper() if $b else $x.lower()
            $b = not $b
        else:
            $r += $x
    return $r
»
== letter_counts, histogram, frequencies : text
def $f($s):
    $d = {}
«    for $x in $s«|.lower()|.replace(' ', '')»:
        if $x in $d:
            $d[$x] += 1
        else:
            $d[$x] = 1
|    for $x in $s:
        $d[$x] = $d.get($x, 0) + 1
|    for $x in $s:
        if $x not in $d:
            $d[$x] = 0
        $d[$x] += 1
|    for $x in $s:
        $d.setdefault($x, 0)
        $d[$x] += «1|1|ord($x)»
|    for $x in sorted(set($s)):
        $d[$x] = $s.count($x)
|    $d = {$x: $s.count($x) for $x in $s}
|    for $x in $s:
        if «#pred $x»:
            $d[$x] = $d.get($x, 0) + 1
»    «return $d
|return $d
|return max($d.values(), default=0)
|return sorted($d.items())
|return sorted($d, key=lambda $k: (-$d[$k], $k))
|return [$k for $k, $v in $d.items() if $v «== 1|> 1»]
|return ''.join($k + str($v) for $k, $v in $d.items())
|return {$v: $k for $k, $v in $d.items()}
|return list($d.«keys()|values()|items()»)
|$l = []
    for $k, $v in $d.items():
        if $v «>|>=|==» «1|2»:
            $l.append(«$k|$k|($k, $v)|f'{$k}{$v}'»)
    return $l
|return len($d)
»
== most_common, top_letter, dominant : text
def $f($s):
«#guard $s ; «None|''»»«    $a = ''
    $m = 0
    for $x in $s:
        if $s.count($x) > $m«| and $x != ' '»:
            $m = $s.count($x)
            $a = $x
    return «$a|($a, $m)|$a * $m»
|    $d = {}
    for $x in $s:
        $d[$x] = $d.get($x, 0) + 1
    $a = max($d.values()«|, default=0»)
    return «[$k for $k in $d if $d[$k] == $a]|sorted($k for $k, $v in $d.items() if $v == $a)[:1]\
|''.join($k for $k, $v in $d.items() if $v == $a)»
|    return «max|min»(sorted(set($s)), key=$s.count«|, default=''»)
»
== first_unique, first_single : gibberish/word/runs
def $f($s):
«    for $x in $s:
        if $s.count($x) == 1:
            return $x
    return «None|''|-1»
|    for $i, $x in enumerate($s):
        if $s.find($x) == $s.rfind($x):
            return «$i|$x|($i, $x)»
    return «-1|None»
|    $d = {}
    for $x in $s:
        $d[$x] = $d.get($x, 0) + 1
    for $k, $v in $d.items():
        if $v == 1:
            return $k
    return ''
|    for $i in range(len($s)):
        if $s[$i] not in $s[$i + 1:] and $s[$i] not in $s[:$i]:
            return $i
    return -1
»
== dedupe, unique_chars, distinct : text
def $f($s):
«    $r = ''
    for $x in $s:
        if $x not in $r:
            $r += $x
    return «$r|$r|len($r)|$r[::-1]|len($r) == len($s)»
|    return ''.join(dict.fromkeys($s))
|    return ''.join(sorted(set($s)))
|    $z = set()
    $l = []
    for $x in $s:
        if $x in $z:
            continue
        $z.add($x)
        $l.append($x)
    return «''.join($l)|$l»
|    return ''.join(sorted(set($s), key=$s.«index|rindex»))
|    return len(set($s)) «== len($s)|< len($s)|»
|    $l = []
    for $x in $s:
        if $x not in $l:
            $l.append($x)
        else:
            «$l.remove($x)|$l.append($x.upper())|break|$l.insert(0, $x)»
    return ''.join($l)
»
== vowel_stats, count_vowels, vowels_and_consonants : word/phrase/sentence
def $f($s):
«    $m = 0
    for $x in $s«|.lower()»:
        if $x in «#vowels»:
            $m += 1
    return «$m|$m|len($s) - $m|$m > len($s) // 2»
|    $u = «#vowels»
    return «sum($x in $u for $x in $s)|''.join($x for $x in $s if $x not in $u)|[$x for $x in $s if $x in $u]\
|{$x: $s.count($x) for $x in $u if $x in $s}»
|    $a = $o = 0
    for $x in $s«|.lower()»:
        if not $x.isalpha():
            continue
        if $x in 'aeiou':
            $a += 1
        else:
            $o += 1
    return «($a, $o)|$a, $o|$a - $o|[$a, $o]|{'vowels': $a, 'consonants': $o}»
|    for $x in «#vowels»:
        $s = $s.replace($x, «#mark»)
    return $s
|    for $i, $x in enumerate($s):
        if $x in 'aeiou':
            return $s[«$i:|:$i|$i:] + $s[:$i|:$i + 1»] + 'ay'
    return $s
»
== reverse_vowels, swap_vowels : word/phrase
def $f($s):
    $l = list($s)
    $i, $j = 0, len($l) - 1
    while $i < $j:
        if $l[$i] «not in 'aeiou'|not in 'aeiouAEIOU'|.isspace()|in ' ,.'»:
            $i += 1
        elif $l[$j] «not in 'aeiou'|not in 'aeiouAEIOU'|.isspace()|in ' ,.'»:
            $j -= 1
        else:
            $l[$i], $l[$j] = $l[$j], $l[$i]
            $i += 1
            $j -= 1
    return ''.join($l)

== all_chars, check_all, is_clean : text
def $f($s):
«    for $x in $s:
        if «#pred $x»:
            return False
    return True
|    return «all|any»(«#pred $x» for $x in $s)
|    $b = True
    for $x in $s:
        if not («#pred $x»):
            $b = False
            break
    return $b
|    return all(«#pred $x» for $x in $s) «and|or» len($s) «>|<» «#int 2 9»
|    $i = 0
    while $i < len($s) and «#cond $s[$i]»:
        $i += 1
    return «$i == len($s)|$i|$s[$i:]|$s[:$i]»
|    return any($x == $y for $x, $y in zip($s, $s[1:]))
|    return not any(«#pred $x» for $x in $s«|[1:]|[:-1]»)
»
== swap_pairs, exchange : text
def $f($s):
«    $r = ''
    for $i in range(0, len($s) - 1, 2):
        $r += $s[$i + 1] + $s[$i]
«|    if len($s) % 2:
        $r += $s[-1]
»    return $r
|    $l = list($s)
    for $i in range(0, len($l) - 1, «2|2|3|1»):
        $l[$i], $l[$i + 1] = $l[$i + 1], $l[$i]
    return ''.join($l)
|    return ''.join($s[$i:$i + 2][::-1] for $i in range(0, len($s), 2))
»
== double_letters, stutter, repeat_chars : short positive
def $f($s, $n):
«    $r = ''
    for $i, $x in enumerate($s):
        $r += $x * «($i + 1)|$n|($n - $i % $n)|($i % $n + 1)»
    return $r[:«40|50|60»]
|    return ''.join($x * $n for $x in $s)
|    return «#sep».join($x.upper() + $x.lower() * $i for $i, $x in enumerate($s[:$n]))
|    $l = []
    for $x in $s:
        for $i in range($n):
            $l.append($x)
    return ''.join($l)«|[:$n * 2]|[::$n]»
»
== first_index, position_of : text
def $f($s):
«    for $i in range(len($s)«|| - 1, -1, -1»):
        if «#pred $s[$i]»:
            return «$i|$i|$s[$i:]|$s[:$i]|$s[$i]»
    return -1
|    for $i, $x in enumerate($s):
        if «#pred $x»:
            return «$i|$x|$s[$i + 1:]|($i, $x)»
    return «-1|None|$s|len($s)»
|    for $i, $x in enumerate($s):
        if «#pred $x»:
            break
    else:
        return «''|None|-1|False»
    return «$i|$s[$i:]|$s[:$i]»
|    return next(($i for $i, $x in enumerate($s) if «#pred $x»), -1)
|    return [$i for $i, $x in enumerate($s) if «#pred $x»]
»
"""
