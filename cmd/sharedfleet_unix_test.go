//go:build unix

package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	dedup "warcorder/recorder/shared"
	redis "warcorder/recorder/shared/server"
	"warcorder/store/cdxline"
	"warcorder/store/warc"
)

// sharer starts a recorder in a directory that shares its originals by a server.
func sharer(t *testing.T, dir, address string) *program {
	t.Helper()
	return startRecordingIn(t, dir, "--dedup-shared", address)
}

// shares is what a recorder says of the server.
func (p *program) shares() dedup.Status {
	p.t.Helper()
	var now struct{ DedupShared dedup.Status }
	if err := json.Unmarshal([]byte(p.page("/status")), &now); err != nil {
		p.t.Fatal(err)
	}
	return now.DedupShared
}

// tells waits until a recorder has told of so many originals since its start.
func (p *program) tells(n int64) {
	p.t.Helper()
	eventually(p.t, "others are told", func() bool { return p.shares().Published >= n })
}

// lines are the captures of a URL, as an export has them.
func (p *program) lines(uri string) (all []cdxline.Line) {
	p.t.Helper()
	for text := range strings.Lines(p.done("export", "-o", "-")) {
		var l cdxline.Line
		if err := l.Parse([]byte(text)); err != nil {
			p.t.Fatal(err)
		}
		if string(l.URL) == uri {
			all = append(all, l)
		}
	}
	return all
}

// is what the only capture of a URL is.
func (p *program) is(uri string) string {
	p.t.Helper()
	all := p.lines(uri)
	if len(all) != 1 {
		p.t.Fatalf("%d captures of %s", len(all), uri)
	}
	return string(all[0].MIME)
}

// isAnswered reports whether the server has answered all questions in time, which it does not have to.
func (p *program) isAnswered() bool {
	now := p.shares()
	return now.Failed+now.Passed == 0
}

// originalsIn counts what a server has.
func originalsIn(s *redis.Server) string {
	return s.Do("EVAL", "return #redis.call('KEYS', 'warcorder:1:a*')", "0")
}

const revisit = "warc/revisit"

// TestSharedRemoved: what was removed from one recorder is named by no other from then on, and what was not
// is: removed beside the recorder, at rest, and while the server does not answer; then it is taken back when
// the server does, though the recorder was killed meanwhile.
func TestSharedRemoved(t *testing.T) {
	site := newSite(t).plain.URL
	gone, kept := site+"/bytes/5003", site+"/bytes/6003"
	for name, remove := range map[string]func(*testing.T, *program, *redis.Server) *program{
		"beside the recorder": func(t *testing.T, p *program, s *redis.Server) *program {
			p.done("remove", "--url", gone, "--yes")
			return p
		},
		"beside the recorder, to be forgotten": func(t *testing.T, p *program, s *redis.Server) *program {
			p.done("remove", "--url", gone, "--yes", "--forget")
			return p
		},
		"at rest": func(t *testing.T, p *program, s *redis.Server) *program {
			p.stop()
			p.done("remove", "--url", gone, "--yes")
			if n := originalsIn(s); n != "2" {
				t.Errorf("nobody records, and %s keys are left", n)
			}
			return sharer(t, p.dir, s.URL())
		},
		"the server is silent, and the recorder killed": func(t *testing.T, p *program, s *redis.Server) *program {
			s.Pause()
			p.done("remove", "--url", gone, "--yes")
			if p.shares().Withdrawing == 0 {
				t.Error("nothing is to be taken back")
			}
			p.cmd.Process.Kill()
			<-p.ended
			again := sharer(t, p.dir, s.URL())
			if again.shares().Withdrawing == 0 {
				t.Error("the next recorder does not know of it")
			}
			s.Resume()
			return again
		},
		"the server is silent, and the recorder ends": func(t *testing.T, p *program, s *redis.Server) *program {
			s.Pause()
			p.done("remove", "--url", gone, "--yes")
			if code := p.stop(); code != 0 {
				t.Errorf("%d %s", code, p.stderr)
			}
			p.done("verify", "--quiet")
			s.Resume()
			return sharer(t, p.dir, s.URL())
		},
		"killed at once": func(t *testing.T, p *program, s *redis.Server) *program {
			p.done("remove", "--url", gone, "--yes")
			p.cmd.Process.Kill()
			<-p.ended
			return sharer(t, p.dir, s.URL())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := redis.Start(t)
			one := sharer(t, t.TempDir(), s.URL())
			one.fetch(gone)
			one.fetch(kept)
			one.tells(2)
			one = remove(t, one, s)
			eventually(t, "it is taken back", func() bool {
				return one.shares().Withdrawing == 0 && originalsIn(s) == "1"
			})
			other := sharer(t, t.TempDir(), s.URL())
			eventually(t, "it is asked", func() bool { return other.shares().Up })
			other.fetch(gone)
			other.fetch(kept)
			if got := other.is(gone); got == revisit {
				t.Error("what went is named")
			}
			if got := other.is(kept); got != revisit && other.isAnswered() {
				t.Errorf("what is there is not named: %s, %+v", got, other.shares())
			}
			other.tells(1) // which has its own now
			third := sharer(t, t.TempDir(), s.URL())
			eventually(t, "it is asked", func() bool { return third.shares().Up })
			third.fetch(gone)
			if got := third.is(gone); got != revisit && third.isAnswered() {
				t.Error("what another has stored since is not named")
			}
			for _, p := range []*program{one, other, third} {
				if code := p.stop(); code != 0 {
					t.Errorf("%d %s", code, p.stderr)
				}
				p.done("verify", "--quiet")
			}
		})
	}
}

