//go:build unix

package recorder

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/recorder/record"
	"warcorder/recorder/shared/server"
	"warcorder/store"
)

// watched is a way to a server by which somebody sees what it is told, before it is.
type watched struct {
	url string

	mu   sync.Mutex
	told []moment
}

// moment is when an original is told of: its record's ID, and how long the files are then.
type moment struct {
	field string
	sizes map[string]int64 // by final base name
}

// watch looks at each original that is told of whether its record is on disk.
func watch(t *testing.T, s *server.Server, dir string) *watched {
	t.Helper()
	place, err := os.MkdirTemp("", "watch") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	w := &watched{url: "unix://" + filepath.Join(place, "s")}
	l, err := net.Listen("unix", filepath.Join(place, "s"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close(); os.RemoveAll(place) })
	go func() {
		for c, err := l.Accept(); err == nil; c, err = l.Accept() {
			to, err := net.Dial("unix", s.Path)
			if err != nil {
				c.Close()
				continue
			}
			go func() { io.Copy(c, to); c.Close() }()
			go func() { w.pass(t, c, to, dir); to.Close() }()
		}
	}()
	return w
}

// pass hands on one command after another.
func (w *watched) pass(t *testing.T, from io.Reader, to io.Writer, dir string) {
	var all bytes.Buffer
	in := bufio.NewReader(io.TeeReader(from, &all))
	for {
		words, err := commandIn(in)
		if err != nil {
			return
		}
		if len(words) > 2 && strings.EqualFold(words[0], "set") && len(words[2]) > 18 {
			w.look(t, dir, words[2])
		}
		// in has read ahead: all but what it still has is whole commands
		whole := all.Next(all.Len() - in.Buffered())
		if _, err := to.Write(whole); err != nil {
			return
		}
	}
}

