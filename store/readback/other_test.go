package readback

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
	"warcorder/store/warc"
)

// TestOtherRecord: where the index leads to the record of another URL, or to a request, since
// somebody has put another file in the place of the one that it knows, nothing is answered.
func TestOtherRecord(t *testing.T) {
	page := func(name string) string {
		return response("http://example.com/"+name, http, "HTTP/1.1 200 OK||hello from "+name)
	}
	asked := strings.Replace(page("a"), "WARC-Type: response", "WARC-Type: request\r\nX:", 1)
	said := strings.Replace(page("a"), "WARC-Type: response", "WARC-Type: response\r\n", 1)
	said = strings.Replace(said, "response\r\n\r\n", "response\r\nX:\r\n", 1)
	same := page("a")
	later := strings.Replace(same, "T12:", "T13:", 1)
	for name, records := range map[string][2]string{
		"another order": {page("a") + page("b"), page("b") + page("a")},
		"a request":     {said, asked[:len(asked)-2]},
		"another date":  {same, later},
		"the same":      {same, same},
	} {
		files, dir := imported(t, map[string][]byte{"a.warc": []byte(records[0])})
		path := dir.WARC("a.warc")
		all := captures(t, files.index, "http://example.com/a")
		if len(all) != 1 {
			t.Fatalf("%s: %d captures", name, len(all))
		}
		if err := os.WriteFile(path+".new", []byte(records[1]+"\r\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
		got, err := files.Response(&all[0])
		if name == "the same" {
			if err != nil {
				t.Errorf("%s: %v", name, err)
			} else {
				got.Close()
			}
			continue
		}
		damage := (*warc.Damage)(nil)
		if !errors.Is(err, ErrOther) || !errors.As(err, &damage) || damage.File != "a.warc" {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := files.Request(&all[0]); !errors.Is(err, ErrOther) {
			t.Errorf("%s: its request: %v", name, err)
		}
	}
}

// TestIsDate: a date is that of a capture in all its forms, and as a line of whole seconds has it.
func TestIsDate(t *testing.T) {
	at := time.Date(2026, 1, 1, 0, 0, 0, 250_000_000, time.UTC)
	whole := at.Truncate(time.Second)
	for _, test := range []struct {
		text string
		at   time.Time
		is   bool
	}{
		{"2026-01-01T00:00:00.250000999Z", at, true}, {"2026-01-01T01:00:00.25+01:00", at, true},
		{"2026-01-01T00:00:00Z", at, true}, {"2026-01-01T00:00:00.25Z", whole, true},
		{"2026-01-01T00:00Z", whole, true}, {"2026-01-01", whole, true}, {"2026", whole, true},
		{"yesterday", at, true}, {"2027", time.Time{}, true},
		{"0000-01-01T00:00:00+23:00", store.FourDigitYear(time.Time{}.AddDate(-2, 0, 0)), true},
		{"2026-01-01T00:00:00.26Z", at, false}, {"2026-01-01T00:00:01Z", at, false}, {"2027", whole, false},
	} {
		if is := isDate(test.text, test.at); is != test.is {
			t.Errorf("%s of %v: %v", test.text, test.at, is)
		}
	}
}

// TestOtherOriginal: what is no record of the URL is no original either.
func TestOtherOriginal(t *testing.T) {
	const digest = "\nWARC-Payload-Digest: sha1:VL2MMHO4YXUKFWV63YHTWSBM3GXKSQ2N"
	page := func(name string) string {
		return response("http://example.com/"+name, http+digest, "HTTP/1.1 200 OK||hello")
	}
	again := response("http://example.com/a", http+digest, "HTTP/1.1 200 OK||")
	again = strings.NewReplacer("Type: response", "Type: revisit", "T12:", "T13:").Replace(again)
	files, dir := imported(t, map[string][]byte{"a.warc": []byte(page("a") + page("b")),
		"b.warc": []byte(again)})
	replaced := []byte(page("b") + page("a"))
	if err := os.WriteFile(dir.WARC("a.warc"), replaced, 0o600); err != nil {
		t.Fatal(err)
	}
	all := captures(t, files.index, "http://example.com/a")
	revisit := &all[len(all)-1]
	if !revisit.IsRevisit() {
		t.Fatalf("%+v", revisit)
	}
	if got, err := files.Response(revisit); !errors.Is(err, ErrOther) {
		t.Errorf("%+v, %v", got, err)
	}
}

// TestAfterClose: what is read when the files were closed can be read, and stays open no longer.
func TestAfterClose(t *testing.T) {
	const url = "http://example.com/a"
	files, dir := imported(t, map[string][]byte{
		"a.warc.gz": foreign.Gzip(response(url, http, "HTTP/1.1 200 OK||hello"))})
	c := captures(t, files.index, url)[0]
	before, err := files.Response(&c)
	if err != nil {
		t.Fatal(err)
	}
	if err := files.Close(); err != nil {
		t.Fatal(err)
	}
	behind, err := files.Response(&c)
	if err != nil {
		t.Fatal(err)
	}
	for _, got := range []*Response{before, behind} {
		if body := all(t, got.Body); body != "hello" {
			t.Errorf("%q", body)
		}
		got.Close()
	}
	open, _ := filepath.Glob("/proc/self/fd/*")
	for _, fd := range open {
		if to, _ := os.Readlink(fd); filepath.Dir(to) == dir.Archive() {
			t.Errorf("%s is open", to)
		}
	}
	if n := files.opened.Len(); n != 0 {
		t.Errorf("%d files stay open", n)
	}
}

// TestCodingsOfNothing: whether a body has its coding is known by its beginning, though there may
// be GBs that stand for nothing.
func TestCodingsOfNothing(t *testing.T) {
	const many = 1 << 30
	h := makeFile(t, "a.warc.gz")
	for name, c := range map[string]struct{ coding, start, piece string }{
		"frames that are skipped": {"zstd", "", "\x50\x2a\x4d\x18\x00\x00\x00\x00"},
		"empty blocks":            {"deflate", "\x78\x9c", "\x00\x00\x00\xff\xff"},
		"empty blocks of gzip": {"gzip", "\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x00",
			"\x00\x00\x00\xff\xff"},
	} {
		message := "HTTP/1.1 200 OK\r\nContent-Encoding: " + c.coding + "\r\n\r\n" + c.start
		times := many / len(c.piece)
		size := len(message) + times*len(c.piece)
		capture := h.capture(t, gzipOf(piece{fmt.Sprintf(hostileHead, size), 1}, piece{message, 1},
			piece{c.piece, times}, piece{"\r\n\r\n", 1}))
		response, err := h.Response(capture)
		if err != nil {
			t.Fatal(err)
		}
		began := time.Now()
		if plain, err := response.IsDecoded(); plain || err != nil {
			t.Errorf("%s: %v, %v", name, plain, err)
		}
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%s: it took %v", name, took)
		}
		response.Close()
	}
}
