//go:build unix

package recorder

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/recorder/spill"
	"warcorder/store/collection"
)

// leftOf makes a collection with one exchange in spill/, and returns the path of its files.
func leftOf(t *testing.T) (dir, path string) {
	t.Helper()
	dir = makeLeft(t, leftExchanges()[:1])
	// the request and the response have not begun yet
	records, _ := filepath.Glob(filepath.Join(dir, collection.SpillName, "0*"))
	for _, path := range records {
		os.Remove(path)
	}
	names := sidecars(t, dir)
	if len(names) != 1 {
		t.Fatal(names)
	}
	return dir, strings.TrimSuffix(names[0], spill.SidecarSuffix)
}

// copyOf is leftOf for a copy of a collection.
func copyOf(t *testing.T, from string) (dir, path string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "c")
	if err := os.CopyFS(dir, os.DirFS(from)); err != nil {
		t.Fatal(err)
	}
	return dir, strings.TrimSuffix(sidecars(t, dir)[0], spill.SidecarSuffix)
}

func sidecars(t *testing.T, dir string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, collection.SpillName, "2*"+spill.SidecarSuffix))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// edit changes the last line of a sidecar.
func edit(t *testing.T, path string, change func(*spill.Sidecar)) {
	t.Helper()
	line, err := spill.ReadSidecar(path + spill.SidecarSuffix)
	if err != nil {
		t.Fatal(err)
	}
	change(line)
	text, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	write(t, path+spill.SidecarSuffix, append(text, '\n'))
}

