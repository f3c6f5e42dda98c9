package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
)

func colon(label string) string {
	if label == "" || label == "_" {
		return ""
	}
	return label + ": "
}

// opened takes the first part of a header (`if x := f(); `) out into a block around the statement.
func (w *weaver) opened(fn *function, node ast.Stmt, init ast.Stmt, rest token.Pos, word, label string) {
	file := fn.file
	from, to := file.at(node.Pos()), file.at(rest)
	if init == nil {
		if colon(label) != "" {
			file.edits.insert(from, rankHeader, colon(label))
		}
		return
	}
	w.literals(fn, init)
	text := file.edits.take(file.text, file.at(init.Pos()), file.at(init.End()))
	told := w.define(fn, init, from+1, file.at(node.End()))
	text = fmt.Sprintf("{ %s; %s%s%s ", text, semicolon(told), colon(label), word)
	file.edits.replace(from, to, rankHeader, withLines(text, file.text[from:to]))
	file.edits.insert(file.at(node.End()), rankAfter, " }")
}

func semicolon(text string) string {
	if text == "" {
		return ""
	}
	return text + "; "
}

func (w *weaver) ifStatement(fn *function, s *ast.IfStmt, own int) {
	file := fn.file
	w.literals(fn, s.Cond)
	w.opened(fn, s, s.Init, s.Cond.Pos(), "if", "")
	w.list(fn, s.Body.List, s.Body.End(), own)
	switch other := s.Else.(type) {
	case *ast.BlockStmt:
		w.list(fn, other.List, other.End(), own)
	case *ast.IfStmt:
		file.edits.insert(file.at(other.Pos()), rankOpen, "{ ")
		w.step(fn, other.Pos(), other.Pos(), own)
		w.ifStatement(fn, other, w.lineOf(other.Pos()))
		file.edits.insert(file.at(other.End()), rankAfter, " }")
	}
}

// hasRounds says whether each round of a loop has a step of its header: without one, `for {`, the steps of the body
// do, unless the body begins on the line of the header.
func (w *weaver) hasRounds(s *ast.ForStmt) bool {
	if s.Init != nil || s.Cond != nil || s.Post != nil {
		return true
	}
	return len(s.Body.List) > 0 && w.lineOf(s.Body.List[0].Pos()) == w.lineOf(s.Pos())
}

// forLoop moves all of the header into the loop, so that each round has its step before it changes anything.
func (w *weaver) forLoop(fn *function, s *ast.ForStmt, label string) {
	file, own := fn.file, w.lineOf(s.Pos())
	fn.push(label, "")
	defer fn.pop()
	from, to := file.at(s.Pos()), file.at(s.Body.Lbrace)+1
	if !w.hasRounds(s) {
		file.edits.insert(from, rankHeader, colon(label))
		w.list(fn, s.Body.List, s.Body.End(), own)
		return
	}
	first := w.fresh("t")
	init, told := "", ""
	if s.Init != nil {
		w.literals(fn, s.Init)
		init = file.edits.take(file.text, file.at(s.Init.Pos()), file.at(s.Init.End())) + "; "
		told = semicolon(w.define(fn, s.Init, from+1, file.at(s.End())))
	}
	post := ""
	if s.Post != nil {
		w.literals(fn, s.Post)
		post = file.edits.take(file.text, file.at(s.Post.Pos()), file.at(s.Post.End()))
	}
	text := fmt.Sprintf("{ %s%s%s := %s.Yes; %sfor { ", init, told, first, w.pkgName(), colon(label))
	if told != "" && w.mayOutlive(s) { // the compiler decides whether each round has variables of its own
		text = fmt.Sprintf("{ %s := %s.Yes; %sfor %s; { %s", first, w.pkgName(), colon(label), init, told)
	}
	text += fmt.Sprintf("if %s { %s = %s.No } else { %s.Line(%d, %d); %s }; ",
		first, first, w.pkgName(), w.frame(), own, from+1, post)
	if s.Cond != nil {
		w.literals(fn, s.Cond)
		text += fmt.Sprintf("if !(%s) { break }; ",
			file.edits.take(file.text, file.at(s.Cond.Pos()), file.at(s.Cond.End())))
	}
	file.edits.replace(from, to, rankHeader, withLines(text, file.text[from:to]))
	w.list(fn, s.Body.List, s.Body.End(), own)
	file.edits.insert(file.at(s.End()), rankAfter, " }")
}

