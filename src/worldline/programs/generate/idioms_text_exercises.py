"""Idioms of small exercises: ladders of conditions, two counters, defaults, star arguments, odd control flow.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== describe, classify, kind_of : text
def $f($s):
    if «#tpred $s»:
        return «'«empty|short|first|alpha|A»'|$s.upper()|len($s)|True»
    «elif|if» «#tpred $s»:
        return «'«long|second|digits|B|upper»'|$s[::-1]|0|$s.lower()|False»
«|    elif «#tpred $s»:
        return «'«mixed|third|C»'|$s[1:]|None»
»«    return «'«other|unknown|rest|D»'|$s|-1|''»
|    else:
        return «'«other|unknown|none»'|$s.title()|1|$s + '!'»
»
== match_kind, dispatch, respond : word/short
def $f($s):
«    match $s«|.lower()|[:1]|.strip()»:
        case «#letter»:
            return «1|True|$s.upper()»
        case «'no'|''|«#word»»:
            return «0|False|'none'»
        case _:
            return «len($s)|$s[::-1]|None|-1»
|    match $s.split('«-|a|e|o»'):
        case [$a]:
            return «$a|$a * 2|'one'»
        case [$a, $o]:
            return «$o + $a|($o, $a)|f'{$a}/{$o}'»
        case [$a, *$l]:
            return «$a, $l|len($l)|$l[-1] + $a»
»
== with_separator, pad_and_join, repeat_text : text
def $f($s, $sep=«'-'|' '|''|', '», $n=«2|3|1»):
«    return $sep.join([$s] * $n)«|[:40]»
|    return $sep.join($s[$i:$i + $n] for $i in range(0, len($s), $n))
|    if $sep and $sep in $s:
        return $s.split($sep, $n)
    return $s[:$n] + $sep + $s[$n:]
|    $r = ''
    for $i, $x in enumerate($s):
        $r += $x
        if ($i + 1) % $n == 0:
            $r += $sep
    return $r«|.strip($sep)|.rstrip($sep or ' ')»
|    return $sep * $n + $s«|.strip()|.upper()» + $sep * $n
»
== star_words, join_all, combine : word phrase word
def $f(*$ws):
«    return ' '.join($w.«upper()|strip()|capitalize()|title()» for $w in $ws)
|    $r = ''
    for $w in $ws:
        if len($w) > len($r):
            $r = $w
    return $r
|    return «max($ws, key=len)|sorted($ws)|len($ws), len(''.join($ws))|[$w[0] for $w in $ws]|'/'.join($ws)\
|dict(enumerate($ws))»
|    $a, *$o = $ws
    return $a + '(' + ', '.join($o) + ')'
|    $m = 0
    for $i, $w in enumerate($ws):
        $m += ($i + 1) * len($w)
    return $m
»
== find_pieces, cut_pieces, scan : text part
def $f($s, $t):
    «$l = []
    $i = 0
    while True:
        $j = $s.find($t, $i)
        if $j == -1:
            $l.append($s[$i:])
            break
        $l.append($s[$i:$j])
        $i = $j + len($t)
    return «$l|len($l)|'+'.join($l)|[$w for $w in $l if $w]»
|$m = 0
    while $t in $s:
        $s = $s.replace($t, '', 1)
        $m += 1
    return «$m|($s, $m)|$s + str($m)»
|$m = 0
    $i = 0
    while $i <= len($s) - len($t):
        if $s[$i:$i + len($t)] == $t:
            $m += 1
            $i += len($t)
        else:
            $i += 1
    return «$m|$m > 1|$s * $m if $m < 3 else $s»
|while True:
        if $s.startswith($t):
            $s = $s[len($t):]
        elif $s.endswith($t):
            $s = $s[:-len($t)]
        else:
            break
    return $s
|if $s.count($t) < 2:
        return $s
    $i = $s.index($t)
    $j = $s.rindex($t)
    return «$s[$i:$j]|$s[$i + len($t):$j]|$s[:$i] + $s[$j:]|$j - $i»
»
== scan_until, find_and_cut : text char
def $f($s, $c):
«    if ($i := $s.«find|rfind»($c)) «> 0|!= -1|>= 0»:
        return $s[«:$i|$i:|$i + 1:»]
    return «$s|''|None»
|    $l = []
    while ($i := $s.find($c)) != -1:
        $l.append($s[:$i])
        $s = $s[$i + 1:]
    return $l + [$s]
|    if ($n := len($s)) > «#int 4 9»:
        return $s[:$n // 2] + $c
    return $s * «1|2» + $c * $n
»
== two_counters, balance, score_text : text
def $f($s):
    $a = 0
    $o = 0
    for $x in $s:
        if «#pred $x»:
            $a += 1
        «elif|if» «#pred $x»:
            $o += «1|2»
«|        else:
            $o -= 1
»«    if $a «>|>=|<» $o:
        return «$s.upper()|'«more|left|a»'|$a|$s[:$a]»
    return «$s.lower()|'«less|right|b»'|$o|$s[$o:]|''»
|    return «$a - $o|($a, $o)|$a == $o|max($a, $o)|[$a, $o]|$a * 10 + $o|f'{$a}:{$o}'»
»
== partition_chars, separate, split_kinds : text
def $f($s):
    $a«, $o = [], []| = []
    $o = []»
    for $x in $s:
        if «#pred $x»:
            $a.append($x)
        else:
            $o.«append($x)|insert(0, $x)|append(«#cx $x»)»
    return «''.join($a + $o)|''.join($o) + ''.join($a)|($a, $o)|''.join($a), ''.join($o)|[len($a), len($o)]\
|''.join(sorted($a)) + «#sep» + ''.join($o)»

== index_lists, positions_by_letter, where : gibberish/word/runs
def $f($s«|, $c='a'»):
    $d = {}
    for $i, $x in enumerate($s):
«        if $x not in $d:
            $d[$x] = []
        $d[$x].append($i)
|        $d.setdefault($x, []).append($i)
|        $d[$x] = $d.get($x, ()) + ($i,)
|        if $x in $d:
            $d[$x] = $i - $d[$x]
        else:
            $d[$x] = $i
»    return «$d|$d|list($d.values())|sorted($d)|''.join($d)|[$k for $k in $d]|len($d)»

== compare_all, cross_match, pairs_of : short short
def $f($s, $t):
«    $l = []
    for $x in $s[:6]:
        for $y in $t[:5]:
            if $x «==|<|==» $y:
                $l.append(«$x + $y|$x|($x, $y)»)
«|                break
»    return «$l|len($l)|''.join(map(str, $l)) if $l else ''»
|    $m = 0
    for $x in $s:
        if $x in $t:
            $m += 1
        elif $x.swapcase() in $t:
            $m += 2
    return «$m|$m / len($s)|$m > len($s) // 2»
|    return [$x + $y for $x in $s[:4] for $y in $t[:3]«| if $x != $y»]
|    if len($s) > len($t):
        $s, $t = $t, $s
    for $i, $x in enumerate($s):
        if $x != $t[$i]:
            return «$s[:$i] + $t[$i:]|$i|$t[$i:]»
    return «$s|$t|len($s)»
|    $r = ''
    for $i in range(max(len($s), len($t))):
        $r += $s[$i % len($s)] if $i % 2 == 0 else $t[$i % len($t)]
    return $r
»
== extend_or_cut, adjust, fit_to : text small
def $f($s, $n):
«    if $n < 0:
        return $s[::-1]
    elif $n == 0:
        return «''|$s|$s.upper()»
    «|elif $n > len($s):
        return $s.«zfill|center|rjust|ljust»($n)
    »return $s[«:$n|$n:|::$n»] + $s[«:$n|$n:|-$n:»]
|    $r = $s
    for $i in range($n):
        if $i % 2:
            $r = «$r[1:]|$r + «#mark»|$r.swapcase()|$r[-1:] + $r[:-1]»
        else:
            $r = «$r[:-1]|«#mark» + $r|$r[::-1]|$r[1:] + $r[:1]»
    return $r
|    return $s.«zfill|center|ljust|rjust»($n «+ len($s)|* 2|+ 6»«|»)
|    $i = $n
    while $i < len($s) and «#cond $s[$i]»:
        $i += 1
    return «$s[$n:$i]|$s[:$i]|$i|$s[$i:]»
|    $l = list($s)
    for $i in range(0, len($l), max($n, 1)):
        $l[$i] = «$l[$i].upper()|«#mark»|$l[$i] * 2|''|str($i)»
    return ''.join($l)
|    $r = ''
    while len($r) < $n «+ 4|* 2|+ len($s)»:
        $r += $s or «#mark»
    return $r[:$n «+ 4|* 2»]
»
== try_text, checked, validate : text
def $f($s):
«    try:
        if «#tpred $s»:
            raise ValueError(«'bad'|$s[:5]|'too short'»)
        return $s«#tx»
    except ValueError as $g:
        return «str($g)|'error: ' + str($g)|None|$s[:2]»
|    $l = []
    for $x in $s[:10]:
        try:
            $l.append(int($x))
        except ValueError:
            $l.append(«-1|0|$x|None»)
    return «$l|len($l)|[$n for $n in $l if $n]»
|    try:
        $r = $s[«#int 0 9»]
    except IndexError:
        $r = «''|None|$s|'-'»
    finally:
        $s = $s.«upper|lower|title»()
    return «$r, $s|$s|[$r, len($s)]»
|    $m = 0
    try:
        for $x in $s:
            $m += int($x)
    except ValueError:
        return «$m|-1|($m, $x)|$x»
    return $m
|    if not $s.«isalpha|isdigit|isalnum|islower»():
        return «False|'invalid'|None»
    return «True|len($s) >= «#int 3 8»|$s[0] != $s[-1]|'valid'»
»
== sum_positions, weighted, letter_value : word/gibberish
def $f($s):
    $m = 0
    for $i«, $x in enumerate($s):
        if «#pred $x»:
            $m += $i
        else:
            $m -= «1|$i»
| in range(len($s)):
        if $s[$i] «<|>|==» $s[$i - 1]:
            $m += $i
        «|elif $i % 2:
            $m -= 1
        »
| in range(len($s) - 1, -1, -1):
        $m = $m * 2 + «int($s[$i] in 'aeiou')|(ord($s[$i]) % 2)»
»    return «$m|$m|$m % 10|$s[$m % len($s)]|abs($m)»

== change_case_runs, case_after, upper_after : text
def $f($s):
    $r = ''
    $b = «False|True»
    for $x in $s:
        «if «#pred $x»:
            $b = «not $b|True|not $b»
        elif $b:
            $x = $x.upper()
            «$b = False|pass»
        $r += $x
|$r += $x.upper() if $b else $x
        $b = «#pred $x»
»    return «$r|$r|$r.strip()|$r[::-1]»

== merge_sorted_letters, insert_letter, place_letter : word/gibberish char
def $f($s, $c):
«    for $i in range(len($s)):
        if $s[$i] > $c:
            return $s[:$i] + $c + $s[$i:]
    return $s + $c
|    $l = sorted($s«| + $c»)
    «$l.append($c)|$l.insert(len($l) // 2, $c)|if $c in $l:
        $l.remove($c)|$l = [$x for $x in $l if $x <= $c]»
    return ''.join($l)
|    $a = ''.join($x for $x in $s if $x < $c)
    $o = ''.join($x for $x in $s if $x «>=|>» $c)
    return «$a + $c + $o|$o + $a|($a, $o)|len($a) - len($o)»
|    $i = 0
    while $i < len($s) and $s[$i] «!=|<|<=» $c:
        $i += 1
    return «$i|$s[:$i]|$s[$i:] + $s[:$i]|$s[:$i] + $c * 2 + $s[$i:]»
»
== step_through, stride, hop : word/sentence positive
def $f($s, $n):
    $r = ''
    $i = «0|$n - 1|len($s) - 1»
    while «0 <= $i < len($s)|-1 < $i < len($s)»:
        $r += $s[$i]«|.upper()»
        $i «+= $n|-= $n|+= len($r)|+= 1 if $s[$i] in 'aeiou' else $n»
    return «$r|$r, $i|$r[::-1]|len($r)»

== encode_positions, replace_with_index, number_chars : word/phrase
def $f($s):
«    return ''.join(str($i«| + 1| % 10») if «#pred $x» else $x for $i, $x in enumerate($s))
|    $d = {}
    $l = []
    for $x in $s:
        if $x not in $d:
            $d[$x] = len($d)«|| + 1»
        $l.append(«$d[$x]|str($d[$x])|$d[$x]»)
    return «$l|$d|'.'.join(map(str, $l))|max($l, default=0)»
|    $r = ''
    for $i, $x in enumerate($s, «1|start=1|0»):
        $r += f'{$x}{$i}'«| if $i % 2 else $x»
    return $r
|    return {$i: $x for $i, $x in enumerate($s) if «#pred $x»}
|    return [$x * ($i + 1) for $i, $x in enumerate($s[:6])]
»
== last_word_length, tail_of, ending : sentence/blanks/path
def $f($s):
«    return len($s.«strip|rstrip»().split(' ')[-1])
|    $m = 0
    for $x in reversed($s«|.rstrip()»):
        if $x «== ' '|.isspace()|in ' /'»:
            break
        $m += 1
    return «$m|$s[len($s) - $m:]»
|    $i = len($s) - 1
    while $i >= 0 and $s[$i] «== ' '|!= ' '|.isalpha()»:
        $i -= 1
    return «$i|$s[$i + 1:]|$s[:$i + 1]|len($s) - $i»
|    return $s.rsplit(«None|' '|'/'», 1)[-1]«|.upper()|[::-1]»
|    $w = $s.split()[-1:]
    return $w[0] if $w else ''
»
== swap_ends, exchange_ends, move_first : text
def $f($s):
«    if len($s) < 2:
        return $s
    return $s[-1] + $s[1:-1] + $s[0]
|    if $s«[:1].isupper()|[-1:] in '.!?'»:
        return $s[1:] + $s[:1].lower()
    return $s[-1:] + $s[:-1]
|    $a, $o = $s[:1], $s[-1:]
    if $a == $o:
        return «$s[1:-1]|True|$a * 2»
    return «$o + $s[1:-1] + $a|False|$a + $o»
|    $l = list($s)
    if len($l) > 1:
        «$l[0], $l[-1] = $l[-1], $l[0]|$l.append($l.pop(0))|$l[0] = $l.pop()|$l.insert(1, $l.pop())»
    return ''.join($l)
»
== compare_strings, larger, pick_one : text variant
def $f($s, $t):
«    if $s«|.lower()» == $t«|.lower()»:
        return «'same'|0|$s»
    elif $s «<|>» $t:
        return «$s|-1|$s + $t»
    return «$t|1|$t + $s»
|    return $s if len($s) «>|>=|<» len($t) else $t
|    return «$s in $t or $t in $s|$s.startswith($t[:2])|$s.casefold() == $t.casefold()\
|$s < $t, len($s) < len($t)|max($s, $t)|sorted([$s, $t], key=len)|$s.find($t[:1])|$t.join([$s, $s])[:40]»
|    $m = len($s) - len($t)
    if $m > 0:
        $t += «'-' * $m|$s[-$m:]|' ' * $m»
    elif $m < 0:
        $s += «'-' * -$m|$t[$m:]|«#mark» * abs($m)»
    return «$s, $t|$s + '/' + $t|[$s, $t]|len($s) == len($t)»
»
"""
