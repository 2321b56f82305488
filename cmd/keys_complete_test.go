package cmd

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// completeKeys say what is had whole of what clients take a part of, or leave.
func completeKeys() []keyRow {
	return []keyRow{
		{key: "on-client-abort", shows: showOnClientAbort},
		{key: "complete", shows: showComplete},
		{key: "complete-max", shows: showCompleteMax},
		{key: "complete-quiet", shows: showCompleteQuiet},
		{key: "complete-within", shows: showCompleteWithin},
		{key: "complete-timeout", shows: showCompleteTimeout},
		{key: "complete-again", shows: showCompleteAgain},
		{key: "complete-per-host", shows: showCompletePerHost},
		{key: "complete-at-once", shows: showCompleteAtOnce},
		{key: "complete-waiting", shows: showCompleteWaiting},
		{key: "complete-running", shows: showCompleteRunning},
	}
}

const (
	soon  = "\ncomplete-quiet: 10ms\n"
	atEnd = "\ncomplete-quiet: 1h\ncomplete-within: 1h\nshutdown-timeout: 1m\n"
)

// completions are those of /status.
type completions struct {
	Completions struct{ Waiting, Running, Alone int }
}

// has waits until /status says so many wholes wait and run, and fetches go on alone.
func (r *keyed) has(t *testing.T, waiting, running, alone int) {
	t.Helper()
	want := completions{struct{ Waiting, Running, Alone int }{waiting, running, alone}}
	var got completions
	for deadline := time.Now().Add(patience); got != want; time.Sleep(5 * time.Millisecond) {
		if r.state(t, &got); time.Now().After(deadline) {
			t.Fatalf("%+v, want %+v", got, want)
		}
	}
}

