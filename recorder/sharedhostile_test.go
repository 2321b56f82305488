//go:build unix

package recorder

import (
	"bytes"
	"compress/gzip"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"warcorder/recorder/shared/server"
)

// told is what somebody writes into the server for an original, part by part.
type told struct {
	version, flags byte
	id             [16]byte
	micros         int64
	digest         string // 20 bytes
	file, who, url string
	behind         string // the check
}

// value is that under a key, as recorder/shared/value.go draws it.
func (v *told) value(key string) string {
	b := append([]byte{v.version, v.flags}, v.id[:]...)
	b = binary.BigEndian.AppendUint64(b, uint64(v.micros))
	b = append(append(append(b, v.digest...), byte(len(v.file))), v.file...)
	b = append(append(append(b, byte(len(v.who))), v.who...), v.url...)
	sum := crc32.Checksum(append([]byte(key), b...), crc32.MakeTable(crc32.Castagnoli))
	return string(binary.BigEndian.AppendUint32(b, sum)) + v.behind
}

// database is one of a server, with a client of it.
func database(t *testing.T, s *server.Server, n int) (url string, client *redis.Client) {
	t.Helper()
	client = redis.NewClient(&redis.Options{Network: "unix", Addr: s.Path, DB: n, Protocol: 2,
		DisableIdentity: true})
	t.Cleanup(func() { client.Close() })
	return fmt.Sprintf("%s?db=%d", s.URL(), n), client
}

// keyIn is the only key of an original that a server has.
func keyIn(t *testing.T, client *redis.Client) string {
	t.Helper()
	keys := keysIn(t, client)
	if len(keys) != 1 {
		t.Fatalf("%q", keys)
	}
	return keys[0]
}

// keysIn are the keys of originals that a server has.
func keysIn(t *testing.T, client *redis.Client) []string {
	t.Helper()
	keys, err := client.Keys(t.Context(), "warcorder:1:a*").Result()
	if err != nil {
		t.Fatal(err)
	}
	return keys
}

// toldOf is what a recorder has told of its only response.
func toldOf(t *testing.T, dir string) told {
	t.Helper()
	for _, r := range readBack(t, dir) {
		if r.get("WARC-Type") != "response" {
			continue
		}
		date, err := time.Parse(time.RFC3339Nano, r.get("WARC-Date"))
		if err != nil {
			t.Fatal(err)
		}
		digest, err := base32.StdEncoding.DecodeString(strings.TrimPrefix(r.get("WARC-Payload-Digest"), "sha1:"))
		if err != nil {
			t.Fatal(err)
		}
		return told{version: 1, micros: date.UnixMicro(), digest: string(digest), file: r.file,
			who: "host/" + filepath.Base(dir), url: r.get("WARC-Target-URI")}
	}
	t.Fatal("there is no response")
	return told{}
}

// injected is a field that somebody would have in our headers.
const injected = "\r\nX-Injected: 1"

