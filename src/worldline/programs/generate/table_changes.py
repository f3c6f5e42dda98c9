"""The operations that change a container in place, one a line; every mutating method of list, dict, set and bytearray.

The result says what becomes of the receiver's length: `more` (it is not empty afterwards), `less` (it may be), `same`.
What needs two lines, such as `remove` under its `if`, is in `statements`.
"""

from __future__ import annotations

CHANGES = r"""
6 more `ints$`.append(`int`)
3 more `ints$`.insert(0, `int`)
2 more `ints$`.insert(`idx#`, `int`)
3 same `ints$`.extend(`ints`)
1 same `ints$`.extend([`int`, `int`])
2 same `ints$` += [`int`]
1 same `ints$` += `ints`
1 same `ints$` *= 2
3 less `ints!$`.pop()
3 less `ints!$`.pop(0)
1 less `ints!$`.pop(-1)
3 same `ints$`.sort()
2 same `ints$`.sort(reverse=True)
1 same `ints$`.sort(key=abs)
1 same `ints$`.sort(key=lambda x: x % `pos.`)
3 same `ints$`.reverse()
2 less del `ints!$`[0]
1 less del `ints!$`[-1]
1 less del `ints$`[`small`:]
1 less del `ints$`[:`small`]
1 less del `ints$`[::2]
3 same `ints!$`[0] = `int`
3 same `ints!$`[-1] = `int`
2 same `ints!$`[0] += `int`
1 same `ints!$`[-1] *= `small`
1 same `ints!$`[0], `ints!=`[-1] = `ints!=`[-1], `ints!=`[0]
1 more `ints$`[1:2] = [`int`, `int`]
1 less `ints$`[:2] = []
1 more `ints$`[len(`ints=`):] = [`int`]
1 more `ints$`[:0] = [`int`]
1 same `ints$`[:] = `ints=`[::-1]
1 less `ints$`.clear()
6 more `strs$`.append(`str`)
2 more `strs$`.insert(0, `str`)
1 more `strs$`.insert(`small`, `str`)
1 same `strs$`.extend(`strs`)
1 same `strs$`.extend(`str.`.split())
3 less `strs!$`.pop()
2 less `strs!$`.pop(0)
3 same `strs$`.sort()
2 same `strs$`.sort(key=len)
1 same `strs$`.sort(key=str.lower, reverse=True)
1 same `strs$`.sort(key=lambda w: (-len(w), w))
3 same `strs$`.reverse()
2 same `strs!$`[0] = `strs!=`[0].upper()
2 same `strs!$`[-1] += `char`
1 same `strs!$`[0] = `str`
1 less del `strs!$`[0]
1 less del `strs$`[1:]
1 less `strs$`[:1] = []
5 more `counts$`[`str`] = `int`
3 more `counts$`[`str`] = `counts=`.get(`str`, 0) + `small`
2 more `counts$`.setdefault(`str`, `int`)
3 same `counts$`.update({`str`: `int`})
1 same `counts$`.update(`counts`)
1 same `counts$`.update(total=`int`)
1 same `counts$`.update([(`str`, `int`)])
1 same `counts$` |= {`str`: `int`}
3 less `counts$`.pop(`str`, None)
1 less `counts!$`.popitem()
1 less `counts$`.clear()
4 more `names$`[`str`] = `str`
2 more `names$`.setdefault(`str`, `str`)
2 less `names$`.pop(`str`, '')
1 same `names$`.update(`names`)
3 more `groups$`.setdefault(`str`, []).append(`int`)
1 more `groups$`[`str`] = [`int`]
3 more `table$`[`int`] = `str`
1 less `table$`.pop(`int`, None)
4 more `iset$`.add(`int`)
3 less `iset$`.discard(`int`)
2 same `iset$`.update(`ints`)
1 same `iset$` |= {`int`, `int`}
1 less `iset$` &= set(`ints`)
1 less `iset$` -= {`int`}
1 less `iset$` ^= {`int`}
1 less `iset$`.difference_update(`ints`)
1 less `iset$`.intersection_update(`ints`)
1 less `iset$`.symmetric_difference_update(`ints`)
1 less `iset$`.clear()
4 more `sset$`.add(`str`)
2 less `sset$`.discard(`str`)
1 same `sset$`.update(`strs`)
3 more `lists$`.append(`ints`)
2 same `lists!$`[0].append(`int`)
1 same `lists!$`[-1].extend([`int`, `int`])
1 same `lists$`.reverse()
1 same `lists$`.sort(key=len)
1 less `lists!$`.pop()
3 more `pairs$`.append((`str`, `int`))
1 same `pairs$`.sort(key=lambda p: p[1])
1 same `pairs$`.sort()
1 less `pairs!$`.pop(0)
3 more `people$`.append({'name': `str`, 'age': `int`})
2 same `people!$`[0]['age'] += `small`
1 same `people!$`[-1]['name'] = `str`
1 same `people$`.sort(key=lambda p: p['age'])
1 less `people!$`.pop(0)
4 same `int$` += `int`
2 same `int$` -= `int`
1 same `int$` *= `small`
1 same `int$` //= `pos`
1 same `int$` %= `pos`
1 same `int$` <<= 1
1 same `int$` >>= 1
1 same `int$` ^= `cnt#`
1 same `int$` |= `cnt#`
1 same `int$` &= 0xff
1 same `int$` **= 2
1 same `float$` *= `small`
1 same `float$` += `float`
1 same `float$` -= 0.5
1 same `float$` /= 2
4 more `str$` += `char`
3 same `str$` += `str`
1 same `str$` *= 2
3 less `str$` = `str=`.strip()
3 same `str$` = `str=`.lower()
2 same `str$` = `str=`.upper()
3 less `str$` = `str=`.replace(`char`, `sub`)
2 less `str$` = `str=`.replace(`char`, '')
3 less `str$` = `str=`[1:]
2 less `str$` = `str=`[:-1]
2 same `str$` = `str=`[::-1]
1 same `str$` = `str=`.title()
1 same `str$` = `str=`.swapcase()
1 more `str$` = `char` + `str=`
1 less `str$` = `str=`[`small`:] + `str=`[:`small`]
1 less `str$` = `str=`.removesuffix(`sub`)
"""
