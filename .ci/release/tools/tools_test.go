package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 11, 28, 19, 0, 1, 0, time.UTC)

// folder makes a folder with a program, a text and a link to nowhere if that is asked for.
func folder(t *testing.T, mode os.FileMode, link bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "warcorder-1")
	if err := os.MkdirAll(filepath.Join(dir, "doc"), 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"warcorder": "program", "doc/a.md": "text", "B": ""} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), mode); err != nil {
			t.Fatal(err)
		}
	}
	if link {
		if err := os.Symlink("/etc/passwd", filepath.Join(dir, "link")); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestPack: an archive has the bytes of names and contents alone, whatever the modes and times are.
func TestPack(t *testing.T) {
	for _, suffix := range []string{".tar.gz", ".zip"} {
		var packed [2][]byte
		for i, mode := range []os.FileMode{0o600, 0o755} {
			out := filepath.Join(t.TempDir(), "out"+suffix)
			if err := pack(folder(t, mode, false), out, at); err != nil {
				t.Fatal(err)
			}
			content, err := os.ReadFile(out)
			if err != nil {
				t.Fatal(err)
			}
			packed[i] = content
			var listed bytes.Buffer
			if err := list(&listed, out); err != nil {
				t.Fatal(err)
			}
			const want = `0755 0 2026-11-28T19:00:01Z warcorder-1/
0644 0 2026-11-28T19:00:01Z warcorder-1/B
0755 0 2026-11-28T19:00:01Z warcorder-1/doc/
0644 4 2026-11-28T19:00:01Z warcorder-1/doc/a.md
0755 7 2026-11-28T19:00:01Z warcorder-1/warcorder
`
			if listed.String() != want {
				t.Errorf("%s: %s", suffix, listed.String())
			}
		}
		if !bytes.Equal(packed[0], packed[1]) {
			t.Errorf("%s: the mode of the clone shows", suffix)
		}
		if err := pack(folder(t, 0o600, true), filepath.Join(t.TempDir(), "x"+suffix), at); err == nil {
			t.Errorf("%s: a link is packed", suffix)
		}
	}
	if err := pack(folder(t, 0o600, false), filepath.Join(t.TempDir(), "x.rar"), at); err == nil {
		t.Error("packed as what nobody knows")
	}
}

// TestLicenceFile: what counts as a licence, and what does not.
func TestLicenceFile(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENCE.txt": true, "License-MIT": true, "COPYING": true, "NOTICE": true,
		"PATENTS": true, "LICENSE_list": true, "README": false, "licenses.go.txt": false, "UNLICENSED": false,
	} {
		if licenceFile.MatchString(name) != want {
			t.Error(name)
		}
	}
}

// TestNoLicence: what has no licence is refused.
func TestNoLicence(t *testing.T) {
	dir := t.TempDir()
	err := write(&bytes.Buffer{}, "example.com/none v1.0.0", dir, map[string]bool{dir: true})
	if err == nil || !strings.Contains(err.Error(), "example.com/none v1.0.0 has no licence file") {
		t.Error(err)
	}
}

// TestSettle: the list has a fixed time, and no word of the program that made it.
func TestSettle(t *testing.T) {
	path := filepath.Join(t.TempDir(), "sbom.json")
	const made = `{"serialNumber":"urn:uuid:1","metadata":{"timestamp":"now","tools":[{"name":"x","hashes":[1]}]},
"components":[{"name":"b","version":"v2"},{"name":"std","version":"go1"},{"name":"a","version":"v1"}]}`
	if err := os.WriteFile(path, []byte(made), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := settle(path, at); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"hashes", "serialNumber", `"now"`} {
		if strings.Contains(string(content), gone) {
			t.Errorf("%s is left", gone)
		}
	}
	if !strings.Contains(string(content), `"timestamp": "2026-11-28T19:00:01Z"`) {
		t.Errorf("%s", content)
	}
	var listed bytes.Buffer
	if err := components(&listed, path); err != nil || listed.String() != "a v1\nb v2\n" {
		t.Errorf("%q, %v", listed.String(), err)
	}
}
