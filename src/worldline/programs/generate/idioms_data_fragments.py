"""The statements that `idioms_data_combine` puts together, in the template language. Text only.

Roles in capitals are typed: `$I` an int, `$L` a list of ints, `$W` a list of words, `$D` a dict of words to ints, `$S`
a string, all in scope already; `$nI`, `$nL`, ... are new variables of that type; `$eI`, `$eS` are loop variables that
the statements at `@body` may use, which leave the variables named before it alone. `!`: not inside a loop.
"""

from __future__ import annotations

LINES = r"""
$I += #int(1,9)
$I -= #int(1,9)
$I = #expr($I)
$I = #expr($I)
$I = #pair($I,$I2)
$nI = #pair($I,$I2)
$nI = len($L)
$nI = sum($L)
$nI = max($L, default=0)
$nI = min($L, default=$I)
$nI = $L.count($I)
$nI = $L[0] if $L else #int(0,9)
$nI = $L[-1] if $L else $I
$nI = sum($L) // max(len($L), 1)
$nI = len(set($L))
$nI = sum(1 for $num in $L if #cond($num))
$nI = $L.index($I) if $I in $L else -1
$nI = sum($D.values())
$nI = $D.get(#in, #int(0,9))
$nI = max($D.values(), default=0)
$nI = len($W)
$nI = len($S)
$nI = sum(len($word) for $word in $W)
$nI = abs($I - $I2)
$nI = $I if #pcond($I,$I2) else $I2
$nI = int(str(abs($I))[::-1])
$nI = len($D) + $I
$nI = $S.count('<:a~e~o~l:>')
$I, $I2 = $I2, $I
$I = max($I, $I2)
$I = abs($I) % #int(3,20)
$I, $nI = divmod($I, #int(2,10))
$nI = 0
$nI = #int(0,20)
$L.append($I)
$L.append(len($L))
$L.append(#int)
$L.insert(0, $I)
$L.insert(#int(0,3), #int)
$L.sort()
$L.sort(reverse=True)
$L.sort(key=lambda $num: #by($num))
$L.reverse()
$L = $L[1:]
$L = $L[:-1]
$L = $L[::-1]
$L = $L[:#int(1,4)]
$L = $L[::2]
$L = $L[#int(1,3):] + $L[:#int(1,3)]
$L = sorted($L)
$L = sorted($L, reverse=True)
$L = sorted(set($L))
$L = [$num for $num in $L if #cond($num)]
$L = [#expr($num) for $num in $L]
$L = [#pair($num,$I) for $num in $L]
$L = list(dict.fromkeys($L))
$L = $L + [$I]
$L = [$I] + $L
$L = list(map(lambda $num: #expr($num), $L))
$L = list(filter(lambda $num: #cond($num), $L))
$nL = [#expr($num) for $num in $L]
$nL = [$num for $num in $L if #cond($num)]
$nL = [$num for $num in $L if $num not in $L2]
$nL = [#pair($num,$v) for $num, $v in zip($L, $L2)]
$nL = $L[:]
$nL = $L.copy()
$nL = list($D.values())
$nL = sorted($D.values())
$nL = list(range($I % #int(3,7)))
$nL = [len($word) for $word in $W]
$nL = [$i for $i, $num in enumerate($L) if #cond($num)]
$nL = []
$nL = [#int, #int, $I]
$nL = [$I] * #int(1,3)
$nL = [int($ch) for $ch in str(abs($I))]
!$L.extend($L2)
!$L += $L2
!$L = $L + $L2
!$L *= 2
!$L.extend(range(#int(1,4)))
$L[-1:] = [$I]
$L[:1] = []
$L[:0] = [#int, $I]
del $L[:#int(1,2)]
$W.append($S)
$W.append(#word)
$W.sort()
$W.sort(key=len)
$W.sort(key=lambda $word: #wby($word))
$W.reverse()
$W = $W[1:]
$W = $W[::-1]
$W = [#wexpr($word) for $word in $W]
$W = [$word for $word in $W if #wcond($word)]
$W = sorted(set($W))
$W.insert(#int(0,2), #word)
$nW = [#wexpr($word) for $word in $W]
$nW = list($D)
$nW = sorted($D)
$nW = sorted($D, key=lambda $key: $D[$key])
$nW = [$key for $key, $v in $D.items() if #cond($v)]
$nW = $S.split()
$nS = ''.join($W)
$nS = '-'.join($W)
$nS = $W[0] if $W else ''
$nS = max($W, key=len, default='')
$nS = str($I)
$nS = f'{$S}{$I}'
$nS = f'{$I}:{len($L)}'
$nS = ''.join(str($num) for $num in $L)
$S = $S + $S[:1]
$S = $S.upper()
$S += str($I)
$S = $S[::-1]
$D[#in] = $I
$D[#in] = #int
$D[$S] = $I
$D[#word] = len($D)
$D.setdefault(#in, $I)
$D.pop(#in, None)
$D.update({#word: $I})
$D.update(zip($W, $L))
$D[#in] = $D.get(#in, 0) + #int(1,9)
$D = {$key: $v for $key, $v in $D.items() if #cond($v)}
$D = {$key: #expr($v) for $key, $v in $D.items()}
$D = dict(sorted($D.items()))
$D = dict(sorted($D.items(), key=lambda $p: $p[1]))
$nD = {$word: len($word) for $word in $W}
$nD = {$word: $i for $i, $word in enumerate($W)}
$nD = $D.copy()
$nD = dict($D)
$nD = dict(zip($W, $L))
$nD = {}
$nB = $I in $L
$nB = all(#cond($num) for $num in $L)
$nB = any(#cond($num) for $num in $L)
$nB = #pcond($I,$I2)
$nB = #in in $D
$nB = bool($L)
"""