// TestSharedHostile: whatever somebody has put into the server in the place of an original, the headers of
// a recorder that asks for it stay legal, and have nothing of what is no URL, date or digest; the
// response is then stored in full, and is the original of the next.
func TestSharedHostile(t *testing.T) {
	t.Parallel()
	s := server.Start(t, "--databases", "64")
	plain := answerOf(200, "X: 1\r\n", body2K)
	url, client := database(t, s, 0)
	there := open(t, t.TempDir(), Config{DedupShared: url})
	there.settled(outsideURL, exampleRequest, plain)
	there.published(1)
	there.close()
	key, sound := keyIn(t, client), toldOf(t, there.dir)
	at := func(text string) int64 {
		date, err := time.Parse(time.RFC3339, text)
		if err != nil {
			t.Fatal(err)
		}
		return date.UnixMicro()
	}
	n := 0
	for _, c := range []struct {
		name   string
		change func(*told)
		refers bool
	}{
		{"as a recorder tells it", func(v *told) {}, true},
		{"of another record", func(v *told) { v.id = [16]byte{1, 2, 3} }, true},
		{"a file with a line break", func(v *told) { v.file = "a" + injected }, true},
		{"a file with a NUL", func(v *told) { v.file = "a\x00b" }, true},
		{"a file with no name", func(v *told) { v.file = "" }, true},
		{"a teller with a line break", func(v *told) { v.who = "a" + injected }, true},
		{"a URL with a field behind", func(v *told) { v.url += injected }, false},
		{"a URL with the end of a header", func(v *told) { v.url += "\r\n\r\n" }, false},
		{"a URL with LF", func(v *told) { v.url += "\nX-Injected: 1" }, false},
		{"a URL with CR", func(v *told) { v.url += "\rX-Injected: 1" }, false},
		{"a URL with a NUL", func(v *told) { v.url += "\x00" }, false},
		{"a URL with a space", func(v *told) { v.url += " b" }, false},
		{"a URL with U+0085", func(v *told) { v.url += "\u0085X-Injected: 1" }, false},
		{"a URL with U+2028", func(v *told) { v.url += "\u2028X-Injected: 1" }, false},
		{"a URL of no UTF-8", func(v *told) { v.url += "\xff\xfe" }, false},
		{"a URL in brackets", func(v *told) { v.url = "<" + v.url + ">" }, false},
		{"a URL with a bracket", func(v *told) { v.url += ">" }, false},
		{"a URL with a quotation mark", func(v *told) { v.url += `"{}|\^` }, false},
		{"a URL with half an escape", func(v *told) { v.url += "%zz%" }, false},
		{"a URL with a password", func(v *told) { v.url = "http://u:p@example.com/a" }, false},
		{"a URL with a fragment", func(v *told) { v.url += "#b" }, false},
		{"a URL with no host", func(v *told) { v.url = "http:///a" }, false},
		{"a URL of another scheme", func(v *told) { v.url = "ftp://example.com/a" }, false},
		{"a script", func(v *told) { v.url = "javascript:alert(1)" }, false},
		{"no URL", func(v *told) { v.url = "" }, false},
		{"a long URL", func(v *told) { v.url += strings.Repeat("a", 2<<10) }, false},
		{"a very long URL", func(v *told) { v.url += strings.Repeat("a", 1<<20) }, false},
		{"in two days", func(v *told) { v.micros = time.Now().Add(48 * time.Hour).UnixMicro() }, false},
		{"in 1600", func(v *told) { v.micros = at("1600-01-01T00:00:00Z") }, false},
		{"in 1970", func(v *told) { v.micros = 0 }, false},
		{"in 9999", func(v *told) { v.micros = at("9999-12-31T23:59:59Z") }, false},
		{"at the end of time", func(v *told) { v.micros = math.MaxInt64 }, false},
		{"at its beginning", func(v *told) { v.micros = math.MinInt64 }, false},
		{"of other content", func(v *told) { v.digest = "\r\nX-Injected: 1\r\na: b"[:20] }, false},
		{"a short digest", func(v *told) { v.digest = v.digest[:5] }, false},
		{"flags of another version", func(v *told) { v.flags = 2 }, false},
		{"another version", func(v *told) { v.version = 2 }, false},
		{"more behind", func(v *told) { v.behind = "\x00" }, false},
	} {
		n++
		number, v := n, sound
		c.change(&v)
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url, client := database(t, s, number)
			checkTold(t, url, plain, c.refers, &v, func() error {
				return client.Set(t.Context(), key, v.value(key), 0).Err()
			})
		})
	}
	for name, put := range map[string]func(*redis.Client) error{
		"a list":       func(c *redis.Client) error { return c.RPush(t.Context(), key, "a", "b").Err() },
		"a hash":       func(c *redis.Client) error { return c.HSet(t.Context(), key, "a", "b").Err() },
		"a stream":     func(c *redis.Client) error { return c.Do(t.Context(), "XADD", key, "*", "a", "b").Err() },
		"nothing":      func(c *redis.Client) error { return c.Set(t.Context(), key, "", 0).Err() },
		"of other key": func(c *redis.Client) error { return c.Set(t.Context(), key, sound.value("x"), 0).Err() },
	} {
		n++
		number := n
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url, client := database(t, s, number)
			checkTold(t, url, plain, false, &sound, func() error { return put(client) })
		})
	}
}

// checkTold records a response twice beside a server, and checks that the records of both are legal: the
// first refers to what the server tells, or is stored in full.
func checkTold(t *testing.T, url, response string, refers bool, v *told, put func() error) {
	t.Helper()
	cfg := Config{DedupShared: url}
	var here *recording
	for answered := false; !answered; { // the server does not have to answer in time
		if err := put(); err != nil {
			t.Fatal(err)
		}
		here = open(t, t.TempDir(), cfg)
		for range 2 {
			here.settled(outsideURL, exampleRequest, response)
		}
		now := here.Status().DedupShared
		answered = !refers || now.Failed+now.Passed == 0
		here.close()
	}
	var kinds []string
	for _, r := range readBack(t, here.dir) {
		kind := r.get("WARC-Type")
		if kind != "response" && kind != "revisit" {
			continue
		}
		kinds = append(kinds, kind)
		if r.faults != "" {
			t.Errorf("%v %s", r.header, r.faults)
		}
		isOutside := kind == "revisit" && r.get("WARC-Refers-To") == ""
		if isOutside && (!refers || r.get("WARC-Refers-To-Target-URI") != v.url) {
			t.Errorf("%v", r.header)
		}
	}
	want := "response revisit"
	if refers {
		want = "revisit revisit"
	}
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	if text := inflated(t, here.dir); bytes.Contains(text, []byte("X-Injected")) {
		t.Errorf("%q", text)
	}
	if text := here.log.b.String(); strings.Contains(text, "X-Injected") {
		t.Errorf("%q", text)
	}
	if here.Panics().Number() != 0 {
		t.Error("something panicked")
	}
	checkIndex(t, here.dir, readBack(t, here.dir))
	cfg.DedupShared = ""
	checkRebuild(t, here.dir, cfg)
}

// inflated is all that the WARC files of a collection hold.
func inflated(t *testing.T, dir string) (all []byte) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "archive", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, inflate(b)...)
	}
	return all
}

// inflate is what members hold, of which the last may be cut.
func inflate(file []byte) (text []byte) {
	members, err := gzip.NewReader(bytes.NewReader(file))
	if err != nil {
		return nil
	}
	text, _ = io.ReadAll(members)
	return text
}
