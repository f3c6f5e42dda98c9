package main

import (
	"go/ast"
	"go/token"
	"sort"
	"strconv"
)

// functionFlow says which steps of a function may follow each other (docs/reference/format.md, "Flow tables").
type functionFlow struct {
	Name     string           `json:"name"`
	File     string           `json:"file"`
	Line     int              `json:"line"`
	Start    []int            `json:"start"`
	Next     map[string][]int `json:"next"`
	Handlers map[string][]int `json:"handlers"`
	Returns  []int            `json:"returns"`
	Yields   []int            `json:"yields"`
	Names    []string         `json:"names"`
}

type flowTable struct {
	Functions []functionFlow `json:"functions"`
	Globals   []string       `json:"globals"`
}

// flowNode is a step, or a place without a step if its line is 0.
type flowNode struct {
	line int
	next []int
}

// flowGraph is built from the end: each statement is given what follows it, and returns where it begins.
type flowGraph struct {
	w      *weaver
	nodes  []flowNode
	labels map[string]int
	loops  []flowLoop
	defers bool
}

type flowLoop struct {
	label            string
	onBreak, onAgain int // nodes; -1 where there is none
}

const flowEnd = 0 // the node where the function returns

func (w *weaver) flowTable() flowTable {
	table := flowTable{Globals: []string{}, Functions: []functionFlow{}}
	for _, fn := range w.functions {
		table.Functions = append(table.Functions, fn.flow)
	}
	return table
}

func flowOf(w *weaver, fn *function) functionFlow {
	g := &flowGraph{w: w, labels: map[string]int{}}
	g.node(0)
	start := g.list(fn.body.List, flowEnd)
	flow := functionFlow{
		Name: fn.name, File: fn.file.name, Line: fn.line, Start: g.reached([]int{start}, nil),
		Next: map[string][]int{}, Handlers: map[string][]int{}, Yields: []int{}, Names: []string{}, Returns: []int{},
	}
	following, returns := map[int]map[int]bool{}, map[int]bool{}
	for _, node := range g.nodes[1:] {
		if node.line == 0 {
			continue
		}
		if following[node.line] == nil {
			following[node.line] = map[int]bool{}
		}
		returning := g.defers
		for _, line := range g.reached(node.next, &returning) {
			following[node.line][line] = true
		}
		returns[node.line] = returns[node.line] || returning
	}
	for line, lines := range following {
		flow.Next[strconv.Itoa(line)] = sorted(lines)
	}
	if empty := false; len(g.reached([]int{start}, &empty)) == 0 || empty {
		returns[fn.line] = true
	}
	flow.Returns = sorted(returns)
	flow.Names = slotNames(fn)
	return flow
}

func slotNames(fn *function) []string {
	names, seen := []string{}, map[string]bool{}
	for _, s := range fn.slots {
		if !seen[s.name] {
			seen[s.name] = true
			names = append(names, s.name)
		}
	}
	return names
}

func sorted(lines map[int]bool) []int {
	out := []int{}
	for line, is := range lines {
		if is {
			out = append(out, line)
		}
	}
	sort.Ints(out)
	return out
}

// reached returns the lines of the first steps from some nodes, and whether the function may end before any.
func (g *flowGraph) reached(from []int, returning *bool) []int {
	seen, lines := map[int]bool{}, map[int]bool{}
	todo := append([]int(nil), from...)
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[at] {
			continue
		}
		seen[at] = true
		if at == flowEnd {
			if returning != nil {
				*returning = true
			}
			continue
		}
		if line := g.nodes[at].line; line > 0 {
			lines[line] = true
			continue
		}
		todo = append(todo, g.nodes[at].next...)
	}
	return sorted(lines)
}

func (g *flowGraph) node(line int, next ...int) int {
	g.nodes = append(g.nodes, flowNode{line, next})
	return len(g.nodes) - 1
}

func (g *flowGraph) label(name string) int {
	if _, known := g.labels[name]; !known {
		g.labels[name] = g.node(0)
	}
	return g.labels[name]
}

func (g *flowGraph) list(statements []ast.Stmt, follow int) int {
	for i := len(statements) - 1; i >= 0; i-- {
		follow = g.statement(statements[i], follow, "")
	}
	return follow
}

func (g *flowGraph) statement(statement ast.Stmt, follow int, label string) int {
	line := g.w.lineOf(statement.Pos())
	switch s := statement.(type) {
	case *ast.EmptyStmt:
		return follow
	case *ast.BlockStmt:
		return g.list(s.List, follow)
	case *ast.LabeledStmt:
		at := g.label(s.Label.Name)
		g.nodes[at].next = []int{g.statement(s.Stmt, follow, s.Label.Name)}
		return at
	case *ast.DeclStmt:
		return g.declaration(s, follow)
	case *ast.ReturnStmt:
		return g.node(line, flowEnd)
	case *ast.BranchStmt:
		return g.branch(s, line)
	case *ast.DeferStmt:
		g.defers = true
	case *ast.IfStmt:
		return g.ifStatement(s, follow)
	case *ast.ForStmt:
		return g.forLoop(s, follow, label)
	case *ast.RangeStmt:
		return g.rangeLoop(s, follow, label)
	case *ast.SwitchStmt:
		return g.clauses(s.Body.List, line, follow, label, s)
	case *ast.TypeSwitchStmt:
		return g.clauses(s.Body.List, line, follow, label, nil)
	case *ast.SelectStmt:
		return g.selectStatement(s, line, follow, label)
	}
	return g.node(line, follow)
}

