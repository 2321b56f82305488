package recorder

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/recorder/recovery"
	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/collection"
)

// left is an exchange that a killed recorder leaves in spill/.
type left struct {
	url, request, response string
	finished               bool // its client may have all of it
	truncated, fault       string
	completion, via        string
	short                  bool // of memory: it spilled though it is small
}

func post(path string, length int, body string) string {
	return fmt.Sprintf(
		"POST %s HTTP/1.1\r\nHost: example.com\r\nContent-Type: application/octet-stream\r\n"+
			"Content-Length: %d\r\n\r\n%s",
		path, length, body)
}

// leftExchanges are those that makeLeft leaves.
func leftExchanges() []left {
	cut := page(200, "text/plain", "", randomText(4<<20))[:5<<18+100<<10]
	return []left{
		{
			url:      "http://example.com/whole",
			request:  exampleRequest,
			response: page(200, "text/plain", "", randomText(3<<19)),
			finished: true, completion: "part",
		},
		{url: "http://example.com/cut", request: exampleRequest, response: cut, completion: "cut"},
		{
			url:      "http://example.com/upload",
			request:  post("/upload", 3<<19, randomText(3<<19)),
			response: page(200, "text/plain", "", "thanks"),
			finished: true,
		},
		{url: "http://example.com/half-sent", request: post("/half-sent", 4<<20, randomText(5<<18))},
		{
			url:       "http://example.com/late",
			request:   exampleRequest,
			response:  cut[:5<<18],
			finished:  true,
			truncated: "time",
			fault:     "nothing more came",
		},
		{
			url:      "http://example.com/short",
			request:  exampleRequest,
			response: page(200, "text/plain", "", randomText(20<<10)),
			finished: true, via: "socks5 > http",
			short: true,
		},
	}
}

// makeLeft makes a collection as a killed recorder leaves it: these exchanges, two records that
// were sent to it, and a file that is not ours.
func makeLeft(t *testing.T, exchanges []left) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "c")
	c := open(t, t.TempDir(), Config{})
	var all []recordable
	for _, l := range exchanges {
		if l.short {
			c.memory.Limit.Store(0)
		}
		x := c.begin(l.url, l.request, "")
		x.Completion, x.Via = l.completion, l.via
		if _, err := io.Copy(writerOnly{&x.Response}, strings.NewReader(l.response)); err != nil {
			t.Fatal(err)
		}
		x.Chain = NewChain([][]byte{[]byte("a certificate")})
		x.Truncated, x.Fault = l.truncated, l.fault
		if l.finished {
			if err := x.Flush(); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, x)
	}
	for _, name := range []string{"sent", "half-sent"} {
		e := c.BeginExtra()
		e.Type, e.URI, e.ContentType = record.Resource, "urn:test:"+name, "text/plain"
		if _, err := (writerOnly{&e.Block}).Write([]byte(randomText(5 << 18))); err != nil {
			t.Fatal(err)
		}
		if name == "sent" {
			e.Date = time.Now()
			if err := e.flush(); err != nil {
				t.Fatal(err)
			}
		}
		all = append(all, e)
	}
	write(t, filepath.Join(c.dir, collection.SpillName, "notes.txt"), []byte("mine"))
	if err := os.CopyFS(dir, os.DirFS(c.dir)); err != nil {
		t.Fatal(err)
	}
	for _, r := range all {
		r.release()
	}
	c.close()
	return dir
}

