package cmd

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestHouse: the table itself has no arrow that runs back up, and a reason for each room.
func TestHouse(t *testing.T) {
	for i, r := range house {
		if r.reason == "" || roomAt(r.name) != i {
			t.Errorf("%s has no reason, or is there twice", r.name)
		}
		for _, to := range strings.Fields(r.imports) {
			if at := roomAt(to); to != "*" && at <= i {
				t.Errorf("%s may import %s, which is not below it in the table", r.name, to)
			}
		}
	}
	for _, l := range libraries {
		for _, name := range strings.Fields(l.rooms) {
			if roomAt(name) < 0 || l.reason == "" {
				t.Errorf("%s: no room %s, or no reason", l.path, name)
			}
		}
	}
}

// mapLine is a line of the map of the house in main's doc: how deep a room lies, and its name.
var mapLine = regexp.MustCompile(`(?m)^//\t((?:  )*)([a-z0-9]+)/ +\S`)

// TestMap: the map of the house in main.go has every room, but for those that only tests use.
func TestMap(t *testing.T) {
	doc, err := os.ReadFile("../main.go")
	if err != nil {
		t.Fatal(err)
	}
	drawn := map[string]bool{".": true}
	var above []string
	for _, line := range mapLine.FindAllStringSubmatch(string(doc), -1) {
		above = append(above[:min(len(above), len(line[1])/2)], line[2])
		name := strings.Join(above, "/")
		drawn[name] = true
		if roomAt(name) < 0 {
			t.Errorf("the map in main.go shows %s, which is no room", name)
		}
	}
	for _, r := range house {
		if !drawn[r.name] && !strings.HasSuffix(r.reason, "for tests") {
			t.Errorf("the map in main.go does not show %s", r.name)
		}
	}
}

// TestTopLevel: the only source file at the top is main.go, which does nothing but call cmd.
func TestTopLevel(t *testing.T) {
	files, err := filepath.Glob("../*.go")
	if err != nil || !slices.Equal(files, []string{filepath.Join("..", "main.go")}) {
		t.Errorf("source files at the top: %v, %v", files, err)
	}
	text, err := os.ReadFile("../main.go")
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(text), "\n"); lines > 150 {
		t.Errorf("main.go has %d lines", lines)
	}
}

// TestImportsRefused: the test of the arrows can fail.
func TestImportsRefused(t *testing.T) {
	for _, c := range []struct{ from, imported, want string }{
		{"cmd", "warcorder/store", ""},
		{"cmd", "github.com/alecthomas/kong", ""},
		{"recorder", "time", ""},
		{"certs", "golang.org/x/crypto/ocsp", ""},
		{"certs", "github.com/hashicorp/golang-lru/v2/expirable", ""},
		{"recorder", "warcorder/proxy", "may not import proxy"},
		{"store/verify", "warcorder/recorder", "may not import recorder"},
		{"store", "warcorder/store/warc", "may not import store/warc"},
		{"proxy", "warcorder/store", "may not import store"},
		{"certs", "warcorder/cmd", "may not import cmd"},
		{".", "warcorder/proxy", "may not import proxy"},
		{"recorder", "go.etcd.io/bbolt", "only store"},
		{"recorder", "go.etcd.io/bbolt/errors", "only store"},
		{"store", "github.com/rs/zerolog", "never log"},
		{"canon", "github.com/dustin/go-humanize", "stands alone"},
		{"certs", "github.com/hashicorp/golang-lru", "stands alone"},
		{"proxy/http1", "bytes", ""},
		{"proxy/http1", "net/http", "reads and writes nothing"},
		{"proxy/http1", "os", "reads and writes nothing"},
	} {
		got := judgeImport(c.from, c.imported)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s imports %s: %q, want %q", c.from, c.imported, got, c.want)
		}
	}
	if roomAt("recorder/nowhere") >= 0 || roomAt("canon") < 0 {
		t.Error("a package that is not in the table is found in it, or one that is is not")
	}
}