func (g *flowGraph) declaration(s *ast.DeclStmt, follow int) int {
	declared, is := s.Decl.(*ast.GenDecl)
	if !is || declared.Tok != token.VAR {
		return follow
	}
	for i := len(declared.Specs) - 1; i >= 0; i-- {
		at := declared.Specs[i].Pos()
		if !declared.Lparen.IsValid() {
			at = s.Pos()
		}
		follow = g.node(g.w.lineOf(at), follow)
	}
	return follow
}

func (g *flowGraph) branch(s *ast.BranchStmt, line int) int {
	if s.Tok == token.GOTO {
		return g.node(line, g.label(s.Label.Name))
	}
	if s.Tok == token.FALLTHROUGH {
		return g.node(line, g.label("fallthrough"))
	}
	for i := len(g.loops) - 1; i >= 0; i-- {
		one := g.loops[i]
		if s.Label != nil && s.Label.Name != one.label {
			continue
		}
		if s.Tok == token.BREAK {
			return g.node(line, one.onBreak)
		}
		if one.onAgain >= 0 {
			return g.node(line, one.onAgain)
		}
	}
	return g.node(line)
}

func (g *flowGraph) ifStatement(s *ast.IfStmt, follow int) int {
	other := follow
	if s.Else != nil {
		other = g.statement(s.Else, follow, "")
	}
	return g.node(g.w.lineOf(s.Pos()), g.list(s.Body.List, follow), other)
}

func (g *flowGraph) inside(label string, onBreak, onAgain int, body func()) {
	g.loops = append(g.loops, flowLoop{label, onBreak, onAgain})
	body()
	g.loops = g.loops[:len(g.loops)-1]
}

func (g *flowGraph) forLoop(s *ast.ForStmt, follow int, label string) int {
	line := g.w.lineOf(s.Pos())
	again := line
	if !g.w.hasRounds(s) {
		again = 0
	}
	round := g.node(again)
	g.inside(label, follow, round, func() {
		g.nodes[round].next = []int{g.list(s.Body.List, round)}
	})
	if s.Cond != nil {
		g.nodes[round].next = append(g.nodes[round].next, follow)
	}
	return g.node(line, g.nodes[round].next...)
}

func (g *flowGraph) rangeLoop(s *ast.RangeStmt, follow int, label string) int {
	line := g.w.lineOf(s.Pos())
	round := g.node(line, follow)
	g.inside(label, follow, round, func() {
		g.nodes[round].next = append(g.nodes[round].next, g.list(s.Body.List, round))
	})
	// The first step is followed by one that finds nothing, if there is nothing.
	return g.node(line, append([]int{round}, g.nodes[round].next...)...)
}

// clauses is a switch; the cases of one that is not of types are tried one after the other, each on its line.
func (g *flowGraph) clauses(list []ast.Stmt, line, follow int, label string, tried *ast.SwitchStmt) int {
	bodies := make([]int, len(list))
	hasDefault, otherwise := false, follow
	g.inside(label, follow, -1, func() {
		for i := len(list) - 1; i >= 0; i-- {
			clause := list[i].(*ast.CaseClause)
			if i+1 < len(list) {
				g.labels["fallthrough"] = bodies[i+1]
			}
			bodies[i] = g.list(clause.Body, follow)
			if clause.List == nil {
				hasDefault, otherwise = true, bodies[i]
			}
		}
	})
	if tried != nil {
		return g.tried(tried, bodies, line, otherwise)
	}
	next := append([]int(nil), bodies...)
	if !hasDefault {
		next = append(next, follow)
	}
	return g.node(line, next...)
}

func (g *flowGraph) tried(s *ast.SwitchStmt, bodies []int, line, otherwise int) int {
	for i := len(s.Body.List) - 1; i >= 0; i-- {
		clause := s.Body.List[i].(*ast.CaseClause)
		if clause.List == nil {
			continue
		}
		own := g.w.lineOf(clause.List[0].Pos())
		if !g.w.hasStep(s, clause.List[0]) {
			own = 0
		}
		otherwise = g.node(own, bodies[i], otherwise)
	}
	return g.node(line, otherwise)
}

func (g *flowGraph) selectStatement(s *ast.SelectStmt, line, follow int, label string) int {
	at := g.node(line)
	g.inside(label, follow, -1, func() {
		for _, statement := range s.Body.List {
			body := g.list(statement.(*ast.CommClause).Body, follow)
			g.nodes[at].next = append(g.nodes[at].next, body)
		}
	})
	return at
}
