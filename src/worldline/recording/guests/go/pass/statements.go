package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

// list instruments the statements of a block that ends at `end`; `line` is the line that has its step already.
func (w *weaver) list(fn *function, statements []ast.Stmt, end token.Pos, line int) {
	for _, statement := range statements {
		line = w.statement(fn, statement, end, line, "")
	}
}

// statement instruments a statement, and returns the line that needs no further step after it.
func (w *weaver) statement(fn *function, statement ast.Stmt, end token.Pos, line int, label string) int {
	own := w.lineOf(statement.Pos())
	switch s := statement.(type) {
	case *ast.EmptyStmt:
		return line
	case *ast.BlockStmt:
		w.list(fn, s.List, s.End(), line)
		return after(w, s, own)
	case *ast.LabeledStmt:
		return w.labeled(fn, s, end, line)
	case *ast.DeclStmt:
		return w.declaration(fn, s, end, line)
	}
	if label == "" {
		w.step(fn, statement.Pos(), statement.Pos(), line)
	}
	switch s := statement.(type) {
	case *ast.IfStmt:
		w.ifStatement(fn, s, own)
	case *ast.ForStmt:
		w.forLoop(fn, s, label)
	case *ast.RangeStmt:
		w.rangeLoop(fn, s, label)
	case *ast.SwitchStmt:
		w.switchStatement(fn, s, label)
	case *ast.TypeSwitchStmt:
		w.typeSwitch(fn, s, label)
	case *ast.SelectStmt:
		w.selectStatement(fn, s, label)
	default:
		w.simple(fn, statement, end)
		return own
	}
	return after(w, statement, own)
}

// after is the line without further steps behind a compound statement: its own if it has no other.
func after(w *weaver, node ast.Node, own int) int {
	if w.lineOf(node.End()-1) == own {
		return own
	}
	return 0
}

// step inserts a step before a statement, unless its line has one.
func (w *weaver) step(fn *function, at, place token.Pos, line int) {
	own := w.lineOf(at)
	if own == line {
		return
	}
	text := fmt.Sprintf("%s.Line(%d, %d); ", w.frame(), own, fn.file.at(place))
	fn.file.edits.insert(fn.file.at(at), rankLine, text)
}

func (w *weaver) simple(fn *function, statement ast.Stmt, end token.Pos) {
	file := fn.file
	switch s := statement.(type) {
	case *ast.GoStmt:
		file.edits.insert(file.at(s.Pos()), rankHeader, w.frame()+".Share(); ")
	case *ast.BranchStmt:
		w.branch(fn, s)
	}
	w.literals(fn, statement)
	if s, is := statement.(*ast.AssignStmt); is && s.Tok == token.DEFINE {
		text := w.define(fn, s, file.at(s.Pos())+1, file.at(end))
		file.edits.insert(file.at(s.End()), rankAfter, following(text))
	}
}

// following is a statement that is inserted behind another one.
func following(text string) string {
	if text == "" {
		return ""
	}
	return "; " + text
}

// define makes slots of the variables that a statement declares, and returns the call that tells of them.
func (w *weaver) define(fn *function, statement ast.Stmt, start, end int) string {
	assign, is := statement.(*ast.AssignStmt)
	if !is || assign.Tok != token.DEFINE {
		return ""
	}
	var ids []*ast.Ident
	for _, expr := range assign.Lhs {
		if id, is := expr.(*ast.Ident); is {
			ids = append(ids, id)
		}
	}
	return w.tellOf(fn, ids, start, end)
}

func (w *weaver) tellOf(fn *function, ids []*ast.Ident, start, end int) string {
	first, pointers := -1, ""
	for _, id := range ids {
		object := w.info.Defs[id]
		if object == nil || id.Name == "_" {
			continue
		}
		k := fn.add(id.Name, start, end, object)
		if first < 0 {
			first = k
		}
		pointers += ", &" + id.Name
	}
	if first < 0 {
		return ""
	}
	return fmt.Sprintf("%s.Var(%d%s)", w.frame(), first, pointers)
}

