package main

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"sort"
	"strings"
)

// woven is an instrumented program.
type woven struct {
	files map[string]string // by name
	order []string          // in which the compiler gets them
	flow  flowTable
}

// weaver inserts the calls of the recorder.
type weaver struct {
	*loaded
	prefix    string // of all names that it adds; the program has none of them
	functions []*function
	globals   []*globals
	counter   int
	mainCall  bool // the program's own main is not what is executed
	err       error
}

// slot is a variable that frames of a function show.
type slot struct {
	name       string
	start, end int
	hides      int
	object     types.Object
	outer      int // of a captured variable: its slot in the function around, plus one
}

// function is one function of the program, or a function literal.
type function struct {
	number    int
	name      string
	file      *sourceFile
	line      int
	slots     []slot
	results   []string
	parent    *function
	literals  int
	isMain    bool
	isInit    bool // called while the program starts
	isGeneric bool // the closures of such functions have a dictionary of types before what they capture
	body      *ast.BlockStmt
	loops     []*loop
	flow      functionFlow
}

// loop is a statement that `break` may leave.
type loop struct {
	label string
	flag  string // set where a range loop is left by a break
	used  bool
}

const always = 1 << 30

func weave(p *loaded, asked *request) (*woven, error) {
	w := &weaver{loaded: p, prefix: "wl_", mainCall: asked.Call != nil}
	for w.isTaken(w.prefix) {
		w.prefix += "_"
	}
	for _, file := range p.files {
		w.file(file)
	}
	if !w.mainCall {
		w.initialisers()
	}
	if w.err != nil {
		return nil, w.err
	}
	out := &woven{files: map[string]string{}}
	entry, err := w.entry(asked)
	if err != nil {
		return nil, err
	}
	for _, file := range p.files {
		out.files[file.name] = w.finished(file)
		out.order = append(out.order, file.name)
	}
	sort.Strings(out.order) // as `go build` does
	tables := w.prefix + "worldline.go"
	out.files[tables] = w.tables() + entry
	out.order = append([]string{tables}, out.order...)
	out.flow = w.flowTable()
	return out, nil
}

func (w *weaver) isTaken(prefix string) bool {
	for _, file := range w.files {
		if strings.Contains(file.text, prefix) {
			return true
		}
	}
	return false
}

// finished is the text of a file with its edits.
func (w *weaver) finished(file *sourceFile) string {
	name := file.syntax.Name
	text := "main"
	if file.isUsed {
		text += fmt.Sprintf("; import %s \"worldline\"", w.pkgName())
	}
	file.edits.replace(file.at(name.Pos()), file.at(name.End()), rankHeader, text)
	return fmt.Sprintf("//line %s:1\n", file.name) + file.edits.apply(file.text, 0, len(file.text))
}

func (f *sourceFile) at(pos token.Pos) int { return f.token.Offset(pos) }

func (w *weaver) pkgName() string { return w.prefix + "p" }
func (w *weaver) frame() string   { return w.prefix + "f" }

func (w *weaver) fresh(letter string) string {
	w.counter++
	return fmt.Sprintf("%s%s%d", w.prefix, letter, w.counter)
}

func (w *weaver) file(file *sourceFile) {
	outside := &function{file: file}
	for _, declared := range file.syntax.Decls {
		switch d := declared.(type) {
		case *ast.FuncDecl:
			w.declared(file, d)
		case *ast.GenDecl:
			w.literals(outside, d)
		}
	}
}

func (w *weaver) declared(file *sourceFile, d *ast.FuncDecl) {
	if d.Body == nil || d.Name.Name == "_" {
		return
	}
	name := d.Name.Name
	if d.Recv != nil && len(d.Recv.List) > 0 {
		name = receiverName(d.Recv.List[0].Type) + "." + name
	}
	fn := &function{name: name, file: file, line: w.lineOf(d.Pos()), body: d.Body, isGeneric: w.isGeneric(d)}
	if d.Recv == nil && d.Name.Name == "main" {
		if w.mainCall {
			w.renameMain(file, d)
		}
		fn.isMain = !w.mainCall
	}
	fn.isInit = d.Recv == nil && d.Name.Name == "init" && !w.mainCall
	w.function(fn, d.Recv, d.Type, d)
}

func (w *weaver) isGeneric(d *ast.FuncDecl) bool {
	fn, is := w.info.Defs[d.Name].(*types.Func)
	if !is {
		return true
	}
	signature := fn.Type().(*types.Signature)
	return signature.TypeParams().Len() > 0 || signature.RecvTypeParams().Len() > 0
}

