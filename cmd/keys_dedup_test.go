package cmd

import (
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// dedupKeys say what is stored once, what files say of themselves, and by what captures are found.
func dedupKeys() []keyRow {
	return []keyRow{
		{key: "dedup", shows: showDedup},
		{key: "dedup-min-size", shows: showDedupMinSize},
		{key: "dedup-for", shows: showDedupFor},
		{key: "dedup-from", shows: showDedupFrom},
		{key: "dedup-shared", shows: showDedupShared},
		{key: "dedup-ttl", shows: showDedupTTL},
		{key: "warcinfo-operator", shows: showWarcinfo("operator", "operator", "")},
		{key: "warcinfo-is-part-of", shows: showWarcinfo("is-part-of", "isPartOf", "default")},
		{key: "warcinfo-description", shows: showWarcinfo("description", "description", "")},
		{key: "warcinfo-robots", shows: showWarcinfo("robots", "robots", "")},
		{key: "keys-extra", shows: showKeysExtra},
		{key: "keys-profiles", shows: showKeysProfiles},
	}
}

// revisits fetches URLs, one after another, and reports which of their captures are revisits.
func (r *keyed) revisits(t *testing.T, targets ...string) (are []bool) {
	t.Helper()
	for n, target := range targets {
		r.fetch(target).wants(t, 200, "")
		eventually(t, "it is captured", func() bool {
			lines := r.indexed(t, `"`+target+`"`)
			if len(lines) == timesIn(targets[:n+1], target) {
				are = append(are, strings.Contains(lines[len(lines)-1], "warc/revisit"))
				return true
			}
			return false
		})
	}
	return are
}

// timesIn is how often a list has a text.
func timesIn(list []string, text string) (n int) {
	for _, one := range list {
		if one == text {
			n++
		}
	}
	return n
}

func showDedup(t *testing.T, b *keyBench) {
	site := newSite(t).plain.URL // whose bodies depend on the path alone
	for file, want := range map[string]string{
		"":                  "[false true true]",
		"dedup: collection": "[false true true]",
		"dedup: url":        "[false false true]",
		"dedup: off":        "[false false false]",
	} {
		r := b.record(t, file)
		got := fmt.Sprint(r.revisits(t, site+"/bytes/5000?a", site+"/bytes/5000?b", site+"/bytes/5000?b"))
		if got != want {
			t.Errorf("%q: revisits are %s, want %s", file, got, want)
		}
	}
}

func showDedupMinSize(t *testing.T, b *keyBench) {
	site := newSite(t).plain.URL
	for file, want := range map[string]string{
		"":                      "[false false false true]",
		"dedup-min-size: 1022":  "[false true false true]",
		"dedup-min-size: 0":     "[false true false true]",
		"dedup-min-size: 10KiB": "[false false false false]",
	} {
		r := b.record(t, file)
		got := fmt.Sprint(r.revisits(t, site+"/bytes/1022?a", site+"/bytes/1022?b",
			site+"/bytes/1024?a", site+"/bytes/1024?b"))
		if got != want {
			t.Errorf("%q: revisits are %s, want %s", file, got, want)
		}
	}
}

func showDedupFor(t *testing.T, b *keyBench) {
	target := newSite(t).plain.URL + "/bytes/5000"
	r := b.record(t, "dedup-for: 1s\nindex-interval: 10ms")
	var stored []string
	eventually(t, "it is stored again", func() bool {
		r.fetch(target).wants(t, 200, "")
		b.plain.fetch(target).wants(t, 200, "")
		r.indexed(t, target)
		stored = r.records(t, "response", target)
		return len(stored) == 2
	})
	var dates [2]time.Time
	for i, record := range stored {
		date := regexp.MustCompile(`\r\nWARC-Date: (\S+)\r\n`).FindStringSubmatch(record)
		var err error
		if dates[i], err = time.Parse(time.RFC3339Nano, date[1]); err != nil {
			t.Fatal(err)
		}
	}
	if apart := dates[1].Sub(dates[0]); apart < time.Second {
		t.Errorf("stored again after %v", apart)
	}
	b.plain.indexed(t, target)
	if n := len(b.plain.records(t, "response", target)); n != 1 {
		t.Errorf("stored %d times by default", n)
	}
}

func showDedupFrom(t *testing.T, b *keyBench) {
	site := newSite(t).plain.URL
	other := b.record(t, "")
	other.revisits(t, site+"/bytes/5002", site+"/bytes/6002")
	cdx := "http://" + other.address
	timemap := keyOrigin(t, func(w http.ResponseWriter, r *http.Request) { // any other server of lines
		if r.URL.Query().Get("of") != site+"/bytes/6002" {
			return
		}
		for _, line := range other.indexed(t, "/bytes/6002") {
			io.WriteString(w, line)
		}
	})
	for from, want := range map[string]string{
		cdx + "/cdx": "[true true]", timemap.URL + "/all?of={url}": "[false true]",
	} {
		var got string
		for range 3 { // which may be busy: a server has half a second for its answer
			var state struct {
				DedupFrom []struct{ Failed, Passed int }
			}
			r := b.record(t, "dedup-from: ['"+from+"']")
			got = fmt.Sprint(r.revisits(t, site+"/bytes/5002", site+"/bytes/6002"))
			if r.state(t, &state); state.DedupFrom[0].Failed+state.DedupFrom[0].Passed == 0 {
				break
			}
			t.Logf("it did not answer in time: %s", r.own(t, "/status"))
		}
		if got != want {
			t.Errorf("%s: revisits are %s, want %s", from, got, want)
		}
	}
	other.stop()
	r := b.record(t, "dedup-from: ['"+other.dir+"']")
	if got := fmt.Sprint(r.revisits(t, site+"/bytes/5002", site+"/bytes/7002")); got != "[true false]" {
		t.Errorf("a directory: revisits are %s", got)
	}
	if got := fmt.Sprint(b.plain.revisits(t, site+"/bytes/5002")); got != "[false]" {
		t.Errorf("by default revisits are %s", got)
	}
}

// showWarcinfo shows a key of warcinfo by the field that it makes.
func showWarcinfo(key, field, byDefault string) func(*testing.T, *keyBench) {
	return func(t *testing.T, b *keyBench) {
		for file, want := range map[string]string{
			"": byDefault, "warcinfo: {" + key + ": The Words of It}": "The Words of It",
		} {
			r := b.recordsOne(t, file, "/warcinfo")
			beside := []string{"software: warcorder", "format: WARC File Format 1.1", "hostname: "}
			for _, name := range r.files(t, "*") {
				first := recordsOf(t, name)[0]
				_, info, _ := strings.Cut(first, "\r\n\r\n")
				has := strings.Contains(info, field+": "+want+"\r\n")
				if want == "" {
					has = !strings.Contains(info, field+":")
				}
				for _, text := range beside {
					has = has && strings.Contains(info, text)
				}
				if !has || !strings.Contains(first, "WARC-Type: warcinfo") {
					t.Errorf("%q: %q", file, first)
				}
			}
		}
	}
}

// finds reports whether a URL is found by a key in the collection of a recorder.
func (r *keyed) finds(t *testing.T, key, target, file string) bool {
	t.Helper()
	cmd := homeCommand(r.dir, "lookup", "--key", key, target, "--config", writeFile(t, file),
		"--dir", filepath.Dir(r.dir))
	out, err := cmd.Output()
	return err == nil && strings.Contains(string(out), hostOf(target))
}

// hostOf is the host of a URL, which stands in each line of it.
func hostOf(target string) string {
	_, rest, _ := strings.Cut(target, "://")
	host, _, _ := strings.Cut(rest, "/")
	return host
}

func showKeysExtra(t *testing.T, b *keyBench) {
	likes := map[string]string{"path": "/a%7Eb", "wwwoffle": "/a~b", "form": "/f?a=A;b"}
	for file, extra := range map[string]string{
		"": "", "keys: {extra: [path, wwwoffle, form]}": "path wwwoffle form", "keys: {extra: path}": "path",
	} {
		r := b.record(t, file)
		for _, path := range []string{"/a~b", "/f?a=%41;b"} {
			r.fetch(b.pages.URL+path).wants(t, 200, "page /")
		}
		r.indexed(t, "/f")
		for key, path := range likes {
			if r.finds(t, key, b.pages.URL+path, file) != strings.Contains(extra, key) {
				t.Errorf("%q: %s is found by %s: %t", file, path, key, !strings.Contains(extra, key))
			}
		}
	}
}

func showKeysProfiles(t *testing.T, b *keyBench) {
	profiles := "keys:\n  extra: [path]\n  profiles:\n" +
		"  - {name: ours, host: 127.0.0.1, path: /wiki, decode: [\"21\"], encode: [\"2A\"]}\n" +
		"  - {name: rest, host: 127.0.0.1, decode: [\"28\"]}\n" +
		"  - {name: mediawiki, host: \"*.example.test\"}\n"
	for file, with := range map[string]bool{"keys: {extra: [path]}": false, profiles: true} {
		r := b.record(t, file+newKeyNames(t, false).setting())
		for _, path := range []string{"/wiki/a%21b", "/wiki/a*b", "/wiki/a%28b", "/other/a%28b",
			"/other/a%21b"} {
			r.fetch(b.pages.URL+path).wants(t, 200, "page /")
		}
		r.fetch(at(b.pages, "a.example.test", "/a%3Ab")).wants(t, 200, "page /")
		r.indexed(t, "/a%3Ab")
		for path, found := range map[string]bool{
			"/wiki/a!b": with, "/wiki/a%2Ab": with, "/wiki/a%28b": true,
			"/wiki/a(b":  false, // the first that matches counts
			"/other/a(b": with, "/other/a!b": false,
		} {
			if r.finds(t, "path", b.pages.URL+path, file) != found {
				t.Errorf("%q: %s is found: %t", file, path, !found)
			}
		}
		if r.finds(t, "path", at(b.pages, "a.example.test", "/a:b"), file) != with {
			t.Errorf("%q: a page of MediaWiki's is found: %t", file, !with)
		}
	}
}
