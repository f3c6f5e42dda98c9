"""Idioms that cut, pad, replace and rearrange whole texts: slices, affixes, positions.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== reverse, backward, flip : text
def $f($s):
«    return $s[::-1]«|.upper()|.strip()|.swapcase()|[1:]»
|    $r = ''
    for $x in $s:
        $r = $x + $r
    return $r
|    return ''.join(reversed($s))
|    $r = ''
    for $i in range(len($s) - 1, -1, -1):
        $r += $s[$i]
    return $r
|    $l = list($s)
    $l.reverse()
    return ''.join($l)
|    if len($s) <= 1:
        return $s
    return $s[-1] + $f($s[:-1])
|    $r = ''
    $i = len($s)
    while $i > 0:
        $i -= 1
        $r += $s[$i]
    return $r
|    $l = list($s)
    $r = ''
    while $l:
        $r += $l.pop(«|0|»)
    return $r
|    $l = list($s)
    for $i in range(len($l) // 2):
        $l[$i], $l[-$i - 1] = $l[-$i - 1], $l[$i]
    return ''.join($l)
»
== rotate, cycle, shift_left : text small
def $f($s, $n):
«#guard $s ; ''»«    $n = $n % «len($s)|max(len($s), 1)»
    return $s[«$n:] + $s[:$n|-$n:] + $s[:-$n»]
|    for _ in range($n):
        $s = «$s[1:] + $s[:1]|$s[-1:] + $s[:-1]»
    return $s
|    $l = list($s)
    for _ in range($n):
        $l.«append($l.pop(0))|insert(0, $l.pop())»
    return ''.join($l)
|    return $s[$n:] + $s[:$n]
|    return ''.join($s[($i «+|-» $n) % len($s)] for $i in range(len($s)))
|    $r = ''
    for $i in range(len($s)):
        $r += $s[($i + $n) % len($s)]
    return $r
»
== truncate, shorten, cut, ellipsis : text small
def $f($s, $n):
«    if len($s) <= $n:
        return $s
    return $s[:$n] + «'...'|'…'|''|'..'»
|    return $s if len($s) < $n else $s[:$n«| - 3»].rstrip() + '...'
|    return $s[«:$n|$n:|-$n:|:-$n|$n:-$n|::$n or 1|$n::2|:$n:-1|-$n::-1»]
|    if len($s) > $n:
        $s = $s[:$n]
    «else:
        $s = $s + «#mark» * ($n - len($s))
    |»return $s
|    while len($s) > $n«| + 2| * 2»:
        $s = $s«[1:]|[:-1]|[1:-1]|[2:]|.rstrip(«#letter»)[:-1]»
        if not $s:
            break
    return $s
|    $i = $s«|[:$n + 5]».rfind(' '«|, 0, $n + 6»)
    if $i == -1:
        return $s[:$n]
    return $s[:$i]«| + '...'»
»
== middle, centre_of, halves : text
def $f($s):
    $i = len($s) // 2
«    if len($s) % 2 == 0:
        return $s[$i - 1:$i + 1]
    return $s[$i]
|    $a, $o = $s[:$i], $s[$i:]
    return «$o + $a|$a[::-1] + $o|$a.upper() + $o.lower()|$a == $o|$a, $o[::-1]\
|''.join($x + $y for $x, $y in zip($a, $o))|$a if $a > $o else $o»
|    return $s[:$i] + «#mark» + $s[$i«|| + 1»:]
|    return $s[«max(0, $i - 1)»:$i + «#int 1 3»]
|    if $s[:$i] == $s[$i:]:
        return $s[:$i]
    return «$s[$i:]|$s[:$i] * 2|$s[$i:] + $s[:$i]»
»
== chunks, split_every, pieces : text positive
def $f($s, $n):
«    return [$s[$i:$i + $n] for $i in range(0, len($s), $n)]
|    $l = []
    for $i in range(0, len($s), $n):
        $l.append($s[$i:$i + $n]«||[::-1]|.upper()»)
    return «$l|$l|«#sep».join($l)|$l[::-1]|' '.join($l)»
|    $l = []
    while $s:
        $l.append($s[:$n])
        $s = $s[$n:]
    return «$l|'-'.join($l)|len($l)|$l[-1:]»
|    $r = ''
    for $i, $x in enumerate($s):
        if $i > 0 and $i % $n == 0:
            $r += «#mark»
        $r += $x
    return $r
|    $g = ''
    $l = []
    for $x in $s:
        $g += $x
        if len($g) == $n:
            $l.append($g)
            $g = ''
    if $g:
        $l.append($g«|.ljust($n, «#mark»)»)
    return $l
|    return [$s[$i::$n] for $i in range($n)]
|    return [$s[$i:$i + $n] for $i in range(len($s) - $n + 1)]
»
== every_nth, skip, sample_chars : text positive
def $f($s, $n):
«    return $s[::$n]«|[::-1]|.upper()»
|    $r = ''
    for $i in range(«0|1|$n - 1», len($s), $n):
        $r += $s[$i]
    return $r
|    return ''.join($x for $i, $x in enumerate($s) if $i % $n «== 0|!= 0|== 1»)
|    $l = list($s)
    del $l[::$n«| + 1»]
    return ''.join($l)
|    $a, $o = '', ''
    for $i, $x in enumerate($s):
        if $i % $n == 0:
            $a += $x
        else:
            $o += $x
    return «$a + $o|$o + $a|($a, $o)|$a + '/' + $o»
»
== insert_at, put, splice : text place substring
def $f($s, $i, $t):
«    return $s[:$i] + $t + $s[$i:]
|    $l = list($s)
    $l.insert($i, $t)
    return ''.join($l)
|    if $i «>|>=» len($s):
        return $s + $t
    if $i < 0:
        return $t + $s
    return $s[:$i] + $t + $s[$i«| + 1»:]
|    $a = $s[:$i]
    $o = $s[$i:]
    return «$a + $t + $o|$t.join([$a, $o])|f'{$a}{$t}{$o}'|$o + $t + $a»
|    $r = ''
    for $j, $x in enumerate($s):
        if $j == $i:
            $r += $t
        $r += $x
    return $r
»
== remove_at, delete_char, replace_at : text place
def $f($s, $i):
«    return $s[:$i] + $s[$i + 1:]
|    $l = list($s)
    if 0 <= $i < len($l):
        «$l.pop($i)|del $l[$i]|$l[$i] = $l[$i].upper()|$l[$i] = «#mark»|$l.insert($i, «#mark»)»
    return ''.join($l)
|    $l = list($s)
    try:
        $l.pop($i)
    except IndexError:
        return «$s|''|'error'»
    return ''.join($l)
|    return ''.join($x for $j, $x in enumerate($s) if $j «!=|>=|<» $i)
|    if $i < len($s) - 1:
        return $s[:$i] + $s[$i + 1] + $s[$i] + $s[$i + 2:]
    return $s
»
== strip_prefix, remove_start, drop_prefix : text prefix
def $f($s, $p):
«    if $s.startswith($p):
        return $s[len($p):]
    return «$s|$s|''|$p + $s»
|    return $s.removeprefix($p)«|.strip()|.capitalize()|.lstrip()»
|    while $p and $s.startswith($p):
        $s = $s[len($p):]
    return $s
|    if not $s.startswith($p):
        return $p + $s
    «|elif $s == $p:
        return ''
    »return $s
|    if $s[:len($p)] == $p:
        $s = $s[len($p):]
    else:
        $s = «$s[::-1]|$s.upper()|$p + '-' + $s|$s[:-len($p)]»
    return $s
|    return $s.lstrip($p)
»
== strip_suffix, remove_end, drop_suffix : text suffix
def $f($s, $q):
«    if $s.endswith($q):
        return $s[:-len($q)]
    return «$s|$s|$s + $q»
|    return $s.removesuffix($q)«|.rstrip()|.title()|[::-1]»
|    if $q and $s.endswith($q):
        return $f($s[:len($s) - len($q)], $q)
    return $s
|    $m = 0
    while $q and $s.endswith($q):
        $s = $s.removesuffix($q)
        $m += 1
    return «$s, $m|$m|$s»
|    if $s and $s[-len($q):] == $q:
        $s = $s[:len($s) - len($q)] + «#mark»
    return $s
|    return $s.rstrip($q)
»
== trim, clean_edges, strip_both : noisy/blanks/runs/text
def $f($s):
«    return $s.«strip|lstrip|rstrip»(«|' '|«#letters»|«#letter»|'.,!? '»)
|    while $s and «#cond $s[0]»:
        $s = $s[1:]
    while $s and «#cond $s[-1]»:
        $s = $s[:-1]
    return $s
|    $i, $j = 0, len($s)
    while $i < $j and «#cond $s[$i]»:
        $i += 1
    while $j > $i and «#cond $s[$j - 1]»:
        $j -= 1
    return «$s[$i:$j]|$s[$i:$j]|($i, $j)»
|    $a = len($s) - len($s.lstrip(«|«#letter»»))
    $o = len($s) - len($s.rstrip(«|«#letter»»))
    return «$a, $o|$a + $o|$s[$a:]|$s.strip() + ' ' * $o»
|    return «$s.strip().lstrip(«#letter»)|$s.rstrip(«#letter» + '.').lower()|$s.strip(«#letters»).strip()\
|$s.lstrip('0') or '0'»
»
== replace_first, replace_nth, substitute_once : text part word
def $f($s, $t, $e):
«    return $s.replace($t, $e«|, 1|, 2»)
|    $i = $s.«find|rfind»($t)
    if $i == -1:
        return $s
    return $s[:$i] + $e + $s[$i + len($t):]
|    $a, $g, $o = $s.«partition|rpartition»($t)
    if not $g:
        return $s
    return $a + $e + $o
|    try:
        $i = $s.«index|rindex»($t)
    except ValueError:
        return «$s|'not found'|None|$s + $e»
    return $s[:$i] + $e + $s[$i + len($t):]
|    return $e.join($s.split($t«|, 1»))
|    if $t in $s:
        $s = $s.replace($t, $e)
    «|elif $e in $s:
        $s = $s.replace($e, $t)
    »else:
        $s = «$s + $e|$e + $s|$s.upper()»
    return $s
|    $r = ''
    $i = 0
    while $i < len($s):
        if $s[$i:$i + len($t)] == $t:
            $r += $e
            $i += len($t)
        else:
            $r += $s[$i]
            $i += 1
    return $r
»
== find_all, positions, all_indexes : text part
def $f($s, $t):
«    $l = []
    $i = $s.find($t)
    while $i != -1:
        $l.append($i)
        $i = $s.find($t, $i + «1|len($t)»)
    return $l
|    return [$i for $i in range(len($s)) if $s«.startswith($t, $i)|[$i:$i + len($t)] == $t|[$i] in $t»]
|    $m = 0
    for $i in range(len($s) - len($t) + 1):
        if $s[$i:$i + len($t)] == $t:
            $m += 1
    return $m
|    return «$s.find($t), $s.rfind($t)|$s.find($t, len($s) // 2)|$s.rfind($t, 0, «#int 3 9»)\
|$s.count($t, «#int 1 4»)|$s.startswith($t, «#int 0 3»)»
|    if $s.count($t) «> 1|== 0|< 2»:
        return «-1|$s.find($t)|None»
    return $s.«rfind|find|count»($t)
»
== between, inside, extract_between : markup/brackets/text char char
def $f($s, $a, $o):
«    $i = $s.find($a)
    $j = $s.«find($o, $i + 1)|rfind($o)|find($o)»
    if $i == -1 or $j == -1:
        return «''|None|$s»
    return $s[$i + 1:$j]
|    return $s.partition($a)[2].«partition($o)[0]|rpartition($o)[0]|split($o)[0]»
|    $r = ''
    $b = False
    for $x in $s:
        if $x == $a:
            $b = True
        elif $x == $o:
            $b = False
        elif $b:
            $r += $x
    return $r
|    try:
        $i = $s.index($a) + 1
        return $s[$i:$s.index($o, $i)]
    except ValueError:
        return ''
|    return $s.split($a)[-1].split($o)[0]
»
== before_after, cut_at, head_of : text separator
def $f($s, $sep):
«    return $s.«partition|rpartition»($sep)«|[0]|[2]|[::2]|[::-1]»
|    return $s.«split($sep)|split($sep, 1)|rsplit($sep, 1)»«|[0]|[-1]|[::-1]»
|    $a, $g, $o = $s.partition($sep)
    if $g:
        return «$o + $g + $a|$o.strip()|$a.upper() + $g + $o|{$a: $o}|($a, $o)»
    return «$a|''|None|$s[::-1]»
|    if $sep not in $s:
        return $s
    return $s[«:$s.index($sep)|$s.index($sep) + len($sep):|$s.rindex($sep):|:$s.rfind($sep)»]
|    $l = $s.split($sep)
    if len($l) «> 1|> 2|== 2»:
        return «$l[-1]|$l[1:]|$sep.join($l[1:])|$l[0] + $l[-1]|$sep.join(reversed($l))|$l.pop()»
    return «$s|''|$l»
»
== pad, align, fit : text/number width fill
def $f($s, $n, $e):
«    return $s.«ljust|rjust|center»($n, $e)
|    while len($s) < $n:
        $s = «$s + $e|$e + $s»
    return $s
|    while len($s) < $n:
        if len($s) % 2 == 0:
            $s += $e
        else:
            $s = $e + $s
    return $s
|    return «$e * ($n - len($s)) + $s|$s + $e * max(0, $n - len($s))|f'{$s:{$e}<{$n}}'|f'{$s:{$e}^{$n}}'\
|f'{$s:>{$n}}'»
|    $m = $n - len($s)
    if $m <= 0:
        return $s«|[:$n]»
    $a = $m // 2
    return $e * $a + $s + $e * ($m - $a)
|    $s = $s.«zfill|center|rjust»($n)
    return $s.replace(' ', $e)
»
== frame, banner, box : phrase/word fill
def $f($s, $e):
«    return $e * «2|3|len($s)» + ' ' + $s + ' ' + $e * «2|3|len($s)»
|    $a = $e * (len($s) + 4)
    return '\n'.join([$a, $e + ' ' + $s + ' ' + $e, $a])
|    $r = $s.center(len($s) + «#int 2 6», $e)
    return «$r|$r.upper()|$r + '\n' + $e * len($r)»
|    return f'{$e * 3} {$s«|.upper()|.title()|!r|:>«12|15»|:^«12|15»»} {$e * 3}'
|    return '{0}{1}{0}'.format($e, $s)
|    return «'%s%s%s' % ($e, $s, $e)|$s + '\n' + '=' * len($s)»
»
"""