// TestLeftInSpill: the next start, and recover, record what a killed recorder had on disk.
func TestLeftInSpill(t *testing.T) {
	t.Parallel()
	for name, start := range map[string]func(*testing.T, string){
		"start": func(t *testing.T, dir string) {
			c := open(t, dir, Config{Progress: func(_ string, done, total int64) {
				if done > total {
					t.Errorf("%d of %d bytes", done, total)
				}
			}})
			if got := len(c.urls()); got != 7 { // five responses, a chain, a resource
				t.Errorf("%d captures before the first exchange: %v", got, c.urls())
			}
			c.get("http://example.com/first")
			c.close()
		},
		"recover": func(t *testing.T, dir string) {
			found, err := recovered(Config{}, dir, zerolog.Nop(), nil)
			if err != nil || found.Spilled != (Spilled{Whole: 5, Cut: 2}) {
				t.Errorf("%+v, %v", found.Spilled, err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			exchanges := leftExchanges()
			dir := makeLeft(t, exchanges)
			start(t, dir)
			checkLeft(t, dir, exchanges)
			if again := open(t, dir, Config{}); again != nil {
				again.close()
			}
			checkLeft(t, dir, exchanges)
		})
	}
}

// TestDamagedInSpill: what a power failure has spoilt is recorded as truncated, or set aside if
// nobody knows what it is; neither is called whole, or removed.
func TestDamagedInSpill(t *testing.T) {
	t.Parallel()
	dir := makeLeft(t, leftExchanges()[:1])
	harm := func(suffix string, change func(b []byte) []byte) {
		names, _ := filepath.Glob(filepath.Join(dir, collection.SpillName, "2*"+suffix))
		if len(names) != 1 {
			t.Fatal(names)
		}
		b, err := os.ReadFile(names[0])
		if err != nil {
			t.Fatal(err)
		}
		write(t, names[0], change(b))
	}
	keep := t.TempDir()
	if err := os.CopyFS(filepath.Join(keep, "c"), os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	harm(spill.ResponseSuffix, func(b []byte) []byte { clear(b[1<<20:][:4096]); return b })
	c := open(t, dir, Config{})
	c.close()
	for _, r := range readBack(t, dir) {
		if r.get("WARC-Type") == "response" && r.get("WARC-Truncated") != "unspecified" {
			t.Errorf("it counts as whole: %v", r.header)
		}
	}
	if gaps := gapsOf(t, dir); gaps.Counts[GapCut] != 1 ||
		!strings.Contains(fmt.Sprint(gaps.Latest), "not all of what was received was on disk") {
		t.Errorf("%v", gaps)
	}

	dir = filepath.Join(keep, "c")
	harm(spill.SidecarSuffix, func(b []byte) []byte { return make([]byte, len(b)) })
	for range 2 {
		c = open(t, dir, Config{})
		c.close()
	}
	if gaps := gapsOf(t, dir); gaps.Counts[GapWrite] != 1 {
		t.Errorf("%v", gaps)
	}
	aside := filepath.Join(dir, collection.SpillName, "2*"+spill.AsideSuffix)
	if names, _ := filepath.Glob(aside); len(names) != 2 {
		t.Errorf("set aside: %v", names)
	}
}

// checkLeft looks for what makeLeft has left: each is recorded once, and said to be truncated if it
// is.
func checkLeft(t *testing.T, dir string, exchanges []left) {
	t.Helper()
	records := readBack(t, dir)
	checkLines(t, dir, records)
	of := func(url, kind string) (found []storedRecord) {
		for _, r := range records {
			if r.get("WARC-Target-URI") == url && r.get("WARC-Type") == kind {
				found = append(found, r)
			}
		}
		return found
	}
	gaps := gapsOf(t, dir)
	for _, l := range exchanges {
		truncated := l.truncated
		if !l.finished {
			truncated = "disconnect"
		}
		if got := of(l.url, "request"); len(got) != 1 || !strings.HasPrefix(l.request, got[0].block) ||
			l.finished && got[0].block != l.request {
			t.Errorf("%s: %d requests", l.url, len(got))
		}
		if got := of(l.url, "response"); len(got) != min(len(l.response), 1) {
			t.Errorf("%s: %d responses", l.url, len(got))
		} else if len(got) == 1 &&
			(!strings.HasPrefix(l.response, got[0].block) || l.finished && got[0].block != l.response ||
				got[0].get("WARC-Truncated") != truncated || got[0].get("WARC-IP-Address") != "127.0.0.1" ||
				len(got[0].block) < len(l.response)-256<<10) {
			t.Errorf("%s: response of %d bytes, %q", l.url, len(got[0].block), got[0].get("WARC-Truncated"))
		}
		if got := of(l.url, "metadata"); len(got) != 0 != (truncated+l.completion+l.via != "") ||
			len(got) > 0 && !(tells(got[0].block, "completion", l.completion) &&
				tells(got[0].block, "via", l.via)) {
			t.Errorf("%s: %d metadata records", l.url, len(got))
		}
		cut := slices.ContainsFunc(gaps.Latest,
			func(g store.Gap) bool { return g.URL == l.url && g.Reason == GapCut })
		if cut == l.finished {
			t.Errorf("%s: a gap: %t", l.url, cut)
		}
	}
	if len(of("urn:test:sent", "resource")) != 1 || len(of("urn:test:half-sent", "resource")) != 0 {
		t.Error("records that were sent")
	}
	if gaps.Counts[GapCut] != 2 || gaps.Counts[recovery.GapCrash] != 1 || len(gaps.Latest) != 3 {
		t.Errorf("gaps: %v", gaps.Latest)
	}
	if names, _ := filepath.Glob(filepath.Join(dir, collection.SpillName, "*")); len(names) != 1 ||
		filepath.Base(names[0]) != "notes.txt" {
		t.Errorf("in spill/: %v", names)
	}
}

// checkLines is checkIndex for a collection that has resources too.
func checkLines(t *testing.T, dir string, records []storedRecord) {
	t.Helper()
	lines := map[string]int{}
	for _, c := range captures(t, dir) {
		lines[c.URL]++
	}
	for _, r := range records {
		if kind := r.get("WARC-Type"); (kind == "response" || kind == "resource") &&
			lines[r.get("WARC-Target-URI")] != 1 {
			t.Errorf("%s has %d lines", r.get("WARC-Target-URI"), lines[r.get("WARC-Target-URI")])
		}
	}
}

func gapsOf(t *testing.T, dir string) store.Gaps {
	t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(dir, collection.IndexName))
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	gaps, err := index.Gaps(0)
	if err != nil {
		t.Fatal(err)
	}
	return gaps
}

// TestIndexBreaksUnderSpill: an index that breaks while spill/ is recorded stops the recorder. It
// is no fault of the exchange that came to it, which must not be set aside for it.
func TestIndexBreaksUnderSpill(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.newSpillRecovery(&Config{}, 1).worker.health.set(streaming,
		fmt.Errorf("create x: %w", store.ErrBroken))
	var told error
	c.Panics().OnBroken(func(err error) { told = err })
	if !errors.Is(told, store.ErrBroken) {
		t.Errorf("told %v", told)
	}
	c.close()
}

// tells reports whether a metadata record's block has a field with that value, or none if it is "".
func tells(block, name, value string) bool {
	if value == "" {
		return !strings.Contains(block, name+": ")
	}
	return strings.Contains(block, name+": "+value+"\r\n")
}
