package recorder

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store/collection"
	"warcorder/store/warc"
)

// linked is a collection whose file people have given other names.
type linked struct {
	*crashed
	dir, elsewhere string
	final, open    string // its two names; the second one is there, the first one is not
}

// TestRecoverLinks: whatever names the file has, none of them costs a byte of it, and its captures
// are in the index once. It starts programs (mount), and so runs beside no other test: until a new
// process has become its program it holds each file that the tests have open, locks included.
func TestRecoverLinks(t *testing.T) {
	c := crash(t)
	for _, test := range []struct {
		name string
		make func(t *testing.T, l *linked)
		left bool // the file keeps a name that it should not have, and that is said
	}{
		{name: "final leads to open", make: func(t *testing.T, l *linked) {
			l.link(t,
				filepath.Base(l.open), l.final)
		}},
		{name: "final leads to open, absolute", make: func(t *testing.T, l *linked) {
			l.link(t,
				l.open, l.final)
		}},
		{name: "final leads to open by a chain", make: func(t *testing.T, l *linked) {
			l.link(t, l.open, filepath.Join(l.elsewhere, "hop"))
			l.link(t, filepath.Join(l.elsewhere, "hop"), l.final)
		}},
		{name: "open leads to final", make: func(t *testing.T, l *linked) {
			l.move(t, l.open, l.final)
			l.link(t, filepath.Base(l.final), l.open)
		}},
		{name: "open leads to final, absolute", make: func(t *testing.T, l *linked) {
			l.move(t, l.open, l.final)
			l.link(t, l.final, l.open)
		}},
		{name: "hard links", make: func(t *testing.T, l *linked) { l.hard(t, l.open, l.final) }},
		{name: "both lead elsewhere", make: func(t *testing.T, l *linked) {
			away := filepath.Join(l.elsewhere, "x")
			l.move(t, l.open, away)
			l.link(t, away, l.final)
			l.link(t, away, l.open)
		}},
		{name: "final leads to open, which leads elsewhere", make: func(t *testing.T, l *linked) {
			away := filepath.Join(l.elsewhere, "x")
			l.move(t, l.open, away)
			l.link(t, away, l.open)
			l.link(t, filepath.Base(l.open), l.final)
		}},
		{name: "open leads to final, which leads elsewhere", make: func(t *testing.T, l *linked) {
			away := filepath.Join(l.elsewhere, "x")
			l.move(t, l.open, away)
			l.link(t, away, l.final)
			l.link(t, l.final, l.open)
		}},
		{name: "open leads elsewhere", make: func(t *testing.T, l *linked) {
			away := filepath.Join(l.elsewhere, "x")
			l.move(t, l.open, away)
			l.link(t, away, l.open)
		}},
		{name: "final leads elsewhere", make: func(t *testing.T, l *linked) {
			away := filepath.Join(l.elsewhere, "x")
			l.move(t, l.open, away)
			l.link(t, away, l.final)
		}},
		{name: "final leads nowhere", left: true, make: func(t *testing.T, l *linked) {
			l.link(t, filepath.Join("archive", filepath.Base(l.open)),
				l.final) // as people write it
		}},
		{name: "final leads to itself", left: true, make: func(t *testing.T,
			l *linked) {
			l.link(t, l.final, l.final)
		}},
		{name: "open leads nowhere", make: func(t *testing.T, l *linked) {
			l.move(t, l.open, l.final)
			l.link(t, "nowhere", l.open)
		}},
		{name: "archive is a link", make: func(t *testing.T, l *linked) {
			archive := filepath.Join(l.dir, "archive")
			l.move(t, archive, filepath.Join(l.elsewhere, "archive"))
			l.link(t, filepath.Join(l.elsewhere, "archive"), archive)
			l.link(t, l.open, l.final)
		}},
		{name: "archive is a link, and the file's link leads to where it is",
			make: func(t *testing.T, l *linked) {
				archive := filepath.Join(l.dir, "archive")
				l.move(t, archive, filepath.Join(l.elsewhere, "archive"))
				l.link(t, filepath.Join(l.elsewhere, "archive"), archive)
				l.link(t, filepath.Join(l.elsewhere, "archive", filepath.Base(l.open)), l.final)
			}},
		{name: "another name leads to open", make: func(t *testing.T, l *linked) {
			l.link(t, filepath.Base(l.open), filepath.Join(l.dir, "archive", "pywb.warc.gz"))
		}},
		{name: "mounted on the final name", left: true, make: func(t *testing.T, l *linked) {
			write(t, l.final, nil)
			l.mount(t, l.open, l.final)
		}},
		{name: "mounted on the open name", left: true, make: func(t *testing.T, l *linked) {
			l.move(t, l.open, l.final)
			write(t, l.open, nil)
			l.mount(t, l.final, l.open)
		}},
		{name: "mounted, and linked elsewhere", left: true, make: func(t *testing.T, l *linked) {
			l.hard(t, l.open, filepath.Join(l.elsewhere, "x"))
			write(t, l.final, nil)
			l.mount(t, l.open, l.final)
		}},
	} {
		for _, committed := range []int64{-1, c.starts[3], int64(len(c.bytes))} {
			t.Run(test.name, func(t *testing.T) {
				l := newLinked(t, c, committed)
				test.make(t, l)
				for range 2 {
					found, err := recovered(Config{}, l.dir, zerolog.Nop(), nil)
					if err != nil || (len(found.Left) > 0) != test.left {
						t.Fatalf("%+v, %v", found, err)
					}
					l.check(t)
				}
				if _, err := rebuilt(Config{}, l.dir, zerolog.Nop(), nil); err != nil {
					t.Error(err)
				}
				l.check(t)
			})
		}
	}
}

