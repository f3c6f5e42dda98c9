// The pass compiles one Go program so that it records itself: it inserts calls of the recorder into the source,
// compiles and links it, and bends a few functions of the library towards the recorder. It executes no program.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// request is a program and where its tools are; it comes as JSON.
type request struct {
	Name   string            `json:"name"`
	Source string            `json:"source"`
	Files  map[string]string `json:"files"`
	Call   *callTree         `json:"call"`
	Flags  []string          `json:"flags"`
	Tools  string            `json:"tools"`
	Root   string            `json:"root"`
	Folder string            `json:"folder"`

	LinkFlags  []string `json:"link_flags"`
	Controlled bool     `json:"controlled"`
}

// refusal is a program that does not compile, or a call that does not fit: the part that is wrong, and why.
type refusal struct {
	Part    string `json:"part"`
	Why     string `json:"why"`
	Message string `json:"message"`
}

func (r *refusal) Error() string { return r.Part + ": " + r.Why }

func main() {
	var asked request
	err := json.NewDecoder(os.Stdin).Decode(&asked)
	if err == nil {
		err = prepare(&asked)
	}
	if err == nil {
		return
	}
	refused, is := err.(*refusal)
	if !is {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	json.NewEncoder(os.Stdout).Encode(refused)
}

func prepare(asked *request) error {
	loaded, err := load(asked)
	if err != nil {
		return err
	}
	woven, err := weave(loaded, asked)
	if err != nil {
		return err
	}
	if err := build(asked, woven); err != nil {
		return err
	}
	flow, err := json.Marshal(woven.flow)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(asked.Folder, "flow"), flow, 0o644)
}
