"""The operations that fail unless an argument fits: `member` slots take something that occurs in the receiver."""

from __future__ import annotations

SURE = r"""
int `str!.`.index(`member`)
int `str!.`.rindex(`member`)
int `str!.`.index(`member`, 0)
int `ints!.`.index(`member`)
int `strs!.`.index(`member`)
int `tup!.`.index(`member`)
int `tup!.`.count(`member`)
int `ints!.`.count(`member`)
int `bytes!.`.index(`member`)
int `bytes!.`.rindex(`member`)
int `counts!.`[`member`]
str `names!.`[`member`]
ints `groups!.`[`member`]
str `table!.`[`member`]
int `counts!.`.get(`member`)
int `counts!.`.pop(`member`)
int `counts!.`.setdefault(`member`, 0)
char `str!.`[`idx`]
int `ints!.`[`idx`]
str `strs!.`[`idx`]
int `tup!.`[`idx`]
int `bytes!.`[`idx`]
ints `lists!.`[`idx`]
int `ints!.`.pop(`idx`)
str `strs!.`.pop(`idx`)
int int(`digits`)
int int(`digits`) + `int`  @10
int int(`digits`, 10)
int int(`hexes`, 16)
int int('0x' + `hexes`, 0)
float float(`digits`)
bytes bytes.fromhex(`hexes.`.zfill(4))
bytes `cnt.`.to_bytes(2, 'big')
bytes `cnt.`.to_bytes(3, 'little')
int int.from_bytes(`bytes.`[:3], 'little')
int `int.`.conjugate()
int `int.`.numerator
int `int.`.denominator
int `int.`.imag
tup `int.`.as_integer_ratio()
float `float.`.conjugate()
str `float.`.hex()
float float.fromhex(`float.`.hex())
float `float.`.real
bool `float.`.is_integer()
bool `str$` is `str=`
bool `ints$` is `ints=`.copy()
bool isinstance(`int`, int)
bool isinstance(`str`, (int, str))
str type(`float`).__name__
str type(`ints`).__name__
bool callable(`str`)
bool hasattr(`str`, 'upper')
str getattr(`str`, 'upper')()
ints list(range(`cnt`))[`small`:]
ints list(range(10))[slice(`small`, None, 2)]
pairs list(zip(`strs`, `ints`))
pairs list(enumerate(`strs`, `small`))
pairs list(zip(`str`, `ints`, `strs`))
ints list(map(pow, `ints`, [2] * 9))
strs list(map(lambda a, b: a + b, `strs`, `strs`))
counts dict(zip(`strs`, `ints`))
counts dict.fromkeys(`str`, 0)
bool any(map(str.isdigit, `strs`))
int sum(map(len, `strs`))
int min(`int`, `int`, `int`)
str max(`str`, `str`, key=len)
tup divmod(`int`, `pos`)
tup divmod(-`cnt.`, `pos`)
float divmod(`float`, `pos`)[1]
int pow(`small`, `cnt`, `pos`)
int round(`float`)
float round(`float`, 1)
str ascii(`str`)
str repr(`strs`)
str str(`counts`)
str str(`bytes`, 'latin-1')
int hash(`cnt`)
bool bool(`str`)
bool bool(`int`)
bool bool(`ints`)
ints list(iter(`ints`))
int next(iter(`ints`), None)
bytes bytes(`cnt`)
bytes bytes([`cnt`, `small`])
strs sorted(`counts.`.keys(), reverse=True)
sset set(`str`) & set(`str`)
iset frozenset(`ints`) - {1, 2}
bool `counts.`.keys() == `counts.`.keys()  @5
strs `str.`.splitlines(True)
strs `str.`.splitlines(keepends=True)
str `str.`.translate(str.maketrans('', '', `char`))
str `str.`.translate(str.maketrans({`char`: `char`}))
str str.join(`sep`, `strs`)
strs str.split(`str`, `sep`)
strs `str.`.split(maxsplit=`small`)
strs `str.`.rsplit(`sep`, maxsplit=1)
bool `str.`.startswith(`sub`, `small`)
bool `str.`.endswith(`sub`, 0, -1)
int `str.`.count(`char`, `small`)
int `str.`.find(`char`, `small`, -1)
tup `str.`.partition(`sep`)
tup `str.`.rpartition(`sep`)
bytes `str.`.encode('utf-8')
bytes `str.`.encode('ascii', 'ignore')
str `bytes.`.decode('utf-8', 'replace')
bytes bytearray(`bytes`).replace(b'a', b'b')
int len(bytearray(`bytes`))
ints list(memoryview(`bytes`))
"""

SURE_CHANGES = r"""
less `ints!$`.remove(`member`)
less `strs!$`.remove(`member`)
less del `counts!$`[`member`]
less `counts!$`.pop(`member`)
less `iset!$`.remove(`member`)
less `sset!$`.remove(`member`)
less del `ints!$`[`idx`]
same `ints!$`[`idx`] = `int`
same `ints!$`[`idx`] += `int`
same `strs!$`[`idx`] = `str`
same `counts!$`[`member`] += `int`
same `counts!$`[`member`] = `int`
same `groups!$`[`member`].append(`int`)
less `ints!$`[`idx`:] = []
same `ints!$`[`idx`:`idx`] = [`int`]
more `ints!$`.insert(`idx`, `int`)
same `lists!$`[`idx`] = `ints`
"""
