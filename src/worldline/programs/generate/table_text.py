"""The operations on text and bytes, one a line: every method of str and bytes, characters, slices, formatting."""

from __future__ import annotations

TEXT = r"""
4 str? `str?.`.upper()
4 str? `str?.`.lower()
2 str? `str?.`.title()
2 str? `str?.`.capitalize()
2 str? `str?.`.swapcase()
1 str? `str?.`.casefold()
4 str `str.`.strip()
1 str `str.`.lstrip()
1 str `str.`.rstrip()
2 str `str.`.strip(`char`)
1 str `str.`.lstrip(`char`)
1 str `str.`.rstrip(`char`)
1 str `str.`.strip('.,!? ')
6 str `str.`.replace(`char`, `char`)
3 str `str.`.replace(`sub`, '')
2 str `str.`.replace(' ', `char`)
3 str `str.`.replace(`sub`, `sub`)
2 str `str.`.replace(`char`, `sub`, `small`)
1 str `str.`.removeprefix(`sub`)
1 str `str.`.removesuffix(`sub`)
2 str! `str.`.center(`width#`)
1 str! `str.`.center(`width#`, `char#`)
2 str! `str.`.ljust(`width#`, `char#`)
2 str! `str.`.rjust(`width#`, `char#`)
1 str! `str.`.ljust(`width#`)
1 str! `str.`.rjust(`width#`)
2 str! `str.`.zfill(`width#`)
1 str? `str?.`.expandtabs(`small#`)
1 str `str.`.translate(str.maketrans(`pairs2`))
1 str? `str?.`.translate({ord(`char`): `char`})
1 str! `str!.`.encode('utf-8').decode()
4 strs `str.`.split()
4 strs! `str.`.split(`sep`)
2 strs! `str.`.split(`sep`, `small#`)
2 strs! `str.`.rsplit(`sep`, 1)
1 strs `str.`.rsplit()
1 strs `str.`.splitlines()
2 strs! list(`str.`.partition(`sep`))
1 strs! list(`str.`.rpartition(`sep`))
2 strs! list(`str!`)
1 strs sorted(`str`)
2 strs! sorted(`str!`)
1 strs list(`str`)
1 strs! sorted(set(`str!`))
3 str `str.`.split(`sep`)[0]
3 str `str.`.split(`sep`)[-1]
1 str `str.`.partition(`sep`)[0]
2 str `str.`.partition(`sep`)[2]
1 str `str.`.rpartition(`sep`)[-1]
4 str ' '.join(`str.`.split())
2 str! ''.join(reversed(`str!`))
2 str ''.join(sorted(`str`))
2 str? `char`.join(`str?`)
3 str? `str?.`[::-1]
4 str `str.`[`small`:]
4 str `str.`[:`small`]
3 str `str.`[1:-1]
3 str `str.`[:-1]
2 str `str.`[-`small#`:]
2 str `str.`[`small`:`small`]
2 str? `str?.`[::`small#`]
1 str `str.`[1::2]
1 str `str.`[::-2]
1 str `str.`[`small`::`small#`]
2 str `str$`[len(`str=`) // 2:]
1 str `str$`[:len(`str=`) // 2]
4 char `str!.`[0]
3 char `str!.`[-1]
1 char `str!$`[len(`str!=`) // 2]
1 char max(`str!`)
1 char min(`str!`)
4 cnt len(`str`)
4 cnt `str.`.count(`char`)
2 cnt `str.`.count(`sub`)
4 int `str.`.find(`char`)
2 int `str.`.find(`sub`)
2 int `str.`.rfind(`char`)
1 int `str.`.find(`char`, `small`)
1 int `str.`.rfind(`sub`)
1 cnt len(set(`str`))
1 cnt len(`str.`.split())
2 int ord(`char`)
1 int ord(`str!.`[0])
1 int sum(map(ord, `str`)) % 100  @11
5 str! `str!+` + `char`  @10
4 str `str+` + `str*`  @10
2 str! `char*` + `str!*`  @10
3 str `str*` * `small*`  @11
3 bool `str.`.startswith(`char`)
3 bool `str.`.endswith(`char`)
2 bool `str.`.startswith(`sub`)
2 bool `str.`.endswith(`sub`)
1 bool `str.`.startswith((`char`, `char`))
2 bool `str.`.isdigit()
3 bool `str.`.isalpha()
2 bool `str.`.isupper()
2 bool `str.`.islower()
1 bool `str.`.isalnum()
1 bool `str.`.isspace()
1 bool `str.`.istitle()
1 bool `str.`.isnumeric()
1 bool `str.`.isdecimal()
1 bool `str.`.isascii()
1 bool `str.`.isidentifier()
1 bool `str.`.isprintable()
4 bool `char<` in `str<`  @5
2 bool `char<` not in `str<`  @5
2 bool `str$` == `str=`[::-1]  @5
3 bool len(`str`) > `small`  @5
2 bool `str<` == `str<`  @5
1 bool `str<` < `str<`  @5
1 str! repr(`str`)
1 bytes? `str?.`.encode()
1 bytes! `str!.`.encode('utf-8')
"""

