"""The statements that idioms_text_compose strings together, by the types they take and give.

A block opens with `== FROM TO`, the types being T (str), L (list of str), I (int), B (bool) and D (dict of str to int);
`$1` is the variable taken, `$2` the one given, `$3` the latest text beside it. `!` says that `$2` must be a new name.
`= FROM` blocks, one a line, are expressions to return. Templates only; no code.
"""

from __future__ import annotations

STATEMENTS = r"""
== T T
$2 = $1«#tx»
== T T
$2 = $1«#tx»«#tx»
== T T
$2 = $1«#tx»«#tx»«#tx»
== T T
$2 = «#slice $1»
== T T
$2 = «#slice $1» «+ «#mark»|+ «#slice $1»|+ «#asub»»
== T T
$2 = «#mark» + $1«| + «#mark»|«#tx»|[1:]»
== T T
$2 = f'{$1«|.upper()|[::-1]|.strip()»}«-|:|_|»{«len($1)|$1[:1]|$1[-1:]|$3»}'
== T T
if «#tpred $1»:
    $1 = $1«#tx»
== T T
if «#tpred $1»:
    $1 = $1«#tx»«#tx»
else:
    $1 = «$1«#tx»|«#slice $1»|$1 + «#asub»»
== T T
if «#tpred $1»:
    $1 = $1«#tx»
elif «#tpred $1»:
    $1 = «#slice $1»
== T T
if «#tpred $1»:
    return «$1|$1«#tx»|''|«#slice $1»»
== T T
if «#tpred $1»:
    return «True|False|None|-1|'«no|yes|none|invalid|ok»'»
== T T
$2 = $1«#tx» if «#tpred $1» else $1«|«#tx»»
== T T !
$2 = ''
for $x in $1:
    if «#pred $x»:
        $2 += «$x|$x|«#cx $x»»
«|    else:
        $2 += «#cx $x»
»
== T T !
$2 = ''
for $x in $1:
    if «#pred $x»:
        «continue|break|continue»
    $2 = «$2 + $x|$x + $2|$2 + «#cx $x»»
== T T !
$2 = ''
for $i in range(«len($1)|0, len($1), 2|1, len($1)|len($1) - 1, -1, -1|len($1) // 2»):
    «$2 += $1[$i]|$2 = $1[$i] + $2|$2 += $1[$i].upper() if $i % 2 else $1[$i]|$2 += $1[-$i - 1]»
== T T !
$2 = ''
for $i, $x in enumerate($1):
    if «$i % 2 == 0|$i % «#anum» == 0|«#pred $x»|$i > 0 and $x == $1[$i - 1]|$i < «#int 2 6»»:
        $2 += «$x|«#cx $x»»
    else:
        $2 += «$x|$x.lower()|str($i % 10)|''»
== T T !
$2 = ''.join(«$x|$x|«#cx $x»» for $x in $1 if «#pred $x»)
== T T !
$2 = ''.join([«#cx $x» if «#pred $x» else $x for $x in $1])
== T T
$2 = ''.join(«sorted($1)|reversed($1)|sorted(set($1))|dict.fromkeys($1)|sorted($1, key=str.lower)\
|sorted($1, reverse=True)|map(str.swapcase, $1)»)
== T T
while $1«.startswith(«#achar»)|[:1].isdigit()|[:1] in ' -_'|[:1].isupper()» and len($1) > «0|1|2»:
    $1 = $1[1:]
== T T
while len($1) > «#int 4 12»:
    $1 = $1«[1:]|[:-1]|[1:-1]|[2:]|[:len($1) // 2]|[::2]»
== T T
«#advance $1 ; «#asub»»
== T T
for $x in «#letters»:
    $1 = $1.replace($x, «''|«#mark»|$x.upper()|$x * 2|' '»)
== T T
$i = $1.«find|rfind»(«#asub»)
if $i «!= -1|> 0|>= 0»:
    $1 = «$1[:$i]|$1[$i:]|$1[$i + 1:]|$1[:$i] + $1[$i + 1:]|$1[:$i] + «#mark» + $1[$i:]|$1[$i:] + $1[:$i]»
== T T
$i = $1.«find|rfind»(«#asub»)
if $i == -1:
    return «$1|''|-1|None|$1«#tx»»
$2 = «$1[:$i]|$1[$i:]|$1[$i + 1:]|$1[:$i].upper() + $1[$i:]|$1[:$i] + $1[$i + 1:]»
== T T
try:
    $i = $1.«index|rindex»(«#asub»)
except ValueError:
    «return «$1|''|-1|None|'not found'»|$i = «0|-1|len($1)|len($1) // 2»»
$2 = «$1[:$i]|$1[$i:]|$1[$i + 1:]|$1[$i:] + $1[:$i]»
== T T
$a, $g, $o = $1.«partition|rpartition»(«#asep»)
$2 = «$o + $g + $a|$a + $o|$o if $g else $a|$a«#tx» + $g + $o|$o«#tx»|$a or $o»
== T T
if $1 and «#cond $1[0]»:
    $1 = «$1[0]«.upper()|.lower()| * 2» + $1[1:]|$1[1:]|$1[1:] + $1[0]|$1 + $1[0]»
== T T
«#affix $1 ; «#asub»»
== T T
$2 = $1.translate(str.maketrans(«'abc', 'xyz'|'aeiou', '12345'|'aeiou', '*****'|' ', '_'|'lo', '10'\
|{'a': 'b', 'b': 'a'}|{' ': '', '-': ' '}|'', '', «#letters»»))
== T T
for $i in range(«#int 1 3»):
    $1 = «$1[1:] + $1[:1]|$1[-1:] + $1[:-1]|$1 + str($i)|str($i) + $1|$1[$i:]\
|$1.replace(«#letter», str($i), 1)|$1[::-1]»
== T T
$2 = $1.«center|ljust|rjust»(«#int 8 20»«|, «#mark»|, «#mark»»)«|«#tx»»
== T T
$2 = «'{}{}'.format($1«#tx», «#asub»)|'%s-%s' % («#asub», $1)|$1.join([«#asub», «#asub»])|«#asep».join($1«\
|«#tx»»)|$1[:10] * «#anum»|$1.zfill(«#int 5 15»)»
== T T
$2 = «#sep».join($1.split(«|«#asep»|' '»)«|[::-1]|[1:]|[:-1]|[::2]»)
== T T
$2 = «#sep».join(«#wx $w» for $w in $1.split()«| if «#wpred $w»»)
== T L
$2 = $1.split(«|' '|','|«#asep»|«#asep»|«#asep», 1»)
== T L
$2 = «$1.split()|$1.splitlines()|$1.rsplit(«#asep», 1)|$1«#tx».split(«#asep»)|list($1.partition(«#asep»))\
|list($1.rpartition(«#asep»))»
== T L
$2 = «list($1)|list($1)|[$x for $x in $1 if «#pred $x»]|sorted($1)|[«#cx $x» for $x in $1]|list(reversed($1))\
|list($1«#tx»)|[*$1]»
== T L
$2 = [$1[$i:$i + «2|2|3|«#anum»»] for $i in range(0, len($1)«|, 2|, 3»)]
== T L !
$2 = []
for $x in $1:
    if «#pred $x»:
        $2.append(«$x|«#cx $x»»)
    «|elif $2:
        $2.pop()
    |elif $x not in $2:
        $2.insert(0, $x)
    »
== T L !
$2 = []
for $w in $1.split(«|' '|«#asep»»):
    if «#wpred $w»:
        $2.append(«$w|«#wx $w»»)
== T L !
$2 = []
$g = ''
for $x in $1:
    if «#pred $x»:
        $2.append($g)
        $g = ''
    else:
        $g += $x
$2.append($g)
== T I
$2 = «len($1)|len($1)|$1.count(«#achar»)|$1.find(«#asub»)|$1.rfind(«#asub»)|len($1.split(«|«#asep»»))\
|len(set($1))|len($1) // 2|len($1) - len($1.strip())|$1.find(«#achar», «1|2|len($1) // 2»)\
|$1.count(«#achar», 1)»
== T I
$2 = sum(«1 for $x in $1 if «#pred $x»|$x.«isupper|isdigit|isalpha»() for $x in $1\
|ord($x) for $x in $1[:«#int 3 8»]»)
== T I !
$2 = 0
for $x in $1:
    if «#pred $x»:
        $2 += «1|1|2|ord($x) - 96»
    «|elif «#pred $x»:
        $2 -= 1
    |else:
        break
    |else:
        $2 = 0
    »
== T I !
$2 = 0
for $i in range(«len($1) - 1|1, len($1)»):
    if $1[$i] «==|==|<|>|!=» $1[$i - 1]:
        $2 += 1
== T I
$2 = $1.«index|rindex»(«#asub»)
== T I
$2 = «ord($1[0])|int($1)|ord($1[-1]) - ord('a')|$1.index($1[1])|len($1[len($1) // 2:])»
== T I !
$2 = 0
while $2 < len($1) and «#cond $1[$2]»:
    $2 += 1
== T I
try:
    $2 = int($1«|«#tx»|[:2]|.strip()»)
except ValueError:
    $2 = «0|-1|len($1)|1»
== T D !
$2 = {}
for $x in $1:
    «$2[$x] = $2.get($x, 0) + 1|if «#pred $x»:
        $2[$x] = $2.get($x, 0) + 1|$2.setdefault($x, 0)
    $2[$x] += 1»
== T D !
$2 = {}
for $i, $x in enumerate($1):
    «if $x not in $2:
        $2[$x] = $i|$2[$x] = $i|if «#pred $x»:
        $2[$x] = $i»
== T D
$2 = «{$x: $1.count($x) for $x in $1}|{$x: $i for $i, $x in enumerate($1)}|{$w: len($w) for $w in $1.split()}\
|dict.fromkeys($1, 0)|{$x: ord($x) for $x in $1 if «#pred $x»}»
== L L
$2 = [«#wx $w» for $w in $1«| if «#wpred $w»»]
== L L
$2 = [$w for $w in $1 if «#wpred $w»]
== L L
$1.«sort()|reverse()|append(«#asub»)|insert(0, «#asub»)|sort(key=len)|extend($1[:2])|sort(reverse=True)\
|append(str(len($1)))»
== L L
$2 = «$1[::-1]|$1[1:]|$1[:-1]|$1[::2]|sorted($1)|sorted($1, key=len)|sorted(set($1))|$1[:«#anum»]\
|$1 + [«#asub»]|list(dict.fromkeys($1))|list(map(str.«upper|strip|title|lower», $1))\
|sorted($1, key=lambda $w: (len($w), $w))|list(reversed($1))|$1[-«#anum»:]»
== L L
for $i in range(«len($1)|0, len($1), 2|1, len($1)|len($1) // 2»):
    $1[$i] = «#wx $1[$i]»
== L L
for $i, $w in enumerate($1):
    if «#wpred $w»:
        $1[$i] = «#wx $w»
== L L
if «len($1) > «#int 1 5»|«#asub» in $1|len($1) % 2 == 0|not $1|$1 == sorted($1)|$1.count(«#achar») > 1»:
    «$1.append(«#asub»)|$1 = $1[1:]|$1.reverse()|$1 = $1[:«#int 1 3»]|return «[]|len($1)|$1[::-1]»\
|$1.insert(len($1) // 2, «#mark»)»
== L L
if $1:
    $1«.pop()|.pop(0)|[0] = $1[0].upper()|[-1] += «#mark»|.append($1.pop(0))|.insert(0, $1.pop())\
|.pop(len($1) // 2)|[0], $1[-1] = $1[-1], $1[0]»
== L L
«#drop $1 ; «#asub»»
«|    if len($1) < 2:
        break
»
== L L
while len($1) > «#int 2 6»:
    $1.«pop()|pop(0)|pop(1)|pop(-2)»
== L L
try:
    $1.«remove(«#asub»)|pop(«#anum»)»
except «(ValueError, IndexError)|(IndexError, ValueError)»:
    «pass|$1.append(«#asub»)|return $1|$1.reverse()»
== L L !
$2 = []
for $w in $1:
    if $w not in $2:
        $2.append($w)
«|    else:
        $2.«append(«#wx $w»)|remove($w)|insert(0, $w)»
»
== L L !
$2 = []
while $1:
    $w = $1.pop(«|0|»)
    if «#wpred $w»:
        $2.append($w)
«|    else:
        $2.insert(0, «#wx $w»)
»
== L T
$2 = «#asep».join($1)
== L T
$2 = «''.join($1)|''.join($1)|' '.join($1)|' '.join($1[::-1])|«#asep».join(sorted($1))\
|','.join(«#wx $w» for $w in $1)|''.join($w[:1] for $w in $1)|«#asep».join($1[1:])»
== L T
$2 = «$1[0] if $1 else ''|$1[-1] if len($1) > 0 else «#asub»|max($1, key=len, default='')|min($1, default='')\
|$1[len($1) // 2] if $1 else ''|max($1 + [''])»
== L T !
$2 = ''
for $w in $1:
    if «#wpred $w»:
        $2 += «$w|«#wx $w»»
    «|else:
        $2 = «$w + $2|$2[1:]|$2 + «#mark»»
    »
== L T !
$2 = ''
for $i in range(len($1)):
    if «$i % 2 == 0|$i > 0|«#wpred $1[$i]»»:
        $2 += «$1[$i]|$1[$i] + «#asep»|$1[$i][::-1]»
== L I
$2 = «len($1)|sum(len($w) for $w in $1)|$1.count(«#asub»)|max(map(len, $1), default=0)|len(set($1))\
|sum(1 for $w in $1 if «#wpred $w»)|min((len($w) for $w in $1), default=0)|$1.count($1[0]) if $1 else 0»
== L I !
$2 = 0
for $w in $1:
    if «#wpred $w»:
        $2 += «1|len($w)»
«|    else:
        $2 -= 1
»
== L D !
$2 = {}
for $w in $1:
    «$2[$w] = len($w)|$2[$w] = $2.get($w, 0) + 1|if «#wpred $w»:
        $2[$w] = len($w)|$2[$w[:1]] = $2.get($w[:1], 0) + 1|if $w in $2:
        $2[$w] += 1
    else:
        $2[$w] = 1»
== L D
$2 = «{$w: $i for $i, $w in enumerate($1)}|{$w: len($w) for $w in $1}|{$w: $1.count($w) for $w in $1}\
|dict(zip($1, range(len($1))))»
== D L
$2 = «sorted($1)|list($1)|[$k for $k, $v in $1.items() if $v «>|==|<=» «1|2|«#anum»»]|list($1.keys())\
|sorted($1, key=lambda $k: (-$1[$k], $k))|[$k + str($v) for $k, $v in $1.items()]\
|[f'{$k}={$v}' for $k, $v in sorted($1.items())]|sorted($1, key=$1.get)»
== D D
for $k in «list($1)|sorted($1)|list($1.keys())»:
    if «$1[$k] «>|<|==» «1|2»|«#wpred $k»»:
        «del $1[$k]|$1[$k] += 1|$1[$k] = 0|$1.pop($k)|$1[$k.upper()] = $1.pop($k)»
== D D
$2 = «{$k: $v for $k, $v in $1.items() if $v «> 1|== 1|> 0|< 3»}\
|{$k.upper(): $v * 2 for $k, $v in $1.items()}|dict(sorted($1.items()))|{$k: $1[$k] for $k in sorted($1)}»
== D D
$1.«pop(«#achar», None)|setdefault(«#achar», 0)|update({«#achar»: «#anum»})»
== D D
«#setkey $1 ; «#achar»»
== D I
$2 = «len($1)|sum($1.values())|max($1.values(), default=0)|$1.get(«#achar», 0)\
|sum($v for $k, $v in $1.items() if «#wpred $k»)»
== D I !
$2 = 0
for $k, $v in $1.items():
    if «$v > «1|2»|«#wpred $k»|$k in «#letters»»:
        $2 += $v
== D T
$2 = «''.join($1)|''.join($k * $v for $k, $v in $1.items())[:30]\
|','.join(f'{$k}{$v}' for $k, $v in $1.items())|max($1, key=$1.get) if $1 else ''|' '.join(sorted($1))»
== I T
$2 = $3[«:$1|$1:|-$1:|:-$1|$1 - 1:|:$1 + 1|$1 // 2:|$1::-1|::max($1, 1)»]
== I T
$2 = «$3.«center|ljust|rjust»($1 % 20 + «#int 3 9», «#mark»)|$3[:5] * ($1 % 4)|«#mark» * ($1 % 12) + $3\
|$3 + str($1)|str($1).zfill(«#int 3 6») + $3|f'{$3}:{$1«|:03d|:>4»}'|$3.replace(«#achar», str($1))\
|$3[$1 % (len($3) or 1):]|str($1) + «#asep» + $3»
== I T
if $1 «> «#int 1 6»|% 2 == 0|== 0|< 0|< len($3)|> len($3) // 2|>= «#anum»»:
    $2 = «$3«#tx»|$3[:$1]|«#slice $3»»
else:
    $2 = «$3«#tx»«#tx»|$3[$1:]|$3 + str($1)»
== I I
$2 = «$1 * 2|$1 + len($3)|$1 % «#int 2 7»|abs($1)|$1 - «#anum»|max($1, «#anum»)|len($3) - $1|min($1, len($3))\
|$1 ** 2 % 100|($1 + «#anum») // 2»
== I I
if $1 «> «#int 1 6»|% 2 == 0|== 0|< 0|>= «#anum»|== -1»:
    «$1 += «#int 1 5»|$1 = len($3)|$1 *= 2|return «$3|$1|''|True|$3«#tx»»|$1 -= 1»
== I I
while $1 > «#int 2 9»:
    $1 «-= «#int 1 4»|//= 2|= $1 // 3»
== I L
$2 = «[$3[:$1], $3[$1:]]|list($3[:$1])|[$3[$i] for $i in range(min($1, len($3)))]\
|$3.split(«#asep», max($1, 0))|[$3«#tx», str($1)]|[str($i) for $i in range($1 % 8)]|[$3] * ($1 % 4)»
== T B
$2 = «#tpred $1»
== B T
if $1:
    $2 = «$3«#tx»|«#slice $3»»
else:
    $2 = «$3«#tx»«#tx»|$3 + «#mark»|$3»
== B T
$2 = $3«#tx» if $1 else «$3|$3«#tx»»
"""

