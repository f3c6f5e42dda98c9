"""The operations on lists, tuples, dicts, sets and numbers that make a new value, one a line.

What changes its receiver in place (`append`, `update`, ...) is a statement: see `mutations`.
"""

from __future__ import annotations

LISTS = r"""
4 cnt len(`ints`)
4 int sum(`ints`)
3 int max(`ints!`)
3 int min(`ints!`)
1 int max(`ints`, default=0)
1 int min(`ints`, default=-1)
3 int `ints!.`[0]
3 int `ints!.`[-1]
1 int `ints!$`[len(`ints!=`) // 2]
1 int `ints.`.count(`int`)
1 int sum(`ints.`[1:])
1 int max(`ints!$`) - min(`ints!=`)  @10
1 int sum(`ints`, `small`)
1 int max(`ints!`, key=abs)
1 int max(`ints!`, key=lambda x: (x % 5, x))
1 float sum(`ints!$`) / len(`ints!=`)  @11
1 float round(sum(`ints!$`) / len(`ints!=`), 2)
4 ints? sorted(`ints?`)
2 ints? sorted(`ints?`, reverse=True)
1 ints? sorted(`ints?`, key=abs)
1 ints? sorted(`ints?`, key=lambda x: -x)
1 ints? sorted(`ints?`, key=lambda v: (v % 3, v))
3 ints? `ints?.`[::-1]
1 ints? list(reversed(`ints?`))
3 ints `ints.`[`small`:]
1 ints `ints.`[`int$`:]
1 ints `ints.`[:`int$`]
1 ints `ints$`[`small`:] + `ints=`[:`small`]  @10
3 ints `ints.`[:`small`]
2 ints `ints.`[1:-1]
2 ints `ints.`[:-1]
2 ints `ints.`[-`small#`:]
2 ints? `ints?.`[::`small#`]
1 ints `ints.`[1::2]
1 ints `ints.`[`small`:`small`]
1 ints `ints.`[::-2]
3 ints `ints+` + `ints*`  @10
3 ints! `ints+` + [`int`]  @10
1 ints! [`int`] + `ints*`  @10
2 ints `ints*` * 2  @11
1 ints? `ints?.`.copy()
1 ints? sorted(set(`ints?`))
1 ints? list(dict.fromkeys(`ints?`))
4 ints? [x * `small.` for x in `ints?`]
3 ints [x for x in `ints` if x > `int`]
2 ints [x for x in `ints` if x % 2 == 0]
2 ints? [x ** 2 for x in `ints?`]
2 ints? [abs(x) for x in `ints?`]
1 ints? [-x for x in `ints?`]
1 ints? [x % `pos.` for x in `ints?`]
2 ints? [a + b for a, b in zip(`ints?`, `ints?`)]
1 ints [b - a for a, b in zip(`ints$`, `ints=`[1:])]
2 ints [i for i, x in enumerate(`ints`) if x > `int`]
1 ints? [i * x for i, x in enumerate(`ints?`)]
1 ints? [x if x > 0 else 0 for x in `ints?`]
1 ints? list(map(lambda x: x + `small`, `ints?`))
1 ints list(filter(lambda x: x > `small`, `ints`))
1 ints list(filter(None, `ints`))
1 ints? list(map(abs, `ints?`))
2 ints list(range(`cnt`))
1 ints list(range(`small`, `cnt`))
1 ints list(range(`cnt`, 0, -1))
2 strs? [str(x) for x in `ints?`]
2 strs? list(map(str, `ints?`))
2 str ','.join(str(x) for x in `ints`)
1 str ''.join(map(str, `ints`))
1 str? ' '.join(map(str, `ints?`))
1 str! str(`ints`)
1 tup? tuple(`ints?`)
2 iset? set(`ints?`)
1 bool all(x > 0 for x in `ints`)
1 bool any(x < 0 for x in `ints`)
1 bool all(`ints`)
1 bool any(`ints`)
3 bool `int<` in `ints<`  @5
2 bool `int<` not in `ints<`  @5
1 bool `ints$` == sorted(`ints=`)  @5
1 bool `ints<` == `ints<`  @5
1 bool len(`ints`) > `small`  @5
1 bool sum(`ints`) > `int<`  @5
1 lists [`ints$`[:`small`], `ints=`[`small`:]]
2 lists [[x, x * 2] for x in `ints`]
1 lists [`ints$`[i:i + 2] for i in range(0, len(`ints=`), 2)]
1 int next(iter(`ints!`))
1 int next((x for x in `ints` if x > `small`), -1)
1 int sum(1 for x in `ints` if x > `int`)
2 int sum(x * x for x in `ints`)
"""