func (w *weaver) declaration(fn *function, s *ast.DeclStmt, end token.Pos, line int) int {
	declared, is := s.Decl.(*ast.GenDecl)
	if !is || declared.Tok != token.VAR {
		return line
	}
	file := fn.file
	if declared.Lparen.IsValid() {
		return w.declarationGroup(fn, s, declared, end, line)
	}
	w.step(fn, s.Pos(), s.Pos(), line)
	w.literals(fn, s)
	for _, spec := range declared.Specs {
		ids := spec.(*ast.ValueSpec).Names
		text := w.tellOf(fn, ids, file.at(s.Pos())+1, file.at(end))
		file.edits.insert(file.at(s.End()), rankAfter, following(text))
	}
	return w.lineOf(s.Pos())
}

// declarationGroup makes a declaration of each line of `var (...)`.
func (w *weaver) declarationGroup(fn *function, s *ast.DeclStmt, declared *ast.GenDecl, end token.Pos, line int) int {
	file := fn.file
	file.edits.replace(file.at(s.Pos()), file.at(declared.Lparen)+1, rankHeader, "")
	for _, spec := range declared.Specs {
		value := spec.(*ast.ValueSpec)
		w.step(fn, value.Pos(), value.Pos(), line)
		line = w.lineOf(value.Pos())
		w.literals(fn, value)
		file.edits.insert(file.at(value.Pos()), rankHeader, "var ")
		text := w.tellOf(fn, value.Names, file.at(value.Pos())+1, file.at(end))
		file.edits.insert(file.at(value.End()), rankAfter, following(text))
	}
	file.edits.replace(file.at(declared.Rparen), file.at(declared.Rparen)+1, rankHeader, "")
	return 0
}

// labeled keeps a label at its loop, where `continue` looks for it; `goto` gets a label before the loop's step.
func (w *weaver) labeled(fn *function, s *ast.LabeledStmt, end token.Pos, line int) int {
	file := fn.file
	switch s.Stmt.(type) {
	case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
	default:
		return w.statement(fn, s.Stmt, end, 0, "")
	}
	byGoto, byBranch := w.labelUses(fn, s)
	text := ""
	if byGoto {
		text = s.Label.Name + w.prefix + ": "
	}
	file.edits.replace(file.at(s.Pos()), file.at(s.Colon)+1, rankHeader, text)
	w.step(fn, s.Stmt.Pos(), s.Pos(), 0)
	label := "_"
	if byBranch {
		label = s.Label.Name
	}
	return w.statement(fn, s.Stmt, end, line, label)
}

func (w *weaver) labelUses(fn *function, s *ast.LabeledStmt) (byGoto, byBranch bool) {
	object := w.info.Defs[s.Label]
	ast.Inspect(fn.body, func(node ast.Node) bool {
		if branch, is := node.(*ast.BranchStmt); is && branch.Label != nil && w.info.Uses[branch.Label] == object {
			byGoto = byGoto || branch.Tok == token.GOTO
			byBranch = byBranch || branch.Tok != token.GOTO
		}
		return true
	})
	return byGoto, byBranch
}

// branch notes that a break leaves a range loop, and follows labels that have moved.
func (w *weaver) branch(fn *function, s *ast.BranchStmt) {
	file := fn.file
	if s.Tok == token.GOTO {
		if w.isMoved(fn, s.Label) {
			file.edits.insert(file.at(s.Label.End()), rankAfter, w.prefix)
		}
		return
	}
	if s.Tok != token.BREAK {
		return
	}
	for i := len(fn.loops) - 1; i >= 0; i-- {
		one := fn.loops[i]
		if s.Label == nil || s.Label.Name == one.label {
			if one.flag != "" {
				one.used = true
				file.edits.insert(file.at(s.Pos()), rankHeader, fmt.Sprintf("%s = %s.Yes; ", one.flag, w.pkgName()))
			}
			return
		}
	}
}

// isMoved says whether the label of a goto is that of a compound statement.
func (w *weaver) isMoved(fn *function, label *ast.Ident) bool {
	object, moved := w.info.Uses[label], false
	ast.Inspect(fn.body, func(node ast.Node) bool {
		if s, is := node.(*ast.LabeledStmt); is && w.info.Defs[s.Label] == object {
			switch s.Stmt.(type) {
			case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
				moved = true
			}
		}
		return true
	})
	return moved
}

func (fn *function) push(label, flag string) *loop {
	one := &loop{label: label, flag: flag}
	fn.loops = append(fn.loops, one)
	return one
}

func (fn *function) pop() { fn.loops = fn.loops[:len(fn.loops)-1] }

func isPlainBool(t types.Type) bool {
	basic, is := t.(*types.Basic)
	return is && basic.Info()&types.IsBoolean != 0
}