BLOCKS = r"""
if not $L:
    return <:[]~0~None~-1~$L:>
---
if $L and (#cond($L[0])):
    <:$L.pop(0)~$L.append($L[0])~$L[0] = $I~del $L[0]:>
---
if #cond($I):
    @body
---
if #cond($I):
    @body
else:
    @body
---
if #pcond($I,$I2):
    @body
elif #cond($I2):
    @body
else:
    @body
---
if len($L) > #int(1,5):
    @body
---
if $I in $L:
    <:$L.remove($I)~$I = $L.index($I)~$L[$L.index($I)] = #int~return $L:>
else:
    <:$L.append($I)~$I += 1~$I = len($L):>
---
if #in in $D:
    @body
---
if $S in $D:
    $D[$S] += $I
else:
    $D[$S] = $I
---
if $nX := [$num for $num in $L if #cond($num)]:
    $I = len($nX)
---
for $eI in $L:
    @body
---
for $eI in $L:
    if #cond($eI):
        @body
---
for $eI in $L:
    if #pcond($eI,$I):
        @body
    else:
        @body
---
for $eI in $L:
    if #cond($eI):
        continue
    @body
---
for $eI in $L:
    if #pcond($eI,$I):
        break
    @body
---
for $eI in range(#int(2,5)):
    @body
---
for $eI in range(len($L)):
    <:if #cond($L[$eI]):
        $L[$eI] = #pair($L[$eI],$eI)~$L[$eI] = #pair($L[$eI],$eI)~$I += $L[$eI] * $eI~if #cond($eI):
        $L[$eI] = $I:>
---
for $i, $eI in enumerate($L):
    if <:$i % 2 == 0~$i > #int(0,2)~#pcond($i,$eI):>:
        @body
---
for $i in range(len($L) - 1):
    if $L[$i] > $L[$i + 1]:
        $L[$i], $L[$i + 1] = $L[$i + 1], $L[$i]
---
for $i in range(len($L) - 1, -1, -1):
    if #cond($L[$i]):
        <:$L.pop($i)~del $L[$i]~$L[$i] = $I:>
---
for $num in $L[:]:
    if #cond($num):
        $L.remove($num)
---
for $num, $v in zip($L, $L2):
    if #pcond($num,$v):
        $I += <:$num~$v~1~$num - $v:>
---
for $eS in $W:
    @body
---
for $eS in $W:
    if #wcond($eS):
        @body
---
for $eS in $W:
    $D[$eS] = $D.get($eS, 0) + <:1~len($eS)~$I:>
---
for $eS, $eI in $D.items():
    @body
---
for $eS, $eI in $D.items():
    if #cond($eI):
        @body
---
for $eS in sorted($D):
    @body
---
for $key in list($D):
    if #cond($D[$key]):
        <:del $D[$key]~$D[$key] = $I~$I += $D.pop($key):>
---
for $key in $D:
    $D[$key] = #pair($D[$key],$I)
---
while len($L) > #int(1,4):
    <:$L.pop()~$L.pop(0)~$L = $L[1:]~$I += $L.pop()~$L.remove(max($L))~del $L[-1]:>
---
while $L and not (#cond($L[-1])):
    $L.pop()
---
$I = abs($I) % #int(8,30)
while $I > 0:
    @body
    $I <:-= #int(2,5)~//= 2:>
---
$nI = 0
while $nI < #int(2,4):
    @body
    $nI += 1
---
$nI = 0
for $num in $L:
    if #cond($num):
        $nI += <:$num~1~#expr($num):>
---
$nL = []
for $num in $L:
    <:if #cond($num):
        ~if $num not in $nL:
        ~:>$nL.append(<:$num~#expr($num):>)
---
$nX = {}
for $num in $L:
    $nX[$num] = $nX.get($num, 0) + 1
$nI = max($nX.values(), default=0)
---
$nL = []
while $L:
    $num = $L.pop(<:~0:>)
    $nL.append(#expr($num))
---
$nX = $L
$nX.append($I)
---
$nX = $L
if #cond($I):
    $nX = $L[:]
$nX.append(len($L))
---
try:
    $nI = $L.index($I)
except ValueError:
    $nI = <:-1~len($L)~0:>
---
try:
    $nI = $D[#in]
except KeyError:
    $nI = $I
---
try:
    $nI = $I // ($I2 % 3)
except ZeroDivisionError:
    $nI = 0
---
if len($L) >= 2:
    $L[0], $L[-1] = $L[-1], $L[0]
---
if $L:
    $nI = $L.pop(<:~0:>)
else:
    $nI = #int(0,9)
---
$nX = lambda $a, $b: #pair($a,$b)
$I = $nX($I, $I2)
---
$lo, $hi = min($I, $I2), max($I, $I2)
$L = [$num for $num in $L if $lo <= $num <= $hi]
---
def $fn($num):
    return #expr($num)
$L = [$fn($v) for $v in $L]
"""
