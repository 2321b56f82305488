package cmd

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
)

// collectionNames are names, and ends of names, that package collection alone joins into paths.
var collectionNames = []string{
	"archive", "indexes", "index.cdxj", "index.bolt", "recorder.json", "spill",
	".torn", ".recovering", ".copying", ".damaged", ".closed",
}

// otherwise are rooms where one of them stands for something else.
var otherwise = map[string]string{
	"recorder/outside": "archive", // another archive, of any kind
	"store/fault":      "spill",   // a point where a test may let the recorder fail
	// a label: another archive too
	"proxy/admin/metrics": "archive",
}

// TestPaths: where the files of a collection lie is said in one room.
func TestPaths(t *testing.T) {
	eachSource(t, func(file string) {
		if path.Dir(file) == "store/collection" {
			return
		}
		for _, text := range literalsOf(t, file) {
			if slices.Contains(collectionNames, text) && otherwise[path.Dir(file)] != text {
				t.Errorf("%s has %q: let collection.Dir make the path", file, text)
			}
		}
	})
}

// literalsOf returns the texts that stand in a file.
func literalsOf(t *testing.T, file string) (texts []string) {
	t.Helper()
	name := filepath.Join("..", filepath.FromSlash(file))
	parsed, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(parsed, func(node ast.Node) bool {
		if literal, is := node.(*ast.BasicLit); is && literal.Kind == token.STRING {
			text, err := strconv.Unquote(literal.Value)
			if err != nil {
				t.Fatal(err)
			}
			texts = append(texts, text)
		}
		return true
	})
	return texts
}
