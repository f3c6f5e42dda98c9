"""Idioms that lean on the standard library or on print: string, re, collections, itertools, functools.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== value_of_word, with_table, score_letters : word/phrase/gibberish
«VOWELS = 'aeiou'
«|
»def $f($s):
    «$m = 0
    for $x in $s«|.lower()»:
        if $x in VOWELS:
            $m += VOWELS.index($x)«| + 1»
    return $m
|return ''.join($x.upper() if $x in VOWELS else $x for $x in $s)
|return [$x for $x in $s if $x not in VOWELS]
»|POINTS = {'a': 1, 'e': 1, 's': 2, 't': 2, 'k': 5, 'z': 10}
«|
»def $f($s):
    «return sum(POINTS.get($x, «0|1|3») for $x in $s)
|$m = 0
    for $x in $s:
        if $x in POINTS:
            $m += POINTS[$x]
        elif $x.isalpha():
            $m += «1|3»
    return «$m|($s, $m)|$m % 10»
|return max($s, key=lambda $x: POINTS.get($x, 0))
»»
== morse, encode_table, spell_out : word
def $f($s):
    $d = {'a': '.-', 'e': '.', 'i': '..', 'o': '---', 's': '...', 't': '-', 'n': '-.', 'r': '.-.'}
«    return ' '.join($d.get($x, '«?|/|»') for $x in $s.lower())
|    $r = ''
    for $x in $s.lower():
        if $x in $d:
            $r += $d[$x] + ' '
    return $r«.strip()|[:-1]|.count('.')|»
|    $d = {$v: $k for $k, $v in $d.items()}
    return [$d.get($w) for $w in ('.-', '...', '-')] + [$s]
|    return [$d[$x] for $x in $s if $x in $d]
»
== character_class, letters_missing, is_pangram : sentence/gibberish
import string«|
»

def $f($s):
«    return ''.join($x for $x in $s if $x «not in|in» string.«punctuation|ascii_lowercase|digits|ascii_letters»)
|    return sorted(set(string.ascii_lowercase) - set($s.lower()))[:«#int 3 8»]
|    $m = 0
    for $x in $s:
        if $x in string.«ascii_uppercase|digits|punctuation|whitespace»:
            $m += 1
    return $m
|    return $s.translate(str.maketrans('', '', string.«punctuation|digits»))
|    return [string.ascii_lowercase.find($x«|.lower()») for $x in $s]
»
== extract, find_pattern, regex_clean : text/mixed/sentence
import re«|
»

def $f($s):
«    return re.findall(r'«\d+|[a-z]+|\w+|[A-Z]\w*|[aeiou]|\S+|..|\b\w»', $s)
|    return re.sub(r'«\d|[aeiou]|\s+|[^a-z]|\W+|(.)\1|^\w»', «'_'|''|' '|'#'», $s)
|    return re.split(r'«[,; ]+|\d|[-_ ]|\s+|[aeiou]»', $s)
|    $g = re.«search|match»(r'«\d+|[a-z]+|\w+ \w+|[A-Z]|o+»', $s)
    if $g:
        return «$g.group()|$g.start()|$g.span()|$s[$g.end():]»
    return «None|''|-1»
|    return «bool(re.fullmatch(r'[a-z]+', $s))|len(re.findall(r'[aeiou]', $s))\
|re.sub(r'(\w)(\w*)', r'\2\1', $s)|re.sub(r'[aeiou]', lambda $x: $x.group().upper(), $s)»
»
== letter_tally, common_letters_of, frequency_order : word/gibberish/phrase/runs
from collections import Counter«|
»

def $f($s):
«    return Counter($s).most_common(«1|2|3»)
|    $d = Counter($s)
    return «dict($d)|[$k for $k, $v in $d.items() if $v > 1]|$d[«#letter»]|len($d)|max($d.values())\
|''.join($k * $v for $k, $v in $d.items())|sorted($d.items())»
|    $d = Counter($s«.split()|»)
    $l = []
    for $k, $v in $d.items():
        if $v «== 1|> 1|>= 2»:
            $l.append($k)
    return $l
|    return ''.join($k for $k, _ in Counter($s).most_common())
»
== groups_of, consecutive, runs_of : runs/word/binary
from itertools import groupby«|
»

def $f($s):
«    return [($k, len(list($g))) for $k, $g in groupby($s)]
|    return ''.join($k for $k, _ in groupby($s))
|    $r = ''
    for $k, $g in groupby($s):
        $n = len(list($g))
        $r += $k + (str($n) if $n > 1 else '')
    return $r
|    return [''.join($g) for $k, $g in groupby($s, key=str.«isalpha|isdigit|isupper»)]
|    return max(len(list($g)) for _, $g in groupby($s))
»
== fold, fold_text : word/gibberish/words
from functools import reduce«|
»

def $f($s):
«    return reduce(lambda $a, $x: $x + $a, $s, '')
|    return reduce(lambda $a, $x: $a if $x in $a else $a + «K:$x|[$x]», $s, «K:''|[]»)
|    return reduce(lambda $a, $x: $a + len($x), $s, «0|1|10»)
|    return reduce(max, $s)
»
== print_lines, show, report : phrase/words
def $f($s):
«    for $w in «$s.split() if isinstance($s, str) else $s|$s[:4]»:
        print($w«|.upper()|[::-1]|, len($w)|, end=' '»)
    return len($s)
|    print(f'{len($s)} «items|parts|»')
    return «$s[::-1]|$s[:1]|$s * 1»
|    $m = 0
    for $i, $w in enumerate($s[:5]):
        print($i, $w«|, sep=':'|, sep=''»)
        $m += len($w)
    return $m
»
"""
