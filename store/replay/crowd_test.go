package replay

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/replay/rules"
)

// crowds are collections with very many captures of one URL key, each like one of those that were
// recorded. What they say of their places is true, and no two are of one time.
var crowds = []struct {
	name           string
	like           exchange
	asked          exchange
	found          bool
	looked, opened int // at most
}{
	{"wholes", exchange{text: "1"}, exchange{}, true, 1, 1},
	{"posts", exchange{method: "POST", body: "a"}, exchange{method: "POST", body: "a"}, true, 1, 1},
	{"other spellings", exchange{url: "https://www.example.com/", text: "1"}, exchange{}, true,
		maxNear, 1},
	{"redirects to themselves", exchange{response: "HTTP/1.1 302 F\nLocation: /"}, exchange{}, false,
		maxAll, maxRedirects},
	{"redirects to what is asked", exchange{url: "https://example.com/",
		response: "HTTP/1.1 302 F\nLocation: http://example.com/"}, exchange{}, false, maxAll,
		maxRedirects},
	{"304s", exchange{response: "HTTP/1.1 304 Not Modified"}, exchange{}, false, maxLooked, 0},
	{"parts", exchange{response: "HTTP/1.1 206 P\nContent-Range: bytes 0-3/9", text: "part"},
		exchange{}, true, maxLooked, 0},
	{"cut", exchange{text: "cut", truncated: "time"}, exchange{}, true, maxLooked, 0},
	{"416s", exchange{response: "HTTP/1.1 416 No"}, exchange{}, true, maxAll, 1},
	{"Vary that differs", exchange{response: "HTTP/1.1 200 OK\nVary: A", fields: "A: 1\r\n"},
		exchange{fields: "A: 2\r\n"}, true, maxOpened, maxOpened},
	{"Vary that agrees", exchange{response: "HTTP/1.1 200 OK\nVary: A", fields: "A: 1\r\n"},
		exchange{fields: "A: 1\r\n"}, true, 1, 1},
	{"Vary: *", exchange{response: "HTTP/1.1 200 OK\nVary: *"}, exchange{}, true, maxOpened,
		maxOpened},
	{"POSTs under the key of a GET", exchange{method: "POST"}, exchange{
		url: "http://example.com/?__wb_method=POST"}, false, maxAll, 0},
}

const maxAll = maxLooked + maxEarliest