func newLinked(t *testing.T, c *crashed, committed int64) *linked {
	t.Helper()
	l := &linked{crashed: c, dir: t.TempDir(), elsewhere: t.TempDir()}
	c.restore(t, l.dir, int64(len(c.bytes)), committed)
	l.final = filepath.Join(l.dir, "archive", c.name)
	l.open = l.final + warc.OpenSuffix
	return l
}

func (l *linked) link(t *testing.T, to, name string) {
	t.Helper()
	if err := os.Symlink(to, name); err != nil {
		withoutLinks(t, err)
	}
}

func (l *linked) hard(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Link(from, to); err != nil {
		withoutLinks(t, err)
	}
}

func (l *linked) move(t *testing.T, from, to string) {
	t.Helper()
	if err := os.Rename(from, to); err != nil {
		t.Fatal(err)
	}
}

// withoutLinks skips a test where a user may make no links; elsewhere an error is one of the test.
func withoutLinks(t *testing.T, err error) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip(err)
	}
	t.Fatal(err)
}

// mount makes a name lead to a file without a link. Only root can.
func (l *linked) mount(t *testing.T, from, to string) {
	t.Helper()
	if runtime.GOOS != "linux" || os.Getuid() != 0 {
		t.Skip("needs root on Linux")
	}
	if out, err := exec.Command("mount", "--bind", from, to).CombinedOutput(); err != nil {
		t.Skipf("mount: %v: %s", err, out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("umount", to).CombinedOutput(); err != nil {
			t.Errorf("umount: %v: %s", err, out)
		}
	})
}

// check looks that some name in archive/ leads to all of the file, and that each capture is there.
func (l *linked) check(t *testing.T) {
	t.Helper()
	var found bool
	for _, path := range []string{l.final, l.open} {
		content, err := os.ReadFile(path)
		found = found || err == nil && bytes.Equal(content, l.bytes)
	}
	if !found {
		names, _ := filepath.Glob(filepath.Join(l.dir, "archive", "*"))
		t.Fatalf("the file is gone: %q", names)
	}
	if got := captures(t, l.dir); len(got) != len(l.all) {
		t.Errorf("%d captures, want %d", len(got), len(l.all))
	}
}

// TestRecoverCutsNoOther: what another name leads to, a backup's or another collection's, is never
// cut, and no file of ours is written through a name that someone has made.
func TestRecoverCutsNoOther(t *testing.T) {
	c := crash(t)
	torn := *c
	torn.bytes = c.bytes[:len(c.bytes)-5]
	whole := c.exchangesEnd(t, int64(len(torn.bytes)))
	for name, arrange := range map[string]func(t *testing.T, l *linked) (path string){
		"hard link": func(t *testing.T, l *linked) string {
			backup := filepath.Join(l.elsewhere, "backup")
			l.hard(t, l.open, backup)
			return backup
		},
		"open leads to it": func(t *testing.T, l *linked) string {
			away := filepath.Join(l.elsewhere, "another collection's")
			l.move(t, l.open, away)
			l.link(t, away, l.open)
			return away
		},
		"its copy is a hard link to it": func(t *testing.T, l *linked) string {
			l.hard(t, l.open, l.final+collection.TornSuffix)
			return l.final + collection.TornSuffix
		},
		"its copy is a link to it": func(t *testing.T, l *linked) string {
			l.move(t, l.open, filepath.Join(l.elsewhere, "x"))
			l.hard(t, filepath.Join(l.elsewhere, "x"), l.open)
			l.link(t, filepath.Join(l.elsewhere, "x"), l.final+collection.TornSuffix)
			return filepath.Join(l.elsewhere, "x")
		},
		"what takes its place is a link to it": func(t *testing.T, l *linked) string {
			l.hard(t, l.open, filepath.Join(l.elsewhere, "x"))
			l.link(t, filepath.Join(l.elsewhere, "x"), l.final+collection.RecoveringSuffix)
			l.hard(t, l.open, l.final+collection.TornSuffix+collection.CopyingSuffix)
			return filepath.Join(l.elsewhere, "x")
		},
	} {
		for _, committed := range []int64{-1, 0, c.starts[3], whole} {
			t.Run(name, func(t *testing.T) {
				l := newLinked(t, &torn, committed)
				path := arrange(t, l)
				if _, err := recovered(Config{}, l.dir, zerolog.Nop(), nil); err != nil &&
					!strings.Contains(err.Error(), collection.RecoveringSuffix) {
					t.Fatal(err)
				}
				if content, err := os.ReadFile(path); err != nil || !bytes.Equal(content,
					torn.bytes) {
					t.Errorf("%d bytes of %d: %v", len(content), len(torn.bytes), err)
				}
			})
		}
	}
}

