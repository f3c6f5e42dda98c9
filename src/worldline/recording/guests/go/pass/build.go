package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

// build compiles and links the instrumented program: the file `program` in the folder.
func build(asked *request, woven *woven) error {
	config := filepath.Join(asked.Folder, "importcfg")
	if err := writeConfig(asked, config); err != nil {
		return err
	}
	var sources []string
	for number, name := range woven.order {
		path := filepath.Join(asked.Folder, fmt.Sprintf("source%d_%s", number, filepath.Base(name)))
		if err := os.WriteFile(path, []byte(woven.files[name]), 0o644); err != nil {
			return err
		}
		sources = append(sources, path)
	}
	object, program := filepath.Join(asked.Folder, "main.a"), filepath.Join(asked.Folder, "program")
	compile := append([]string{"-p", "main", "-complete", "-pack", "-importcfg", config, "-o", object}, asked.Flags...)
	if err := tool(asked, "compile", append(compile, sources...)...); err != nil {
		return err
	}
	link := append([]string{"-importcfg", config, "-w", "-o", program}, asked.LinkFlags...)
	if err := tool(asked, "link", append(link, object)...); err != nil {
		return err
	}
	return patch(program, asked.Controlled)
}

func writeConfig(asked *request, path string) error {
	text, err := os.ReadFile(filepath.Join(asked.Tools, "importcfg"))
	if err != nil {
		return err
	}
	text = bytes.ReplaceAll(text, []byte("${TOOLS}"), []byte(asked.Tools))
	return os.WriteFile(path, text, 0o644)
}

// tool executes a part of the Go toolchain.
func tool(asked *request, name string, arguments ...string) error {
	path := filepath.Join(asked.Root, "pkg", "tool", runtime.GOOS+"_"+runtime.GOARCH, name)
	command := exec.Command(path, arguments...)
	command.Env = append(os.Environ(), "GOROOT="+asked.Root, "GOMAXPROCS=2")
	said, err := command.CombinedOutput()
	if err == nil {
		return nil
	}
	message := strings.ReplaceAll(string(said), asked.Folder+"/", "")
	first, _, _ := strings.Cut(strings.TrimSpace(message), "\n")
	return &refusal{"source", fmt.Sprintf("go %s: %s", name, first), message}
}
