"""Templates: matrices and grids. Text only, read by `idioms_data_template`."""

from __future__ import annotations

GRIDS = r"""
:f transpose flip_matrix columns rotate_matrix mirror_rows
def $f($grid^: List[List[int]]^)^ -> List[List[int]]^:
<:
    $out = []
    for $col in range(len($grid[0])):
        $row = []
        for $i in range(len($grid)):
            $row.append($grid[$i][$col])
        $out.append($row)
    return $out
~
    return [[$row[$col] for $row in $grid] for $col in range(len($grid[0]))]
~
    return <:[list($row) for $row in zip(*$grid)]~list(zip(*$grid))~list(map(list, zip(*$grid[::-1])))~\
        [$row[::-1] for $row in $grid]~$grid[::-1]:>
~
    $out = [[0] * len($grid) for _ in range(len($grid[0]))]
    for $i, $row in enumerate($grid):
        for $col, $v in enumerate($row):
            $out[$col][$i] = $v
    return $out
~
    for $row in $grid:
        <:$row.reverse()~$row.sort()~$row.append(sum($row))~$row.insert(0, $row.pop()):>
    return <:$grid~$grid[0]~sum($grid, []):>
:>
:call $f(#matrix)
---
:f row_sums column_totals max_in_rows grid_sum count_cells
def $f($grid):
<:
    $t = 0
    for $row in $grid:
        for $v in $row:
            if #cond($v):
                $t += <:$v~1:>
    return $t
~
    return [<:sum($row)~max($row)~min($row)~$row[-1]~len($row)~sorted($row):> for $row in $grid]
~
    return [<:sum($row)~$row[1:]~max($row):> for $row in $grid if #cond($row[0])]
~
    $out = [0] * len($grid[0])
    for $row in $grid:
        for $i in range(len($row)):
            $out[$i] <:+= $row[$i]~= max($out[$i], $row[$i]):>
    return $out
~
    $best, $p = None, None
    for $i in range(len($grid)):
        for $j in range(len($grid[$i])):
            if $best is None or $grid[$i][$j] <:<~>:> $best:
                $best = $grid[$i][$j]
                $p = ($i, $j)
    return <:$p~$best, $p:>
~
    $out = []
    for $i, $row in enumerate($grid):
        $out += [($i, $j) for $j, $v in enumerate($row) if #cond($v)]
    return <:$out~len($out):>
~
    return sum(sum($row) for $row in $grid) <:~// len($grid)~- $grid[0][0]:>
:>
:call $f(#matrix)
---
:f diagonal trace diagonals diagonal_sum is_symmetric border
def $f($grid):
    $n = len($grid)
<:
    $t = 0
    for $i in range($n):
        $t += $grid[$i][<:$i~$n - 1 - $i~-$i - 1:>]
    return $t
~
    return <:[$grid[$i][$i] for $i in range($n)]~sum($grid[$i][$i] - $grid[$i][-$i - 1] for $i in range($n))~\
        [$grid[$i][$n - $i - 1] for $i in range($n)]:>
~
    for $i in range($n):
        for $j in range($i<:~ + 1, $n:>):
            if $grid[$i][$j] != $grid[$j][$i]:
                return <:False~($i, $j):>
    return <:True~None:>
~
    for $i in range($n):
        for $j in range($i):
            $grid[$i][$j], $grid[$j][$i] = $grid[$j][$i], $grid[$i][$j]
    return $grid
~
    $t = 0
    for $i in range($n):
        for $j in range($n):
            if $i in (0, $n - 1) or $j in (0, $n - 1):
                $t += $grid[$i][$j]
            <:else:
                $t -= 1~:>
    return $t
:>
:call $f(#square)
---
:f matmul multiply_matrices mat_vec matrix_power
def $f($a, $b):
<:
    $out = []
    for $row in $a:
        $tmp = []
        for $col in zip(*$b):
            $tmp.append(sum($v * $c for $v, $c in zip($row, $col)))
        $out.append($tmp)
    return $out
~
    $n = len($a)
    $out = [[0] * $n for _ in range($n)]
    for $i in range($n):
        for $j in range($n):
            for $k in range($n):
                $out[$i][$j] += $a[$i][$k] * $b[$k][$j]
    return $out
~
    return [[#pair($v,$c) for $v, $c in zip($row, $col)] for $row, $col in zip($a, $b)]
~
    $out = []
    for $row in $a:
        $t = 0
        for $i, $v in enumerate($row):
            $t += $v * $b[0][$i]
        $out.append($t)
    return $out
:>
:call $f([[#int(0,5), #int(0,5)], [#int(0,5), #int(0,5)]], [[#int(0,5), #int(-2,5)], [#int(0,5), #int(0,5)]])
---
:f spiral spiral_order snake_order zigzag walk_matrix
def $f($grid):
    $out = []
<:
    while $grid:
        $out += $grid.pop(0)
        $grid = [list($row) for $row in zip(*$grid)][::-1]
    return $out
~
    for $i, $row in enumerate($grid):
        if $i % 2 == <:0~1:>:
            $out.extend($row)
        else:
            $out.extend(<:$row[::-1]~reversed($row):>)
    return $out
~
    for $i in range(len($grid) + len($grid[0]) - 1):
        for $row in range(len($grid)):
            $col = $i - $row
            if 0 <= $col < len($grid[0]):
                $out.append($grid[$row][$col])
    return $out
:>
:call $f(#matrix)
---
:f count_islands neighbors_of flood_fill count_neighbors life_step
def $f($grid, $row=<:0~1:>, $col=<:0~1:>):
<:
    $cnt = 0
    for $a, $b in ((0, 1), (1, 0), (0, -1), (-1, 0)):
        $i, $j = $row + $a, $col + $b
        if 0 <= $i < len($grid) and 0 <= $j < len($grid[0]):
            $cnt += $grid[$i][$j]
    return $cnt
~
    def fill($i, $j):
        if $i < 0 or $j < 0 or $i >= len($grid) or $j >= len($grid[0]):
            return 0
        if $grid[$i][$j] <:!= 1~== 0:>:
            return 0
        $grid[$i][$j] = <:0~0:>
        return 1 + fill($i + 1, $j) + fill($i - 1, $j) + fill($i, $j + 1) + fill($i, $j - 1)
    return fill($row, $col)<:~, $grid:>
~
    $st = [($row, $col)]
    $v = $grid[$row][$col]
    while $st:
        $i, $j = $st.pop()
        if $grid[$i][$j] != $v:
            continue
        $grid[$i][$j] = <:7~9~'x':>
        if $i + 1 < len($grid):
            $st.append(($i + 1, $j))
        if $j + 1 < len($grid[0]):
            $st.append(($i, $j + 1))
    return $grid
~
    $out = []
    for $i in range(len($grid)):
        $cnt = 0
        for $j in range(len($grid[0])):
            if $grid[$i][$j]:
                $cnt += 1
            else:
                $cnt = 0
        $out.append($cnt)
    return $out
:>
:call $f(#grid)
:call $f(#grid, #int(0,1), #int(0,1))
"""
