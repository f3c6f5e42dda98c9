package main

import (
	"encoding/json"
	"fmt"
	"go/token"
	"go/types"
	"strconv"
	"strings"
)

// callTree is a call with canonical arguments, as recording/languages/call.py parses it.
type callTree struct {
	Function  string `json:"function"`
	Arguments []tree `json:"arguments"`
}

// tree is a value: a kind, and a text, items or pairs.
type tree struct {
	kind  string
	text  string
	items []tree
	pairs [][2]tree
}

func (t *tree) UnmarshalJSON(data []byte) error {
	var parts []json.RawMessage
	if err := json.Unmarshal(data, &parts); err != nil {
		return err
	}
	if err := json.Unmarshal(parts[0], &t.kind); err != nil || len(parts) < 2 {
		return err
	}
	switch t.kind {
	case "list", "tuple", "set":
		return json.Unmarshal(parts[1], &t.items)
	case "dict":
		return json.Unmarshal(parts[1], &t.pairs)
	case "bool":
		t.text = string(parts[1])
		return nil
	}
	return json.Unmarshal(parts[1], &t.text)
}

// described is how a refusal names the value.
func (t *tree) described() string {
	switch t.kind {
	case "none":
		return "None"
	case "int":
		return "the number " + t.text
	case "bytes":
		return "bytes"
	case "list", "tuple", "set":
		return fmt.Sprintf("a %s of %d items", t.kind, len(t.items))
	}
	return "a " + t.kind
}

func misfit(format string, arguments ...any) error {
	why := fmt.Sprintf(format, arguments...)
	return &refusal{"call", why, why + "\n"}
}

// entry is the source of the main that executes a call; a script has its own.
func (w *weaver) entry(asked *request) (string, error) {
	if asked.Call == nil {
		if w.pkg.Name() != "main" {
			return "", &refusal{"source", "package " + w.pkg.Name() + " is not main: call one of its functions", ""}
		}
		if main, is := w.pkg.Scope().Lookup("main").(*types.Func); !is || main == nil {
			return "", &refusal{"source", "function main is undeclared in the main package", ""}
		}
		return "", nil
	}
	fn, is := w.pkg.Scope().Lookup(asked.Call.Function).(*types.Func)
	if !is {
		return "", misfit("there is no function %s", asked.Call.Function)
	}
	arguments, err := w.arguments(fn, asked.Call.Arguments)
	if err != nil {
		return "", err
	}
	name := fn.Name()
	if name == "main" {
		name = w.prefix + "main"
	}
	call := fmt.Sprintf("%s(%s)", name, strings.Join(arguments, ", "))
	return fmt.Sprintf("func main() { %s.Begin(); %s }\n", w.pkgName(), call), nil
}

func (w *weaver) arguments(fn *types.Func, given []tree) ([]string, error) {
	signature := fn.Type().(*types.Signature)
	params := signature.Params()
	fewest := params.Len()
	if signature.Variadic() {
		fewest--
	}
	if len(given) < fewest || len(given) > params.Len() && !signature.Variadic() {
		return nil, misfit("%s takes %d arguments, not %d", fn.Name(), params.Len(), len(given))
	}
	out := []string{}
	for i, value := range given {
		param := params.At(min(i, params.Len()-1))
		kind := param.Type()
		if signature.Variadic() && i >= fewest {
			kind = kind.(*types.Slice).Elem()
		}
		if signature.TypeParams().Len() > 0 && mentionsParameter(kind) {
			text, err := w.natural(&value)
			if err != nil {
				return nil, err
			}
			out = append(out, text)
			continue
		}
		text, err := w.literal(&value, kind)
		if err != nil {
			return nil, misfit("argument %d of %s: %s", i+1, fn.Name(), err)
		}
		out = append(out, text)
	}
	return out, nil
}

func min(a, b int) int {
	if a < b {
		return a
	}
	return b
}