RETURNS = r"""
T $1
T $1
T $1
T $1«#tx»
T $1«#tx»«#tx»
T «#slice $1»
T len($1)
T $1.«split()|split(«#asep»)|splitlines()|partition(«#asep»)»
T «#tpred $1»
T $1 «==|==|!=|in|<» $3
T $1 + «$3|«#asub»|$3[::-1]|str(len($1))»
T $1, «len($1)|$3|$1[::-1]|$1.count(«#achar»)»
T $1.«count|find|rfind»(«#asub»)
T «list($1)|sorted($1)|tuple($1)|[$1]|{$1: len($1)}|[$1, $3]|$1 or None|$1 if $1 else $3|bool($1)\
|ord($1[0]) if $1 else 0»
T ''.join(«reversed($1)|sorted($1)|$x for $x in $1 if «#pred $x»|«#cx $x» for $x in $1»)
T «#asep».join($1«|.split()|[::2]»)
T f'{$1}«|-|: |_»{«len($1)|$3|$1[-1:]»}'
T [«$x|ord($x)|«#cx $x»» for $x in $1«| if «#pred $x»»]
L $1
L $1
L $1
L $1«[::-1]|[:2]|[-1:]|[1:]|[::2]»
L «#asep».join($1)
L «' '|''|','».join($1)
L ' '.join($1)«#tx»
L len($1)
L «sorted($1)|tuple($1)|sorted(set($1))|max($1, default='')|min($1, key=len, default=None)\
|$1[-1] if $1 else ''|«#asub» in $1|$1 == sorted($1)|$1.count(«#asub»)|{$w: len($w) for $w in $1}\
|dict(enumerate($1))»
L [«#wx $w» for $w in $1]
L [len($w) for $w in $1«| if «#wpred $w»»]
L «any|all»(«#wpred $w» for $w in $1)
L ''.join(«$w[:1]|$w[-1:]|«#wx $w»» for $w in $1)
L «#asep».join(sorted($1, key=«len|str.lower|lambda $w: (-len($w), $w)»))
I $1
I $1
I $1 «+|-|*» «#anum»
I $1 «>|==|<|>=» «#int 0 6»
I $1 % «#int 2 5»«| == 0»
I $3[:$1]
I $3[$1:]«| + $3[:$1]»
I «str($1)|($1, $3)|str($1) + $3|f'{$1:03d}'|$3 if $1 else ''|-$1|[$1, len($3)]|len($3) - $1\
|$3.upper() if $1 > «#int 1 4» else $3.lower()»
B $1
B not $1
B «$3 if $1 else ''|$3«#tx» if $1 else $3|'«yes|True|even|valid»' if $1 else '«no|False|odd|invalid»'\
|[$1, $3]|$1 and len($3) > «#int 2 8»|int($1)»
D $1
D $1
D «sorted($1)|sorted($1.items())|list($1.items())|list($1.values())|len($1)|sum($1.values())\
|max($1.values(), default=0)|''.join($1)|list($1)|{$v: $k for $k, $v in $1.items()}|$1.get(«#achar»)\
|''.join($k + str($v) for $k, $v in $1.items())|max($1, key=$1.get, default=None)\
|' '.join(f'{$k}:{$v}' for $k, $v in $1.items())|[$k for $k in $1 if $1[$k] > 1]»
"""
