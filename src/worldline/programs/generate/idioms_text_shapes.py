"""Idioms around texts and what they make: identifiers, tables, messages, grids, tokens, votes, indents.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== to_camel, camel_case, join_identifier : snake
def $f($s):
«    $ws = $s.«split('_')|replace('-', '_').split('_')|lower().split('_')»
    return $ws[0] + ''.join($w.«capitalize|title»() for $w in $ws[1:])
|    $r = ''
    $b = False
    for $x in $s:
        if $x in '_-':
            $b = True
        elif $b:
            $r += $x.upper()
            $b = False
        else:
            $r += $x
    return $r
|    return ''.join($w.capitalize() for $w in $s.split(«'_'|'-'»))
|    $a, *$ws = $s.split('_')
    return $a.lower() + ''.join(map(str.title, $ws))
|    return $s.replace('_', ' ').title().replace(' ', '')
|    while '_' in $s:
        $i = $s.index('_')
        $s = $s[:$i] + $s[$i + 1:$i + 2].upper() + $s[$i + 2:]
    return $s
»
== to_snake, snake_case, split_identifier : camel
def $f($s):
«    $r = ''
    for $i, $x in enumerate($s):
        if $x.isupper()«| and $i > 0»:
            $r += '«_|-»' + $x.lower()
        else:
            $r += $x
    return $r«.lstrip('_')|»
|    return ''.join('_' + $x.lower() if $x.isupper() else $x for $x in $s)«.strip('_')|»
|    $l = []
    $g = ''
    for $x in $s:
        if $x.isupper() and $g:
            $l.append($g)
            $g = ''
        $g += $x
    $l.append($g)
    return «$l|'_'.join($l).lower()|' '.join($l)|[$w.lower() for $w in $l]|len($l)»
|    for $x in $s:
        if $x.isupper():
            $s = $s.replace($x, ' ' + $x.lower())
    return «$s.strip()|$s.split()|$s.strip().replace(' ', '-')»
»
== slug, slugify, to_identifier : sentence/title/noisy
def $f($s):
«    $r = ''
    for $x in $s.lower():
        if $x.isalnum():
            $r += $x
        elif $r and $r[-1] != '«-|_»':
            $r += '«-|_»'
    return $r«.strip('-')|.rstrip('-_')|»
|    return '-'.join($s.lower().split())
|    $s = $s.strip().lower()
    for $x in ' .,!?':
        $s = $s.replace($x, '-')
    while '--' in $s:
        $s = $s.replace('--', '-')
    return $s.strip('-')
|    $l = [$x if $x.isalnum() else ' ' for $x in $s]
    return '«_|-»'.join(''.join($l).split())«|.lower()|.upper()»
»
== substitute_chars, translate, map_table : text substitutions
def $f($s, $dm):
«    return ''.join($dm.get($x, $x) for $x in $s)
|    $r = ''
    for $x in $s:
        if $x in $dm:
            $r += $dm[$x]
        else:
            $r += «$x|$x|«#cx $x»|''»
    return $r
|    return $s.translate(str.maketrans($dm))
|    for $k, $v in $dm.items():
        $s = $s.replace($k, $v)
    return $s
|    $l = list($s)
    for $i in range(len($l)):
        $l[$i] = $dm.get($l[$i], «$l[$i]|«#mark»|$l[$i].upper()»)
    return ''.join($l)
|    $dm = {$v: $k for $k, $v in $dm.items()}
    return ''.join($dm[$x] if $x in $dm else $x for $x in $s)
|    $m = 0
    for $x in $s:
        try:
            $m += len($dm[$x])
        except KeyError:
            $m -= 1
    return $m
»
== make_table, pair_translate, swap_letters : text char char
def $f($s, $c, $e):
«    return $s.translate(str.maketrans($c + $e, $e + $c))
|    return $s.replace($c, '\0').replace($e, $c).replace('\0', $e)
|    $r = ''
    for $x in $s:
        if $x == $c:
            $r += $e
        elif $x == $e:
            $r += $c
        else:
            $r += $x
    return $r
|    $d = {$c: $e, $e: $c}
    return ''.join([$d.get($x, $x) for $x in $s])
|    return $s.replace($c, $e)«|.replace($e, $c.upper())|.count($e)|.split($e)|, $s.count($c)»
|    $l = list($s)
    for $i, $x in enumerate($l):
        if $x == $c:
            $l[$i] = $e
            «break|continue|$c = $e»
    return ''.join($l)
|    if $c in $s and $e in $s:
        $i, $j = $s.index($c), $s.index($e)
        return «$s[min($i, $j):max($i, $j) + 1]|abs($i - $j)|$s[$i:$j]|$i < $j»
    return «''|-1|None»
»
== fill_template, format_message, render : phrase/person word small
def $f($s, $w, $n):
«    return f'{$s}«: |, | - »{$w«|!r|.upper()|:>8|:<8»} («{$n}|{$n:02d}|{$n * 2}»)'
|    return '{}«, |-| »{}«!|: |»{}'.format(«$s, $w, $n|$w, $s, $n|$n, $w, $s»)
|    return '{1}-{0}-{2}'.format($s, $w.upper(), $n)
|    return '%s%s%0«2|3»d' % ($s, $w, $n)
|    $r = '{name} has {count} {thing}'.format(name=$s, count=$n, thing=$w)
    if $n != 1:
        $r += 's'
    return $r
|    $t = 'Dear {name}, your {item} is {state}.'
    for $k, $v in {'name': $s, 'item': $w, 'state': str($n)}.items():
        $t = $t.replace('{' + $k + '}', $v)
    return $t
|    return «#sep».join([$s, $w, str($n)])
|    if $n «== 1|< 2|> 3»:
        return f'{$n} {$w}'
    return f'{$n} {$w}«s|es|»' + «$s[:$n]|f' of {$s}'|'!' * $n»
»
== pluralize, plural_form, add_suffix : word
def $f($s):
«    if $s.endswith(('s', 'x', 'ch', 'sh')):
        return $s + 'es'
    if $s.endswith('y') and $s[-2:-1] not in 'aeiou':
        return $s[:-1] + 'ies'
    return $s + 's'
|    if $s[-1] == 'e':
        return $s«[:-1]|» + '«ing|d»'
    elif $s[-1] in 'aiou':
        return $s + «'ing'|'n'|$s[-1]»
    else:
        return $s«| + $s[-1]» + '«ing|ed|er»'
|    $d = {'y': 'ies', 'f': 'ves', 's': 'ses'}
    $o = $d.get($s[-1])
    return $s[:-1] + $o if $o else $s + 's'
|    for $q in («'ing', 'ed', 's'|'er', 'ly', 'e'|'s', 'es'»):
        if $s.endswith($q)«| and len($s) > len($q) + 2»:
            return $s[:-len($q)]
    return $s
»
== grid, rows_of, to_matrix : short positive
def $f($s, $n):
«    $l = []
    for $i in range(0, len($s), $n):
        $l.append(list($s[$i:$i + $n]))
    return «$l|$l[::-1]|len($l)|[$w[0] for $w in $l]»
|    $l = [[] for _ in range($n)]
    for $i, $x in enumerate($s):
        $l[$i % $n].append($x)
    return «$l|''.join(''.join($w) for $w in $l)|[''.join($w) for $w in $l]|[len($w) for $w in $l]»
|    $l = [''] * $n
    $i, $b = 0, 1
    for $x in $s:
        $l[$i] += $x
        if $i == 0:
            $b = 1
        elif $i == $n - 1:
            $b = -1
        if 0 <= $i + $b < $n:
            $i += $b
    return «$l|''.join($l)»
|    return '\n'.join($s[$i:$i + $n] for $i in range(0, len($s), $n))
|    return {$i: $s[$i:$i + $n] for $i in range(0, len($s), $n)}
»
== transpose, columns_of, vertical : words
def $f($ws):
«    return [''.join($l) for $l in zip(*$ws)]
|    $n = max(map(len, $ws), default=0)
    $l = [$w.ljust($n«|, «#mark»») for $w in $ws]
    return «$l|[''.join($x) for $x in zip(*$l)]|'\n'.join($l)»
|    $n = max([len($w) for $w in $ws] + [0])
    $l = []
    for $i in range($n):
        $l.append(''.join($w[$i] if $i < len($w) else ' ' for $w in $ws)«|.rstrip()»)
    return $l
|    $n = max(len($w) for $w in $ws + [''])
    return '\n'.join('[ ' + $w.«ljust|center|rjust»($n) + ' ]' for $w in $ws)
»
== wrap, break_lines, fill_text : sentence width
def $f($s, $n):
    $n = «max($n // 2, «6|8|10»)|«10|12|15» + $n % 5»
«    $l = []
    $g = ''
    for $w in $s.split():
        if len($g) + len($w) + 1 > $n:
            $l.append($g)
            $g = $w
        elif $g:
            $g += ' ' + $w
        else:
            $g = $w
    if $g:
        $l.append($g)
    return «$l|'\n'.join($l)|[$w.ljust($n) for $w in $l]»
|    $l = ['']
    for $w in $s.split(' '):
        if len($l[-1]) + len($w) < $n:
            $l[-1] = ($l[-1] + ' ' + $w)«.strip()|.lstrip()»
        else:
            $l.append($w)
    return $l
|    $l = []
    while len($s) > $n:
        $i = $s.rfind(' ', 0, $n)
        if $i «== -1|<= 0»:
            $i = $n
        $l.append($s[:$i])
        $s = $s[$i:].strip()
    $l.append($s)
    return «$l|'\n'.join($l)|len($l)»
»
== scan_tokens, tokenize, lex : noisy/mixed/pairs/fields
def $f($s):
    $l = []
    $g = ''
    for $x in $s:
        if $x.is«alnum|alpha|digit»():
            $g += $x
        else:
            if $g:
                $l.append($g)
                $g = ''
            if «not $x.isspace()|$x in '+-*/=()'|$x != ' '»:
                $l.append($x)
    if $g:
        $l.append($g)
    return «$l|$l|' '.join($l)|len($l)|[$w for $w in $l if len($w) > 1]»

== quoted_split, outside_quotes, smart_split : fields/noisy/pairs
def $f($s):
    $l = ['']
    $b = False
    for $x in $s:
        if $x «== '"'|in '"~'»:
            $b = not $b
        elif $x «== ','|in ',;'|== ' '» and not $b:
            $l.append('')
        else:
            $l[-1] += $x
    return «$l|[$w.strip() for $w in $l]|len($l)»

== order_letters, order_by, sort_chars : text
def $f($s):
«    return ''.join(sorted($s, key=lambda $x: «$x.lower()|($x.isupper(), $x)|(-$s.count($x), $x)\
|$s.rindex($x)|-ord($x)|($x.isdigit(), $x)|$x.swapcase()»))
|    return «#sep».join(sorted($s.split(), key=lambda $w: («len($w), $w|-len($w), $w|$w.lower(), len($w)\
|$w[-1], $w[0]|$w.count(«#letter»), $w»)))
|    $l = sorted($s«|.lower()|.replace(' ', '')|, reverse=True»)
    return «$l|''.join($l)|$l[0:1] + $l[-1:]|''.join($l).strip()|$l[len($l) // 2:]»
|    $l = list($s)
    $l.sort(«|reverse=True|key=str.lower|key=ord»)
    return ''.join($l)«||.lstrip()|[::2]|[-«#int 2 5»:]»
|    $g = lambda $x: «#cx $x»
    return ''.join($g($x) for $x in $s)
»
== vote, tally_votes, rank : words
def $f($ws):
    $d = {}
    for $w in $ws:
        $d[$w] = $d.get($w, 0) + «1|1|len($w)»
«    $a = None
    for $k, $v in $d.items():
        if $a is None or $v «>|>=» $d[$a]:
            $a = $k
    return «$a|($a, $d[$a] if $a else 0)|{$a: len($ws)}»
|    return sorted($d.items(), key=lambda p: «(-p[1], p[0])|p[1]|p[0]»)«|[:2]|[-1:]»
|    return [$k for $k, $v in $d.items() if $v == max($d.values())]
|    return «max($d, key=$d.get, default='')|dict(sorted($d.items()))\
|' '.join($k * $v for $k, $v in $d.items() if $v < 4)»
»
== leading_spaces, indent_level, dedent : blanks/lines
def $f($s):
«    return len($s) - len($s.lstrip(«|' '»))
|    $m = 0
    for $x in $s:
        if $x == ' ':
            $m += 1
        elif $x == '\t':
            $m += «4|8»
        else:
            break
    return «$m|' ' * $m|$s[$m:]»
|    $ws = $s.split('\n')
    $n = min([len($w) - len($w.lstrip()) for $w in $ws if $w.strip()] + [«8|4»])
    return «'\n'.join($w[$n:] for $w in $ws)|$n|[$w[$n:] for $w in $ws]»
|    return ' '.join($s.split())«|.title()|.replace(' ', «#sep»)|[::-1]»
|    $l = []
    for $w in $s.split('\n'):
        $l.append($w.expandtabs(4).«rstrip|lstrip|strip»())
    return $l
»
"""
