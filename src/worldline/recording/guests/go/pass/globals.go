package main

import (
	"fmt"
	"go/ast"
	"go/types"
	"strings"
)

// globals are the variables of the package that a file initialises while the program starts. All of a file's have one
// frame, named init: it ends where another file's begin, and before the first function init.
type globals struct {
	*function
	pointers []string
	lines    []globalStep
}

// globalStep is an initialisation: the line of its step, and whether the frame begins or ends with it.
type globalStep struct {
	line          int
	isFirst, ends bool
}

// initialisers instruments the values of package-level variables, in the order in which they are initialised.
func (w *weaver) initialisers() {
	specs := w.globalSpecs()
	byFile := map[*sourceFile]*globals{}
	var last *globals
	for _, initialiser := range w.info.InitOrder {
		spec := specs[initialiser.Rhs]
		if spec == nil || !w.isStepped(initialiser) {
			continue
		}
		g := byFile[spec.file]
		if g == nil {
			g = w.newGlobals(spec)
			byFile[spec.file] = g
			w.globals = append(w.globals, g)
		}
		isFirst := g != last
		if isFirst && last != nil {
			last.lines[len(last.lines)-1].ends = true
		}
		w.initialiser(g, spec, initialiser, isFirst)
		last = g
	}
	if last != nil {
		last.lines[len(last.lines)-1].ends = true
	}
	for _, g := range w.globals {
		g.flow = g.flowOf()
	}
}

// globalSpec is where the value of a package-level variable stands.
type globalSpec struct {
	file *sourceFile
	spec *ast.ValueSpec
}

func (w *weaver) globalSpecs() map[ast.Expr]*globalSpec {
	specs := map[ast.Expr]*globalSpec{}
	for _, file := range w.files {
		for _, declared := range file.syntax.Decls {
			group, is := declared.(*ast.GenDecl)
			if !is {
				continue
			}
			for _, one := range group.Specs {
				if spec, is := one.(*ast.ValueSpec); is {
					for _, value := range spec.Values {
						specs[value] = &globalSpec{file, spec}
					}
				}
			}
		}
	}
	return specs
}

// isStepped says whether a step can be made of an initialisation: of all but constants, and of several variables at
// once only by a call of a function.
func (w *weaver) isStepped(initialiser *types.Initializer) bool {
	value := w.info.Types[initialiser.Rhs]
	if len(initialiser.Lhs) == 1 {
		return value.Value == nil && !value.IsNil()
	}
	call, is := initialiser.Rhs.(*ast.CallExpr)
	return is && w.info.Types[call.Fun].IsValue()
}

func (w *weaver) newGlobals(spec *globalSpec) *globals {
	fn := &function{name: "init", file: spec.file, line: w.lineOf(spec.spec.Pos()), number: len(w.functions), isInit: true}
	spec.file.isUsed = true
	w.functions = append(w.functions, fn)
	return &globals{function: fn}
}

// initialiser makes the value the argument of a call, after one that has the step.
func (w *weaver) initialiser(g *globals, at *globalSpec, initialiser *types.Initializer, isFirst bool) {
	line, first := w.lineOf(at.spec.Pos()), len(g.slots)
	for _, variable := range initialiser.Lhs {
		if variable.Name() != "_" {
			g.slots = append(g.slots, slot{name: variable.Name(), end: always, object: variable})
			g.pointers = append(g.pointers, "&"+variable.Name())
		}
	}
	step := line
	if !isFirst && g.lines[len(g.lines)-1].line == line {
		step = 0
	}
	g.lines = append(g.lines, globalStep{line: line, isFirst: isFirst})
	kind, from, to := "", initialiser.Rhs.Pos(), initialiser.Rhs.End()
	if call, is := initialiser.Rhs.(*ast.CallExpr); is && len(initialiser.Lhs) > 1 {
		from, to = call.Fun.Pos(), call.Fun.End()
	} else if typed := at.spec.Type; typed != nil {
		kind = "[" + g.file.text[g.file.at(typed.Pos()):g.file.at(typed.End())] + "]"
	}
	text := fmt.Sprintf("%s.Value%s(%s.Global(&%sc%d, %d, %d, %d), ",
		w.pkgName(), kind, w.pkgName(), w.prefix, g.number, step, first, len(g.slots)-first)
	g.file.edits.insert(g.file.at(from), rankScope, text)
	g.file.edits.insert(g.file.at(to), rankAfter, ")")
}

// flowOf follows the order in which variables are initialised, which no value decides.
func (g *globals) flowOf() functionFlow {
	flow := functionFlow{
		Name: g.name, File: g.file.name, Line: g.line, Start: []int{}, Next: map[string][]int{},
		Handlers: map[string][]int{}, Yields: []int{}, Names: slotNames(g.function), Returns: []int{},
	}
	starts, returns, next := map[int]bool{}, map[int]bool{}, map[int]map[int]bool{}
	for i, step := range g.lines {
		if step.isFirst {
			starts[step.line] = true
		} else if before := g.lines[i-1].line; before != step.line {
			if next[before] == nil {
				next[before] = map[int]bool{}
			}
			next[before][step.line] = true
		}
		if step.ends {
			returns[step.line] = true
		}
	}
	for line, lines := range next {
		flow.Next[fmt.Sprint(line)] = sorted(lines)
	}
	flow.Start, flow.Returns = sorted(starts), sorted(returns)
	return flow
}

// globalTables is the source that gives the recorder pointers to the variables. No value depends on it: the method is
// called through an interface. This file is the first, so its variables are initialised first, and its function init
// is called first.
func (w *weaver) globalTables() string {
	if len(w.globals) == 0 {
		return ""
	}
	var out strings.Builder
	for _, g := range w.globals {
		name := fmt.Sprintf("%sg%d", w.prefix, g.number)
		fmt.Fprintf(&out, "type %s struct{}\nfunc (%s) Pointers() []any { return []any{%s} }\n",
			name, name, strings.Join(g.pointers, ", "))
		fmt.Fprintf(&out, "var _ = %s.Globals(&%sc%d, %s{})\n", w.pkgName(), w.prefix, g.number, name)
	}
	fmt.Fprintf(&out, "func init() { %s.Initialised() }\n", w.pkgName())
	return out.String()
}
