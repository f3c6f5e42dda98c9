"""The macros of the template language: conditions on characters, words and texts, what becomes of them, slices, guards.

A block opens with `== name`; its `$1`, `$2` are the arguments. `pred`, `wpred` and `tpred` are conditions on a
character, a word, a text (`cond` binds tighter than `and`); `cx` and `wx` turn a character or a word into a text, `tx`
is what is written after a text, `slice` a part of it. Templates only; no code.
"""

from __future__ import annotations

LIBRARY = r"""
== pred
«$1.isalpha()|$1.isalpha()|$1.isdigit()|$1.isdigit()|$1.isupper()|$1.islower()|$1.isspace()|$1.isalnum()\
|not $1.isalnum()|not $1.isspace()|not $1.isalpha()|$1 in 'aeiou'|$1.lower() in 'aeiou'|$1 not in 'aeiou'\
|$1 in 'aeiouAEIOU'|$1 in «#letters»|$1 not in «#letters»|$1 == «#achar»|$1 == «#letter»|$1 != «#achar»\
|$1 != ' '|$1 == ' '|$1 > «#letter»|$1 <«|=» 'm'|'a' <= $1 <= 'z'|$1 >= 'a' and $1 <= '«m|n|z»'\
|ord($1) % 2 == «0|1»|ord($1) «>|<» «97|100|110|115»|$1 in '.,!?;:'|$1.isalpha() and $1.islower()\
|$1.isdigit() or $1 == «#letter»|$1.isupper() or $1.isdigit()|$1.isnumeric()|$1.isascii()|$1 == $1.upper()\
|$1 == $1.lower()|$1 in («#letter», «#letter»)|$1.lower() == «#letter»\
|$1 not in «#letters» and $1 != «#letter»|$1 in ['«a|e|x|-»', «#letter», '«b|s| »']|not $1.isupper()\
|$1.casefold() < '«k|n|t»'»
== cond
«$1.isalpha()|$1.isdigit()|$1.isupper()|$1.islower()|$1.isspace()|$1.isalnum()|not $1.isalnum()\
|$1 in «#letters»|$1 == «#achar»|$1 != «#letter»|$1 in 'aeiou'|$1 not in 'aeiou'|$1 in ' -_'|$1 > «#letter»\
|$1.lower() == «#letter»»
== cx
«$1.upper()|$1.upper()|$1.lower()|$1.swapcase()|$1 * 2|$1 + $1|«#mark»|«#mark»|''|' '|f'«Y:[|<|(|{{»{$1}«Y:]\
|>|)|}}»'|chr(ord($1) + 1)|«#mark» + $1|$1 + «#mark»|str(ord($1))|$1.upper() + $1.lower()|'«%s%s' % ($1, $1)\
|%c' % $1|{}-'.format($1)»|$1.capitalize()|$1 * «#int 2 3»|hex(ord($1))[2:]|$1.title() + «#mark»|«#achar»»
== wpred
«len($1) > «#int 2 5»|len($1) >= «#anum»|len($1) == «#int 2 5»|len($1) < «#int 3 6»|len($1) % 2 == «0|1»\
|$1.isdigit()|$1.isalpha()|$1[:1].isupper()|$1.startswith(«#asub»)|$1.endswith(«#asub»)|«#asub» in $1\
|«#asub» not in $1|$1 == $1[::-1]|$1.istitle()|$1.isupper()|$1.islower()|$1[:1] in 'aeiou'\
|$1[-1:] == «#letter»|$1.count(«#letter») > «0|1»|$1 != «#word»|$1 > «#word»|$1[0:1] == $1[-1:]\
|$1.lower() == $1|not $1.isalpha()|$1.find(«#letter») «> 0|== -1|!= -1»|len(set($1)) == len($1)\
|$1.isidentifier()|$1 in («#word», «#word», «#word»)|any($x9.isdigit() for $x9 in $1)»
== wx
«$1.upper()|$1.upper()|$1.capitalize()|$1.capitalize()|$1.lower()|$1.title()|$1.swapcase()|$1[::-1]|$1[::-1]\
|$1[:«#int 1 3»]|$1[-«#int 1 3»:]|$1[1:] + $1[:1]|$1[1:]|$1[:-1]|$1[:1].upper() + $1[1:]\
|$1[:1] + str(len($1))|$1 * 2|$1 + «#mark»|«#mark» + $1|f'«Y:[|<|(|{{»{$1}«Y:]|>|)|}}»'|«#mark» * len($1)\
|$1.replace(«#letter», «#mark»)|$1.strip(«#letters»)|$1.strip('.,!?')|$1.zfill(«#int 3 6»)\
|$1.center(«#int 5 9», «#mark»)|$1.ljust(«#int 4 8», «#mark»)|$1.rjust(«#int 4 8»)\
|'{}:{}'.format($1, len($1))|''.join(sorted($1))|''.join(reversed($1))|$1.casefold()|$1[::2]|$1[:1] + '.'\
|$1[-1:] + $1[1:-1] + $1[:1]|$1.removesuffix(«#piece»)|$1.removeprefix(«#piece»)|$1.split(«#letter»)[0]\
|$1[len($1) // 2:]»
== tpred
«$1.isalpha()|$1.isdigit()|$1.isupper()|$1.islower()|$1.istitle()|$1.isalnum()|$1.isnumeric()\
|$1.isidentifier()|$1.startswith(«#asub»)|$1.endswith(«#asub»)|«#asub» in $1|«#asub» not in $1\
|not $1.startswith((«#piece», «#piece»))|$1.endswith((«#piece», «#piece»))|len($1) > «#int 3 12»\
|len($1) % 2 == «0|1»|len($1) < «#int 4 12»|$1 == $1[::-1]|$1 == $1.lower()|$1.count(«#achar») > «0|1|2»\
|$1.find(«#asub») «> 0|>= 0|== -1|!= -1|== 0»|$1[:1] == $1[-1:]|$1[:1].isupper()|$1[-1:].isalpha()\
|$1 > «#word»|not $1.isalpha()|any(«#pred c» for c in $1)|all(«#pred c» for c in $1)|$1.count(' ') >= «1|2»\
|' ' in $1|$1.index($1[-1:]) == len($1) - 1|$1.rfind(«#achar») > len($1) // 2|$1.isascii()|$1.isspace()\
|$1.isprintable()|len(set($1)) «== len($1)|< len($1)|> 5»|$1.strip() != $1»
== tx
«.upper()|.lower()|.strip()|.title()|.capitalize()|.swapcase()|[::-1]|.replace(«#asub», «#mark»)\
|.replace(«#achar», '')|.replace(«#letter», «#letter»)|.replace(' ', «#sep»)|.strip(«#letters»)|.lstrip(«\
|«#achar»»)|.rstrip(«|«#achar»»)|[1:]|[:-1]|[:«#anum»]|.split(«#asep»)[«0|-1»]|.casefold()\
|.removeprefix(«#asub»)|.removesuffix(«#asub»)|.replace(«#asub», «#asub», 1)|.zfill(«#int 4 12»)\
|.ljust(«#int 6 14», «#mark»)|.rjust(«#int 6 14»)|.center(«#int 8 16»«|, «#mark»»)|.expandtabs(«2|4»)\
|.partition(«#asep»)[«0|2»]|.rpartition(«#asep»)[«0|-1»]»
== slice
«$1[::-1]|$1[1:]|$1[:-1]|$1[::2]|$1[1::2]|$1[:«#anum»]|$1[-«#anum»:]|$1[:-«#anum»]|$1[«#anum»:]\
|$1[«#int 0 2»:«#int 3 8»]|$1[:len($1) // 2]|$1[len($1) // 2:]|$1[-1:] + $1[:-1]|$1[1:] + $1[:1]|$1[::-2]\
|$1[1:-1]|$1[«#int 3 7»::-1]|$1[-«#int 2 5»:-1]|$1[:1]|$1[-1:]|$1[-2::-1]|$1[:«#anum»][::-1] + $1[«#anum»:]\
|$1[::«2|3|-1|«#anum»»]|$1[:2] + $1[-2:]|$1[0:len($1):«2|3»]|$1[:«#anum»] + «#asub» + $1[«#anum»:]»
== drop
while $2 in $1:
    $1.remove($2)
== advance
while len($1) > «1|2» and $2 in $1[«1|2»:]:
    $1 = $1[«1|2»:]
== setkey
if $2 «in|not in» $1:
    $1[$2] = «#anum»
== affix
«if $1.startswith($2):
    $1 = «$1.removeprefix($2)|$1[len($2):]|$1[1:] + «#mark»»|if $1.endswith($2):
    $1 = «$1.removesuffix($2)|$1[:-1]|$1[:len($1) - len($2)]»|while len($2) > 0 and $1.startswith($2):
    $1 = $1[len($2):]|if not $1.endswith($2):
    $1 «+= $2|= $1 + $2|= $1[:-1] + $2»»
== guard
«||||    if not $1:
        return $2
|    if len($1) == 0:
        return $2
|    if $1 == '':
        return $2
»
== lguard
«||||    if not $1:
        return $2
|    if len($1) == 0:
        return $2
»
== vowels
«'aeiou'|'aeiou'|'aeiouAEIOU'|'AEIOUaeiou'|'aeiouy'|('a', 'e', 'i', 'o', 'u')|['a', 'e', 'i', 'o', 'u']»
"""
