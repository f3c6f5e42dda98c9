"""Idioms that read structure out of a text: fields, pairs, paths, addresses, brackets, markup, lines.

A library of templates (see idioms_text_idiom for the blocks, idioms_text_template for the holes); no code.
"""

from __future__ import annotations

LIBRARY = r"""
== split_fields, parse_row, columns : fields separator
def $f($s, $sep):
«    return [$w.strip() for $w in $s.split($sep)«| if $w.strip()»]
|    $ws = $s.split($sep)
    for $i in range(len($ws)):
        $ws[$i] = $ws[$i].«strip()|upper()|capitalize()|strip().lower()»
    return $ws
|    $l = []
    for $w in $s.split($sep):
        if $w.isdigit():
            $l.append(int($w))
        «|elif not $w:
            $l.append(None)
        »else:
            $l.append($w)
    return $l
|    $ws = $s.split($sep)
    return «$ws[-1]|$sep.join($ws[::-1])|$ws[1:]|len($ws)|$ws[0] + $ws[-1]|$sep.join(sorted($ws))\
|{$w: len($w) for $w in $ws}|tuple($ws)|max($ws, key=len)»
|    $l = []
    $g = ''
    for $x in $s:
        if $x == $sep:
            $l.append($g)
            $g = ''
        else:
            $g += $x
    $l.append($g)
    return $l
|    $ws = $s.«split|rsplit»($sep, «1|2|1»)
    if len($ws) < 2:
        return «$s|None|''|$ws»
    return «$ws[1]|$ws[0].strip()|$ws[::-1]|$sep.join($ws[1:])»
|    return ($sep + «#sep»).join($s.split($sep))
|    $ws = $s.split($sep)
    $ws.«pop()|pop(0)|reverse()|sort()|append($ws[0])|insert(1, «#mark»)|extend($ws[:1])»
    return $sep.join($ws)
»
== parse_pairs, read_settings, to_dict : pairs/query
def $f($s):
«    $d = {}
    for $w in $s.split(«';'|'&'|';'»):
        if '=' not in $w:
            continue
        $k, $v = $w.split('=', 1)
        $d[$k«|.strip()»] = $v«|.strip()|»
    return «$d|$d|sorted($d)|list($d.values())|len($d)»
|    $d = {}
    for $w in $s.replace('&', ';').split(';'):
        $k, $g, $v = $w.partition('=')
        «|if not $g:
            $v = «True|None|''»
        »$d[$k] = «$v|int($v) if $v.isdecimal() else $v|$v.upper()»
    return $d
|    return dict($w.split('=', 1) for $w in $s.split(«'&'|';'») if '=' in $w)
|    return {$k: $v for $k, _, $v in ($w.partition('=') for $w in $s.split('&'))}
|    $l = []
    for $w in $s.split(';'):
        try:
            $k, $v = $w.split('=')
        except ValueError:
            «continue|$l.append($w)»
        else:
            $l.append(($k, $v))
    return $l
»
== lookup_setting, get_param, find_value : pairs/query word
def $f($s, $t):
«    for $w in $s.replace('&', ';').split(';'):
        if $w.startswith($t + '='):
            return $w[len($t) + 1:]
    return «None|''|'missing'»
|    $i = $s.find($t«| + '='»)
    if $i == -1:
        return None
    $j = $s.find(«';'|'&'», $i)
    return $s[$i«| + len($t)»:$j] if $j != -1 else $s[$i:]
|    $d = dict($w.partition('=')[::2] for $w in $s.split('&'))
    return $d.get($t, «''|None|len($d)|$s»)
»
== to_query, format_pairs, dump : record
def $f($dm):
«    return '«&|;|, »'.join(f'{$k}={$v}' for $k, $v in $dm.items())
|    $l = []
    for $k in sorted($dm):
        $l.append(«$k + '=' + $dm[$k]|f'{$k}: {$dm[$k]!r}'|'%s -> %s' % ($k, $dm[$k])»)
    return '«\n|, |; »'.join($l)
|    $r = ''
    for $k, $v in $dm.items():
        «|if not $v:
            continue
        »$r += «$k + ':' + $v + ' '|f'{$k}={$v.upper()};'|$k[0] + $v[-1:]»
    return $r«.strip()|.rstrip(';')|[:-1]|»
|    return {$k.upper(): $v.«strip()|lower()|title()|split()» for $k, $v in $dm.items()}
|    return {$v: $k for $k, $v in $dm.items()«| if len($v) > «#int 2 5»»}
|    return max($dm, key=lambda $k: len($dm[$k]))
|    $m = max(len($k) for $k in $dm)
    return [$k.«ljust|rjust»($m«|, '.'») + ' ' + $v for $k, $v in $dm.items()]
»
== base_name, file_extension, path_parts : path
def $f($s):
«    return $s.split('/')[«-1|0|-1|1:|:-1»]
|    $i = $s.rfind('.')
    if $i == -1«| or '/' in $s[$i:]»:
        return «''|$s|None»
    return $s[«$i + 1:|:$i|$i:»]«|.lower()|»
|    $ws = [$w for $w in $s.split('/') if $w«| and $w != '.'»]
    return «$ws|'/'.join($ws)|'/' + '/'.join($ws[:-1])|$ws[-1] if $ws else '/'|len($ws)|$ws[::-1]»
|    $l = []
    for $w in $s.split('/'):
        if $w == '..':
            if $l:
                $l.pop()
        elif $w and $w != '.':
            $l.append($w)
    return '/' + '/'.join($l)
|    $a, _, $o = $s.rpartition(«'/'|'.'»)
    return «$a, $o|$o or $a|$a or '.'|$o + «#mark» + $a|{'dir': $a, 'base': $o}»
|    if $s.endswith(('.txt', «'.py'|'.md'|'.gz'»)):
        return $s«.rsplit('.', 1)[0]|[:-«3|4»]|.upper()»
    «if|elif» $s.«startswith|endswith»('/'):
        return $s.strip('/')
    return «$s + '.txt'|'./' + $s|$s.count('/')»
»
== host_of, parse_url, split_address : url
def $f($s):
«    if '://' in $s:
        $s = $s.split('://', 1)[1]
    return $s«.split('/')[0]|.split('/', 1)[0].split(':')[0]|.partition('/')[2]|.split('?')[0]»
|    $a, $g, $o = $s.partition('://')
    if not $g:
        $a, $o = 'http', $s
    return «$a, $o|[$a, $o.split('/')[0]]|{'scheme': $a, 'rest': $o}|$a.upper() + ':' + $o»
|    for $p in ('http://', 'https://', «'ftp://'|'www.'»):
        if $s.startswith($p):
            $s = $s[len($p):]
«            break
|»    return «$s|$s.rstrip('/')|$s.split('.')|$s[:$s.find('/')]»
|    $s, _, $o = $s.partition('?')
    $d = {}
    for $w in $o.split('&'):
        if $w:
            $k, _, $v = $w.partition('=')
            $d[$k] = $v
    return «$d|$s, $d»
|    return $s.startswith(«'https://'|('http://', 'https://')\
|('ftp', 'http')») and $s.«endswith(('.com', '.org'))|count('.') > 1|count('/') == 2»
»
== mail_parts, valid_email, mask_email : email
def $f($s):
«    $a, _, $o = $s.«partition|rpartition»('@')
    return «$a, $o|$o|$a[:1] + '*' * (len($a) - 1) + '@' + $o|$a.split('+')[0] + '@' + $o.lower()\
|{'user': $a, 'host': $o}»
|    if $s.count('@') != 1:
        return False
    $a, $o = $s.split('@')
    return «len($a) > 0 and '.' in $o|bool($a) and $o.find('.') > 0|$a.isalnum() and $o.endswith('.com')»
|    try:
        $a, $o = $s.split('@')
    except ValueError:
        return «None|''|'bad'»
    «|if not $a or not $o:
        return 'empty'
    »return «$o.split('.')[0]|$a.replace('.', '')|$o + '!' + $a»
|    $i = $s.find('@')
    return $s[«:$i|$i + 1:|$i:»] if $i «> 0|!= -1» else «$s|None|''»
»
== balanced, check_brackets, match_parens : brackets
def $f($s):
«    $m = 0
    for $x in $s:
        if $x == '(':
            $m += 1
        elif $x == ')':
            $m -= 1
            if $m < 0:
                return False
    return $m == 0
|    $l = []
    $d = {')': '(', ']': '[', '}': '{'}
    for $x in $s:
        if $x in «'([{'|$d.values()»:
            $l.append($x)
        elif $x in $d:
            if not $l or $l«.pop()|[-1]» != $d[$x]:
                return False
            «|$l and $l.pop()
»    return «not $l|len($l) == 0|len($l)|$l == []»
|    $m = $a = 0
    for $x in $s:
        if $x in '([{':
            $m += 1
            $a = max($a, $m)
        elif $x in ')]}':
            $m -= 1
    return «$a|($a, $m)|$a if $m == 0 else -1»
|    while '()' in $s or '[]' in $s or '{}' in $s:
        $s = $s.replace('()', '').replace('[]', '').replace('{}', '')
    return «$s == ''|$s|len($s)|not $s»
|    $l = []
    for $i, $x in enumerate($s):
        if $x in '([':
            $l.append($i)
        elif $x in ')]':
            if $l:
                $l.pop()
            else:
                return $i
    return «$l[-1] if $l else -1|len($l)|$l»
»
== nesting, depth_of, level_at : brackets
def $f($s):
    $m = 0
    $l = []
    for $x in $s:
        if $x in «'('|'([{'|'<['»:
            $m += 1
        $l.append($m)
        if $x in «')'|')]}'|'>]'»:
            $m -= 1
    return «$l|max($l)|''.join(str(abs($n)) for $n in $l)|$l.count(1)»

== strip_tags, remove_markup, plain : markup
def $f($s):
«    $r = ''
    $b = False
    for $x in $s:
        if $x == '<':
            $b = True
        elif $x == '>':
            $b = False
        elif not $b:
            $r += $x
    return $r
|    for $x in («'**', '_'|'<b>', '</b>'|'*', '_', '`'|'<p>', '</p>', '<i>'»):
        $s = $s.replace($x, '')
    return $s«|.strip()|.title()»
|    while '<' in $s and '>' in $s:
        $i = $s.find('<')
        $j = $s.find('>', $i)
        if $j == -1:
            break
        $s = $s[:$i] + $s[$j + 1:]
    return $s
|    $i = $s.find(«'>'|'['|'**'»)
    $j = $s.find(«'</'|']'|'**'», $i + 1)
    return $s[$i + 1:$j]«| if $i < $j else ''»
|    $d = {'<': '&lt;', '>': '&gt;', '&': '&amp;'}
    return ''.join($d.get($x, $x) for $x in $s)
»
== line_lengths, clean_lines, number_lines : lines
def $f($s):
«    return [len($w) for $w in $s.splitlines()]
|    $l = []
    for $w in $s.«splitlines()|split('\n')»:
        if not $w.strip()«| or $w.startswith('#')»:
            continue
        $l.append($w«.strip()|.rstrip()|.upper()|»)
    return «$l|'\n'.join($l)|len($l)|' '.join($l)»
|    return '\n'.join(f'{$i}«:|.| |»{$w}' for $i, $w in enumerate($s.splitlines(), 1))
|    $ws = $s.splitlines(«|True|keepends=True»)
    return «$ws|$ws[-1:]|''.join($ws[::-1])|max(map(len, $ws))|[$w.strip() for $w in $ws]|len($ws)»
|    $r = ''
    for $w in $s.split('\n'):
        $r += «'    ' + $w|'> ' + $w|$w.strip() + ' '|$w.lstrip()» + '\n'
    return $r«|[:-1]|.rstrip()»
|    return «$s.replace('\n', ' ')|$s.replace('\r\n', '\n').split('\n')|$s.count('\n')|$s.expandtabs(«2|4|8»)\
|'\n'.join($w for $w in $s.split('\n') if $w)|' '.join($s.split())»
»
== parse_log, log_level, message_of : log
def $f($s):
«    $a, $g, $o = $s.split(' ', 2)
    return «{'time': $a, 'level': $g.strip('[]:'), 'text': $o}|$g.strip(':[]-').lower()|$o.lstrip('- ')\
|f'{$g}/{$a}'»
|    for $w in ('ERROR', 'WARN', 'INFO'):
        if $w in $s:
            return «$w|$s[$s.index($w):]|$s.partition($w)[2].strip(' :]-')|($w, $s.find($w))»
    return «'unknown'|None|$s»
|    if 'error' in $s.lower():
        return $s.upper()
    «return|if ']' not in $s:
        return» $s.split(' ')[«0|-1|1:»]
|    $ws = $s.split()
    return «$ws[1].strip('[]:')|' '.join($ws[2:])|len($ws)|[$w for $w in $ws if $w.isupper()]\
|[$w for $w in $ws if not $w[0].isdigit()]»
»
"""
