"""Templates: sets, tuples, records, ordered objects. Text only, read by `idioms_data_template`."""

from __future__ import annotations

RECORDS = r"""
:f common_elements set_ops compare_sets shared only_in_one
def $f($a, $b):
<:
    return <:sorted(set($a) & set($b))~set($a) | set($b)~sorted(set($a) - set($b))~set($a) ^ set($b)~\
        set($a) <= set($b)~set($a).isdisjoint($b)~len(set($a) & set($b)):>
~
    $out = []
    for $item in $a:
        if $item <:in~not in:> $b<:~ and $item not in $out:>:
            $out.append($item)
    return $out
~
    $set = set($a)
    for $item in $b:
        if $item in $set:
            <:$set.remove($item)~$set.discard($item)~pass:>
        else:
            $set.add($item)
    return <:$set~sorted($set)~len($set)~sum($set):>
~
    $left = set($a).difference($b)
    $right = set($b).difference($a)
    return <:(len($left), len($right))~sorted($left.union($right))~\
        {'left': sorted($left), 'right': sorted($right)}~$left, $right:>
~
    $set = set($b)
    $set.update($a)
    $set.discard(#int(0,9))
    return <:max($set, default=None)~sorted($set)[:3]~[$item for $item in $a if $item in $set]:>
:>
:call $f(#ints(0,5,0,9), #ints(0,5,0,9))
:call $f(#set(0,5,0,9), #set(0,5,0,9))
---
:f split_tuple first_and_rest unpack ends swap_ends
def $f($items):
<:
    $a, *$b = $items
    return <:$a, $b~$b + [$a]~$b~[$a] * 2 + $b:>
~
    *$a, $b = $items
    return <:[$b] + $a~$a, $b~len($a), $b:>
~
    $a, *$c, $b = $items
    return <:($b, *$c, $a)~$c~[$a, $b]~{'first': $a, 'last': $b, 'mid': $c}:>
~
    $a, $b = $items[0], $items[-1]
    $a, $b = $b, $a
    return <:($a, $b)~($a,) + tuple($items[1:-1]) + ($b,)~[$a, *$items[1:-1], $b]:>
~
    $out = list($items)
    $out[0], $out[-1] = $out[-1], $out[0]
    return <:tuple($out)~$out~$out == $items:>
~
    ($a, $b), $c = $items[:2], $items[2:]
    return <:$a, $b, $c~#pair($a,$b)~$c:>
:>
:call $f(#tuple(2,5))
:call $f(#ints(2,5))
---
:f names_over filter_records select_rows names_of oldest
:let key,v name;age ~ name;score ~ item;price ~ city;population ~ kind;qty
def $f($recs, $k=#int(10,40)):
<:
    $out = []
    for $rec in $recs:
        if $rec['$v'] <:>=~>~<~!=:> $k:
            $out.append(<:$rec['$key']~$rec['$key'].upper()~($rec['$key'], $rec['$v']):>)
    return $out
~
    return [$rec['$key'] for $rec in <:sorted($recs, key=lambda r: r['$v'])~$recs~\
        sorted($recs, key=lambda r: (-r['$v'], r['$key'])):> if $rec['$v'] > $k]
~
    $best = None
    for $rec in $recs:
        if $best is None or $rec['$v'] > $best['$v']:
            $best = $rec
    return <:$best~$best['$key']~$best['$key'] if $best else None:>
~
    $t = sum($rec['$v'] for $rec in $recs)
    return <:$t~round($t / len($recs), 1)~{'total': $t, 'n': len($recs)}~$t > $k:>
~
    for $rec in $recs:
        $rec['$v'] += <:1~$k~5:>
        <:$rec['ok'] = $rec['$v'] > $k~if $rec['$v'] > $k:
            $rec['big'] = True~:>
    return $recs
~
    $groups = {}
    for $rec in $recs:
        $groups.setdefault($rec['$key'], []).append($rec['$v'])
    return $groups
~
    $groups = {}
    for $rec in $recs:
        $groups[$rec['$key']] = $groups.get($rec['$key'], 0) + $rec.get('$v', 0)
    return <:$groups~sorted($groups.items())~max($groups, key=$groups.get):>
:>
:call $f(#records($key,$v))
:call $f(#records($key,$v), #int(5,55))
---
:f sort_cards compare_versions rank_players
class Version:
    def __init__(self, text):
        self.parts = [int(p) for p in text.split('.')]

    def __lt__(self, other):
        return self.parts < other.parts

    def __str__(self):
        return '.'.join(map(str, self.parts))

def $f($words):
    $out = <:sorted([Version($word) for $word in $words])~[Version($word) for $word in $words]:>
    return <:[str(v) for v in $out]~str(max($out, key=lambda v: v.parts))~str($out[0])~$out[0] < $out[-1]:>
:call $f(['#int(0,3).#int(0,12)', '#int(0,3).#int(0,9)', '#int(1,2).0.#int(0,9)'])
:call $f(['#int(0,3).#int(0,12)', '#int(0,2).#int(0,9)'])
---
:f iterate_countdown use_iterator collect_range
class Count:
    def __init__(self, start, step=#int(1,3)):
        self.n = start
        self.step = step

    def __iter__(self):
        return self

    def __next__(self):
        if self.n <= 0:
            raise StopIteration
        self.n -= self.step
        return self.n + self.step

def $f($n):
<:
    return <:list(Count($n))~sum(Count($n))~[#expr(x) for x in Count($n)]:>
~
    $t = 0
    for $num in Count($n):
        if #cond($num):
            $t += $num
    return $t
:>
:call $f(#int(1,6))
"""