// awaits waits until /status says that so many wholes wait or run: a client has its part before
// the whole of it waits, and another part may overtake it.
func (r *keyed) awaits(t *testing.T, wholes int) {
	t.Helper()
	var got completions
	for deadline := time.Now().Add(patience); got.Completions.Waiting+got.Completions.Running != wholes; {
		if r.state(t, &got); time.Now().After(deadline) {
			t.Fatalf("%+v, want %d wholes", got, wholes)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func showOnClientAbort(t *testing.T, b *keyBench) {
	for _, c := range []struct {
		file, name string
		whole      bool
	}{
		{"", "/half/a.json", false},
		{"", "/half/a.mp4", true}, // complete has it whole anyway
		{"complete: never", "/half/a.mp4", false},
		{"on-client-abort: finish", "/half/a.json", true},
		{"on-client-abort: finish\ncomplete: never\ncomplete-max: 1kB\ncomplete-running: 0",
			"/half/a.mp4", true},
	} {
		f, r := newFilms(t), b.plain
		if c.file != "" {
			r = b.record(t, c.file)
		}
		f.leave(t, r, c.name)
		if c.whole {
			f.release()
		} else if left := await(t, f.left, "the fetch is cut"); left != c.name {
			t.Errorf("%s was cut", left)
		}
		r.captured(t, f.URL+c.name)
		got := r.records(t, "response", f.URL+c.name)
		if len(got) != 1 || strings.Contains(got[0], "WARC-Truncated: disconnect") == c.whole ||
			(len(got[0]) > longSize) != c.whole {
			t.Errorf("%q: %d records, %.1000q", c.file, len(got), got)
		}
	}
}

func showComplete(t *testing.T, b *keyBench) {
	names := []string{"/a.mp4", "/a.png", "/a.pdf", "/a.woff2", "/a.zip", "/a.html", "/a.json"}
	for file, want := range map[string][]string{
		"":                 names[:6],
		"complete: auto":   names[:6],
		"complete: always": names,
		"complete: never":  nil,
	} {
		f, r := newFilms(t), b.record(t, file+atEnd)
		for _, name := range names {
			f.part(t, r, f.URL+name)
		}
		r.stop()
		if got := f.wholes(); !slices.Equal(slices.Sorted(slices.Values(got)),
			slices.Sorted(slices.Values(want))) {
			t.Errorf("%q: %q was asked for, want %q", file, got, want)
		}
	}
}

func showCompleteMax(t *testing.T, b *keyBench) {
	for file, names := range map[string][2]string{ // that is asked for, and is not
		"":                   {"/declared/1073741824", "/declared/1073741825"},
		"complete-max: 4kB":  {"/a.mp4", "/declared/4001"},
		"complete-max: 4000": {"/declared/4000", "/declared/4001"},
	} {
		f, r := newFilms(t), b.record(t, file+atEnd)
		for _, name := range names {
			f.part(t, r, f.URL+name)
		}
		r.stop()
		if got := f.wholes(); len(got) != 1 || got[0] != names[0] {
			t.Errorf("%q: %q was asked for, want %q", file, got, names[0])
		}
	}
	f, r := newFilms(t), b.record(t, "complete-max: 1MB")
	f.leave(t, r, "/half/a.mp4") // of more
	await(t, f.left, "the fetch is cut")
}

func showCompleteQuiet(t *testing.T, b *keyBench) {
	for r, quiet := range map[*keyed]time.Duration{
		b.plain: 2 * time.Second, b.record(t, "complete-quiet: 300ms"): 300 * time.Millisecond,
	} {
		f := newFilms(t)
		began := time.Now()
		f.part(t, r, f.URL+"/a.mp4")
		again := time.Now()
		f.part(t, r, f.URL+"/a.mp4")
		if took := time.Since(began); took < quiet/2 { // else the whole may have come in between
			began = again
		}
		if got := f.whole(t); got.at.Sub(began) < quiet {
			t.Errorf("the whole is asked for after %v, want %v", got.at.Sub(began), quiet)
		}
	}
	f, r := newFilms(t), b.record(t, "complete-quiet: 1h"+"\ncomplete-within: 1h")
	f.part(t, r, f.URL+"/a.mp4")
	ends := time.Now()
	r.stop()
	if got := f.whole(t); got.at.Before(ends) {
		t.Error("the whole is asked for before the end")
	}
}

func showCompleteWithin(t *testing.T, b *keyBench) {
	for file, waits := range map[string]bool{
		"complete-quiet: 1s\ncomplete-within: 1s": false, "complete-quiet: 1s\ncomplete-within: 1h": true,
	} {
		f, r := newFilms(t), b.record(t, file)
		noise := make(chan came, 1)
		go func() { noise <- r.fetch(f.URL+"/slow/a.mp4", "Range", "bytes=0-99") }()
		await(t, f.asked, "a part is under way") // and the URL is not quiet while it is
		began := time.Now()
		conn := dialed(t, r.address, "GET "+f.URL+"/slow/a.mp4 HTTP/1.0\r\nRange: bytes=0-49\r\n\r\n")
		if _, err := conn.Read(make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
		conn.Close() // ends another part
		if waits {
			r.has(t, 1, 0, 0)
			began = time.Now()
			f.release()
		}
		if got := f.whole(t); got.at.Sub(began) < time.Second {
			t.Errorf("%q: the whole is asked for after %v", file, got.at.Sub(began))
		}
		if !waits {
			f.release()
		}
		await(t, noise, "the part ends")
	}
}

func showCompleteTimeout(t *testing.T, b *keyBench) {
	f, r := newFilms(t), b.record(t, "complete-timeout: 2s"+soon)
	f.part(t, r, f.URL+"/held/a.mp4")
	began := f.whole(t).at
	await(t, f.left, "the whole is given up")
	if took := time.Since(began); took < time.Second { // it began a little before
		t.Errorf("given up after %v", took)
	}
	r.says(t, "the whole was asked for, and did not come", "/held/a.mp4")
	f.leave(t, r, "/drip/b.mp4") // the fetch goes on alone
	if left := await(t, f.left, "that is given up"); left != "/drip/b.mp4" {
		t.Errorf("%s is given up", left)
	}
	f, r = newFilms(t), b.record(t, soon)
	f.part(t, r, f.URL+"/held/a.mp4")
	f.whole(t)
	f.leave(t, r, "/half/b.mp4")
	r.has(t, 0, 1, 1) // half an hour
	f.release()
	r.has(t, 0, 0, 0)
}
