package layout

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

// Module is the import path of the repository's root.
const Module = "github.com/storefront-go/storefront"

// Tree is a checkout without what .gitignore excludes.
type Tree struct {
	Files []*File // sorted by path
}

// File is one file of the tree.
type File struct {
	Path      string // from the root, with slashes
	Src       []byte
	Syntax    *ast.File // nil unless it is a Go file that the go command would see
	Generated bool      // carries the standard "Code generated" mark
	fset      *token.FileSet
}

// Import is one import of a Go file.
type Import struct {
	Path string
	Line int
}

// Load reads the tree below fsys. Of generated files it parses only the imports.
func Load(fsys fs.FS) (*Tree, error) {
	ignored, err := readIgnore(fsys)
	if err != nil {
		return nil, err
	}
	t := &Tree{}
	err = fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".":
			return nil
		case name == ".git", ignored(name, d.IsDir()):
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		f, err := load(fsys, name)
		t.Files = append(t.Files, f)
		return err
	})
	return t, err
}

func load(fsys fs.FS, name string) (*File, error) {
	src, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	f := &File{Path: name, Src: src}
	if path.Ext(name) != ".go" || strings.Contains("/"+name, "/testdata/") {
		return f, nil
	}
	f.fset = token.NewFileSet()
	head, err := parser.ParseFile(f.fset, name, src, parser.ImportsOnly|parser.ParseComments)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	f.Syntax, f.Generated = head, ast.IsGenerated(head)
	if f.Generated {
		return f, nil
	}
	f.fset = token.NewFileSet()
	f.Syntax, err = parser.ParseFile(f.fset, name, src, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("parse: %w", err)
	}
	return f, nil
}

// Code returns the hand-written Go files.
func (t *Tree) Code() []*File {
	var files []*File
	for _, f := range t.Files {
		if f.Syntax != nil && !f.Generated {
			files = append(files, f)
		}
	}
	return files
}

// Dir returns the folder of the file, from the root: "graph/lib/page".
func (f *File) Dir() string { return path.Dir(f.Path) }

// Test reports whether the go command compiles the file for tests only.
func (f *File) Test() bool { return strings.HasSuffix(f.Path, "_test.go") }

// Program reports whether no build includes the file: a program of go generate.
func (f *File) Program() bool {
	for line := range bytes.Lines(f.Src) {
		switch text := string(bytes.TrimSpace(line)); {
		case text == "//go:build ignore":
			return true
		case strings.HasPrefix(text, "package "):
			return false
		}
	}
	return false
}

// Imports returns the imports of the file.
func (f *File) Imports() []Import {
	if f.Syntax == nil {
		return nil
	}
	list := make([]Import, 0, len(f.Syntax.Imports))
	for _, spec := range f.Syntax.Imports {
		// The parser has checked the literal.
		name, _ := strconv.Unquote(spec.Path.Value)
		list = append(list, Import{Path: name, Line: f.line(spec)})
	}
	return list
}

// Local returns the import's folder if it is in this module, or "".
func (i Import) Local() string {
	rest, ok := strings.CutPrefix(i.Path, Module+"/")
	if !ok {
		return ""
	}
	return rest
}

func (f *File) line(n ast.Node) int { return f.fset.Position(n.Pos()).Line }

func under(dir, root string) bool { return dir == root || strings.HasPrefix(dir, root+"/") }