// renameMain gives the program's own main another name: a call is executed in its place.
func (w *weaver) renameMain(file *sourceFile, d *ast.FuncDecl) {
	object := w.info.Defs[d.Name]
	for _, each := range w.files {
		ast.Inspect(each.syntax, func(node ast.Node) bool {
			if id, is := node.(*ast.Ident); is && object != nil && (w.info.Uses[id] == object || id == d.Name) {
				each.edits.replace(each.at(id.Pos()), each.at(id.End()), rankHeader, w.prefix+"main")
			}
			return true
		})
	}
}

func receiverName(expr ast.Expr) string {
	switch t := expr.(type) {
	case *ast.StarExpr:
		return receiverName(t.X)
	case *ast.ParenExpr:
		return receiverName(t.X)
	case *ast.IndexExpr:
		return receiverName(t.X)
	case *ast.IndexListExpr:
		return receiverName(t.X)
	case *ast.Ident:
		return t.Name
	}
	return "?"
}

// function instruments one function: `node` is all of it.
func (w *weaver) function(fn *function, receiver *ast.FieldList, kind *ast.FuncType, node ast.Node) {
	fn.file.isUsed = true
	fn.number = len(w.functions)
	w.functions = append(w.functions, fn)
	pointers := []string{}
	w.nameResults(fn, kind)
	for _, name := range fn.results {
		pointers = append(pointers, "&"+name)
	}
	for _, list := range []*ast.FieldList{receiver, kind.Params, kind.Results} {
		pointers = append(pointers, w.parameters(fn, list)...)
	}
	pointers = append(pointers, w.outer(fn, node)...)
	enter := fmt.Sprintf("%s := %s.Enter(&%sc%d", w.frame(), w.pkgName(), w.prefix, fn.number)
	for _, pointer := range pointers {
		enter += ", " + pointer
	}
	enter += fmt.Sprintf("); defer %s.Leave();", w.frame())
	fn.file.edits.insert(fn.file.at(fn.body.Lbrace)+1, rankEnter, enter)
	w.list(fn, fn.body.List, fn.body.End(), 0)
	fn.flow = flowOf(w, fn)
}

// nameResults gives all results names, so that their values can be read when the function returns.
func (w *weaver) nameResults(fn *function, kind *ast.FuncType) {
	if kind.Results == nil {
		return
	}
	file := fn.file
	for _, field := range kind.Results.List {
		if len(field.Names) == 0 {
			name := fmt.Sprintf("%sr%d", w.prefix, len(fn.results))
			fn.results = append(fn.results, name)
			file.edits.insert(file.at(field.Type.Pos()), rankOpen, name+" ")
		}
		for _, id := range field.Names {
			name := id.Name
			if name == "_" {
				name = fmt.Sprintf("%sr%d", w.prefix, len(fn.results))
				file.edits.replace(file.at(id.Pos()), file.at(id.End()), rankHeader, name)
			}
			fn.results = append(fn.results, name)
		}
	}
	if !kind.Results.Opening.IsValid() && len(kind.Results.List) > 0 {
		file.edits.insert(file.at(kind.Results.Pos()), rankScope, "(")
		file.edits.insert(file.at(kind.Results.End()), rankAfter, ")")
	}
}

// parameters adds the slots of named parameters or results, and returns pointers to them.
func (w *weaver) parameters(fn *function, list *ast.FieldList) []string {
	pointers := []string{}
	if list == nil {
		return pointers
	}
	for _, field := range list.List {
		for _, id := range field.Names {
			if id.Name != "_" {
				fn.slots = append(fn.slots, slot{name: id.Name, end: always, object: w.info.Defs[id]})
				pointers = append(pointers, "&"+id.Name)
			}
		}
	}
	return pointers
}

// outer adds the slots of the variables from around a function that it names: captured ones, then globals.
func (w *weaver) outer(fn *function, node ast.Node) []string {
	var captured, globals []*types.Var
	seen := map[types.Object]bool{}
	ast.Inspect(fn.body, func(inner ast.Node) bool {
		id, is := inner.(*ast.Ident)
		if !is {
			return true
		}
		v, is := w.info.Uses[id].(*types.Var)
		if !is || v.IsField() || seen[v] || v.Name() == "_" {
			return true
		}
		seen[v] = true
		if v.Parent() == w.pkg.Scope() {
			globals = append(globals, v)
		} else if v.Pkg() == w.pkg && (v.Pos() < node.Pos() || v.Pos() >= node.End()) {
			captured = append(captured, v)
		}
		return true
	})
	pointers := []string{}
	for _, v := range append(captured, globals...) {
		if !w.isHiddenAtEntry(fn, v) {
			fn.slots = append(fn.slots, slot{name: v.Name(), end: always, object: v, outer: fn.outerSlot(v)})
			pointers = append(pointers, "&"+v.Name())
		}
	}
	return pointers
}

