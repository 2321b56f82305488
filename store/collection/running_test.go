package collection

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

// TestRunning: recorder.json says who records, from Announce to Withdraw, and nothing else is left.
func TestRunning(t *testing.T) {
	d := newDir(t)
	if who, err := d.Running(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nobody records: %+v, %v", who, err)
	}
	want := Running{os.Getpid(), []string{"127.0.0.1:1", "[::1]:1"}, "127.0.0.1:8090", time.Unix(1e9, 5000).UTC()}
	for range 2 { // the second takes the place of one that a crash has left
		if err := d.Announce(want, 0o640); err != nil {
			t.Fatal(err)
		}
		if who, err := d.Running(); err != nil || !reflect.DeepEqual(who, want) {
			t.Errorf("%+v, %v, want %+v", who, err, want)
		}
	}
	if who, running := d.Recorder(); !running || who.PID != os.Getpid() {
		t.Errorf("%+v, %v", who, running)
	}
	names, _ := os.ReadDir(string(d))
	if len(names) != 3 {
		t.Errorf("in the directory are %v", names)
	}
	if err := errors.Join(d.Withdraw(), d.Withdraw()); err != nil { // the second finds nothing to do
		t.Error(err)
	}
	if who, running := d.Recorder(); running {
		t.Errorf("%+v records", who)
	}
}

// TestStrangeRunning: a recorder.json that is torn, or that no recorder has left, is told from one
// that cannot be read, and nobody waits for it.
func TestStrangeRunning(t *testing.T) {
	for name, content := range map[string]string{
		"empty": "", "torn": `{"pid": 17, "addr`, "a list": "[]", "another type": `{"pid": "x"}`,
		"no time": `{"started": "yesterday"}`, "binary": "\x00\x01\x02",
		"too long": "{" + strings.Repeat(" ", maxRunning) + "}",
	} {
		d := newDir(t)
		if err := os.WriteFile(d.running(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Running(); !errors.As(err, new(*UnreadableError)) {
			t.Errorf("%s: %v", name, err)
		}
		if who, running := d.Recorder(); running {
			t.Errorf("%s: %+v records", name, who)
		}
	}
	for name, put := range map[string]func(path string) error{
		"a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":   func(path string) error { return os.Symlink(filepath.Dir(path), path) },
		"a loop":   func(path string) error { return os.Symlink(path, path) },
	} {
		d := newDir(t)
		if err := put(d.running()); err != nil {
			withoutLinks(t, err)
		}
		if _, err := d.Running(); !errors.As(err, new(*UnreadableError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	d := newDir(t)
	for content, want := range map[string]bool{
		`{"pid": 1, "addresses": []}`: false, `{}`: false,
		`{"pid": 4194999, "addresses": ["127.0.0.1:1"]}`: false, // of no process
	} {
		if err := os.WriteFile(d.running(), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if who, err := d.Running(); err != nil {
			t.Errorf("%s: %+v, %v", content, who, err)
		}
		if _, running := d.Recorder(); running != want && IsAlive(os.Getpid()) {
			t.Errorf("%s: it records: %v", content, running)
		}
	}
}
