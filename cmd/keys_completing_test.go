package cmd

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func showCompleteAgain(t *testing.T, b *keyBench) {
	f, r := newFilms(t), b.record(t, "complete-again: 1s"+soon)
	f.part(t, r, f.URL+"/new/a.mp4")
	first := f.whole(t).at
	f.part(t, r, f.URL+"/new/a.mp4")
	if second := f.whole(t).at; second.Sub(first) < time.Second {
		t.Errorf("another whole after %v", second.Sub(first))
	}
	f, r = newFilms(t), b.record(t, soon+"shutdown-timeout: 1m") // a minute
	f.part(t, r, f.URL+"/new/a.mp4")
	f.whole(t)
	r.captured(t, f.URL+"/new/a.mp4")
	f.part(t, r, f.URL+"/new/a.mp4")
	r.has(t, 1, 0, 0)
	ends := time.Now()
	r.stop()
	if got := f.whole(t).at; got.Before(ends) {
		t.Error("another whole is asked for before the end")
	}
}

// onHosts are URLs of a path at hosts of their own.
func onHosts(f *films, name string, hosts ...string) (urls []string) {
	for i, host := range hosts {
		urls = append(urls, at(f.Server, host, fmt.Sprintf("/%s/%d.mp4", name, i)))
	}
	return urls
}

func showCompletePerHost(t *testing.T, b *keyBench) {
	names := newKeyNames(t, false).setting()
	for file, first := range map[string]string{ // whose wholes are asked for while others are held
		"": "/held/0.mp4 /held/2.mp4", "complete-per-host: 2": "/held/0.mp4 /held/1.mp4 /held/2.mp4",
	} {
		f, r := newFilms(t), b.record(t, file+soon+names)
		for i, url := range onHosts(f, "held", "a.test", "a.test", "b.test") {
			f.part(t, r, url)
			r.awaits(t, i+1)
		}
		want := strings.Count(first, ".mp4")
		r.has(t, 3-want, want, 0)
		asked := map[string]bool{}
		for range want {
			asked[f.whole(t).path] = true
		}
		for _, path := range strings.Fields(first) {
			if !asked[path] {
				t.Errorf("%q: %v, want %s", file, asked, first)
			}
		}
		f.release()
		for range 3 - want {
			f.whole(t)
		}
		r.has(t, 0, 0, 0)
	}
}

func showCompleteAtOnce(t *testing.T, b *keyBench) {
	names := newKeyNames(t, false).setting()
	for file, most := range map[string]int{"": 4, "complete-at-once: 1": 1} {
		f, r := newFilms(t), b.record(t, file+soon+names)
		for _, url := range onHosts(f, "held", "a.test", "b.test", "c.test", "d.test", "e.test") {
			f.part(t, r, url)
		}
		r.has(t, 5-most, most, 0)
		if got := f.wholes(); len(got) > most {
			t.Errorf("%q: %q at once", file, got)
		}
		f.release()
		r.has(t, 0, 0, 0)
	}
}

func showCompleteWaiting(t *testing.T, b *keyBench) {
	for file, gaps := range map[string]int{"": 0, "complete-waiting: 2": 1} {
		f, r := newFilms(t), b.record(t, file+atEnd)
		for i := range 3 {
			f.part(t, r, fmt.Sprintf("%s/%d.mp4", f.URL, i))
			r.awaits(t, min(i+1, 3-gaps))
		}
		r.has(t, 3-gaps, 0, 0)
		want := map[string]int{}
		if gaps > 0 {
			want["cut"] = gaps
		}
		r.gaps(t, want)
		if listed := r.own(t, "/gaps"); strings.Contains(listed, "/2.mp4") != (gaps == 1) {
			t.Errorf("%q: %s", file, listed)
		}
	}
}

func showCompleteRunning(t *testing.T, b *keyBench) {
	f, r := newFilms(t), b.record(t, "complete-running: 1"+soon)
	f.leave(t, r, "/half/first.mp4")
	r.has(t, 0, 0, 1)
	f.whole(t)
	f.leave(t, r, "/half/second.mp4")
	f.whole(t)
	if left := await(t, f.left, "one more is cut"); left != "/half/second.mp4" {
		t.Errorf("%s is cut", left)
	}
	if later := f.whole(t); later.path != "/half/second.mp4" {
		t.Errorf("the whole of %s is asked for later", later.path)
	}
	r.has(t, 0, 1, 1)
	f.release()
	f = newFilms(t)
	r = b.record(t, soon)
	f.leave(t, r, "/half/first.mp4")
	f.leave(t, r, "/half/second.mp4")
	r.has(t, 0, 0, 2) // of 64
	f.release()
	r.has(t, 0, 0, 0)
}
