package delta_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/cmd/removing"
	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/delta"
	"warcorder/store/selection"
)

// recording is a real recorder in a directory of its own.
type recording struct {
	*recorder.Recorder
	t   testing.TB
	cfg recorder.Config
	dir collection.Dir
	now time.Time // of the last exchange
}

func start(t testing.TB) *recording {
	t.Helper()
	cfg := recorder.Default()
	cfg.CommitInterval, cfg.IndexInterval = time.Millisecond, time.Millisecond
	cfg.MinFreeSpace = 0
	r := &recording{t: t, cfg: cfg, dir: collection.Dir(t.TempDir())}
	r.now = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	r.open()
	t.Cleanup(func() { r.Recorder.Close() })
	return r
}

func (r *recording) open() {
	r.t.Helper()
	var err error
	if r.Recorder, err = recorder.Open(r.cfg, r.dir, zerolog.Nop()); err != nil {
		r.t.Fatal(err)
	}
}

// page is a response with a body.
func page(body string) string {
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n%s",
		len(body), body)
}

// get records the answer to a GET, a second behind the one before.
func (r *recording) get(path, response string) { r.send("GET", path, "", response) }

// send records an exchange.
func (r *recording) send(method, path, body, response string) {
	r.t.Helper()
	r.now = r.now.Add(time.Second)
	r.sendNow(method, path, body, response)
}