STRS = r"""
4 cnt len(`strs`)
5 str? `sep`.join(`strs?`)
3 str ''.join(`strs`)
2 str ' '.join(`strs.`[::-1])
1 str ', '.join(sorted(`strs`))
1 str '-'.join(w.upper() for w in `strs`)
1 str ''.join(w[:1] for w in `strs`)
3 str `strs!.`[0]
3 str `strs!.`[-1]
2 str max(`strs!`, key=len)
2 str min(`strs!`, key=len)
1 str max(`strs!`)
1 str min(`strs!`)
1 str max(`strs`, default='')
3 strs? sorted(`strs?`)
2 strs? sorted(`strs?`, key=len)
1 strs? sorted(`strs?`, reverse=True)
1 strs? sorted(`strs?`, key=lambda w: (len(w), w))
1 strs? sorted(`strs?`, key=str.lower)
1 strs? sorted(`strs?`, key=lambda w: w[::-1])
2 strs? `strs?.`[::-1]
2 strs `strs.`[1:]
2 strs `strs.`[:`small`]
1 strs `strs.`[:-1]
1 strs `strs.`[-`small#`:]
1 strs? `strs?.`[::2]
2 strs `strs+` + `strs*`  @10
2 strs! `strs+` + [`str`]  @10
3 strs? [w.upper() for w in `strs?`]
2 strs? [w.lower() for w in `strs?`]
2 strs? [w.capitalize() for w in `strs?`]
2 strs? [w.strip() for w in `strs?`]
2 strs? [w[::-1] for w in `strs?`]
1 strs? [w + `char` for w in `strs?`]
1 strs? [w.replace(`char`, `char`) for w in `strs?`]
3 strs [w for w in `strs` if len(w) > `small`]
2 strs [w for w in `strs` if w]
1 strs [w for w in `strs` if `char` in w]
1 strs [w for w in `strs` if w.startswith(`char`)]
1 strs [w for w in `strs` if not w.isdigit()]
1 strs? [w[0] if w else '' for w in `strs?`]
1 strs? [f'{i}:{w}' for i, w in enumerate(`strs?`)]
1 strs? [w.zfill(`small`) for w in `strs?`]
1 strs? list(map(str.upper, `strs?`))
1 strs? list(map(str.strip, `strs?`))
1 strs? [c for w in `strs?` for c in w + '.']
1 strs list(filter(None, `strs`))
1 strs? list(dict.fromkeys(`strs?`))
1 strs? sorted(set(`strs?`))
2 ints? [len(w) for w in `strs?`]
1 ints? list(map(len, `strs?`))
1 ints [int(w) for w in `strs` if w.isdigit()]
1 ints [i for i, w in enumerate(`strs`) if len(w) > `small`]
1 int sum(len(w) for w in `strs`)
2 int `strs.`.count(`str`)
1 int max((len(w) for w in `strs`), default=0)
1 sset? set(`strs?`)
2 counts? {w: len(w) for w in `strs?`}
1 counts? {w: i for i, w in enumerate(`strs?`)}
1 names? {w: w.upper() for w in `strs?`}
1 names {w[0]: w for w in `strs` if w}
1 counts? dict.fromkeys(`strs?`, 0)
1 table dict(enumerate(`strs`))
1 pairs? [(w, len(w)) for w in `strs?`]
1 pairs? list(zip(`strs?`, range(10)))
3 bool `str<` in `strs<`  @5
1 bool `str<` not in `strs<`  @5
1 bool all(w.isalpha() for w in `strs`)
1 bool any(w.isdigit() for w in `strs`)
1 bool any(`char` in w for w in `strs`)
1 bool len(`strs`) > `small`  @5
1 bool len(set(`strs$`)) == len(`strs=`)  @5
"""

