"""Idioms on lists of words: choosing, sorting, grouping, joining, pairing, common beginnings.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== choose_words, select, words_like : words
def $f($ws):
«    return [$w for $w in $ws if «#wpred $w»]
|    $l = []
    for $w in $ws:
        if «#wpred $w»:
            $l.append(«$w|$w|«#wx $w»|len($w)»)
    return $l
|    return list(filter(lambda $w: «#wpred $w», $ws))
|    return [«#wx $w» for $w in $ws«| if «#wpred $w»»]
|    for $w in «$ws[:]|list($ws)|$ws.copy()»:
        if «#wpred $w»:
            $ws.remove($w)
    return $ws
|    $l = []
    for $w in $ws:
        if «#wpred $w»:
            $l.append($w)
        elif «#wpred $w»:
            $l.«insert(0, «#wx $w»)|append(«#wx $w»)|extend([$w, «#wx $w»])»
    return «$l|$l|', '.join($l)»
|    $i = 0
    while $i < len($ws):
        if «#wpred $ws[$i]»:
            «$ws.pop($i)|del $ws[$i]»
        else:
            $i += 1
    return $ws
»
== sort_words, alphabetical, arrange : words
def $f($ws):
«    return sorted($ws«|, reverse=True»)
|    return sorted($ws, key=«len|len|str.lower|lambda $w: (len($w), $w)|lambda $w: $w[-1:]\
|lambda $w: (-len($w), $w)|lambda $w: $w[::-1]|lambda $w: $w.count(«#letter»)»)
|    $ws.sort(«|reverse=True|key=len|key=str.lower|key=lambda $w: $w[1:]»)
    return «$ws|' '.join($ws)|$ws[0] if $ws else None|$ws[:«#int 1 3»]|$ws[::-1]»
|    for $i in range(len($ws)):
        for $j in range($i + 1, len($ws)):
            if «$ws[$i] > $ws[$j]|len($ws[$i]) > len($ws[$j])|$ws[$i] < $ws[$j]»:
                $ws[$i], $ws[$j] = $ws[$j], $ws[$i]
    return $ws
|    $l = []
    for $w in $ws:
        $i = 0
        while $i < len($l) and $l[$i] «<|<=|>» $w:
            $i += 1
        $l.insert($i, $w)
    return $l
»
== group_words, by_initial, by_length, index_words : words
def $f($ws):
    $d = {}
    for $w in $ws:
«        $k = «len($w)|$w[0]|$w[-1]|$w[:2]|$w[0].lower()|''.join(sorted($w))|$w.isupper()»
        if $k not in $d:
            $d[$k] = []
        $d[$k].append($w)
|        $d.setdefault(«len($w)|$w[0]|$w[-1:]|len($w) % 2|$w.lower()», []).append($w)
|        $k = «len($w)|$w[0]|$w[-1]»
        $d[$k] = $d.get($k, []) + [$w]
|        if «#wpred $w»:
            $d[$w] = «len($w)|$w[::-1]|$w.upper()»
        else:
            $d[«len($w)|$w.upper()|$w[:1]»] = $w
»    return «$d|$d|$d|sorted($d.items(), key=str)|list($d.values())|{$v: $k for $k, $v in enumerate($d)}\
|len($d)»

== join_with_and, enumerate_list, natural_join : words
def $f($ws«|»):
«    if not $ws:
        return ''
    if len($ws) == 1:
        return $ws[0]
    return ', '.join($ws[:-1]) + ' «and|or|&» ' + $ws[-1]
|    $r = ''
    for $i, $w in enumerate($ws):
        if $i == len($ws) - 1:
            $r += $w
        else:
            $r += $w + «', '|«#sep»»
    return $r
|    if len($ws) > «#int 1 3»:
        return f'{«", "|"-"».join($ws[:«#int 1 2»])} and {len($ws) - «#int 1 2»} more'
    return ' and '.join($ws)
|    return '\n'.join(f'{$i«|:>2|:02d»}«.|)|:» {$w}' for $i, $w in enumerate($ws«|, 1|, start=1»))
|    $r = $ws[0] if $ws else ''
    for $w in $ws[1:]:
        $r = «$r + «#sep» + $w|$w + «#sep» + $r|f'({$r} {$w})'»
    return $r
»
== common_prefix, shared_start : kin
def $f($ws):
«#lguard $ws ; ''»«    $p = $ws[0]
    for $w in $ws[1:]:
        while not $w.startswith($p):
            $p = $p[:-1]
    return $p
|    $p = ''
    for $l in zip(*$ws):
        if len(set($l)) > 1:
            break
        $p += $l[0]
    return $p
|    $a, $o = min($ws), max($ws)
    for $i, $x in enumerate($a):
        if $x != $o[$i]:
            return $a[:$i]
    return $a
|    $i = 0
    while all(len($w) > $i and $w[$i] == $ws[0][$i] for $w in $ws):
        $i += 1
    return $ws[0][:$i]
»
== interleave_words, zip_lists, pair_up : words strings
def $f($ws, $l):
«    return [$w + «'-'|' '|':'» + $y for $w, $y in zip($ws, $l)]
|    return dict(zip($ws, $l))
|    $r = []
    for $w, $y in zip($ws, $l):
        $r.append($w)
        $r.append($y)
    return «' '.join($r)|$r»
|    $r = []
    for $i in range(«min(len($ws), len($l))|max(len($ws), len($l))»):
        if $i < len($ws):
            $r.append($ws[$i])
        if $i < len($l):
            $r.append($l[$i])
    return $r
|    return [$w for $w in $ws if $w «in|not in» $l]
|    $d = {}
    for $i, $w in enumerate($ws):
        $d[$w] = $l[$i % len($l)]
    return $d
|    return sorted(set($ws) «&|^|-» set($l)«|, key=len|, reverse=True»)«||»
»
== starts_with_any, matching_prefix, search_list : words prefix
def $f($ws, $p):
«    return [$w for $w in $ws if $w.startswith($p)]
|    $m = 0
    for $w in $ws:
        if $w.«startswith|endswith»($p):
            $m += 1
    return $m
|    for $w in $ws:
        if «$w[:len($p)] == $p|$w.startswith($p)|$p in $w»:
            return $w«|[len($p):]|.upper()»
    return «None|''|'not found'»
|    return [$p + $w if not $w.startswith($p) else $w for $w in $ws]
|    return [$w.removeprefix($p) for $w in $ws]
|    return any($w.startswith($p) for $w in $ws)
|    $a = [$w for $w in $ws if $w.startswith($p)]
    $o = [$w for $w in $ws if $w not in $a]
    return «$a + $o|$a, $o|len($a) - len($o)|$o»
»
== compound, concat_words, build_string : words
def $f($ws):
«    $r = ''
    for $w in $ws:
        $r += «$w[0]|$w[-1]|$w[:2]|«#wx $w»|$w.capitalize()|$w[len($w) // 2]»
    return $r
|    $r = ''
    for $w in $ws:
        if len($r) > «#int 6 20»:
            break
        $r = «$r + $w|$w + $r|$r + $w[::-1]»
    return $r
|    return ''.join($ws)«.upper()|[::-1]|[::2]|.replace(«#letter», «#mark»)|.title()|.count(«#letter»)\
|.find(«#letter»)»
|    $r = ''.join($ws)
    $i = len($r) // 2
    return «$r[$i:] + $r[:$i]|$r[:$i], $r[$i:]|$r[:$i] + «#mark» + $r[$i:]»
|    return ''.join($w[$i % len($w)] for $i, $w in enumerate($ws))
|    return «#sep».join($ws[$i] for $i in range(len($ws)) if $i % 2 == «0|1»)
»
"""
