"""Templates: graphs: walks, orders, shortest paths. Text only, read by `idioms_data_template`."""

from __future__ import annotations

GRAPHS = r"""
:f bfs breadth_first reachable visit_all shortest_hops
def $f($g, $node):
<:
    $seen = [$node]
    $q = [$node]
    while $q:
        $cur = $q.pop(0)
        for $nb in $g[$cur]:
            if $nb not in $seen:
                $seen.append($nb)
                $q.append($nb)
    return <:$seen~len($seen)~sorted($seen):>
~
    $t = {$node: 0}
    $q = deque([$node])
    while $q:
        $cur = $q.popleft()
        for $nb in $g.get($cur, []):
            if $nb in $t:
                continue
            $t[$nb] = $t[$cur] + 1
            $q.append($nb)
    return <:$t~max($t.values())~sorted($t, key=$t.get):>
~
    $out = [[$node]]
    $seen = {$node}
    while $out[-1]:
        $tmp = []
        for $cur in $out[-1]:
            for $nb in $g[$cur]:
                if $nb not in $seen:
                    $seen.add($nb)
                    $tmp.append($nb)
        $out.append($tmp)
    return $out[:-1]
:>
:call $f(#graph, #one)
---
:f dfs depth_first explore has_path find_path
def $f($g, $node, $seen=None):
<:
    if $seen is None:
        $seen = <:[]~set():>
    if $node in $seen:
        return <:$seen~sorted($seen):>
    $seen = <:list($seen) + [$node]~[*$seen, $node]:>
    for $nb in $g.get($node, []):
        if $nb not in $seen:
            $seen = $f($g, $nb, $seen)
    return $seen
~
    $st = [$node]
    $out = []
    while $st:
        $cur = $st.pop()
        if $cur in $out:
            continue
        $out.append($cur)
        <:$st.extend($g.get($cur, []))~for $nb in reversed($g.get($cur, [])):
            $st.append($nb):>
    return <:$out~$out[::-1]~len($out) == len($g):>
~
    $seen = $seen or []
    if len($seen) > 4:
        return $seen
    for $nb in $g.get($node, ()):
        if $nb not in $seen:
            return $f($g, $nb, $seen + [$node])
    return $seen + [$node]
:>
:call $f(#graph, #one)
---
:f degrees edge_count to_edges reverse_graph isolated
def $f($g):
<:
    $out = {}
    for $node in $g:
        $out.setdefault($node, 0)
        for $nb in $g[$node]:
            $out[$nb] = $out.get($nb, 0) + 1
    return <:$out~[$node for $node in $out if $out[$node] == 0]~max($out, key=lambda $nb: $out[$nb]):>
~
    $out = {$node: [] for $node in $g}
    for $node, $items in $g.items():
        for $nb in $items:
            $out[$nb].append($node)
    return $out
~
    $out = []
    for $node, $items in $g.items():
        for $nb in $items:
            if <:$node != $nb~($nb, $node) not in $out:>:
                $out.append(($node, $nb))
    return <:$out~len($out)~sorted($out, reverse=True):>
~
    return {$node: len($items) for $node, $items in $g.items()<:~ if $items:>}
:>
:call $f(#graph)
---
:f topo_sort order_tasks resolve_order dependencies
def $f($g):
<:
    $out = []
    $seen = set()
    def visit($node):
        if $node in $seen:
            return
        $seen.add($node)
        for $nb in $g.get($node, []):
            visit($nb)
        $out.append($node)
    for $node in $g:
        visit($node)
    return $out
~
    $out = []
    $q = dict($g)
    while $q:
        $tmp = [$node for $node in $q if all($nb in $out for $nb in $q[$node])]
        if not $tmp:
            return None
        for $node in $tmp:
            $out.append($node)
            del $q[$node]
    return $out
~
    def depth($node):
        if not $g[$node]:
            return 0
        return 1 + max(depth($nb) for $nb in $g[$node])
    return {$node: depth($node) for $node in $g}
:>
:call $f(#dag)
---
:f shortest_path dijkstra cheapest min_cost
def $f($g, $node):
    $t = {$node: 0}
    $q = [(0, $node)]
    while $q:
        <:$v, $cur = heapq.heappop($q)~$q.sort()
        $v, $cur = $q.pop(0):>
        if $v > $t.get($cur, 999):
            continue
        for $nb, $b in $g.get($cur, {}).items():
            if $v + $b < $t.get($nb, 999):
                $t[$nb] = $v + $b
                <:heapq.heappush($q, ($t[$nb], $nb))~$q.append(($t[$nb], $nb)):>
    return <:$t~sorted($t.items())~max($t.values()):>
:call $f({'A': {'B': #int(1,9), 'C': #int(1,9)}, 'B': {'C': #int(1,4)}, 'C': {}}, '<:A~A~B:>')
:call $f({'s': {'a': #int(1,5), 'b': #int(1,9)}, 'a': {'b': #int(1,3), 't': #int(2,9)}, 'b': {'t': #int(1,5)}}, 's')
"""