// look notes how long the files are when an original is told of.
func (w *watched) look(t *testing.T, dir, value string) {
	id := record.ID([]byte(value[2:18]))
	m := moment{"WARC-Record-ID: " + id.String() + "\r\n", map[string]int64{}}
	files, err := os.ReadDir(filepath.Join(dir, "archive"))
	if err != nil {
		t.Error(err)
	}
	for _, file := range files {
		if info, err := os.Stat(filepath.Join(dir, "archive", file.Name())); err == nil {
			m.sizes[strings.TrimSuffix(file.Name(), ".open")] = info.Size()
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.told = append(w.told, m)
}

// wasThere reports whether a record was in a file as long as that was.
func (m *moment) wasThere(t *testing.T, dir string) bool {
	t.Helper()
	for name, size := range m.sizes {
		file, err := os.ReadFile(filepath.Join(dir, "archive", name))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(inflate(file[:size]), []byte(m.field)) {
			return true
		}
	}
	return false
}

// commandIn reads a command as clients send it.
func commandIn(in *bufio.Reader) (words []string, err error) {
	number := func() (n int, err error) {
		line, err := in.ReadString('\n')
		if err != nil || len(line) < 4 {
			return 0, fmt.Errorf("%q: %w", line, err)
		}
		return strconv.Atoi(line[1 : len(line)-2])
	}
	n, err := number()
	for range n {
		size := 0
		if size, err = number(); err != nil {
			break
		}
		word := make([]byte, size+2)
		if _, err = io.ReadFull(in, word); err != nil {
			break
		}
		words = append(words, string(word[:size]))
	}
	return words, err
}

// TestSharedOnDisk: when the server is told of an original, its record is in a file, which a process that is
// killed then leaves; small ones and large ones, with as many at once as come.
func TestSharedOnDisk(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := watch(t, server.Start(t), dir)
	c := open(t, dir, Config{DedupShared: w.url})
	const small, large = 60, 2
	for i := range small {
		c.commit(fmt.Sprint(outsideURL, i), exampleRequest, answerOf(200, "", fmt.Sprint(body2K, i)))
	}
	for i := range large {
		c.commit(fmt.Sprint(outsideURL, "large", i), exampleRequest, answerOf(200, "", randomText(2<<20+i)))
	}
	c.settle()
	c.published(small + large)
	c.close()
	if len(w.told) != small+large {
		t.Errorf("%d are told", len(w.told))
	}
	for _, m := range w.told {
		if !m.wasThere(t, c.dir) {
			t.Errorf("it was told before it was there: %s", m.field)
		}
	}
}

// TestSharedUnwritten: what cannot be written is told to nobody, while that is tried again and when it is
// given up; what has been written then is told, and named.
func TestSharedUnwritten(t *testing.T) {
	t.Parallel()
	for _, heals := range []bool{true, false} {
		t.Run(fmt.Sprint("heals=", heals), func(t *testing.T) {
			t.Parallel()
			s := server.Start(t)
			_, client := database(t, s, 0)
			c, other := sharing(t, s, Config{}), sharing(t, s, Config{})
			page := answerOf(200, "", body2K)
			back := c.takeAway()
			c.commit(outsideURL, exampleRequest, page)
			eventually(t, "it cannot be written", func() bool { return c.Ready() != nil })
			c.shared.Publish(&store.Original{URL: outsideURL, Time: time.Now(),
				Digest: "sha1:" + strings.Repeat("A", 32)}, 0) // which comes behind all that was told
			c.published(1)
			if keys := keysIn(t, client); len(keys) != 1 {
				t.Errorf("%q", keys)
			}
			if heals {
				back()
				eventually(t, "it can be written", func() bool { return c.Ready() == nil })
				c.settle()
				c.published(2)
				c.close()
			} else if err := c.Close(); err == nil {
				t.Error("nothing is lost")
			}
			if c.Status().DedupShared.Published != map[bool]int64{true: 2, false: 1}[heals] {
				t.Errorf("%+v", c.Status().DedupShared)
			}
			other.settled(outsideURL, exampleRequest, page)
			other.close()
			if revisits := revisitsOf(t, other.dir); len(revisits) > 0 != heals {
				t.Errorf("%d revisits", len(revisits))
			}
		})
	}
}

// TestSharedTTL: a server forgets an original after the time that its recorder has set when it was told of;
// another time counts from a reload and from a restart on, for what comes then.
func TestSharedTTL(t *testing.T) {
	t.Parallel()
	s := server.Start(t)
	_, client := database(t, s, 0)
	here, other := sharing(t, s, Config{DedupTTL: time.Second}), sharing(t, s, Config{})
	page := func(n int) string { return answerOf(200, "", fmt.Sprint(body2K, n)) }
	here.settled(outsideURL, exampleRequest, page(1))
	here.published(1)
	eventually(t, "it has expired", func() bool { return len(keysIn(t, client)) == 0 })
	other.settled(outsideURL, exampleRequest, page(1))
	other.published(1)
	other.close()
	if n := len(revisitsOf(t, other.dir)); n != 0 {
		t.Errorf("%d revisits of what has expired", n)
	}
	if err := client.FlushAll(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	here.take(func(cfg *Config) { cfg.DedupTTL = time.Hour })
	here.settled(outsideURL+"2", exampleRequest, page(2))
	here.settled(outsideURL, exampleRequest, page(1)) // which has it itself, and tells nobody
	here.published(2)
	key := keyIn(t, client)
	left := func(key string) time.Duration {
		t.Helper()
		d, err := client.PTTL(t.Context(), key).Result()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
	if d := left(key); d <= 50*time.Minute || d > time.Hour {
		t.Errorf("after a reload it is kept for %v", d)
	}
	here.close()
	again := open(t, here.dir, Config{DedupShared: s.URL()})
	again.settled(outsideURL+"3", exampleRequest, page(3))
	again.published(1)
	again.close()
	for _, each := range keysIn(t, client) {
		if d := left(each); (d > 0) != (each == key) {
			t.Errorf("%q is kept for %v", each, d)
		}
	}
	if n := len(keysIn(t, client)); n != 2 {
		t.Errorf("%d keys", n)
	}
}