// mayOutlive says whether a variable that a loop declares may be in use after its round: a function captures it, or
// its address is taken.
func (w *weaver) mayOutlive(s *ast.ForStmt) bool {
	own := map[types.Object]bool{}
	ast.Inspect(s.Init, func(node ast.Node) bool {
		if id, is := node.(*ast.Ident); is && w.info.Defs[id] != nil {
			own[w.info.Defs[id]] = true
		}
		return true
	})
	may := false
	mentions := func(node ast.Node) bool {
		if id, is := node.(*ast.Ident); is && own[w.info.Uses[id]] {
			may = true
		}
		return !may
	}
	for object := range own {
		_, isBasic := object.Type().(*types.Basic)
		may = may || !isBasic
	}
	ast.Inspect(s, func(node ast.Node) bool {
		switch n := node.(type) {
		case *ast.FuncLit:
			ast.Inspect(n.Body, mentions)
		case *ast.UnaryExpr:
			if n.Op == token.AND {
				ast.Inspect(n.X, mentions)
			}
		}
		return !may
	})
	return may
}

// rangeLoop has a step for each round, and one where nothing is left.
func (w *weaver) rangeLoop(fn *function, s *ast.RangeStmt, label string) {
	file, own := fn.file, w.lineOf(s.Pos())
	w.refuseIterator(s)
	first, left := w.fresh("t"), w.fresh("b")
	one := fn.push(label, left)
	w.literals(fn, s.X)
	from := file.at(s.Pos())
	start, pointers := len(fn.slots), ""
	for _, expr := range []ast.Expr{s.Key, s.Value} {
		id, is := expr.(*ast.Ident)
		if is && s.Tok == token.DEFINE && id.Name != "_" {
			fn.add(id.Name, from+1, file.at(s.End()), w.info.Defs[id])
			pointers += ", &" + id.Name
		}
	}
	round := fmt.Sprintf("%s = %s.Round(%d, %d, %d, %s%s); ", first, w.frame(), own, from+1, start, first, pointers)
	if s.Tok == token.ASSIGN {
		round = fmt.Sprintf("%s = %s.Again(%d, %d, %d, %d, %s); ",
			first, w.frame(), own, from+1, w.slotOf(fn, s.Key), w.slotOf(fn, s.Value), first)
	}
	file.edits.insert(file.at(s.Body.Lbrace)+1, rankScope, round)
	w.list(fn, s.Body.List, s.Body.End(), own)
	fn.pop()
	head := fmt.Sprintf("{ %s := %s.Yes; ", first, w.pkgName())
	tail := fmt.Sprintf("; %s.Line(%d, %d) }", w.frame(), own, from+1)
	if one.used {
		head += fmt.Sprintf("%s := %s.No; ", left, w.pkgName())
		tail = fmt.Sprintf("; if !%s { %s.Line(%d, %d) } }", left, w.frame(), own, from+1)
	}
	file.edits.insert(from, rankHeader, head+colon(label))
	file.edits.insert(file.at(s.End()), rankAfter, tail)
}

// refuseIterator refuses a range over a function of the program, whose frames would wait in the middle of a line while
// the body executes. One that the library returns has no frames.
func (w *weaver) refuseIterator(s *ast.RangeStmt) {
	if _, is := w.info.TypeOf(s.X).Underlying().(*types.Signature); !is || w.err != nil {
		return
	}
	var called ast.Expr
	if call, is := s.X.(*ast.CallExpr); is {
		called = call.Fun
	}
	if index, is := called.(*ast.IndexExpr); is {
		called = index.X
	}
	if selector, is := called.(*ast.SelectorExpr); is {
		if object := w.info.Uses[selector.Sel]; object != nil && object.Pkg() != nil && object.Pkg() != w.pkg {
			return
		}
	}
	at := w.set.PositionFor(s.X.Pos(), false)
	why := "range over a function of the program is not recorded"
	w.err = w.refuse(at, why, w.place(at)+": "+why, nil)
}