LISTS2 = r"""
3 cnt len(`lists`)
2 int sum(len(row) for row in `lists`)
2 int sum(sum(row) for row in `lists`)
2 ints [x for row in `lists` for x in row]
2 ints? [sum(row) for row in `lists?`]
2 ints? [len(row) for row in `lists?`]
1 ints [max(row) for row in `lists` if row]
1 ints `lists!.`[0]
1 ints `lists!.`[-1]
1 ints sum(`lists`, [])
1 ints max(`lists!`, key=len)
1 lists? `lists?.`[::-1]
1 lists? sorted(`lists?`)
1 lists? sorted(`lists?`, key=len)
1 lists? sorted(`lists?`, key=sum)
1 lists [list(col) for col in zip(*`lists.`)]
1 lists? [row[::-1] for row in `lists?`]
1 lists? [[x + 1 for x in row] for row in `lists?`]
1 lists [row for row in `lists` if row]
1 bool all(`lists`)
1 bool [] in `lists<`  @5
2 cnt len(`pairs`)
2 strs? [name for name, _ in `pairs?`]
2 ints? [n for _, n in `pairs?`]
2 int sum(n for _, n in `pairs`)
2 counts? dict(`pairs?`)
2 pairs? sorted(`pairs?`)
2 pairs? sorted(`pairs?`, key=lambda p: p[1])
1 pairs? sorted(`pairs?`, key=lambda p: (-p[1], p[0]))
1 pairs [p for p in `pairs` if p[1] > `int`]
1 pairs `pairs.`[:`small`]
1 rec max(`pairs!`, key=lambda p: p[1])
1 rec `pairs!.`[0]
1 str ', '.join(f'{a}={b}' for a, b in `pairs`)
2 str `rec.`[0]
2 int `rec.`[1]
2 cnt len(`tup`)
2 int sum(`tup`)
2 int max(`tup!`)
2 int min(`tup!`)
2 int `tup!.`[0]
2 int `tup!.`[-1]
2 int `tup.`.count(`int`)
1 int `tup!$`.index(`tup!=`[-1])
2 tup? `tup?.`[::-1]
2 tup `tup.`[1:]
1 tup `tup.`[:`small`]
2 tup! `tup+` + (`int`,)  @10
1 tup `tup+` + `tup*`  @10
1 tup `tup*` * 2  @11
1 tup? tuple(sorted(`tup?`))
1 tup? tuple(x + `small` for x in `tup?`)
2 ints? list(`tup?`)
2 ints? sorted(`tup?`)
2 bool `int<` in `tup<`  @5
1 bool `tup<` < `tup<`  @5
1 str! str(`tup`)
"""

PEOPLE = r"""
2 cnt len(`people`)
3 strs? [p['name'] for p in `people?`]
3 ints? [p['age'] for p in `people?`]
2 people? sorted(`people?`, key=lambda p: p['age'])
1 people? sorted(`people?`, key=lambda p: p['name'], reverse=True)
2 people [p for p in `people` if p['age'] > `int`]
1 people `people.`[:`small`]
2 counts? {p['name']: p['age'] for p in `people?`}
1 pairs? [(p['name'], p['age']) for p in `people?`]
2 int sum(p['age'] for p in `people`)
1 int max(p['age'] for p in `people!`)
1 int `people!.`[0]['age']
1 str `people!.`[-1]['name']
1 str max(`people!`, key=lambda p: p['age'])['name']
1 str ', '.join(p['name'] for p in `people`)
1 bool any(p['age'] > `int` for p in `people`)
1 bool all(p['name'] for p in `people`)
"""