// crowd makes an archive with n captures like that of an exchange, in the middle of which is the
// moment that is wanted.
func crowd(t testing.TB, like exchange, n int) *recording {
	t.Helper()
	r := archived(t, Config{At: begun.Add(time.Duration(n/2) * time.Second)}, like)
	var one store.Capture
	_, err := r.index.Under("", 1, func(c *store.Capture) bool {
		one = *c
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	one.QueryKey, one.SpecBody = r.asked(like).keys.QueryKey, one.RequestBody
	one.WarcioJSBody = one.RequestBody
	index := r.reopen()
	r.again(index, one, n, func(i int) time.Time { return begun.Add(time.Duration(i) * time.Second) })
	return r
}

var dated = regexp.MustCompile(`(?m)^WARC-Date: .*\r$`)

// again writes the exchange of a capture, the last one of its file, n times into one more file, each
// at another time, and commits these captures.
func (r *recording) again(index *store.Bolt, one store.Capture, n int, at func(i int) time.Time) {
	r.t.Helper()
	records := r.plain(&one)
	dates := int64(len(dated.FindAll(records, -1)))
	length := int64(bytes.Index(records, []byte("\r\n\r\nWARC/1.1\r\n"))) + 4
	const name = "again.warc"
	file, err := os.Create(r.dir.WARC(name))
	if err != nil {
		r.t.Fatal(err)
	}
	out, written, all := bufio.NewWriter(file), int64(0), make([]store.Capture, n)
	for i := range all {
		date := "WARC-Date: " + at(i).UTC().Format("2006-01-02T15:04:05.000000Z") + "\r"
		copied := dated.ReplaceAllLiteral(records, []byte(date))
		all[i] = one
		all[i].Time = at(i)
		all[i].Location = store.Location{File: name, Offset: written, Length: length +
			int64(len(copied)-len(records))/dates}
		out.Write(copied)
		written += int64(len(copied))
	}
	if err := errors.Join(out.Flush(), file.Close()); err != nil {
		r.t.Fatal(err)
	}
	known, err := index.AddFile(name)
	known.Committed, known.Sealed = written, true
	if err := errors.Join(err, index.Commit(all, []store.File{known})); err != nil {
		r.t.Fatal(err)
	}
}

// plain returns the records of a file from a capture on, inflated.
func (r *recording) plain(c *store.Capture) []byte {
	r.t.Helper()
	stored, err := os.ReadFile(r.dir.WARC(c.File))
	if err != nil {
		r.t.Fatal(err)
	}
	inflated, err := gzip.NewReader(bytes.NewReader(stored[c.Offset:]))
	if err != nil {
		r.t.Fatal(err)
	}
	records, err := io.ReadAll(inflated)
	if err != nil {
		r.t.Fatal(err)
	}
	return records
}

// reopen ends the recording, and opens its index for captures that a test makes.
func (r *recording) reopen() *store.Bolt {
	r.t.Helper()
	if err := r.recorder.Close(); err != nil {
		r.t.Fatal(err)
	}
	index, err := store.Open(r.dir.Index(), store.Options{})
	if err != nil {
		r.t.Fatal(err)
	}
	files := readback.New(r.dir, index)
	r.t.Cleanup(func() { files.Close(); index.Close() })
	r.Archive = New(r.cfg, index, files, r.keys)
	return index
}

// TestCrowds: however many captures a key has, a bounded number is looked at, and of these a
// smaller one is opened.
func TestCrowds(t *testing.T) {
	for _, c := range crowds {
		t.Run(c.name, func(t *testing.T) {
			r := crowd(t, c.like, 2*maxLooked)
			looked, opened, found := 0, 0, false
			asked := r.asked(c.asked)
			r.lookups(asked, func(l *lookup) bool {
				s, err := r.search(asked, l)
				if err != nil {
					t.Fatal(err)
				}
				looked, opened = looked+s.looked, opened+s.opened+s.redirects
				got := s.choice()
				found = got.found()
				got.close()
				return !found
			})
			if found != c.found || looked > c.looked || opened > c.opened {
				t.Errorf("found: %v, %d looked at, %d opened; want %v, %d, %d at most", found, looked, opened,
					c.found, c.looked, c.opened)
			}
			if !found && (looked < c.looked || opened < c.opened) {
				t.Errorf("%d looked at, %d opened: the bounds are not met", looked, opened)
			}
		})
	}
}

// BenchmarkChoose chooses among 100,000 captures of one URL key, and among one.
func BenchmarkChoose(b *testing.B) {
	for _, n := range []int{1, 100_000} {
		for _, c := range crowds {
			b.Run(fmt.Sprintf("%d/%s", n, c.name), func(b *testing.B) {
				r := crowd(b, c.like, n)
				asked := r.asked(c.asked)
				b.ReportAllocs()
				for b.Loop() {
					got, err := r.choose(asked)
					if err != nil {
						b.Fatal(err)
					}
					got.close()
				}
			})
		}
	}
}

// TestBeyond: where a rule may mean more captures than are looked at, a miss does not say that
// nothing was captured.
func TestBeyond(t *testing.T) {
	url := func(i int) string {
		return fmt.Sprintf("http://example.com/feed?_=%d&page=%d", 1600000000000+i, i)
	}
	r := archived(t, Config{Explain: true, Rules: rules.Shipped()}, exchange{url: url(0)})
	var one store.Capture
	_, err := r.index.Under("", 1, func(c *store.Capture) bool {
		one = *c
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	index := r.reopen()
	all := make([]store.Capture, maxUnder)
	for i := range all {
		all[i] = one
		all[i].URL, all[i].Time = url(1+i), minute(1+i)
		all[i].URLKey = r.keys.Of(store.URLKey, all[i].URL)
	}
	if err := index.Commit(all, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ page, why string }{
		{"3", whyDamaged}, // it is found: its record is of another URL
		{"100000", whyBeyond},
	} {
		answer, _ := r.ask(exchange{url: "http://example.com/feed?_=1700000000000&page=" + c.page})
		if why := answer.first("X-Warcorder-Miss"); why != c.why {
			t.Errorf("page %s: %q, want %q", c.page, why, c.why)
		}
	}
}

// TestRoundAgain: what went round again and again, and came once, is found; and it is followed once.
func TestRoundAgain(t *testing.T) {
	const to = "HTTP/1.1 302 F\nLocation: "
	r := crowd(t, exchange{response: to + "/b"}, 2*maxFollowed)
	r.cfg.At = time.Time{}
	r.rerecord(exchange{text: "there", at: -5})
	r.add(exchange{url: "http://example.com/b", response: to + "/"})
	r.settle()
	asked := r.asked(exchange{})
	got, err := r.choose(asked)
	if err != nil {
		t.Fatal(err)
	}
	if text := r.textOf(&got); text != "there" || asked.followed.redirects != 1 {
		t.Errorf("%q, %d followed", text, asked.followed.redirects)
	}
}

// TestEarliest: what came whole once, and then thousands of times as not modified, is found.
func TestEarliest(t *testing.T) {
	for _, response := range []string{"HTTP/1.1 304 Not Modified",
		"HTTP/1.1 206 P\nContent-Range: bytes 0-3/9", "HTTP/1.1 302 F\nLocation: /"} {
		r := crowd(t, exchange{response: response, text: "part"}, 2*maxLooked)
		r.cfg.At = time.Time{}
		r.rerecord(exchange{text: "whole", at: -5})
		if _, text := r.ask(exchange{}); text != "whole" {
			t.Errorf("%s: %q", response, text)
		}
	}
}

// rerecord records more into a collection that was reopened.
func (r *recording) rerecord(x exchange) {
	r.t.Helper()
	if err := r.index.Close(); err != nil {
		r.t.Fatal(err)
	}
	r.open(recorder.Default())
	r.add(x)
	r.settle()
}
