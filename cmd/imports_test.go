package cmd

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// mayImport says which of our own packages a package may import, and why no others.
var mayImport = map[string][]string{
	"canon":        {}, // keys depend on a request and nothing else
	"canon/vector": {"warcorder/canon"},
	"cmd/logqueue": {}, // lines in, lines out
	// HTTP, and nothing of what is asked for
	"cmd/ask": {},
	// files to files, and nothing of the collection
	"cmd/conversion": {"warcorder/store/warc", "warcorder/store/warc/v09"},
	// files, and nothing of what is in them
	"cmd/holder": {},
	// so that the authority can be read on its own
	"certs": {},
	"store": {"warcorder/canon", "warcorder/store/fault", "warcorder/store/scratch"},
	// a directory and the names in it, and nothing of what the index or the recorder makes of them
	"store/collection": {"warcorder/store/warc"},
	// nothing but names in a normal build
	"store/fault": {},
	// the files know nothing of the index
	"store/warc": {"warcorder/store/fault", "warcorder/store/warc/deflate"},
	// bytes in, bytes out
	"store/warc/deflate": {},
	"store/scratch":      {},
	// it judges what recorder makes, and does not ask it
	"store/verify":   {"warcorder/store", "warcorder/store/warc", "warcorder/store/scratch"},
	"store/warc/v09": {"warcorder/store/warc"},
	"recorder": {
		"warcorder/canon",
		"warcorder/store",
		"warcorder/store/fault",
		"warcorder/store/warc",
		"warcorder/recorder/sha1pair",
	},
	"recorder/sha1pair": {}, // digests, and nothing of records
	// it knows exchanges, not how they are kept
	"proxy":       {"warcorder/recorder", "warcorder/certs"},
	"proxy/admin": {}, // main mounts what it shows
	"proxy/raced": {}, // a constant, for tests
}

// only says where a library may be used: what replaces it one day is then one place.
var only = map[string][]string{
	"github.com/elazarl/goproxy": {"proxy"},
	"go.etcd.io/bbolt":           {"store"},
	"github.com/nlnwa/gowarc":    {"recorder", "store/warc"},
	"github.com/zeebo/blake3":    {"recorder"},
	"github.com/alecthomas/kong": {"cmd"},
	"github.com/rs/zerolog":      {"cmd", "proxy", "recorder"}, // canon, certs and store never log
}

// TestImports holds the packages to the design's arrows.
func TestImports(t *testing.T) {
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && path != "." && (strings.HasPrefix(path, ".") || entry.Name() == "testdata") {
			return fs.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		checkImports(t, path)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

func checkImports(t *testing.T, path string) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", path), nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	own, isPackage := mayImport[filepath.ToSlash(filepath.Dir(path))]
	for _, spec := range file.Imports {
		name, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "warcorder/") && isPackage && !holds(own, name) {
			t.Errorf("%s may not import %s", path, name)
		}
		for library, places := range only {
			if (name == library || strings.HasPrefix(name, library+"/")) && !inPlaces(path, places) {
				t.Errorf("%s may not import %s: only %v", path, name, places)
			}
		}
		if dir := filepath.Dir(path); (dir == "canon" || dir == "certs") && strings.Contains(name, ".") &&
			!holds(libraries[dir], name) && !strings.HasPrefix(name, "golang.org/x/") {
			t.Errorf("%s may not import %s", path, name)
		}
	}
}

// libraries are what canon and certs may use beside the standard library and golang.org/x.
var libraries = map[string][]string{
	"certs": {"github.com/hashicorp/golang-lru/v2", "software.sslmate.com/src/go-pkcs12"},
}

func holds(list []string, name string) bool { return slices.Contains(list, name) }

func inPlaces(path string, places []string) bool {
	return holds(places, path) || holds(places, filepath.ToSlash(filepath.Dir(path)))
}