func (r *recording) sendNow(method, path, body, response string) {
	r.t.Helper()
	x := r.Begin()
	x.URL, x.Method, x.Started = "https://example.com"+path, method, r.now
	x.RemoteIP = netip.MustParseAddr("192.0.2.1")
	fields := ""
	if body != "" {
		fields = fmt.Sprintf("Content-Type: application/x-www-form-urlencoded\r\nContent-Length: %d\r\n",
			len(body))
	}
	io.WriteString(&x.Request, method+" "+path+" HTTP/1.1\r\nHost: example.com\r\n"+fields+"\r\n"+body)
	io.WriteString(&x.Response, response)
	x.Commit()
	if err := r.Settle(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

func (r *recording) rotate() {
	r.t.Helper()
	if _, err := r.Rotate(r.t.Context()); err != nil {
		r.t.Fatal(err)
	}
}

// remove removes what was recorded of a path.
func (r *recording) remove(path string, forget bool) {
	r.t.Helper()
	r.removeOf(selection.Selection{URL: "https://example.com" + path}, forget)
}

// removeAt removes what was recorded at a second.
func (r *recording) removeAt(at time.Time) {
	r.t.Helper()
	ts := at.Format("20060102150405")
	r.removeOf(selection.Selection{From: ts, To: ts}, false)
}

func (r *recording) removeOf(sel selection.Selection, forget bool) {
	r.t.Helper()
	wish := removing.Wish{Choose: removing.Chosen(r.t.Context(), sel), Forget: forget}
	done, err := removing.Remove(r.t.Context(), r.Recorder, r.dir, r.cfg.Mode, wish)
	if err != nil || !done.Done {
		r.t.Fatalf("%+v %v", done, err)
	}
}

// rebuild makes the index anew of the files.
func (r *recording) rebuild() {
	r.t.Helper()
	if err := r.Recorder.Close(); err != nil {
		r.t.Fatal(err)
	}
	if _, err := recovery.Rebuild(recovery.Config{}, r.dir, zerolog.Nop()); err != nil {
		r.t.Fatal(err)
	}
	r.open()
}

// lines are all lines.
func (r *recording) lines(q store.Query) string {
	r.t.Helper()
	var out bytes.Buffer
	if _, err := r.Index().Export(&out, q, nil); err != nil {
		r.t.Fatal(err)
	}
	return out.String()
}

// since are the lines that have come since a token, and the token of them.
func (r *recording) since(token string, q store.Query) (lines string, done delta.Done, now string) {
	r.t.Helper()
	lines, done, now, err := r.trySince(token, q)
	if err != nil {
		r.t.Fatal(err)
	}
	return lines, done, now
}

func (r *recording) trySince(token string, q store.Query) (lines string, done delta.Done, now string,
	err error) {
	since, err := delta.Parse(token)
	if err != nil {
		return "", done, "", err
	}
	d, err := delta.Begin(r.dir, r.Index(), q, delta.Ask{Since: since})
	if err != nil {
		return "", done, "", err
	}
	defer d.Close()
	var out bytes.Buffer
	done, err = d.Write(&out, nil)
	if n := strings.Count(out.String(), "\n"); err == nil && int64(n) != done.Lines {
		r.t.Errorf("%d lines of %+v", n, done)
	}
	if !slices.IsSorted(strings.SplitAfter(strings.TrimSuffix(out.String(), "\n"), "\n")) {
		r.t.Errorf("not sorted:\n%s", out.String())
	}
	return out.String(), done, d.Token().String(), err
}

// said is what of a line tells which it is, and what it says.
type said struct {
	URL, Filename, Offset, Method, Removed, Unlisted string

	key, ts string
}

func parse(t testing.TB, line string) (s said) {
	t.Helper()
	parts := strings.SplitN(line, " ", 3)
	if err := json.Unmarshal([]byte(parts[2]), &s); err != nil {
		t.Fatalf("%s: %v", line, err)
	}
	s.key, s.ts = parts[0], parts[1]
	return s
}

// byFile keeps lines as the package doc tells those who merge sorted files.
type byFile struct{ lines []string }

func (k *byFile) take(t testing.TB, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		s := parse(t, line)
		switch {
		case s.key == "!removed":
			k.drop(t, func(l said) bool { return l.Filename == s.Filename })
		case s.Removed != "":
			k.drop(t, func(l said) bool {
				return l.key == s.key && l.ts == s.ts && l.Filename == s.Filename &&
					(s.Offset == "" || s.Offset == l.Offset)
			})
		}
	}
	for line := range strings.Lines(lines) {
		if s := parse(t, line); s.URL != "" && s.Removed == "" {
			k.drop(t, func(l said) bool { return l.Filename == s.Filename && l.Offset == s.Offset })
			k.lines = append(k.lines, line)
		}
	}
	slices.Sort(k.lines)
}

func (k *byFile) drop(t testing.TB, which func(said) bool) {
	k.lines = slices.DeleteFunc(k.lines, func(l string) bool { return which(parse(t, l)) })
}

// byKey keeps one line of each key and second of a GET, as OutbackCDX does.
type byKey map[string]bool

func (k byKey) take(t testing.TB, lines string) {
	t.Helper()
	for line := range strings.Lines(lines) {
		if s := parse(t, line); s.URL != "" && s.Removed != "" {
			delete(k, s.key+" "+s.ts)
		}
	}
	for line := range strings.Lines(lines) {
		if s := parse(t, line); s.URL != "" && s.Removed == "" && s.Method == "" {
			k[s.key+" "+s.ts] = true
		}
	}
}

// keeping is whoever is fed with deltas.
type keeping struct {
	*recording
	query store.Query
	token string
	files byFile
	keys  byKey
}

func (r *recording) keeping(q store.Query) *keeping {
	return &keeping{recording: r, query: q, keys: byKey{}}
}

// feed takes what has come, and holds what is kept then against all lines.
func (k *keeping) feed(step string) (lines string, done delta.Done) {
	k.t.Helper()
	lines, done, token := k.since(k.token, k.query)
	k.files.take(k.t, lines)
	k.keys.take(k.t, lines)
	want := k.lines(k.query)
	if got := strings.Join(k.files.lines, ""); got != want {
		k.t.Errorf("%s: by file it has\n%swant\n%sby\n%s", step, got, want, lines)
	}
	keys := byKey{}
	keys.take(k.t, want)
	if done.Unlisted == 0 && done.Gone == 0 && !maps.Equal(keys, k.keys) {
		k.t.Errorf("%s: by key it has\n%v, want\n%v by\n%s", step, k.keys, keys, lines)
	}
	if again, _, same := k.since(token, k.query); again != "" || same != token {
		k.t.Errorf("%s: nothing new is %q", step, again)
	}
	k.token = token
	return lines, done
}
