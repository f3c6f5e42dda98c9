"""Idioms on the words of a text: splitting, counting, changing, reversing, titles, acronyms.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== word_count, count_words, number_of_words : sentence/phrase/blanks
def $f($s):
«    return len($s.split())
|    $ws = $s.split(«|' '|' '»)
    $m = 0
    for $w in $ws:
        if «#wpred $w»:
            $m += 1
    return $m
|    $m = 0
    $b = False
    for $x in $s:
        if $x «== ' '|.isspace()|in ' \n'»:
            $b = False
        elif not $b:
            $b = True
            $m += 1
    return $m
|    $d = {}
    for $w in $s.«lower().split()|split()|split(' ')»:
        «$d[$w] = $d.get($w, 0) + 1
|if $w in $d:
            $d[$w] += 1
        else:
            $d[$w] = 1
»    return «$d|$d|max($d, key=$d.get)|sorted($d.items(), key=lambda p: (-p[1], p[0]))\
|[$k for $k, $v in $d.items() if $v > 1]»
|    return {$w: len($w) for $w in $s.split()«| if «#wpred $w»»}
»
== map_words, each_word, convert_words : sentence/phrase
def $f($s):
«    return ' '.join(«#wx $w» for $w in $s.split(«|' '»))
|    $ws = $s.split()
    for $i in range(len($ws)):
        if «$i % 2 == «0|1»|«#wpred $ws[$i]»»:
            $ws[$i] = «#wx $ws[$i]»
    return ' '.join($ws)
|    $l = []
    for $w in $s.split(«|' '»):
        $l.append(«#wx $w»)
    return «' '.join($l)|«#sep».join($l)|$l|' '.join($l[::-1])»
|    $r = ''
    for $w in $s.split():
        if «#wpred $w»:
            $r += «#wx $w» + ' '
        else:
            $r += $w + ' '
    return $r«.strip()|.rstrip()|[:-1]|»
|    return ' '.join([«#wx $w» if «#wpred $w» else «$w|«#wx $w»» for $w in $s.split(' ')])
|    $ws = []
    for $i, $w in enumerate($s.split()):
        $ws.append(«#wx $w» if $i «== 0|> 0|% 2|% 3 == 1» else $w«|.lower()»)
    return ' '.join($ws)
|    return «#sep».join(map(«str.upper|str.title|str.capitalize|str.lower|str.swapcase\
|lambda $w: «#wx $w»», $s.split()))
»
== longest_word, find_longest, extreme : sentence/phrase
def $f($s):
«    $ws = $s.split()
    $a = ''
    for $w in $ws:
        if len($w) «>|>=» len($a):
            $a = $w
    return «$a|$a|($a, len($a))|len($a)|$ws.index($a)»
|    return «max|min»($s.split(), key=«len|len|lambda $w: (len($w), $w)|str.lower»«|, default=''»)
|    $ws = sorted($s.split(), key=len«|, reverse=True»)
    return $ws[«0|-1|:2|:1|-2:»]
|    $m = 0
    for $w in $s.split():
        $m = max($m, len($w«|.strip('.,!?')»))
    return «$m|[$w for $w in $s.split() if len($w) == $m]»
|    $ws = $s.split()
    $ws.sort(key=«len|lambda $w: -len($w)|lambda $w: $w[-1]»)
    return «$ws|' '.join($ws)|$ws[-1]|$ws[0] + $ws[-1]»
»
== reverse_words, flip_order, backwards : sentence/phrase
def $f($s):
«    return ' '.join($s.split()[::-1])
|    return ' '.join(reversed($s.split(«|' '»)))
|    $ws = $s.split(«|' '»)
    $ws.reverse()
    return «' '.join($ws)|$ws|«#sep».join($ws)»
|    $l = []
    for $w in $s.split():
        $l.insert(0, $w)
    return ' '.join($l)
|    $ws = $s.split()
    $r = ''
    for $i in range(len($ws) - 1, -1, -1):
        $r += $ws[$i] + «' '|«#sep»»
    return $r«.strip()|.rstrip()|»
|    return ' '.join($w[::-1] for $w in $s.split())«||[::-1]»
|    $ws = $s.split()
    $i, $j = 0, len($ws) - 1
    while $i < $j:
        $ws[$i], $ws[$j] = $ws[$j], $ws[$i]
        $i += 1
        $j -= 1
    return ' '.join($ws)
|    $r = ''
    $g = ''
    for $x in $s:
        if $x == ' ':
            $r += $g[::-1] + ' '
            $g = ''
        else:
            $g += $x
    return $r + $g[::-1]
»
== acronym, initials, abbreviate : phrase/title/person
def $f($s):
«    return ''.join($w[0]«.upper()|» for $w in $s.split())
|    $r = ''
    for $w in $s.split():
        «|if «#wpred $w»:
            continue
        »$r += $w[0].upper()«| + '.'»
    return $r
|    return '«.|. »'.join([$w[:1].upper() for $w in $s.split(' ')])«| + '.'»
|    $r = $s[:1]
    for $i in range(1, len($s)):
        if $s[$i - 1] == ' ':
            $r += $s[$i]
    return $r«|.upper()»
|    *$ws, $o = $s.split()
    return ' '.join([$w[0] + '.' for $w in $ws] + [$o])
|    return ''.join($x for $x in $s«|.title()» if $x.isupper())
»
== title_words, proper, headline : sentence/phrase/person
def $f($s):
«    return $s.title()«|.swapcase()|.replace(' ', '')|.split()»
|    return ' '.join($w.capitalize() for $w in $s.split(«|' '»))
|    $u = [«'a', 'an', 'the'|'of', 'and', 'or', 'in'|'the', 'of', 'is'»]
    $l = []
    for $w in $s.lower().split():
        if $w in $u«| and $l»:
            $l.append($w)
        else:
            $l.append($w.capitalize())
    return ' '.join($l)
|    $r = ''
    $b = True
    for $x in $s:
        if $b and $x.isalpha():
            $r += $x.upper()
            $b = False
        else:
            $r += $x
        if $x «== ' '|in ' -'|in '.!?'|.isspace()»:
            $b = True
    return $r
»
== replace_words, translate_words, substitute : sentence/phrase glossary
def $f($s, $dm):
«    return ' '.join($dm.get($w, $w) for $w in $s.split())
|    for $k, $v in $dm.items():
        $s = $s.replace($k, $v)
    return $s
|    $l = []
    for $w in $s.split(«|' '»):
        if $w in $dm:
            $l.append($dm[$w])
        else:
            $l.append(«$w|$w|«#wx $w»»)
    return ' '.join($l)
|    $ws = $s.split()
    for $i in range(len($ws)):
        try:
            $ws[$i] = $dm[$ws[$i]]
        except KeyError:
            «pass|continue|$ws[$i] = «#wx $ws[$i]»»
    return ' '.join($ws)
|    return [$k for $k in $dm if $k «in|not in» $s]
|    $r = $s
    for $k in sorted($dm, key=len, reverse=True):
        if $k in $r:
            $r = $r.replace($k, $dm[$k]«|.upper()|, 1»)
    return $r
»
== truncate_words, first_words, limit_words : sentence positive
def $f($s, $n):
    $ws = $s.split(«|' '»)
«    if len($ws) <= $n:
        return $s
    return ' '.join($ws[:$n])«| + '...'| + ' ...'»
|    return ' '.join($ws[«:$n|-$n:|$n:|::$n|$n - 1:|:-$n»])
|    $r = ''
    for $w in $ws:
        if len($r) + len($w) > $n «* 4|+ 10|* 5»:
            «break|$r += '.'»
        $r += $w + ' '
    return $r.strip()
»
== pig_latin, play_language : phrase/word
def $f($s):
    $l = []
    for $w in $s.split():
        if $w[0]«|.lower()» in 'aeiou':
            $l.append($w + '«way|yay|hay»')
        else:
            $l.append(«$w[1:] + $w[0]|$w[1:] + $w[:1].lower()» + 'ay')
    return ' '.join($l)

== word_lengths, measure, shape : sentence/phrase
def $f($s):
«    return [len($w) for $w in $s.split()«| if «#wpred $w»»]
|    return «sum|max|min|sorted|set»(len($w) for $w in ($s«|.strip()» + ' end').split())
|    return {$w: len($w) for $w in $s.split()}
|    $ws = $s.split()
    $m = 0
    for $w in $ws:
        $m += len($w)
    return «$m / len($ws) if $ws else 0|$m // max(len($ws), 1)|round($m / (len($ws) or 1), «1|2»)|$m»
|    return list(map(len, $s.split(«|' '»)))
|    return [($w, len($w)) for $w in $s.split()]
|    return ' '.join(str(len($w)) for $w in $s.split(' '))
»
== remove_stop_words, drop_words, filter_sentence : sentence/phrase
def $f($s):
    $u = «{'the', 'a', 'an', 'of'}|['is', 'the', 'and']|('in', 'on', 'at', 'to')|'the a of and'.split()»
«    return ' '.join($w for $w in $s.split() if $w«|.lower()» not in $u)
|    $l = []
    for $w in $s.split():
        if $w.lower() in $u:
            continue
        $l.append($w)
    return «' '.join($l)|$l|len($l)»
|    $ws = $s.split()
    return [$w for $w in $ws if $w not in $u«| and len($w) > 2| or $w.isupper()»]
»
== contains_word, has_word, find_word : sentence/phrase word
def $f($s, $t):
«    return $t in $s.split()
|    for $i, $w in enumerate($s.split()):
        if $w«|.lower()» == $t«|.lower()»:
            return $i
    return -1
|    $ws = $s«.lower()|».split()
    try:
        return $ws.index($t)
    except ValueError:
        return «-1|len($ws)|None»
|    if $t in $s:
        return $s.«count|find|rfind|index»($t)
    return «-1|0|None»
|    return f' {$t} ' in f' {$s} '
|    $ws = $s.split()
    if $t in $ws:
        $i = $ws.index($t)
        return $ws[«$i + 1:|:$i|$i:|$i - 1»]
    return $ws
»
== repeated_words, duplicates, doubled : sentence/phrase
def $f($s):
«    $z = set()
    $l = []
    for $w in $s.lower().split():
        if $w in $z«| and $w not in $l»:
            $l.append($w)
        $z.add($w)
    return $l
|    $ws = $s.split()
    return sorted(set($w for $w in $ws if $ws.count($w) > 1))
|    $ws = $s.split()
    $l = $ws[:1]
    for $w in $ws[1:]:
        if $w != $l[-1]:
            $l.append($w)
    return ' '.join($l)
|    $l = []
    for $w in $s.split():
        if $w not in $l:
            $l.append($w)
    return ' '.join($l)
|    return ' '.join(dict.fromkeys($s.split()))
|    return [$w for $w, $y in zip($s.split(), $s.split()[1:]) if $w «==|<|>» $y]
»
"""
