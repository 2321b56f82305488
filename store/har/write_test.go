package har

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/selection"
)

// browsed is a recording of two pages with two resources each, of which the second page's picture is
// a revisit of the first one's, and of something that belongs to none.
func browsed(t *testing.T) *recording {
	r := record(t)
	r.add("https://other.example/robots.txt", getRequest, okHead+"\r\nnothing", nil)
	for n := 1; n <= 2; n++ {
		page := fmt.Sprintf("https://example.com/%d", n)
		r.add(page, "GET / HTTP/1.1\r\nHost: example.com\r\nSec-Fetch-Mode: navigate\r\nSec-Fetch-Dest: document\r\n\r\n",
			fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Page %d</title>", n), nil)
		fields := "Host: example.com\r\nReferer: " + page + "\r\nSec-Fetch-Mode: no-cors\r\nSec-Fetch-Dest: image\r\n"
		r.add(fmt.Sprintf("https://example.com/a%d.png", n), "GET / HTTP/1.1\r\n"+fields+"\r\n",
			pictureOf+"\r\n"+strings.Repeat("picture", 2000), nil)
		r.add(fmt.Sprintf("https://example.com/b%d.png", n), "GET / HTTP/1.1\r\n"+fields+"\r\n",
			fmt.Sprintf("%s\r\nother %d", pictureOf, n), nil)
	}
	r.rest()
	return r
}

func (r *recording) source() *selection.Source {
	return selection.New(r.index, r.files, pages.New(r.index, r.files))
}

// TestWrite: what is selected is written with its pages, and each exchange says to which it belongs.
func TestWrite(t *testing.T) {
	r := browsed(t)
	var second pages.Page
	for page, err := range r.source().Pages(context.Background(), selection.Selection{}) {
		if err != nil {
			t.Fatal(err)
		}
		second = page
	}
	const all = "robots.txt> 1>Page 1 a1.png>Page 1 b1.png>Page 1 2>Page 2 a2.png>Page 2 b2.png>Page 2"
	for _, c := range []struct {
		name        string
		sel         selection.Selection
		want, pages string
	}{
		{"all", selection.Selection{}, all, "[Page 1 Page 2]"},
		{"one URL", selection.Selection{URL: "https://example.com/a2.png"}, "a2.png>", "[]"},
		{"a host", selection.Selection{URL: "https://example.com/", Match: store.Host},
			strings.TrimPrefix(all, "robots.txt> "), "[Page 1 Page 2]"},
		{"a page", selection.Selection{Page: second.ID}, "2>Page 2 a2.png>Page 2 b2.png>Page 2", "[Page 2]"},
		{"a page's URL", selection.Selection{Page: "https://example.com/1"}, "1>Page 1 a1.png>Page 1 b1.png>Page 1",
			"[Page 1]"},
	} {
		var out bytes.Buffer
		steps, total := int64(0), int64(0)
		done, err := Write(context.Background(), &out, r.source(), c.sel, Options{Progress: func(n, of int64) {
			steps, total = n, of
		}})
		if err != nil {
			t.Fatal(c.name, err)
		}
		log := parse(t, out.Bytes()).Log
		title := map[string]string{}
		titles := []string{}
		for _, p := range log.Pages {
			title[p.ID], titles = p.Title, append(titles, p.Title)
		}
		got := []string{}
		for _, x := range log.Entries {
			if _, known := title[x.Page]; x.Page != "" && !known {
				t.Errorf("%s: %s belongs to a page that is not there", c.name, x.Request.URL)
			}
			got = append(got, x.Request.URL[strings.LastIndexByte(x.Request.URL, '/')+1:]+">"+title[x.Page])
			if strings.HasSuffix(x.Request.URL, "/a2.png") && len(plain(t, x.Response.Content.Text, base64Name)) != 14_000 {
				t.Errorf("%s: a revisit without its body", c.name)
			}
		}
		if strings.Join(got, " ") != c.want || fmt.Sprint(titles) != c.pages {
			t.Errorf("%s: %s, %s", c.name, got, titles)
		}
		if n := int64(len(got)); done != (Done{Exchanges: n}) || steps != n || total != n {
			t.Errorf("%s: %+v, %d of %d", c.name, done, steps, total)
		}
	}
}

// TestWriteNothing: where nothing is selected nothing is written, not even a HAR without entries.
func TestWriteNothing(t *testing.T) {
	var out bytes.Buffer
	sel := selection.Selection{URL: "https://example.com/none"}
	done, err := Write(t.Context(), &out, browsed(t).source(), sel, Options{})
	if !errors.Is(err, ErrNothing) || done != (Done{}) || out.Len() != 0 {
		t.Errorf("%+v, %v: %q", done, err, out.String())
	}
}

// TestWriteOthers: what is not of HTTP is counted, and what cannot be read is told.
func TestWriteOthers(t *testing.T) {
	r := browsed(t)
	for _, c := range r.captures() {
		if strings.HasSuffix(c.URL, "/b1.png") {
			spoil(t, r.dir.WARC(c.File), c.Offset+c.Length-6)
		}
	}
	var left []string
	var out bytes.Buffer
	done, err := Write(context.Background(), &out, r.source(), selection.Selection{}, Options{
		LeftOut: func(e *LeftOutError) { left = append(left, e.Capture.URL) },
	})
	if err != nil || done != (Done{Exchanges: 6, LeftOut: 1}) || fmt.Sprint(left) != "[https://example.com/b1.png]" {
		t.Errorf("%+v, %s, %v", done, left, err)
	}
	if n := len(parse(t, out.Bytes()).Log.Entries); n != 6 {
		t.Errorf("%d exchanges", n)
	}
}

// TestWriteDamagedOriginal: it costs its own exchange and those of its revisits, whatever is damaged.
func TestWriteDamagedOriginal(t *testing.T) {
	for name, at := range map[string]func(c *store.Capture) int64{
		"head":     func(c *store.Capture) int64 { return c.Offset },
		"checksum": func(c *store.Capture) int64 { return c.Offset + c.Length - 6 },
	} {
		for _, sel := range []selection.Selection{{}, {URL: "https://example.com/", Match: store.Host}} {
			r := browsed(t)
			for _, c := range r.captures() {
				if strings.HasSuffix(c.URL, "/a1.png") {
					spoil(t, r.dir.WARC(c.File), at(&c))
				}
			}
			done, err := Write(context.Background(), io.Discard, r.source(), sel, Options{})
			if err != nil || done.LeftOut != 2 {
				t.Errorf("%s, %v: %+v, %v", name, sel, done, err)
			}
		}
	}
}

// TestWriteNames: an answer of a name server, or a picture of a page, is no exchange.
func TestWriteNames(t *testing.T) {
	r := record(t)
	r.add("http://example.com/", getRequest, okHead+"\r\nhello", nil)
	e := r.BeginExtra()
	e.Type, e.URI, e.ContentType = recorder.Resource, "dns:example.com", "text/dns"
	io.WriteString(&e.Block, "20260304050607\nexample.com. 1 IN A 192.0.2.1\n")
	if err := e.Commit(); err != nil {
		t.Fatal(err)
	}
	if err := r.Settle(context.Background()); err != nil {
		t.Fatal(err)
	}
	r.rest()
	done, err := Write(context.Background(), io.Discard, r.source(), selection.Selection{}, Options{})
	if err != nil || done != (Done{Exchanges: 1, Others: 1}) {
		t.Errorf("%+v, %v", done, err)
	}
}

// spoil changes a byte of a file.
func spoil(t *testing.T, path string, at int64) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	b[at]++
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestWriteEnds: a selection that cannot be, and time that is over, are errors.
func TestWriteEnds(t *testing.T) {
	r := browsed(t)
	if _, err := Write(context.Background(), new(bytes.Buffer), r.source(), selection.Selection{From: "x"},
		Options{}); err == nil {
		t.Error("from x")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Write(ctx, new(bytes.Buffer), r.source(), selection.Selection{}, Options{}); !errors.Is(err,
		context.Canceled) {
		t.Error(err)
	}
}

// TestIDs: every ID that was added is there, and others are not.
func TestIDs(t *testing.T) {
	s := newIDs()
	for n := range 10_000 {
		s.add(fmt.Sprint(n % 3000))
		s.add(fmt.Sprint(n % 3000))
	}
	s.sort()
	if len(s.hashes) != 3000 || cap(s.hashes) > 3*3000+2048 {
		t.Errorf("%d, room for %d", len(s.hashes), cap(s.hashes))
	}
	for n := range 4000 {
		if s.has(fmt.Sprint(n)) != (n < 3000) {
			t.Errorf("%d", n)
		}
	}
}

// TestWritePageAway: of a page everything is written but what lies in a file that is missing, which is named.
func TestWritePageAway(t *testing.T) {
	const page = "https://example.com/"
	r := record(t)
	r.add(page, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n",
		"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Page</title>", nil)
	if _, err := r.Rotate(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.add(page+"i", "GET / HTTP/1.1\r\nHost: example.com\r\nReferer: "+page+"\r\n\r\n", pictureOf+"\r\ni", nil)
	r.rest()
	all := r.captures()
	name := all[len(all)-1].File
	if err := os.Remove(r.dir.WARC(name)); err != nil || name == all[0].File {
		t.Fatal(name, err)
	}
	var left []string
	done, err := Write(t.Context(), io.Discard, r.source(), selection.Selection{Page: page},
		Options{LeftOut: func(e *LeftOutError) { left = append(left, e.Error()) }})
	if err != nil || done != (Done{Exchanges: 1, LeftOut: 1}) || len(left) != 1 ||
		!strings.Contains(left[0], name) {
		t.Errorf("%+v, %v, %q", done, err, left)
	}
}