func recoverSpill(t *testing.T, dir string) Spilled {
	t.Helper()
	found, err := recovered(Config{}, dir, zerolog.Nop(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return found.Spilled
}

// TestStrangeInSpill: what no recorder leaves in spill/ is set aside, with a gap. It keeps no
// recorder from starting, and leads it to no file outside.
func TestStrangeInSpill(t *testing.T) {
	replaced := func(t *testing.T, path string, make func(path string) error) {
		t.Helper()
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := make(path); err != nil {
			t.Fatal(err)
		}
	}
	linked := func(to string) func(string) error {
		return func(path string) error { return os.Symlink(to, path) }
	}
	fifo := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	folder := func(path string) error { return os.Mkdir(path, 0o700) }
	begin, _ := leftOf(t)
	for name, harm := range map[string]func(t *testing.T, path, outside string){
		"a side is a link": func(t *testing.T, path, outside string) {
			replaced(t, path+spill.ResponseSuffix, linked(outside))
		},
		"a side is a pipe": func(t *testing.T, path, _ string) {
			replaced(t, path+spill.ResponseSuffix, fifo)
		},
		"a side is a folder": func(t *testing.T, path, _ string) {
			replaced(t, path+spill.ResponseSuffix, folder)
		},
		"the sidecar is a link": func(t *testing.T, path, outside string) {
			b, _ := os.ReadFile(path + spill.SidecarSuffix)
			write(t, outside, b)
			replaced(t, path+spill.SidecarSuffix, linked(outside))
		},
		"the sidecar is a pipe": func(t *testing.T, path, _ string) {
			replaced(t, path+spill.SidecarSuffix, fifo)
		},
		"the sidecar is a folder": func(t *testing.T, path, _ string) {
			replaced(t, path+spill.SidecarSuffix, folder)
		},
		"there is no sidecar": func(t *testing.T, path, _ string) {
			if err := os.Remove(path + spill.SidecarSuffix); err != nil {
				t.Fatal(err)
			}
		},
		"a link, and bytes that are to be written there": func(t *testing.T, path, outside string) {
			replaced(t, path+spill.ResponseSuffix, linked(outside))
			edit(t, path, func(l *spill.Sidecar) {
				l.Response.Bytes, l.Response.Length = make([]byte, 3<<20), 3<<20
			})
		},
		"a reason that is a header": func(t *testing.T, path, _ string) {
			edit(t, path, func(l *spill.Sidecar) { l.Truncated = "time\r\nWARC-Evil: 1" })
		},
		"a completion that is a header": func(t *testing.T, path, _ string) {
			edit(t, path, func(l *spill.Sidecar) { l.Completion = "part\r\nevil: 1" })
		},
		"a way that is a header": func(t *testing.T, path, _ string) {
			edit(t, path, func(l *spill.Sidecar) { l.Via = "http > \r\nevil: 1" })
		},
		"a scheme that is a header": func(t *testing.T, path, _ string) {
			edit(t, path, func(l *spill.Sidecar) { l.URL = "x\r\nWARC-Evil: 1\r\nY://example.com/" })
		},
		"too many certificates": func(t *testing.T, path, _ string) {
			edit(t, path, func(l *spill.Sidecar) { l.Chain = make([][]byte, spill.MaxChainKept+1) })
		},
		"a record that is a header": func(t *testing.T, path, _ string) {
			edit(t, path, func(l *spill.Sidecar) {
				l.Extra = &record.Extra{
					Type: "resource\r\nWARC-Evil: 1", URI: "urn:x:y", ContentType: "text/plain",
				}
			})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, path := copyOf(t, begin)
			outside := filepath.Join(t.TempDir(), "outside")
			write(t, outside, []byte("mine"))
			harm(t, path, outside)
			before, _ := os.ReadFile(outside)
			if got := recoverSpill(t, dir); got != (Spilled{Broken: 1}) {
				t.Errorf("%+v", got)
			}
			if after, _ := os.ReadFile(outside); string(after) != string(before) {
				t.Errorf("a file outside has %d bytes now", len(after))
			}
			if gaps := gapsOf(t, dir); gaps.Counts[GapWrite] != 1 {
				t.Errorf("%v", gaps)
			}
			if aside, _ := filepath.Glob(path + ".*" + spill.AsideSuffix); len(aside) == 0 {
				t.Error("nothing is set aside")
			}
			if got := recoverSpill(t, dir); got != (Spilled{}) {
				t.Errorf("again: %+v", got)
			}
		})
	}
}

// TestIntoElsewhere: a sidecar may name any file as that of its records.
func TestIntoElsewhere(t *testing.T) {
	t.Parallel()
	begin, _ := leftOf(t)
	for _, into := range []string{
		"..", ".", "", "../index.bolt", "/etc/passwd", "pipe.warc.gz", "gone.warc.gz", "folder.warc.gz",
	} {
		t.Run(into, func(t *testing.T) {
			t.Parallel()
			dir, path := copyOf(t, begin)
			archive := filepath.Join(dir, "archive")
			if err := syscall.Mkfifo(filepath.Join(archive, "pipe.warc.gz"), 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Mkdir(filepath.Join(archive, "folder.warc.gz"), 0o700); err != nil {
				t.Fatal(err)
			}
			edit(t, path, func(l *spill.Sidecar) { l.Into, l.At = into, -5 })
			if got := recoverSpill(t, dir); got != (Spilled{Whole: 1}) {
				t.Errorf("%+v", got)
			}
		})
	}
}

// TestLinkedSpill: a collection that was copied with cp -l shares the files in spill/ with the one
// that it was copied from: neither changes what the other has.
func TestLinkedSpill(t *testing.T) {
	dir, path := leftOf(t)
	others := t.TempDir()
	var before []string
	for _, suffix := range []string{spill.SidecarSuffix, spill.ResponseSuffix} {
		if err := os.Link(path+suffix, filepath.Join(others, suffix)); err != nil {
			t.Fatal(err)
		}
		b, _ := os.ReadFile(path + suffix)
		before = append(before, string(b))
	}
	if got := recoverSpill(t, dir); got != (Spilled{Whole: 1}) {
		t.Errorf("%+v", got)
	}
	for i, suffix := range []string{spill.SidecarSuffix, spill.ResponseSuffix} {
		if b, err := os.ReadFile(filepath.Join(others, suffix)); err != nil || string(b) != before[i] {
			t.Errorf("%s has changed: %v", suffix, err)
		}
	}
}

// TestSpillRestored: exchanges that come back to spill/ from a backup are not recorded twice, nor
// removed if the archive has less of them.
func TestSpillRestored(t *testing.T) {
	begin, _ := leftOf(t)
	for name, c := range map[string]struct {
		harm func(*spill.Sidecar)
		back func(*spill.Sidecar)
		want Spilled
	}{
		"as it was":         {want: Spilled{}},
		"in flight by then": {back: func(l *spill.Sidecar) { l.Done = false }, want: Spilled{}},
		"recorded as cut":   {harm: func(l *spill.Sidecar) { l.Done = false }, want: Spilled{Broken: 1}},
		"cut, and cut by then": {harm: func(l *spill.Sidecar) { l.Done = false },
			back: func(l *spill.Sidecar) { l.Done = false }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir, path := copyOf(t, begin)
			backup := filepath.Join(t.TempDir(), "spill")
			if err := os.CopyFS(backup, os.DirFS(filepath.Dir(path))); err != nil {
				t.Fatal(err)
			}
			if c.harm != nil {
				edit(t, path, c.harm)
			}
			recoverSpill(t, dir)
			os.RemoveAll(filepath.Dir(path))
			if err := os.CopyFS(filepath.Dir(path), os.DirFS(backup)); err != nil {
				t.Fatal(err)
			}
			if c.back != nil {
				edit(t, path, c.back)
			}
			cuts := gapsOf(t, dir).Counts[GapCut]
			if got := recoverSpill(t, dir); got != c.want {
				t.Errorf("%+v", got)
			}
			if got := gapsOf(t, dir).Counts[GapCut]; got != cuts {
				t.Errorf("%d gaps, had %d", got, cuts)
			}
			checkLines(t, dir, readBack(t, dir))
		})
	}
}

// TestAsideTwice: what is set aside takes the names of nothing that was.
func TestAsideTwice(t *testing.T) {
	dir, path := leftOf(t)
	for _, content := range []string{"one\n", "two\n", "three\n"} {
		write(t, path+spill.SidecarSuffix, []byte(content))
		write(t, path+spill.ResponseSuffix, []byte(content))
		if got := recoverSpill(t, dir); got != (Spilled{Broken: 1}) {
			t.Errorf("%+v", got)
		}
	}
	if aside, _ := filepath.Glob(path + ".*" + spill.AsideSuffix + "*"); len(aside) != 6 {
		t.Errorf("%v", aside)
	}
}

// TestSpillElsewhere: a link from spill/ to another disk outlives the recorder, and so does what
// lies there.
func TestSpillElsewhere(t *testing.T) {
	dir, path := leftOf(t)
	elsewhere := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(filepath.Dir(path), elsewhere); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(elsewhere, filepath.Dir(path)); err != nil {
		t.Fatal(err)
	}
	if got := recoverSpill(t, dir); got != (Spilled{Whole: 1}) {
		t.Errorf("%+v", got)
	}
	if to, err := os.Readlink(filepath.Dir(path)); to != elsewhere {
		t.Errorf("%q, %v", to, err)
	}
}

// TestStrangeRunning: a recorder.json that no recorder has left keeps no recorder from starting.
func TestStrangeRunning(t *testing.T) {
	for name, put := range map[string]func(path string) error{
		"a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"too long": func(path string) error {
			return errors.Join(os.WriteFile(path, []byte("{"), 0o600), os.Truncate(path, 1<<40))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			c := open(t, dir, Config{})
			c.close()
			path := filepath.Join(dir, "recorder.json")
			if err := put(path); err != nil {
				t.Fatal(err)
			}
			c = open(t, dir, Config{})
			if err := c.Announce("127.0.0.1:1", ""); err != nil {
				t.Error(err)
			}
			if who, err := collection.Dir(dir).Running(); err != nil || who.PID != os.Getpid() {
				t.Errorf("%+v, %v", who, err)
			}
			c.close()
			if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
				t.Error(err)
			}
		})
	}
}
