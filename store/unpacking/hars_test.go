package unpacking

import (
	"crypto/sha1"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestAttached: of what lies beside a HAR only that is read which has the SHA-1 that its name says.
func TestAttached(t *testing.T) {
	dir := t.TempDir()
	right := fmt.Sprintf("%x.html", sha1.Sum([]byte("body")))
	wrong := strings.Repeat("0", 40)
	for name, content := range map[string]string{right: "body", wrong: "secret", "notes.txt": "secret"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{wrong, "notes.txt", "../" + filepath.Base(dir) + "/" + right} {
		if _, err := openBeside(dir, name); !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s: %v", name, err)
		}
	}
	in, err := openBeside(dir, right)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if text, err := io.ReadAll(in); err != nil || string(text) != "body" {
		t.Errorf("%q, %v", text, err)
	}
}

// TestHARsInOnePlace: two HARs of a zip file that are the same bytes are refused.
func TestHARsInOnePlace(t *testing.T) {
	first, second := member{name: "a.har", content: "{}"}, member{name: "b.har", content: "{}"}
	path := change(t, func(text []byte) []byte {
		binary.LittleEndian.PutUint32(text[directoryAt(text, 1)+42:], 0)
		return text
	}, first, second)
	for name, want := range map[string]string{path: "bytes in common", zipOf(t, first, second): ""} {
		taken := 0
		_, err := take(t, func(u *Unpacking) error {
			return u.HARs(name, HARZip, func(HARFile) error { taken++; return nil })
		})
		if (err != nil) != (want != "") || err != nil && !strings.Contains(err.Error(), want) ||
			taken != 2 && err == nil || taken > 0 && err != nil {
			t.Errorf("%d taken, %v, want %q", taken, err, want)
		}
	}
}