DICTS = r"""
3 cnt len(`counts`)
3 int sum(`counts.`.values())
4 int `counts.`.get(`str`, 0)
2 int max(`counts!.`.values())
1 int min(`counts!.`.values())
1 int max(`counts.`.values(), default=0)
1 str max(`counts!$`, key=`counts!=`.get)
1 str min(`counts!$`, key=lambda k: `counts!=`[k])
1 str next(iter(`counts!`))
3 strs? list(`counts?`)
2 strs? sorted(`counts?`)
2 strs? list(`counts?.`.keys())
1 strs? sorted(`counts?$`, key=`counts?=`.get)
1 strs? sorted(`counts?$`, key=lambda k: (-`counts?=`[k], k))
1 strs [k for k, v in `counts.`.items() if v > `int`]
1 strs? [f'{k}={v}' for k, v in `counts?.`.items()]
3 ints? list(`counts?.`.values())
1 ints? sorted(`counts?.`.values())
3 pairs? list(`counts?.`.items())
2 pairs? sorted(`counts?.`.items())
1 pairs? sorted(`counts?.`.items(), key=lambda kv: kv[1], reverse=True)
2 counts {k: v for k, v in `counts.`.items() if v > `int`}
2 counts? {k: v + `small` for k, v in `counts?.`.items()}
1 counts? {k.upper(): v for k, v in `counts?.`.items()}
1 counts? dict(sorted(`counts?.`.items()))
1 counts? `counts?.`.copy()
2 counts {**`counts.`, **`counts.`}
1 counts `counts<` | `counts<`  @6
1 counts! {**`counts.`, `str`: `int`}
3 bool `str<` in `counts<`  @5
1 bool `str<` not in `counts<`  @5
1 bool any(v > `int` for v in `counts.`.values())
1 str ', '.join(`counts`)
1 str ', '.join(f'{k}:{v}' for k, v in `counts.`.items())
2 cnt len(`names`)
3 str `names.`.get(`str`, `sub`)
2 strs? list(`names?.`.values())
1 strs? sorted(`names?`)
1 names? {v: k for k, v in `names?.`.items()}
1 names? {k: v.title() for k, v in `names?.`.items()}
1 str '&'.join(f'{k}={v}' for k, v in `names.`.items())
1 bool `str<` in `names.`.values()  @5
2 cnt len(`groups`)
2 strs? list(`groups?`)
1 ints `groups.`.get(`str`, [])
1 ints [x for row in `groups.`.values() for x in row]
1 counts? {k: len(v) for k, v in `groups?.`.items()}
1 counts? {k: sum(v) for k, v in `groups?.`.items()}
2 str `table.`.get(`int`, '')
1 ints? sorted(`table?`)
1 strs? list(`table?.`.values())
1 strs? [`table?$`[k] for k in sorted(`table?=`)]
1 bool `int<` in `table<`  @5
"""

SETS = r"""
3 cnt len(`iset`)
3 ints? sorted(`iset?`)
1 int sum(`iset`)
1 int max(`iset!`)
1 int min(`iset!`)
3 iset `iset<` & `iset<`  @8
2 iset `iset<` | `iset<`  @6
2 iset `iset+` - `iset*`  @10
1 iset `iset<` ^ `iset<`  @7
1 iset `iset.`.union(`ints`)
1 iset `iset.`.intersection(`ints`)
1 iset `iset.`.difference(`ints`)
1 iset `iset.`.symmetric_difference(`ints`)
1 iset? `iset?.`.copy()
1 iset {x for x in `iset` if x > `int`}
1 iset? {x % `pos.` for x in `iset?`}
2 bool `int<` in `iset<`  @5
1 bool `iset.`.issubset(`ints`)
1 bool `iset.`.issuperset(`ints`)
1 bool `iset.`.isdisjoint(`ints`)
1 bool `iset<` <= `iset<`  @5
1 bool frozenset(`iset`) == `iset<`  @5
2 cnt len(`sset`)
3 strs? sorted(`sset?`)
1 strs? sorted(`sset?`, key=lambda w: (len(w), w))
1 sset `sset<` & set(`str`)  @8
1 sset `sset<` | {`str`}  @6
1 sset `sset+` - {`str`}  @10
1 sset {w for w in `sset` if len(w) > `small`}
2 bool `str<` in `sset<`  @5
1 str ','.join(sorted(`sset`))
"""