func mentionsParameter(t types.Type) bool {
	return strings.Contains(fmt.Sprintf("%T", t), "TypeParam") || func() bool {
		switch c := t.(type) {
		case *types.Slice:
			return mentionsParameter(c.Elem())
		case *types.Array:
			return mentionsParameter(c.Elem())
		case *types.Map:
			return mentionsParameter(c.Key()) || mentionsParameter(c.Elem())
		case *types.Pointer:
			return mentionsParameter(c.Elem())
		}
		return false
	}()
}

// typeText spells a type of the program; one of another package cannot be spelled without an import.
func (w *weaver) typeText(t types.Type) string {
	return types.TypeString(t, func(pkg *types.Package) string {
		if pkg == w.pkg {
			return ""
		}
		return pkg.Name()
	})
}

// literal writes a value as a Go expression of a type.
func (w *weaver) literal(value *tree, t types.Type) (string, error) {
	spelled := w.typeText(t)
	refused := func() (string, error) { return "", fmt.Errorf("%s is not a %s", value.described(), spelled) }
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return w.basic(value, u, spelled)
	case *types.Interface:
		if u.NumMethods() > 0 && value.kind != "none" {
			return refused()
		}
		return w.natural(value)
	case *types.Slice:
		if value.kind == "bytes" && types.Identical(u.Elem().Underlying(), types.Typ[types.Uint8]) {
			return w.bytes(value, spelled)
		}
		return w.sequence(value, u.Elem(), spelled, -1)
	case *types.Array:
		return w.sequence(value, u.Elem(), spelled, u.Len())
	case *types.Map:
		return w.mapping(value, u, spelled)
	case *types.Struct:
		return w.structure(value, u, spelled)
	case *types.Pointer:
		if value.kind == "none" {
			return "(" + spelled + ")(nil)", nil
		}
		if _, is := u.Elem().Underlying().(*types.Struct); is {
			text, err := w.literal(value, u.Elem())
			return "&" + text, err
		}
	default:
		if value.kind == "none" {
			return "nil", nil
		}
	}
	return refused()
}

func (w *weaver) bytes(value *tree, spelled string) (string, error) {
	text := ""
	for i := 0; i+1 < len(value.text); i += 2 {
		text += "0x" + value.text[i:i+2] + ", "
	}
	return spelled + "{" + text + "}", nil
}

func (w *weaver) basic(value *tree, u *types.Basic, spelled string) (string, error) {
	info := u.Info()
	fits := false
	text := value.text
	switch value.kind {
	case "bool":
		fits = info&types.IsBoolean != 0
		text = strings.ToLower(text)
	case "int":
		fits = info&types.IsInteger != 0 && inRange(text, u) || info&types.IsFloat != 0
	case "float":
		fits = info&types.IsFloat != 0
		if text == "inf" || text == "-inf" || strings.HasPrefix(text, "nan") {
			return "", fmt.Errorf("%s has no literal in Go", text)
		}
		if text == "-0.0" {
			return "", fmt.Errorf("-0.0 has no literal in Go")
		}
	case "str":
		fits = info&types.IsString != 0
		text = strconv.Quote(text)
	case "bytes":
		fits = info&types.IsString != 0
		raw, err := w.bytes(value, "[]byte")
		if err != nil {
			return "", err
		}
		text = raw
	}
	if !fits {
		return "", fmt.Errorf("%s is not a %s", value.described(), spelled)
	}
	return spelled + "(" + text + ")", nil
}

func inRange(text string, u *types.Basic) bool {
	bits := map[types.BasicKind]int{
		types.Int8: 8, types.Int16: 16, types.Int32: 32, types.Uint8: 8, types.Uint16: 16, types.Uint32: 32,
	}[u.Kind()]
	if bits == 0 {
		bits = 64
	}
	var err error
	if u.Info()&types.IsUnsigned != 0 {
		_, err = strconv.ParseUint(text, 10, bits)
	} else {
		_, err = strconv.ParseInt(text, 10, bits)
	}
	return err == nil
}

func (w *weaver) sequence(value *tree, elem types.Type, spelled string, length int64) (string, error) {
	if value.kind == "none" && length < 0 {
		return "(" + spelled + ")(nil)", nil
	}
	if value.kind != "list" && value.kind != "tuple" || length >= 0 && int64(len(value.items)) != length {
		return "", fmt.Errorf("%s is not a %s", value.described(), spelled)
	}
	items := []string{}
	for i := range value.items {
		text, err := w.literal(&value.items[i], elem)
		if err != nil {
			return "", err
		}
		items = append(items, text)
	}
	return spelled + "{" + strings.Join(items, ", ") + "}", nil
}