// slotOf is the slot of the variable that an expression is; -1: it is none.
func (w *weaver) slotOf(fn *function, expr ast.Expr) int {
	id, is := expr.(*ast.Ident)
	if !is || w.info.Uses[id] == nil {
		return -1
	}
	for k := range fn.slots {
		if fn.slots[k].object == w.info.Uses[id] {
			return k
		}
	}
	return -1
}

func (w *weaver) switchStatement(fn *function, s *ast.SwitchStmt, label string) {
	file := fn.file
	fn.push(label, "")
	defer fn.pop()
	rest := s.Body.Lbrace
	if s.Tag != nil {
		w.literals(fn, s.Tag)
		rest = s.Tag.Pos()
	}
	w.opened(fn, s, s.Init, rest, "switch", label)
	tag := w.openTag(fn, s)
	for _, statement := range s.Body.List {
		clause := statement.(*ast.CaseClause)
		line := 0
		for i, expr := range clause.List {
			w.literals(fn, expr)
			if i == 0 && w.hasStep(s, expr) {
				line = w.lineOf(expr.Pos())
				text := fmt.Sprintf("%s.Case(%d, %d) || ", w.frame(), line, file.at(clause.Pos()))
				file.edits.insert(file.at(expr.Pos()), rankLine, text)
			}
			if tag != "" {
				file.edits.insert(file.at(expr.Pos()), rankHeader, tag+" == (")
				file.edits.insert(file.at(expr.End()), rankAfter, ")")
			}
		}
		w.list(fn, clause.Body, clause.End()+1, line)
	}
}

// hasStep says whether a case has a step of its own when it is tried, by the first of its expressions.
func (w *weaver) hasStep(s *ast.SwitchStmt, expr ast.Expr) bool {
	return w.lineOf(expr.Pos()) != w.lineOf(s.Pos()) && (s.Tag != nil || isPlainBool(w.info.TypeOf(expr)))
}

// openTag keeps the value of a switch in a variable, whose name it returns: cases with steps are conditions.
func (w *weaver) openTag(fn *function, s *ast.SwitchStmt) string {
	if s.Tag == nil {
		return ""
	}
	for _, statement := range s.Body.List {
		for _, expr := range statement.(*ast.CaseClause).List {
			if w.hasStep(s, expr) {
				tag, file := w.fresh("t"), fn.file
				file.edits.insert(file.at(s.Tag.Pos()), rankOpen, tag+" := ")
				file.edits.insert(file.at(s.Tag.End()), rankAfter, ";")
				return tag
			}
		}
	}
	return ""
}

func (w *weaver) typeSwitch(fn *function, s *ast.TypeSwitchStmt, label string) {
	file := fn.file
	fn.push(label, "")
	defer fn.pop()
	w.literals(fn, s.Assign)
	w.opened(fn, s, s.Init, s.Assign.Pos(), "switch", label)
	for _, statement := range s.Body.List {
		clause := statement.(*ast.CaseClause)
		if object := w.info.Implicits[clause]; object != nil {
			k := fn.add(object.Name(), file.at(clause.Pos())+1, file.at(clause.End())+1, object)
			text := fmt.Sprintf(" %s.Var(%d, &%s);", w.frame(), k, object.Name())
			file.edits.insert(file.at(clause.Colon)+1, rankScope, text)
		}
		w.list(fn, clause.Body, clause.End()+1, 0)
	}
}

func (w *weaver) selectStatement(fn *function, s *ast.SelectStmt, label string) {
	file := fn.file
	fn.push(label, "")
	defer fn.pop()
	w.opened(fn, s, nil, s.Body.Lbrace, "select", label)
	for _, statement := range s.Body.List {
		clause := statement.(*ast.CommClause)
		if clause.Comm != nil {
			w.literals(fn, clause.Comm)
			told := w.define(fn, clause.Comm, file.at(clause.Pos())+1, file.at(clause.End())+1)
			if told != "" {
				file.edits.insert(file.at(clause.Colon)+1, rankScope, " "+told+";")
			}
		}
		w.list(fn, clause.Body, clause.End()+1, 0)
	}
}