// before has a way to a server, which calls do before the first original is told of.
func before(t *testing.T, s *redis.Server, do func()) (address string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "before") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s")
	l, err := net.Listen("unix", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); os.RemoveAll(dir) })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			to, err := net.Dial("unix", s.Path)
			if err != nil {
				c.Close()
				continue
			}
			go func() { io.Copy(c, to); c.Close() }()
			go func() { passOn(to, c, do); to.Close() }()
		}
	}()
	return "unix://" + path
}

// passOn hands on what comes; do is called before what tells of an original.
func passOn(to io.Writer, from io.Reader, do func()) {
	b := make([]byte, 1<<20)
	for {
		n, err := from.Read(b)
		if bytes.Contains(b[:n], []byte("\r\nset\r\n")) && bytes.Contains(b[:n], []byte("warcorder:1:a")) {
			do()
		}
		if _, failed := to.Write(b[:n]); err != nil || failed != nil {
			return
		}
	}
}

// TestSharedKilled: a recorder that is killed the moment it tells of an original has it when it comes again,
// so that what another recorder has named meanwhile resolves.
func TestSharedKilled(t *testing.T) {
	t.Parallel()
	page := newSite(t).plain.URL + "/bytes/5003"
	s := redis.Start(t)
	var one *program
	started, killed := make(chan bool), make(chan bool)
	one = sharer(t, t.TempDir(), before(t, s, func() {
		<-started
		select {
		case <-killed:
		default:
			one.cmd.Process.Kill()
			<-one.ended
			close(killed)
		}
	}))
	close(started)
	one.fetch(page)
	<-killed
	eventually(t, "the server knows of it", func() bool { return originalsIn(s) == "1" })
	other := sharer(t, t.TempDir(), s.URL())
	eventually(t, "it is asked", func() bool { return other.shares().Up })
	other.fetch(page)
	if got := other.is(page); got != revisit {
		if other.isAnswered() {
			t.Errorf("what was told is not named: %s", got)
		}
		return
	}
	again := sharer(t, one.dir, s.URL())
	has := again.lines(page)
	if len(has) != 1 || string(has[0].MIME) == revisit {
		t.Fatalf("%+v", has)
	}
	for _, p := range []*program{other, again} {
		if code := p.stop(); code != 0 {
			t.Errorf("%d %s", code, p.stderr)
		}
		p.done("verify", "--quiet")
	}
	for _, r := range keptOf(t, other, "revisit") {
		if !slices.ContainsFunc(keptOf(t, again, "response"), func(o *warc.Record) bool {
			return o.Header.Get("WARC-Target-URI") == r.Header.Get("WARC-Refers-To-Target-URI") &&
				o.Header.Get("WARC-Date") == r.Header.Get("WARC-Refers-To-Date") &&
				o.Header.Get("WARC-Payload-Digest") == r.Header.Get("WARC-Payload-Digest")
		}) {
			t.Errorf("what it refers to is not there: %v", r.Header)
		}
	}
}

// keptOf are the records of a type in the files of a recorder that has ended.
func keptOf(t *testing.T, p *program, kind string) (all []*warc.Record) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(p.dir, "collections", "default", "archive", "*.warc.gz"))
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	for _, name := range names {
		in, err := warc.Open(name, 0)
		if err != nil {
			t.Fatal(err)
		}
		for {
			r, err := in.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
			if r.Type() == kind {
				kept := *r
				kept.Header = slices.Clone(r.Header)
				all = append(all, &kept)
			}
		}
		if err := in.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if len(all) == 0 {
		t.Fatalf("there is no %s", kind)
	}
	return all
}
