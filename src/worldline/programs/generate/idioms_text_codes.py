"""Idioms on characters as codes and runs: ciphers, checksums, run lengths, streaks, kinds of characters.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== squeeze, collapse, remove_repeats : runs/text
def $f($s«|»):
«#guard $s ; ''»«    $r = $s[«0|:1»]
    for $i in range(1, len($s)):
        if $s[$i] != $s[$i - 1]:
            $r += $s[$i]
    return $r
|    $r = ''
    for $x in $s:
        if not $r or $r[-1] != $x:
            $r += $x
    return «$r|$r|len($r)»
|    $g = ''
    $l = []
    for $x in $s:
        if $x != $g:
            $l.append($x)
        $g = $x
    return ''.join($l)
|    while '  ' in $s:
        $s = $s.replace('  ', ' ')
    return $s«|.strip()|.split(' ')»
|    for $x in «'aeiou'|'abc'|sorted(set($s))»:
        while $x * 2 in $s:
            $s = $s.replace($x * 2, $x)
    return $s
|    $i = 0
    while $i < len($s) - 1:
        if $s[$i] == $s[$i + 1]:
            $s = $s[:$i] + $s[$i + 1:]
        else:
            $i += 1
    return $s
»
== run_length, compress, rle : runs
def $f($s):
«#guard $s ; ''»«    $r = ''
    $m = 1
    for $i in range(1, len($s)):
        if $s[$i] == $s[$i - 1]:
            $m += 1
        else:
            $r += «$s[$i - 1] + str($m)|str($m) + $s[$i - 1]|f'{$s[$i - 1]}{$m}'»
            $m = 1
    return $r + «$s[-1:] + str($m)|str($m) + $s[-1:]»
|    $l = []
    $i = 0
    while $i < len($s):
        $j = $i
        while $j < len($s) and $s[$j] == $s[$i]:
            $j += 1
        $l.append(«($s[$i], $j - $i)|[$j - $i, $s[$i]]|$s[$i] + str($j - $i)|$s[$i:$j]|$j - $i»)
        $i = $j
    return $l
|    $g = None
    $m = 0
    $l = []
    for $x in $s:
        if $x == $g:
            $m += 1
        else:
            if $g is not None:
                $l.append($g«| + str($m)| * $m»)
            $g = $x
            $m = 1
    «|$l.append($g)
    »return «''.join($l)|$l»
|    $l = []
    for $x in $s:
        if $l and $l[-1][0] == $x:
            $l[-1][1] += 1
        else:
            $l.append([$x, 1])
    return «$l|''.join($x + str($n) for $x, $n in $l)|max($n for _, $n in $l)|[$x for $x, $n in $l if $n > 1]»
»
== expand_runs, decompress, unpack : mixed
def $f($s):
«    $r = ''
    $g = ''
    for $x in $s:
        if $x.isdigit():
            $r += $g * «int($x)|(int($x) % 4)»
        else:
            $g = $x
    return $r
|    $m = ''
    $r = ''
    for $x in $s:
        if $x.isdigit():
            $m = $x
        else:
            $r += $x * (int($m) if $m else 1)
            $m = ''
    return $r
»
== longest_run, max_repeat, streak : runs/binary/text
def $f($s):
«#guard $s ; 0»    «$m = $a = 1
|$m = 1
    $a = 1
»    for $i in range(1, len($s)):
        if $s[$i] «==|==|==|>|>=» $s[$i - 1]:
            $a += 1
«            if $a > $m:
                $m = $a
|            $m = max($m, $a)
»        else:
            $a = 1
    return $m

== caesar, rotate_letters, shift_text, cipher : word/phrase/gibberish/sentence shift
def $f($s, $n):
«    $r = ''
    for $x in $s:
        if $x.isalpha():
            $r += chr((ord($x.lower()) - ord('a') + $n) % 26 + ord('a'))
        else:
            $r += «$x|$x|' '|''»
    return $r
|    $r = ''
    for $x in $s:
        if $x.isupper():
            $r += chr((ord($x) - 65 + $n) % 26 + 65)
        elif $x.islower():
            $r += chr((ord($x) - 97 «+|+|-» $n) % 26 + 97)
        else:
            $r += $x
    return $r
|    $u = 'abcdefghijklmnopqrstuvwxyz'
    $r = ''
    for $x in $s:
        if $x in $u:
            $r += $u[($u.index($x) «+|-» $n) % «26|len($u)»]
        «|else:
            $r += $x
        »
    return $r
|    $u = 'abcdefghijklmnopqrstuvwxyz'
    return $s.translate(str.maketrans($u, $u[$n:] + $u[:$n]))
|    $l = []
    for $x in $s:
        $i = ord($x)
        if 97 <= $i <= 122:
            $i = (ord($x) - 97 + $n) % 26 + 97
        $l.append(chr($i))
    return ''.join($l)
|    return ''.join([chr((ord($x) - 97 + $n) % 26 + 97) if $x.islower() else $x for $x in $s])
»
== mirror_alphabet, atbash, reflect : word/gibberish/phrase
def $f($s):
«    $r = ''
    for $x in $s:
        if $x.islower():
            $r += chr(219 - ord($x))
        elif $x.isupper():
            $r += chr(155 - ord($x))
        else:
            $r += $x
    return $r
|    $u = 'abcdefghijklmnopqrstuvwxyz'
    return ''.join($u[25 - $u.index($x)] if $x in $u else $x for $x in $s«|.lower()»)
|    $u = 'abcdefghijklmnopqrstuvwxyz'
    return $s.lower().translate(str.maketrans($u, $u[::-1]))
»
== code_points, ascii_sum, checksum : short/word
def $f($s):
«    return [ord($x) for $x in $s«| if «#pred $x»»]
|    $m = 0
    for $x in $s:
        $m += ord($x)«| - 96| - ord('a')|»
    return $m«|| % «#int 7 256»»
|    return sum(map(ord, $s))«|| % «#int 2 100»|, len($s)»
|    $m = «0|1|7»
    for $x in $s:
        $m = ($m * «31|7|33|3» + ord($x)) % «1000|97|256|1009»
    return $m
|    return «'-'|' '|','».join(str(ord($x)) for $x in $s)
|    return ' '.join(format(ord($x), '«02x|08b|03d|o|x|04x»') for $x in $s[:«#int 4 8»])
|    return [(«$x, ord($x)|ord($x), $x») for $x in $s]
|    $m = 0
    for $i, $x in enumerate($s«|, 1|, start=1»):
        $m += $i * «ord($x)|(ord($x) - 96)|ord($x)»
    return $m
|    $m = 0
    for $x in $s:
        $m ^= ord($x)
    return $m
»
== from_codes, decode_numbers : integers
def $f($ns):
«    return ''.join(chr($n «+ 97|+ 65|% 26 + 97|+ 60») for $n in $ns)
|    $r = ''
    for $n in $ns:
        if $n < 26:
            $r += chr(«97 + $n|ord('a') + $n|90 - $n»)
        else:
            $r += «#mark»
    return $r
|    $u = 'abcdefghijklmnopqrstuvwxyz'
    $l = []
    for $n in $ns:
        try:
            $l.append($u[$n])
        except IndexError:
            $l.append(«#mark»)
    return ''.join($l)
|    return bytes([$n + «65|97|48» for $n in $ns]).decode()
»
== next_letters, bump, increment_chars : word/mixed/gibberish
def $f($s):
    $r = ''
    for $x in $s:
        if $x == '«z|9|a»':
            $r += '«a|0|z»'
        elif $x.is«alpha|digit|alnum|lower»():
            $r += chr(ord($x) «+|+|-» 1)
«|        else:
            $r += $x
»    return $r

== count_types, classify_chars, char_kinds : text
def $f($s):
«    $a = $o = $m = 0
    for $x in $s:
        if $x.isalpha():
            $a += 1
        elif $x.isdigit():
            $o += 1
        else:
            $m += 1
    return «$a, $o, $m|[$a, $o, $m]|{'letters': $a, 'digits': $o, 'other': $m}|max($a, $o, $m)»
|    $d = {'«upper|U|up»': 0, '«lower|L|low»': 0}
    for $x in $s:
        if $x.isupper():
            $d['upper'] = $d.get('upper', 0) + 1
        elif $x.islower():
            $d['lower'] = $d.get('lower', 0) + 1
    return $d
|    $a = sum(1 for $x in $s if $x.isupper())
    $o = sum(1 for $x in $s if $x.islower())
    if $a «>|>=» $o:
        return $s.upper()
    «elif $a == 0:
        return $s.title()
    |»return $s.lower()
|    $l = []
    for $x in $s:
        $l.append('«A|L|d»' if $x.isalpha() else '«9|D|#»' if $x.isdigit() else '«?|_|-»')
    return ''.join($l)
»
"""
