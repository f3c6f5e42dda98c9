"""Idioms on lists of characters, stacks, bytes, escapes, recursion and inner functions.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== keep_matching, keep_if, filtered_by : text
def $f($s):
    def $h($x):
        «return «#pred $x»
|if «#pred $x»:
            return True
        return «#pred $x»
»«    return ''.join($y for $y in $s[:20] if $h($y))
|    return ''.join(filter($h, $s[:20]))
|    $m = 0
    for $y in $s[:«12|15»]:
        if $h($y):
            $m += 1
    return $m
|    return «any|all»($h($y) for $y in $s[:10])
|    return [$y for $y in $s[:12] if not $h($y)]
»
== change_each, apply_each, with_helper : phrase/words
def $h($w):
    «if «#wpred $w»:
        return «#wx $w»
    return «$w|«#wx $w»»
|return «#wx $w»
|$r = «#wx $w»
    return $r«.strip()|[::-1]|.upper()| + $w[:1]»
»
«|
»def $f($s):
«    return [$h($x) for $x in $s]
|    return ' '.join(map($h, $s.split() if isinstance($s, str) else $s))
|    $ws = $s.split() if isinstance($s, str) else $s
    return {$x: $h($x) for $x in $ws}
|    $l = []
    for $x in «$s[:8]|$s[::2]|$s»:
        $l.append($h($x))
    return «$l|''.join($l)»
»
== produce, yield_parts, words_from : sentence/text
def $f($s):
    def $h():
        «for $w in $s.split():
            if «#wpred $w»:
                yield «$w|«#wx $w»|len($w)»
|$g = ''
        for $x in $s:
            if $x.is«space|alpha|digit»():
                yield $g
                $g = ''
            else:
                $g += $x
        yield $g
|for $i in range(0, len($s), «#int 2 4»):
            yield $s[$i:$i + «#int 1 3»]
»    return «list($h())|[$y for $y in $h() if $y]|tuple($h())|next($h(), None)|sum(1 for _ in $h())\
|{$y: $i for $i, $y in enumerate($h())}»

== unwind, recurse, walk : short
def $f($s«|, $n=0»):
«    if not $s:
        return «''|''»
    if «#pred $s[0]»:
        return «#cx $s[0]» + $f($s[1:])
    return «$s[0] + $f($s[1:])|$f($s[1:]) + $s[0]|$f($s[1:])»
|    if $s == '':
        return 0
    return («1|1|2» if «#pred $s[0]» else «0|0|-1») + $f($s[1:])
|    if len($s) <= «1|2»:
        return $s
    return $f($s[«len($s) // 2:]) + $f($s[:len($s) // 2|1:]) + $f($s[:1»])
|    if len($s) < 2:
        return $s
    if $s[0] == $s[1]:
        return $f($s[1:])
    return $s[0]«| + «#mark»» + $f($s[1:])
|    if not $s:
        return []
    return [$s«[0]|[-1]|»] + $f($s«[1:]|[:-1]|[2:]»)
»
== stack_undo, apply_backspace, edit_keys : text
def $f($s):
    $l = []
    for $x in $s:
        if «$x == «#letter»|$x == '-'|«#pred $x»»:
            if $l:
                $l.pop()
        «|elif $x «== ' '|.isdigit()»:
            $l.«clear()|reverse()|append($l[-1] if $l else '')»
        »else:
            $l.append($x)
    return «''.join($l)|$l|len($l)»

== remove_adjacent, eliminate_pairs, reduce_string : runs/gibberish/palindrome
def $f($s):
«    $l = []
    for $x in $s:
        if $l and $l[-1] == $x:
            $l.pop()
        else:
            $l.append($x)
    return «''.join($l)|len($l)|''.join($l) or 'empty'»
|    $b = True
    while $b:
        $b = False
        for $i in range(len($s) - 1):
            if $s[$i] == $s[$i + 1]:
                $s = $s[:$i] + $s[$i + 2:]
                $b = True
                break
    return $s
»
== queue_rotation, josephus, deal : characters small
def $f($ws, $n):
«    $l = []
    while $ws:
        $l.append($ws.pop(«0|-1|$n % len($ws)|$n % len($ws)»))
    return «$l|''.join($l)»
|    for _ in range($n«| + 1| * 2»):
        «|if not $ws:
            break
        »$ws.«append($ws.pop(0))|insert(0, $ws.pop())|insert($n % len($ws), $ws.pop())|extend($ws[:1])\
|reverse()»
    return «''.join($ws)|$ws»
|    $ws = $ws[$n:] + $ws[:$n]
    return «''.join($ws)|$ws|$ws[::-1]|'-'.join($ws)»
|    $a, $o = $ws[:$n], $ws[$n:]
    $a.«reverse()|sort()|extend($o)|append(«#letter»)|insert(0, «#letter»)»
    return «$a + $o|''.join($a + $o)|$a, $o|$o + $a»
»
== edit_list, modify_chars, tweak : characters char
def $f($ws, $c):
«    if $c in $ws:
        $ws.«remove($c)|insert($ws.index($c), «#mark»)|pop($ws.index($c))|append($c)»
    «else:
        $ws.«append($c)|insert(0, $c)|reverse()|sort()|extend([$c, $c])»
    |»return «$ws|''.join($ws)»
|    while $c in $ws:
        «$ws.remove($c)|$ws[$ws.index($c)] = «#mark»|$ws.pop($ws.index($c))»
        «$ws.append($c.upper() + '!')|$ws.insert(0, '')|pass»
    return «$ws|''.join($ws)|len($ws)»
|    $m = $ws.count($c)
    for $i in range(len($ws) - 1, -1, -1):
        if $ws[$i] == $c:
            «del $ws[$i]|$ws.pop($i)|$ws.insert($i, «#mark»)|$ws[$i] = str($i)»
    return «$ws, $m|''.join($ws)|$ws|[$m] + $ws»
|    $l = [$i for $i, $x in enumerate($ws) if $x == $c]
    return «$l|$l[-1] if $l else -1|[$ws[$i + 1] for $i in $l if $i + 1 < len($ws)]|len($l)»
|    try:
        $i = $ws.index($c«|, 1|, 2»)
    except ValueError:
        return «-1|$ws|None|''.join($ws)»
    return «$i|$ws[$i:]|''.join($ws[:$i])|$ws[$i + 1:] + $ws[:$i]»
»
== to_bytes, encode_text, utf8 : short/foreign/word
def $f($s):
«    return $s.encode(«|'utf-8'|'utf8'»)«||[::-1]|.hex()|[:«#int 2 5»]»
|    return list($s.encode('utf-8'))«||[-«#int 1 4»:]»
|    $r = $s.encode('ascii', '«ignore|replace»')
    return «$r|$r.decode()|len($r) == len($s)|$r.upper()»
|    try:
        return $s.encode('ascii')
    except UnicodeEncodeError:
        return «len($s.encode())|None|'?'|$s.encode('utf-8')»
|    return len($s), len($s.encode('utf-8'))
|    $l = bytearray($s, 'utf-8')
    for $i in range(len($l)):
        if $l[$i] < 128:
            $l[$i] = «$l[$i] ^ 1|$l[$i] & 95|127 - $l[$i]»
    return «bytes($l)|$l.hex()»
|    return $s.encode('utf-8').hex(«|'-'|' '»)
»
== read_bytes, decode_data, split_bytes : octets
def $f($ws):
«    return $ws.decode(«|'utf-8'|'latin-1'|'ascii', 'replace'»)«|.upper()|[::-1]»
|    return «$ws.upper()|$ws.split()|$ws.hex()|list($ws)|$ws[::-1]|$ws.replace(b'a', b'*')\
|$ws.startswith(b'«a|t|b»')|$ws.find(b'«e|o»')|sum($ws) % 256|bytes(sorted($ws))|$ws.title()|$ws.strip()»
|    $m = 0
    for $n in $ws:
        $m «^=|+=» $n
    return «$m|$m % 251|hex($m)»
|    $l = []
    for $n in $ws:
        $l.append(«chr($n)|f'{$n:02x}'|$n % 16|bin($n)[2:]»)
    return $l
»
== hex_pairs, from_hex, colour : hexadecimal
def $f($s):
«    return bytes.fromhex($s)«|.hex('«:|-| »')|[::-1]|[:2]»
|    return [int($s[$i:$i + 2], 16) for $i in range(0, len($s), 2)]
|    $m = 0
    for $x in $s:
        $m = $m * 16 + «int($x, 16)|'0123456789abcdef'.index($x.lower())»
    return «$m|$m % 1000|bin($m)»
|    return «int($s, 16)|'#' + $s.upper()|'0x' + $s|':'.join($s[$i:$i + 2] for $i in range(0, len($s), 2))\
|f'{int($s, 16):b}'|$s.isalnum() and len($s) == 6»
|    return tuple(int($s[$i:$i + 2], 16) for $i in range(0, len($s), 2))
»
== escape, unescape, quote : noisy/lines/blanks
def $f($s):
«    return repr($s)«|[1:-1]»
|    $r = ''
    for $x in $s:
        if $x in «'\n\t'|'\\\''|'<>&'|'\'"'»:
            $r += '\\' + «$x|'n'|str(ord($x))»
        else:
            $r += $x
    return $r
|    $d = {'\n': '\\n', '\t': '\\t', ' ': '«_|+|%20»'}
    return ''.join($d.get($x, $x) for $x in $s)
|    return $s.replace('\\', '\\\\').replace('\n', '\\n')
|    return '"' + $s.replace('"', '\\"') + '"'
|    return ascii($s)«|[1:-1]»
|    return $s.expandtabs(«#int 2 8»)«|.replace(' ', '.')|.split()»
»
"""
