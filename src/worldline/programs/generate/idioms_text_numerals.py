"""Idioms on numbers in texts: digits, sums, bases, Roman numerals, dates, times, versions.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== parse_number, to_int, safe_int : number
def $f($s):
«    try:
        return int($s)«|| + 1| * 2|.bit_length()»
    except ValueError:
        return «None|0|-1|$s|len($s)»
|    if $s.isdigit():
        return int($s)
    if $s[:1] == '-' and $s[1:].isdigit():
        return -int($s[1:])
    return «None|0|$s»
|    try:
        $n = float($s)
    except ValueError:
        return «None|'invalid'|False»
    return «$n|$n|int($n) if $n == $n else 0|round($n, 1)|$n > 0|f'{$n:.2f}'»
|    try:
        $n = int($s)
    except ValueError:
        try:
            $n = float($s)
        except ValueError:
            $n = None
    return $n
|    $s = $s.strip().replace(',', '')
    return int($s) if $s.«isdigit|isdecimal|isnumeric»() else $s
|    return $s.«isdigit|isdecimal|isnumeric|isalnum»()«| and len($s) < «#int 2 5»| or '.' in $s»
»
== digits_in, extract_digits, sum_digits : mixed/text/number
def $f($s):
«    return ''.join($x for $x in $s if $x.isdigit())
|    $m = 0
    for $x in $s:
        if $x in '0123456789':
            $m += int($x)
    return $m
|    $m = 0
    for $x in $s:
        if $x.isascii() and $x.isdigit():
            $m = $m * 10 + int($x)
    return $m
|    return «sum|max|min»([int($x) for $x in $s if $x in '0123456789']«»+ [0])
|    $l = [int($x) for $x in $s if $x.isdecimal()]
    return «$l|sorted($l)|$l[::-1]|len($l)|sum($l) if $l else None|[$n for $n in $l if $n % 2 == 0]»
|    $a = ''
    $o = ''
    for $x in $s:
        if $x.isdigit():
            $a += $x
        elif $x.isalpha():
            $o += $x
    return «$a + $o|$o + $a|($a, $o)|[$o, $a]|$o + «#mark» + $a»
»
== numbers_in, extract_numbers, all_ints : mixed/sentence/numbers
def $f($s):
    $l = []
    $g = ''
    for $x in $s«| + ' '»:
        if $x.isdigit()«| or $x == '-'»:
            $g += $x
        elif $g:
            $l.append($g)
            $g = ''
    if $g:
        $l.append($g)
    return «$l|$l|[int($w) for $w in $l if $w.isdecimal()]|sum(len($w) for $w in $l)\
|max($l, key=len, default='')|'+'.join($l)»

== sum_numbers, total_of, add_all : numbers
def $f($s):
    $ws = $s.replace(',', ' ').split()
«    return «sum|max|min|sorted|list»(int($w) for $w in $ws)
|    $m = 0
    for $w in $ws:
        $n = int($w)
        if $n «> 0|% 2 == 0|< 50|!= 0»:
            $m += $n
        else:
            $m -= «1|$n»
    return $m
|    $m = 0
    for $w in $ws:
        if $w.isdigit():
            $m += int($w)
        elif $w.startswith('-'):
            $m -= int($w[1:])
    return $m
|    return «list(map(int, $ws))|[int($w) * 2 for $w in $ws]|' '.join(sorted($ws, key=int))\
|' '.join(str(int($w) + 1) for $w in $ws)|max(map(int, $ws)) - min(map(int, $ws))»
»
== reformat_date, split_date, date_parts : date
def $f($s):
«    $sep = '-' if '-' in $s else '/' if '/' in $s else '.'
    $ws = $s.split($sep)
    return «'/'.join($ws[::-1])|'.'.join(reversed($ws))|[int($w) for $w in $ws]|tuple(map(int, $ws))|$ws[0]\
|int($ws[1])|{'a': $ws[0], 'b': $ws[1], 'c': $ws[2]}|'-'.join($w.zfill(2) for $w in $ws)»
|    for $x in '/.':
        $s = $s.replace($x, '-')
    $a, $g, $o = $s.split('-')
    if len($o) == 4:
        $a, $o = $o, $a
    return «f'{$a}-{$g}-{$o}'|f'{$o}/{$g}/{$a[2:]}'|$a + $g.zfill(2) + $o.zfill(2)\
|(int($a), int($g), int($o))|int($a) % 4 == 0»
|    $u = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
    $ws = $s.replace('/', '-').replace('.', '-').split('-')
    return «$u[int($ws[1]) - 1] + ' ' + $ws[0]|f'{$u[int($ws[1]) - 1]} {$ws[-1]}'»
»
== minutes_of, parse_time, clock_value : clock
def $f($s):
«    $ws = $s.split(':')
    return «int($ws[0]) * 60 + int($ws[1])|[int($w) for $w in $ws]|sum(int($w) for $w in $ws)\
|int($ws[0]) >= 12|'h'.join($ws[:2])|':'.join($ws[::-1])»
|    $a, $o = $s.split(':')[:2]
    $n = int($a)
    if $n «>=|>» 12:
        return f'{$n - 12 or 12}:{$o} PM'
    return f'{$n or 12}:{$o} AM'
|    $m = 0
    for $w in $s.split(':'):
        $m = $m * 60 + int($w)
    return $m
|    $a, _, $o = $s.partition(':')
    return «$a.lstrip('0') + ':' + $o|int($a), $o|'%s.%s' % ($a, $o)»
»
== version_key, parse_version, compare_parts : version
def $f($s):
«    $l = []
    for $w in $s.lstrip('v').split('.'):
        if $w.isdigit():
            $l.append(int($w))
        else:
            «break|$l.append($w)|$l.append(-1)»
    return «$l|tuple($l)»
|    $ws = $s.split('.')
    if $ws[-1].isdigit():
        $ws[-1] = str(int($ws[-1]) + 1)
    «|else:
        $ws.append('1')
    »return '.'.join($ws)
|    $s = $s.removeprefix('v')
    for $g in («'-beta', 'rc1'|'rc1', '-'»):
        $s = $s.removesuffix($g)
    return «$s|$s.split('.')[0]|$s.count('.') + 1|'.'.join(($s.split('.') + ['0', '0'])[:3])»
»
== valid_address, check_octets, dotted_parts : dotted
def $f($s):
«    $ws = $s.split('.')
    if len($ws) != 4:
        return False
    for $w in $ws:
        if «not $w.isdigit() or int($w) > 255|int($w) > 255|not 0 <= int($w) <= 255»:
            return False
    return True
|    return len($s.split('.')) == 4 and all(int($w) < 256 for $w in $s.split('.'))
|    $ws = [int($w) for $w in $s.split('.')]
    return «sum($ws)|max($ws)|'.'.join(str($n) for $n in sorted($ws))|'.'.join(f'{$n:03d}' for $n in $ws)\
|[$n % 256 for $n in $ws]|'.'.join(map(hex, $ws))»
|    $m = 0
    for $w in $s.split('.'):
        $m = $m * 256 + int($w)
    return $m
»
== binary_value, from_binary, bits : binary
def $f($s):
«    $m = 0
    for $x in $s:
        $m = $m * 2 + «int($x)|(1 if $x == '1' else 0)»
    return $m
|    return int($s, 2)«| + «#int 1 5»| % 7|, $s.count('1')»
|    $m = 0
    for $i, $x in enumerate(reversed($s)):
        if $x == '1':
            $m += 2 ** $i
    return $m
|    return ''.join('1' if $x == '0' else '0' for $x in $s)
|    return «bin(int($s, 2) + 1)[2:]|$s.zfill(8)|hex(int($s, 2))|$s.lstrip('0') or '0'|$s.count('1') % 2 == 0\
|len(max($s.split('0')))|format(int($s, 2), '«x|o|d|08b»')»
»
== to_base, in_digits, render_number : integer
def $f($n):
«    $b = $n < 0
    $n = abs($n)
    $r = ''
    while $n > 0:
        $r = str($n % «2|8|3|10|5») + $r
        $n //= «2|8|3|10|5»
        if len($r) > 20:
            break
    return ('-' if $b else '') + ($r or '0')
|    $s = str($n)
    $r = ''
    while len($s) > 3:
        $r = «','|' '|'_'» + $s[-3:] + $r
        $s = $s[:-3]
    return $s + $r
|    return «f'{$n:,}'|f'{$n:05d}'|f'{$n:+d}'|f'{$n:>8}.'|f'{$n:x}'|f'{$n:b}'|format($n, '08b')|'%05d' % $n\
|f'{$n:e}'|str($n).zfill(«5|8»)|str($n).rjust(8, '*')|f'{$n / 7:.2f}'»
|    $m = 0
    for $x in str(«abs($n)|$n»):
        if $x.isdigit():
            $m «+=|+=|*=|-=» int($x)
    return $m
|    $s = str(abs($n))
    return «$s == $s[::-1]|int($s[::-1])|sorted($s)|''.join(sorted($s, reverse=True))|len($s)|$s[0] + $s[-1]\
|[int($x) for $x in $s]|$s.count('0')»
|    if $n % 100 in (11, 12, 13):
        return str($n) + 'th'
    return str($n) + {1: 'st', 2: 'nd', 3: 'rd'}.get($n % 10, 'th')
|    return {0: 'zero', 1: 'one', 2: 'two', 3: 'three'}.get($n, «'many'|str($n)|f'<{$n}>'»)
»
== roman_value, from_roman : roman
def $f($s):
    $d = {'I': 1, 'V': 5, 'X': 10, 'L': 50, 'C': 100, 'D': 500, 'M': 1000}
    $m = 0
«    for $i in range(len($s)):
        if $i + 1 < len($s) and $d[$s[$i]] < $d[$s[$i + 1]]:
            $m -= $d[$s[$i]]
        else:
            $m += $d[$s[$i]]
|    $a = 0
    for $x in reversed($s):
        if $d[$x] < $a:
            $m -= $d[$x]
        else:
            $m += $d[$x]
        $a = $d[$x]
|    for $x, $y in zip($s, $s[1:] + $s[-1]):
        $m += -$d[$x] if $d[$x] < $d[$y] else $d[$x]
»    return $m
"""