// outerSlot is the slot of a captured variable in the function around, plus one; 0: it is not captured.
func (fn *function) outerSlot(v *types.Var) int {
	if fn.parent != nil {
		for k, known := range fn.parent.slots {
			if known.object == v {
				return k + 1
			}
		}
	}
	return 0
}

func (w *weaver) isHiddenAtEntry(fn *function, v *types.Var) bool {
	for _, known := range fn.slots {
		if known.name == v.Name() {
			return true
		}
	}
	return false
}

// add makes a slot for a variable and returns its number.
func (fn *function) add(name string, start, end int, object types.Object) int {
	hides := 0
	for k := len(fn.slots) - 1; k >= 0 && hides == 0; k-- {
		if s := fn.slots[k]; s.name == name && s.start <= start && start < s.end {
			hides = k + 1
		}
	}
	fn.slots = append(fn.slots, slot{name: name, start: start, end: end, hides: hides, object: object})
	return len(fn.slots) - 1
}

// literals instruments the function literals inside a node, but not those inside them, which they do themselves.
func (w *weaver) literals(fn *function, node ast.Node) {
	if isNilNode(node) {
		return
	}
	ast.Inspect(node, func(inner ast.Node) bool {
		literal, is := inner.(*ast.FuncLit)
		if !is {
			return true
		}
		fn.literals++
		name := fmt.Sprintf("func%d", fn.literals)
		if fn.name != "" {
			name = fn.name + "." + name
		}
		w.function(&function{
			name: name, file: fn.file, line: w.lineOf(literal.Pos()), parent: fn, body: literal.Body,
			isGeneric: fn.isGeneric,
		}, nil, literal.Type, literal)
		return false
	})
}

func isNilNode(node ast.Node) bool {
	switch n := node.(type) {
	case nil:
		return true
	case ast.Expr:
		return n == nil
	}
	return false
}

// tables is the source of what the recorder knows of each function.
func (w *weaver) tables() string {
	var out strings.Builder
	fmt.Fprintf(&out, "package main\nimport %s \"worldline\"\n", w.pkgName())
	closures, word := []string{}, map[bool]string{true: "Yes", false: "No"}
	for _, fn := range w.functions {
		fmt.Fprintf(&out, "var %sc%d = %s.Code{Name: %q, File: %q, Line: %d, Results: %d, IsMain: %s.%s, IsInit: %s.%s, Slots: []%s.Slot{",
			w.prefix, fn.number, w.pkgName(), fn.name, fn.file.name, fn.line, len(fn.results),
			w.pkgName(), word[fn.isMain], w.pkgName(), word[fn.isInit], w.pkgName())
		captured := false
		for _, s := range fn.slots {
			captured = captured || s.outer > 0
			fmt.Fprintf(&out, "{Name: %q, Start: %d, End: %d, Hides: %d, Outer: %d}, ",
				s.name, s.start, s.end, s.hides, s.outer)
		}
		out.WriteString("}")
		if captured && fn.parent.name != "" && !fn.isGeneric {
			fmt.Fprintf(&out, ", Outer: &%sc%d", w.prefix, fn.parent.number)
			closures = append(closures, fmt.Sprintf("&%sc%d", w.prefix, fn.number))
		}
		out.WriteString("}\n")
	}
	if len(closures) > 0 {
		fmt.Fprintf(&out, "func init() { %s.Closures(%s) }\n", w.pkgName(), strings.Join(closures, ", "))
	}
	out.WriteString(w.globalTables())
	if w.mayFault() {
		fmt.Fprintf(&out, "func init() { %s.MayFault() }\n", w.pkgName())
	}
	return out.String()
}

// mayFault says whether the program imports a package with which it can make memory unreadable.
func (w *weaver) mayFault() bool {
	for _, imported := range w.pkg.Imports() {
		switch imported.Path() {
		case "unsafe", "reflect", "syscall":
			return true
		}
	}
	return false
}