# Texts taken apart and put together again: by positions held in variables, character by character, word by word.
PIECES = r"""
3 str `str.`[`int$`:]
3 str `str.`[:`int$`]
2 str `str.`[`int$`:`int$`]
2 str `str.`[`cnt`:]
2 str `str.`[:`cnt`]
1 str `str.`[:-`cnt$`]
1 str `str$`[:`int$`] + `char` + `str=`[`small`:]  @10
1 str `str$`[:`small`] + `str=`[`small`:]  @10
2 str `str$`[`small`:] + `str=`[:`small`]  @10
1 str `str!$`[-1] + `str!=`[:-1]  @10
1 str `str!$`[1:] + `str!=`[0]  @10
1 str `str$`[::2] + `str=`[1::2]  @10
2 str `str+` + `str*`[::-1]  @10
1 str `str.`.ljust(`cnt$`, `char`)
1 str `str.`.rjust(`cnt$`)
1 str `str.`.zfill(`cnt$`)
1 str! `str.`.center(len(`str$`) + 4, `char`)
2 str `str.`.replace(`char`, `char`).replace(`char`, `char`)
1 str `str.`.strip().replace(' ', `char`)
3 str ''.join(c for c in `str` if c.isalpha())
2 str ''.join(c for c in `str` if c != `char`)
2 str ''.join(c for c in `str` if c not in `str`)
1 str ''.join([c for c in `str` if c.isdigit()])
1 str ''.join(c for i, c in enumerate(`str`) if i % 2 == 0)
2 str ''.join(c.upper() if c.islower() else c.lower() for c in `str`)
1 str ''.join(c.upper() if i % 2 else c for i, c in enumerate(`str`))
1 str ''.join(c * 2 for c in `str`)
1 str ''.join(c if c.isalnum() else `char` for c in `str`)
1 str ''.join(`char` if c in 'aeiou' else c for c in `str`)
1 str ''.join(chr((ord(c) - 97 + `small`) % 26 + 97) if c.islower() else c for c in `str`)
1 str ''.join(sorted(set(`str`)))
1 str ''.join(list(`str`)[::-1])
2 str ' '.join(w.capitalize() for w in `str.`.split())
2 str ' '.join(w[::-1] for w in `str.`.split())
1 str ' '.join(`str.`.split(' ')[::-1])
1 str ' '.join(sorted(`str.`.split(), key=len))
1 str '_'.join(`str.`.lower().split())
1 str ''.join(w[0] for w in `str.`.split())
1 str `sep`.join(`str.`.split(`sep`))
1 str `str.`.split(`sep`, 1)[-1]
1 int `str.`.find(`char`) + 1  @10
1 int `str$`.rfind(`char`) - `str=`.find(`char`)  @10
1 int len(`str`) - `small`  @10
1 int sum(c.isupper() for c in `str`)
2 int sum(1 for c in `str` if c in 'aeiou')
1 int sum(int(c) for c in `str` if c.isdigit())
1 int len([c for c in `str` if c == `char`])
1 ints [i for i, c in enumerate(`str`) if c == `char`]
1 ints [ord(c) for c in `str`]
1 ints [len(w) for w in `str.`.split()]
2 counts {c: `str=`.count(c) for c in `str$`}
1 counts {c: i for i, c in enumerate(`str`)}
1 strs [c for c in `str` if c.isalpha()]
1 strs [c.upper() for c in `str`]
1 strs [`str$`[i:i + 2] for i in range(0, len(`str=`), 2)]
1 strs [`str$`[:i] for i in range(1, len(`str=`) + 1)][:5]
1 strs [a + b for a, b in zip(`str$`, `str=`[1:])]
1 bool all(c.isdigit() for c in `str`)
1 bool any(c.isupper() for c in `str`)
1 bool all(c in `str` for c in `str$`)
1 bool `str.`[:`small`] == `sub<`  @5
1 bool `str!$`[0] == `str!=`[-1]  @5
1 bool len(`str$`) == len(set(`str=`))  @5
"""