// TestRecoverReplaced: someone puts another file in the place of one that is being recovered, or
// writes on. Neither is cut nor removed.
func TestRecoverReplaced(t *testing.T) {
	c := crash(t)
	torn := *c
	torn.bytes = c.bytes[:len(c.bytes)-5]
	other := crash(t)
	for name, change := range map[string]func(path string) error{
		"replaced": func(path string) error {
			return errors.Join(os.Rename(path, path+".old"), os.WriteFile(path, other.bytes, 0o600))
		},
		"written on": func(path string) error {
			f, err := os.OpenFile(path, os.O_WRONLY|os.O_APPEND, 0)
			if err != nil {
				return err
			}
			_, err = f.Write(other.bytes)
			return errors.Join(err, f.Close())
		},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLinked(t, &torn, -1)
			var once bool
			_, err := recovered(Config{}, l.dir, zerolog.Nop(), func(string, int64, int64) {
				if !once {
					once = true
					if err := change(l.open); err != nil {
						t.Error(err)
					}
				}
			})
			if !errors.Is(err, warc.ErrReplaced) {
				t.Errorf("recovered: %v", err)
			}
			content, err := os.ReadFile(l.open)
			if err != nil || !bytes.HasSuffix(content, other.bytes) {
				t.Errorf("%d bytes: %v", len(content), err)
			}
		})
	}
}

// TestRecoverKeepsLocal: a file goes for a longer copy of it, but not for a link to one.
func TestRecoverKeepsLocal(t *testing.T) {
	c := crash(t)
	l := newLinked(t, c, -1)
	write(t, l.open, c.bytes[:c.starts[2]])
	write(t, filepath.Join(l.elsewhere, "x"), c.bytes)
	l.link(t, filepath.Join(l.elsewhere, "x"), l.final)
	found, err := recovered(Config{}, l.dir, zerolog.Nop(), nil)
	if err != nil || len(found.Left) != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	if content, err := os.ReadFile(l.open); err != nil || !bytes.Equal(content,
		c.bytes[:c.starts[2]]) {
		t.Errorf("%d bytes: %v", len(content), err)
	}
	l.check(t)
}

// TestLinkedWhileRecording: others read a file that is being written by its final name, as a link.
// When it is finished that is its own.
func TestLinkedWhileRecording(t *testing.T) {
	for name, link := range map[string]func(open, final string) error{
		"symbolic": func(open, final string) error {
			return os.Symlink(filepath.Base(open),
				final)
		},
		"hard": os.Link,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { recordLinked(t, link) })
		})
	}
}

func recordLinked(t *testing.T, link func(open, final string) error) {
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/1")
	time.Sleep(time.Second)
	synctest.Wait()
	names, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*.open"))
	if len(names) != 1 {
		t.Fatal(names)
	}
	final := strings.TrimSuffix(names[0], warc.OpenSuffix)
	if err := link(names[0], final); err != nil {
		withoutLinks(t, err)
	}
	c.get("http://example.com/2")
	c.close()
	names, _ = filepath.Glob(filepath.Join(c.dir, "archive", "*"))
	info, err := os.Lstat(final)
	if err != nil || !info.Mode().IsRegular() || len(names) != 1 {
		t.Fatalf("%v: %v in %q", err, info, names)
	}
	if n := len(captures(t, c.dir)); n != 2 {
		t.Errorf("%d captures", n)
	}
	if log := recoverOnly(t, c.dir); log.count(`"level":"warn"`)+log.count(`"level":"error"`) > 0 {
		t.Errorf("a second recovery: %s", &log.b)
	}
}
