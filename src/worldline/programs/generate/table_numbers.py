"""The operations on numbers and truth values, one a line: operators, builtins, the methods of int and float."""

from __future__ import annotations

NUMBERS = r"""
5 int `int+` + `int*`  @10
5 int `int+` - `int*`  @10
4 int `int*` * `small*`  @11
2 int `int*` * `int$`  @11
3 int `int*` // `pos.`  @11
4 int `int*` % `pos.`  @11
1 int `int.` ** 2  @13
1 int -`int.`  @12
1 int ~`int.`  @12
2 int abs(`int`)
2 int abs(`int` - `int*`)
2 int max(`int`, `int`)
2 int min(`int`, `int`)
1 int max(0, `int`)
1 int min(`int`, 10)
1 int pow(`int`, 2)
1 int pow(`int`, `small#`, `pos#`)
2 int divmod(`int`, `pos`)[1]
1 int divmod(`int`, `pos`)[0]
1 int `int*` & `cnt#`  @8
1 int `int*` | `cnt#`  @6
1 int `int*` ^ `cnt#`  @7
1 int `int*` << `small#`  @9
1 int `int*` >> `small#`  @9
1 int `int.`.bit_length()
1 int `int.`.bit_count()
1 int `int` if `bool&` else `int`  @1
1 int round(`int`, -1)
1 int int(`int*` / `pos.`)
1 int int(str(abs(`int`))[::-1])
1 int len(str(`int`))
1 int sum(int(d) for d in str(abs(`int`)))
2 str! str(`int`)
1 str! bin(`int`)
1 str! hex(`int`)
1 str! oct(`int`)
1 str! bin(`cnt`)[2:]
1 str! str(`int`).zfill(`width#`)
1 char chr(97 + `cnt*` % 26)
1 strs! list(str(`int`))
1 ints [int(d) for d in str(abs(`int`))]
1 ints [i for i in range(1, 8) if `int*` % i == 0]
2 tup! (`int`, `int`)
1 tup! divmod(`int`, `pos`)
2 float `int*` / `pos.`  @11
1 float float(`int`)
1 float round(`int*` / `pos.`, 2)
3 bool `int<` > `int<`  @5
2 bool `int<` < `int<`  @5
2 bool `int<` >= `int<`  @5
1 bool `int<` <= `int<`  @5
2 bool `int<` == `int<`  @5
1 bool `int<` != `int<`  @5
3 bool `int*` % `pos.` == 0  @5
2 bool `int*` % 2 == 1  @5
1 bool 0 < `int<` < `pos#`  @5
1 bool 0 <= `int<` <= `int<`  @5
1 bool `int<` in (`small#`, `pos#`, 0)  @5
1 bool `int<` in range(`small`, `pos#`)  @5
1 bool `float<` > `float#`  @5
1 bool `float<` <= `float<`  @5
1 bool `float.`.is_integer()
2 int int(`float`)
1 int round(`float`)
1 float abs(`float`)
2 float round(`float`, 1)
1 float round(`float`, 2)
2 float `float*` * `small*`  @11
2 float `float+` + `int*`  @10
2 float `float+` - `float*`  @10
1 float `float*` / `pos.`  @11
1 float `float*` // `pos.`  @11
1 float `float*` % `pos.`  @11
1 float -`float.`  @12
1 float max(`float`, `float`)
1 str! str(`float`)
1 tup! `float.`.as_integer_ratio()
2 cnt len(`floats`)
1 float sum(`floats`)
1 float max(`floats!`)
1 float `floats!.`[0]
1 floats? sorted(`floats?`)
1 floats? [round(x, 1) for x in `floats?`]
1 floats? [x / 2 for x in `floats?`]
1 ints? [int(x) for x in `floats?`]
1 ints? [round(x) for x in `floats?`]
2 bool not `bool&`  @4
2 bool `bool&` and `bool&`  @3
2 bool `bool&` or `bool&`  @2
1 bool `bool<` == `bool<`  @5
1 int int(`bool`)
1 str str(`bool`)
1 str `sub` if `bool&` else `sub`  @1
"""
