package shared

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/shared/server"
	"warcorder/store"
	"warcorder/store/collection"
)

// originalOf is an original of a number.
func originalOf(n int) *store.Original {
	o := &store.Original{URL: fmt.Sprintf("https://example.org/a/path/of/some/length/%08d.html", n),
		Time: time.UnixMicro(1_700_000_000_000_000).UTC(), Digest: "sha1:" + strings.Repeat("A", 32),
		File: "WEB-20260101000000000-00001-host.warc.gz"}
	binary.BigEndian.PutUint64(o.Key[:], uint64(n)*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(o.RecordID[:], uint64(n)+1)
	return o
}

// withdrawnIn is the list of a collection of its own, begun.
func withdrawnIn(t testing.TB) *Withdrawn {
	t.Helper()
	w := NewWithdrawn(collection.Dir(t.TempDir()))
	file, err := os.Create(w.path)
	if err == nil {
		err = file.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// opened asks and tells a server.
func opened(t testing.TB, url string, w *Withdrawn) *Originals {
	t.Helper()
	o, err := Open(Config{Address: url, Who: "host/web", Withdrawn: w}, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { o.Close() })
	return o
}

// until waits until something holds that another process brings about.
func until(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for range 1000 {
		if holds() {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatal("never: " + what)
}

// TestValue: a value is read as it was written, and one that was changed in any byte, cut or made longer,
// or stands under another key, is none.
func TestValue(t *testing.T) {
	t.Parallel()
	o := originalOf(7)
	key := keyOf('a', &o.Key)
	value, ok := appendValue(nil, key, o, "host/web")
	if got, read := decode(key, string(value)); !ok || !read || got != *o {
		t.Fatalf("%+v, want %+v", got, *o)
	}
	for i := range value {
		bad := append([]byte(nil), value...)
		bad[i] ^= 0x40
		if _, read := decode(key, string(bad)); read {
			t.Errorf("byte %d is another, and it is read", i)
		}
		if _, read := decode(key, string(value[:i])); read {
			t.Errorf("it is cut to %d bytes, and read", i)
		}
	}
	if _, read := decode(key, string(value)+"x"); read {
		t.Error("it is longer, and read")
	}
	other := originalOf(8)
	if _, read := decode(keyOf('a', &other.Key), string(value)); read {
		t.Error("it stands under another key, and is read")
	}
}

// TestCheck: an address that can be none is an error, which says nothing of its password.
func TestCheck(t *testing.T) {
	t.Parallel()
	for text, good := range map[string]bool{
		"": true, "redis://h": true, "rediss://u:secret@h:1/2": true, "unix:///run/s?db=3": true,
		"redis+sentinel://:secret@a,b:2/main/1?sentinel-password=secret": true, "redis://[::1]:6379": true,
		"redis://": false, "http://h": false, "redis://:secret@h:99999": false, "unix://s": false,
		"redis://:secret@h/x": false, "redis+sentinel://:secret@a,b": false, "redis://secret@h": false,
		"redis://:secret@h?db=1": false, "redis://:a?secret@h": false, "redis://h?secret": false,
		"redis://:secret@h\n": false, "redis://:secret%@h": false,
	} {
		if err := Check(text); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		} else if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: it tells the password: %v", text, err)
		}
		if strings.Contains(Name(text), "secret") {
			t.Errorf("%q: its name is %s", text, Name(text))
		}
	}
}

// TestGuard: an answer that no question of ours has ends the connection before room is made for it.
func TestGuard(t *testing.T) {
	t.Parallel()
	full := "*1024\r\n" + strings.Repeat("$-1\r\n", 1024)
	for _, c := range []struct {
		name, answer string
		good         bool
	}{
		{"a line", "+OK\r\n", true},
		{"a bulk", "$3\r\nabc\r\n", true},
		{"nothing", "$-1\r\n", true},
		{"an array", "*2\r\n$1\r\na\r\n$-1\r\n+OK\r\n", true},
		{"a bulk of 512 MB", "$536870912\r\n", false},
		{"a length beyond all", "$99999999999999999999999\r\n", false},
		{"an array without end", "*2147483647\r\n", false},
		{"arrays one after another", strings.Repeat(full, 6), true},
		{"arrays in an array", "*6\r\n" + strings.Repeat(full, 6), false},
		{"arrays in arrays", strings.Repeat("*1\r\n", 100), false},
		{"a line without end", "+" + strings.Repeat("a", 1<<20), false},
		{"HTTP", "HTTP/1.1 400 Bad Request\r\n\r\n", false},
	} {
		for _, step := range []int{1, 1 << 20} {
			g, good := &guard{}, true
			for b := []byte(c.answer); len(b) > 0 && good; {
				n := min(step, len(b))
				good = g.look(b[:n])
				b = b[n:]
			}
			if good != c.good {
				t.Errorf("%s, by %d: %v", c.name, step, good)
			}
		}
	}
}

// TestWithdraw: the server forgets an original that was removed, and keeps one that has since taken its
// key, also if the removal came before who takes it back was there.
func TestWithdraw(t *testing.T) {
	t.Parallel()
	s, w := server.Start(t), withdrawnIn(t)
	first := opened(t, s.URL(), w)
	gone, replaced := originalOf(1), originalOf(2)
	first.Publish(gone, 0)
	first.Publish(replaced, 0)
	until(t, "told", func() bool { return first.Status().Published == 2 })
	first.Close()
	if err := w.Add([]Row{{gone.Key, gone.RecordID}, {replaced.Key, [16]byte{9}}}); err != nil {
		t.Fatal(err)
	}
	second := opened(t, s.URL(), w)
	until(t, "taken back", func() bool { return second.Status().Withdrawing == 0 })
	found := map[store.OriginalKey]*store.Original{}
	second.Ask([]store.OriginalKey{gone.Key, replaced.Key}, found, false)
	if found[gone.Key] != nil || found[replaced.Key] == nil {
		t.Errorf("%v", found)
	}
}

// TestWithdrawBehind: what is told of and removed while the server is told of others is taken back, too.
func TestWithdrawBehind(t *testing.T) {
	t.Parallel()
	s, w := server.Start(t), withdrawnIn(t)
	a, err := parse(s.URL())
	if err != nil {
		t.Fatal(err)
	}
	p := newPublishing(&a, 'a', "host/web", w)
	p.ctx = t.Context()
	defer p.client.Close()
	if err := p.flush(); err != nil { // what tell does, and then it happens
		t.Fatal(err)
	}
	gone := originalOf(1)
	p.add(published{*gone, 0})
	if err := w.Add([]Row{{gone.Key, gone.RecordID}}); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := p.withdraw(p.flush); err != nil {
			t.Fatal(err)
		}
		if err := p.flush(); err != nil {
			t.Fatal(err)
		}
	}
	if n := s.Do("DBSIZE"); n != "0" {
		t.Errorf("%s keys are left", n)
	}
}

// TestOutage: who asks waits for patience at most, whatever the server does; and not at all once it is
// left alone.
func TestOutage(t *testing.T) {
	t.Parallel()
	for name, of := range map[string]func(net.Conn){
		"it ends":       func(c net.Conn) {},
		"it is silent":  func(c net.Conn) { io.Copy(io.Discard, c) },
		"it is no such": func(c net.Conn) { io.WriteString(c, "SSH-2.0-x\r\n") },
		"it loads":      func(c net.Conn) { io.WriteString(c, "-LOADING it loads\r\n") },
		"it is huge":    func(c net.Conn) { io.WriteString(c, "$536870912\r\n") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(os.TempDir(), fmt.Sprintf("s%d-%d", os.Getpid(), len(name)))
			l, err := net.Listen("unix", path)
			if err != nil {
				t.Fatal(err)
			}
			defer l.Close()
			go func() {
				for c, err := l.Accept(); err == nil; c, err = l.Accept() {
					go func() { of(c); c.Close() }()
				}
			}()
			o := opened(t, "unix://"+path, withdrawnIn(t))
			for range 50 {
				began := time.Now()
				o.Ask([]store.OriginalKey{{1}}, map[store.OriginalKey]*store.Original{}, false)
				if took := time.Since(began); took > 100*patience { // on a machine that is busy
					t.Errorf("it took %v", took)
				}
			}
			if s := o.Status(); s.Up || s.Found > 0 || s.Passed != 50 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// BenchmarkMemory says how many bytes a server has for each original.
func BenchmarkMemory(b *testing.B) {
	const n = 100_000
	for b.Loop() {
		s := server.Start(b)
		used := func() (bytes float64) {
			_, after, _ := strings.Cut(s.Do("INFO", "memory"), "used_memory:")
			fmt.Sscan(after, &bytes)
			return bytes
		}
		o := opened(b, s.URL(), withdrawnIn(b))
		until(b, "up", func() bool { return o.Status().Up })
		before := used()
		for i := range n {
			if i%4096 == 0 {
				until(b, "told", func() bool { return o.Status().Published == int64(i) })
			}
			o.Publish(originalOf(i), 24*time.Hour)
		}
		until(b, "told", func() bool { return o.Status().Published == n })
		b.ReportMetric((used()-before)/n, "bytes/original")
	}
}