CHARACTERS = r"""
4 bool `char.`.isalpha()
3 bool `char.`.isdigit()
3 bool `char.`.isupper()
3 bool `char.`.islower()
2 bool `char.`.isalnum()
2 bool `char.`.isspace()
1 bool not `char.`.isalnum()  @4
5 bool `char<` in 'aeiou'  @5
1 bool `char<` not in 'aeiou'  @5
1 bool `char.`.lower() in 'aeiou'  @5
2 bool `char<` in ' ,.'  @5
1 bool `char<` in `strs<`  @5
4 bool `char<` == `char<`  @5
2 bool `char<` != `char<`  @5
3 bool `char<` in `str<`  @5
1 bool `char<` not in `str<`  @5
2 bool `char<` > `char<`  @5
1 bool `char<` <= 'm'  @5
1 bool 'a' <= `char<` <= 'm'  @5
1 bool ord(`char`) % 2 == 0  @5
1 bool ord(`char`) > 100  @5
3 str! `char.`.upper()
2 str! `char.`.lower()
2 str! `char.`.swapcase()
2 str! `char*` * 2  @11
1 str! `char*` + `char`  @10
1 str! '<' + `char` + '>'  @10
1 str! f'[{`char$`}]'
1 str! f'{`char$`}{`char=`.upper()}'
1 str `char.`.strip()
1 str `char.`.replace(`char`, `sub`)
1 str! chr(ord(`char`) + 1)
1 str! str(ord(`char`))
1 str! `char$`.upper() if `char=`.islower() else `char=`.lower()  @1
1 str! `char$` if `char=`.isalpha() else '_'  @1
1 str! '*' if `char$` in 'aeiou' else `char=`  @1
1 str! `char$` if `char=` != ' ' else '-'  @1
3 int ord(`char`)
2 int ord(`char`) - ord('a')  @10
1 int ord(`char`) - 96  @10
1 int 'abcdefghijklmnopqrstuvwxyz'.find(`char`)
1 int int(`char$`) if `char=`.isdigit() else 0  @1
1 int ord(`char`) % 10  @11
1 strs! [`char`]
"""

BYTES = r"""
2 bytes? `bytes?.`.upper()
1 bytes? `bytes?.`.lower()
1 bytes? `bytes?.`.swapcase()
1 bytes? `bytes?.`.title()
1 bytes? `bytes?.`.capitalize()
1 bytes `bytes.`.strip()
1 bytes `bytes.`.lstrip()
1 bytes `bytes.`.rstrip(b' ')
2 bytes `bytes.`.replace(`byte#`, `byte#`)
1 bytes `bytes.`.removeprefix(`byte#`)
1 bytes `bytes.`.removesuffix(`byte#`)
1 bytes! `bytes.`.center(`width#`)
1 bytes! `bytes.`.ljust(`width#`, b'.')
1 bytes! `bytes.`.rjust(`width#`, b'0')
1 bytes! `bytes.`.zfill(`width#`)
1 bytes `bytes.`.expandtabs(4)
2 bytes `bytes.`[`small`:]
2 bytes? `bytes?.`[::-1]
1 bytes `bytes.`[:`small`]
2 bytes `bytes+` + `byte#`  @10
1 bytes b'-'.join([`bytes`, `byte#`])
1 bytes bytes(sorted(`bytes`))
1 bytes bytes(b ^ 1 for b in `bytes`)
1 bytes `bytes.`.translate(None, `byte#`)
1 bytes `bytes.`.split(`byte#`)[0]
1 bytes `bytes.`.rsplit(`byte#`, 1)[-1]
1 bytes `bytes.`.partition(`byte#`)[2]
1 bytes `bytes.`.rpartition(`byte#`)[0]
1 bytes b' '.join(`bytes.`.splitlines())
1 str `bytes.`.decode('latin-1')
2 str `bytes.`.hex()
1 str `bytes.`.hex(' ')
1 str str(`bytes`)
2 cnt len(`bytes`)
1 cnt `bytes.`.count(`byte#`)
2 int `bytes.`.find(`byte#`)
1 int `bytes.`.rfind(`byte#`)
2 int `bytes!.`[0]
1 int `bytes!.`[-1]
1 int max(`bytes!`)
1 int sum(`bytes`)
1 int int.from_bytes(`bytes.`[:2], 'big')
2 ints list(`bytes`)
1 bool `bytes.`.startswith(`byte#`)
1 bool `bytes.`.endswith(`byte#`)
1 bool `bytes.`.isdigit()
1 bool `bytes.`.isalpha()
1 bool `bytes.`.isalnum()
1 bool `bytes.`.isupper()
1 bool `bytes.`.islower()
1 bool `bytes.`.isspace()
1 bool `bytes.`.isascii()
1 bool `bytes.`.istitle()
2 bool `byte#` in `bytes<`  @5
1 bool 97 in `bytes<`  @5
"""