func (w *weaver) mapping(value *tree, u *types.Map, spelled string) (string, error) {
	items := []string{}
	switch value.kind {
	case "none":
		return "(" + spelled + ")(nil)", nil
	case "set":
		member := "true"
		if _, is := u.Elem().Underlying().(*types.Struct); is {
			member = "{}"
		}
		for i := range value.items {
			key, err := w.literal(&value.items[i], u.Key())
			if err != nil {
				return "", err
			}
			items = append(items, key+": "+member)
		}
	case "dict":
		for i := range value.pairs {
			key, err := w.literal(&value.pairs[i][0], u.Key())
			if err != nil {
				return "", err
			}
			item, err := w.literal(&value.pairs[i][1], u.Elem())
			if err != nil {
				return "", err
			}
			items = append(items, key+": "+item)
		}
	default:
		return "", fmt.Errorf("%s is not a %s", value.described(), spelled)
	}
	return spelled + "{" + strings.Join(items, ", ") + "}", nil
}

// structure takes the fields in their order, or by name.
func (w *weaver) structure(value *tree, u *types.Struct, spelled string) (string, error) {
	given := map[string]*tree{}
	switch {
	case value.kind == "tuple" && len(value.items) == u.NumFields():
		for i := range value.items {
			given[u.Field(i).Name()] = &value.items[i]
		}
	case value.kind == "dict":
		for i := range value.pairs {
			given[value.pairs[i][0].text] = &value.pairs[i][1]
		}
	default:
		return "", fmt.Errorf("%s is not a %s: give a tuple of its %d fields", value.described(), spelled, u.NumFields())
	}
	items := []string{}
	for i := 0; i < u.NumFields(); i++ {
		field := u.Field(i)
		if part := given[field.Name()]; part != nil {
			text, err := w.literal(part, field.Type())
			if err != nil {
				return "", err
			}
			items = append(items, field.Name()+": "+text)
			delete(given, field.Name())
		}
	}
	for name := range given {
		return "", fmt.Errorf("%s has no field %s", spelled, name)
	}
	return spelled + "{" + strings.Join(items, ", ") + "}", nil
}

// natural writes a value with the type that it has where no type is wanted: in an `any`, or for a type parameter.
func (w *weaver) natural(value *tree) (string, error) {
	anyType := types.Universe.Lookup("any").Type()
	switch value.kind {
	case "none":
		return "nil", nil
	case "list", "tuple":
		return w.literal(value, types.NewSlice(commonType(value.items, anyType)))
	case "dict":
		var keys, items []tree
		for _, pair := range value.pairs {
			keys, items = append(keys, pair[0]), append(items, pair[1])
		}
		return w.literal(value, types.NewMap(commonType(keys, anyType), commonType(items, anyType)))
	case "set":
		return w.literal(value, types.NewMap(commonType(value.items, anyType), types.Typ[types.Bool]))
	case "bytes":
		return w.literal(value, types.NewSlice(types.Typ[types.Byte]))
	}
	t := atomType(value)
	if t == nil || !token.IsIdentifier(t.String()) {
		return "", misfit("no value of Go is a %s", value.kind)
	}
	return w.literal(value, t)
}

func atomType(value *tree) types.Type {
	switch value.kind {
	case "bool":
		return types.Typ[types.Bool]
	case "int":
		return types.Typ[types.Int]
	case "float":
		return types.Typ[types.Float64]
	case "str":
		return types.Typ[types.String]
	}
	return nil
}

// commonType is the type of all items, or `any` if they differ.
func commonType(items []tree, otherwise types.Type) types.Type {
	var common types.Type
	for i := range items {
		t := atomType(&items[i])
		if t == nil || common != nil && t != common {
			return otherwise
		}
		common = t
	}
	if common == nil {
		return otherwise
	}
	return common
}
