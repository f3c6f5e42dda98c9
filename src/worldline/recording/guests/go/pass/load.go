package main

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/scanner"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strings"
)

// sourceFile is a file of the program, with the edits that instrument it.
type sourceFile struct {
	name   string
	text   string
	syntax *ast.File
	token  *token.File
	edits  edits
	isUsed bool // it has calls of the recorder
}

// loaded is a program that compiles.
type loaded struct {
	set     *token.FileSet
	files   []*sourceFile
	info    *types.Info
	pkg     *types.Package
	main    string // the name of the file that was asked for
	archive map[string]string
}

func load(asked *request) (*loaded, error) {
	archive, err := readArchives(asked.Tools)
	if err != nil {
		return nil, err
	}
	p := &loaded{set: token.NewFileSet(), main: asked.Name, archive: archive}
	if err := p.parse(asked); err != nil {
		return nil, err
	}
	return p, p.check()
}

// readArchives returns the compiled packages of the library by path.
func readArchives(tools string) (map[string]string, error) {
	text, err := os.ReadFile(filepath.Join(tools, "importcfg"))
	if err != nil {
		return nil, err
	}
	archive := map[string]string{}
	for _, line := range strings.Split(string(text), "\n") {
		if path, file, is := strings.Cut(strings.TrimPrefix(line, "packagefile "), "="); is {
			archive[path] = strings.ReplaceAll(file, "${TOOLS}", tools)
		}
	}
	return archive, nil
}

func (p *loaded) parse(asked *request) error {
	names := []string{asked.Name}
	for name := range asked.Files {
		if strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") && name != asked.Name {
			names = append(names, name)
		}
	}
	sort.Strings(names[1:])
	var found scanner.ErrorList
	for i, name := range names {
		text := asked.Source
		if i > 0 {
			text = asked.Files[name]
		}
		syntax, err := parser.ParseFile(p.set, name, text, parser.ParseComments)
		if list, is := err.(scanner.ErrorList); is {
			found = append(found, list...)
		} else if err != nil {
			return err
		}
		if syntax != nil && syntax.Name != nil {
			p.files = append(p.files, &sourceFile{
				name: name, text: text, syntax: syntax, token: p.set.File(syntax.Pos()),
			})
		}
	}
	if len(found) > 0 {
		return p.refuse(found[0].Pos, found[0].Msg, found.Error(), found)
	}
	return nil
}

func (p *loaded) refuse(at token.Position, why, message string, all scanner.ErrorList) error {
	lines := []string{}
	for _, one := range all {
		lines = append(lines, one.Error())
	}
	if len(lines) > 0 {
		message = strings.Join(lines, "\n")
	}
	return &refusal{"source", p.place(at) + ": " + why, message + "\n"}
}

// place names a line, and its file if that is not the program's own.
func (p *loaded) place(at token.Position) string {
	if at.Filename == p.main {
		return fmt.Sprintf("line %d", at.Line)
	}
	return fmt.Sprintf("%s, line %d", at.Filename, at.Line)
}

// check finds the types, as the compiler does.
func (p *loaded) check() error {
	var found scanner.ErrorList
	for _, file := range p.files[1:] {
		if file.syntax.Name.Name != p.files[0].syntax.Name.Name {
			at := p.set.PositionFor(file.syntax.Name.Pos(), false)
			why := fmt.Sprintf("package %s, not %s", file.syntax.Name.Name, p.files[0].syntax.Name.Name)
			return p.refuse(at, why, p.place(at)+": "+why, nil)
		}
	}
	config := types.Config{
		Importer: importer.ForCompiler(p.set, "gc", p.open),
		Error: func(err error) {
			if one, is := err.(types.Error); is {
				found.Add(p.set.PositionFor(one.Pos, false), one.Msg)
			}
		},
		Sizes: types.SizesFor("gc", "amd64"),
	}
	p.info = &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{}, Defs: map[*ast.Ident]types.Object{},
		Uses: map[*ast.Ident]types.Object{}, Implicits: map[ast.Node]types.Object{},
		Instances: map[*ast.Ident]types.Instance{},
	}
	var syntax []*ast.File
	byName := append([]*sourceFile(nil), p.files...)
	sort.Slice(byName, func(i, j int) bool { return byName[i].name < byName[j].name })
	for _, file := range byName { // the order in which variables are initialised
		syntax = append(syntax, file.syntax)
	}
	pkg, err := config.Check("main", p.set, syntax, p.info)
	if len(found) > 0 {
		why := strings.TrimPrefix(found[0].Msg, "\t")
		return p.refuse(found[0].Pos, why, "", found)
	}
	p.pkg = pkg
	return err
}

// open reads the compiled package of an import.
func (p *loaded) open(path string) (io.ReadCloser, error) {
	file, known := p.archive[path]
	known = known && path != "worldline"
	if !known {
		file, known = p.archive["vendor/"+path]
	}
	if !known {
		return nil, fmt.Errorf("package %s is not in the standard library; programs have no others", path)
	}
	return os.Open(file)
}

// lineOf is the line of the file itself, whatever `//line` says.
func (p *loaded) lineOf(at token.Pos) int {
	return p.set.PositionFor(at, false).Line
}