FORMATS = r"""
4 str! f'{`str$`}{`str$`}'
3 str! f'{`str$`}-{`str$`}'
3 str! f'{`int$`}'
3 str! f'{`str$`}: {`int$`}'
3 str! f'{`str$`}={`int$`}'
2 str! f'<{`str$`}>'
2 str! f'{`str$`!r}'
1 str! f'{`str$`:>10}'
1 str! f'{`str$`:<8}|'
1 str! f'{`str$`:^12}'
1 str! f'{`str$`:*^15}'
1 str! f'{`str$`:.3}'
1 str! f'{`str$`=}'
1 str! f'{`int$`=}'
1 str! f'{`int$`:05d}'
1 str! f'{`int$`:,}'
1 str! f'{`int$`:x}'
1 str! f'{`int$`:#x}'
1 str! f'{`int$`:b}'
1 str! f'{`int$`:08b}'
1 str! f'{`int$`:+}'
1 str! f'{`int$`:>6}'
1 str! f'{`int$`:o}'
1 str! f'{`int$`:_}'
2 str! f'{`float$`:.2f}'
1 str! f'{`float$`:8.3f}'
1 str! f'{`float$`:.1%}'
1 str! f'{`float$`:e}'
1 str! f'{`float$`:g}'
1 str! f'{`str$`.upper()} {len(`str$`)}'
1 str! f'{len(`str$`)} chars'
1 str! f'{len(`ints$`)} items'
1 str! f'{`ints$`}'
1 str! f'{`tup$`}'
1 str! f'{`counts$`}'
1 str! f'{`bool$`}'
1 str! f'{`str$`:{`small$`}}'
1 str! f'{{{`str$`}}}'
2 str! '%s' % `str.`  @11
2 str! '%s=%d' % (`str`, `int`)  @11
1 str! '%d items' % `int.`  @11
1 str! '%5d|' % `int.`  @11
1 str! '%-8s|' % `str.`  @11
1 str! '%.2f' % `float.`  @11
1 str! '%05d' % `int.`  @11
1 str! '%x' % `cnt.`  @11
1 str! '%r' % `str.`  @11
1 str! '%s, %s!' % (`str`, `str`)  @11
1 str! '%.1f%%' % `float.`  @11
1 str! '%c' % `char.`  @11
3 str! '{}-{}'.format(`str`, `int`)
2 str! '{0} {1} {0}'.format(`str`, `str`)
1 str! '{:>8}'.format(`str`)
1 str! '{:^10}|'.format(`str`)
1 str! '{:03d}'.format(`int`)
1 str! '{:.2f}'.format(`float`)
1 str! '{:,}'.format(`int`)
1 str! '{name}={value}'.format(name=`str`, value=`int`)
1 str! '{!r}'.format(`str`)
1 str! '{0[0]}'.format(`ints!`)
1 str! '{a}: {b}'.format_map({'a': `str`, 'b': `int`})
1 str! format(`int`, ',')
1 str! format(`int`, '08b')
1 str! format(`int`, 'x')
1 str! format(`float`, '.3f')
1 str! format(`str`, '>12')
1 str! format(`str`, '*<9')
"""
