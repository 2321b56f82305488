package cmd

import (
	"encoding/json"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
)

// boundKeys say how much of each is taken.
func boundKeys() []keyRow {
	return []keyRow{
		{key: "max-header-size", shows: showMaxHeaderSize},
		{key: "max-header-memory", shows: showMaxHeaderMemory},
		{key: "max-body-size", shows: showMaxBodySize},
		{key: "max-connections", shows: showMaxConnections},
	}
}

func showMaxHeaderSize(t *testing.T, b *keyBench) {
	origin := keyOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		sizes := map[string]int{"/large": 1_100_000, "/some": 900_000}
		w.Header().Set("Large", strings.Repeat("x", sizes[r.URL.Path]))
		io.WriteString(w, "it came")
	})
	// Bytes of a field that passes and of one that does not, and the status of an answer with 900 kB.
	for r, c := range map[*keyed]struct{ passes, above, answer int }{
		b.plain:                              {900_000, 1_100_000, 200},
		b.record(t, "max-header-size: 4KiB"): {3000, 5000, 502},
	} {
		field := func(n int) came { return r.fetch(origin.URL, "Large", strings.Repeat("x", n)) }
		field(c.passes).wants(t, 200, "it came")
		field(c.above).wants(t, 431, "max-header-size")
		if got := r.fetch(origin.URL + "/some"); got.err != nil || got.status != c.answer {
			t.Errorf("an answer: %d %v", got.status, got.err)
		}
		r.fetch(origin.URL+"/large").wants(t, 502, "max-header-size")
	}
	said := b.refused(t, "max-header-size: 1089KiB")
	if !strings.Contains(said, "from 1KiB to 1088KiB") {
		t.Errorf("%s", said)
	}
	line, err := parse(t, "--config", writeFile(t, "max-header-size: 1088KiB"))
	if cfg := line.Record.Proxy.config(); err != nil || cfg.Check() != nil {
		t.Errorf("1088KiB: %v, %v", err, cfg.Check())
	}
}

func showMaxHeaderMemory(t *testing.T, b *keyBench) {
	origin, _ := counted(t)
	large := strings.Repeat("x", 90_000)
	begun := "GET " + origin.URL + " HTTP/1.1\r\nHost: a\r\nLarge: " + large
	for file, full := range map[string]bool{
		"": false, "max-header-size: 100KiB\nmax-header-memory: 400KiB": true,
	} {
		r := b.plain
		if file != "" {
			r = b.record(t, file)
		}
		ask := func() came { return r.fetch(origin.URL, "Large", large) }
		ask().wants(t, 200, "it came")
		var slow []net.Conn // whose heads do not come to their end
		for range 20 {
			slow = append(slow, dialed(t, r.address, begun))
		}
		if !full {
			ask().wants(t, 200, "it came")
			continue
		}
		eventually(t, "a large head gets 503", func() bool { return ask().status == 503 })
		r.fetch(origin.URL, "Small", large[:20_000]).wants(t, 200, "it came")
		for _, conn := range slow {
			conn.Close()
		}
		eventually(t, "a large head passes again", func() bool { return ask().status == 200 })
	}
}

func showMaxBodySize(t *testing.T, b *keyBench) {
	site := newSite(t).plain
	r := b.record(t, "max-body-size: 100kB")
	// A message body is what crosses the wire: the frames of chunks count too.
	for _, target := range []string{site.URL + "/bytes/100000", site.URL + "/bytes/99901"} {
		r.fetch(target).wants(t, 200, "")
	}
	long := site.URL + "/bytes/200001"
	if got := r.fetch(long); got.err == nil || len(got.body) > 100_000 {
		t.Errorf("%d bytes of a longer response, %v", len(got.body), got.err)
	}
	r.captured(t, long)
	got := r.records(t, "response", long)
	if len(got) != 1 || !strings.Contains(got[0], "WARC-Truncated: length") ||
		!strings.Contains(got[0], string(content("/bytes/200001")[:90_000])) {
		t.Errorf("%d records, %.1000q", len(got), got)
	}
	body := strings.Repeat("x", 200_001)
	r.ask("POST", site.URL+"/bytes/1", body).wants(t, 413, "max-body-size")
	r.ask("POST", site.URL+"/bytes/1", body[:100_000]).wants(t, 200, "")
	b.plain.fetch(long).wants(t, 200, string(content("/bytes/200001")))
	b.plain.ask("POST", site.URL+"/bytes/1", body).wants(t, 200, "")
}

func showMaxConnections(t *testing.T, b *keyBench) {
	origin, asked, release := heldOrigin(t, "at last")
	request := func(url string) string { return "GET " + url + " HTTP/1.1\r\nHost: a\r\n\r\n" }
	idle := func(r *keyed) (conn net.Conn) { // after an answer it waits for another request
		eventually(t, "there is a place", func() bool {
			conn = dialed(t, r.address, request(b.pages.URL+"/idle"))
			head := make([]byte, len("HTTP/1.1 200"))
			if _, err := io.ReadFull(conn, head); err != nil {
				t.Fatal(err)
			}
			return string(head) == "HTTP/1.1 200"
		})
		eventually(t, "it is idle", func() bool {
			var state struct{ InFlight int }
			status := askBy(keyClient("", nil), "GET", "http://"+r.address+"/status", "")
			return json.Unmarshal([]byte(status.body), &state) == nil && state.InFlight == 0
		})
		return conn
	}
	r := b.record(t, "max-connections: 3")
	conns := []net.Conn{idle(r), idle(r)}
	for range 3 { // some of those who ask for the status may have their places still
		conns = append(conns, idle(r))
	}
	restOf(t, conns[0]) // the longest idle one is closed
	last := conns[len(conns)-1]
	io.WriteString(last, "GET "+b.pages.URL+"/again HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
	if got := restOf(t, last); !strings.Contains(got, "page /again") {
		t.Errorf("the last one has got %q", got)
	}
	for range 3 {
		eventually(t, "there is a place", func() bool {
			conn := dialed(t, r.address, request(origin+"/busy"))
			select {
			case <-asked:
				return true
			case <-endOf(conn):
				return false
			}
		})
	}
	one := func(text string) string { return restOf(t, dialed(t, r.address, text)) }
	if got := one(request(b.pages.URL + "/one-more")); !strings.HasPrefix(got, "HTTP/1.1 503 ") ||
		!strings.Contains(got, "max-connections") {
		t.Errorf("one more got %q", got)
	}
	tunnel := one("CONNECT 127.0.0.1:1 HTTP/1.1\r\nHost: a\r\n\r\n")
	if !strings.HasPrefix(tunnel, "HTTP/1.1 503 ") {
		t.Errorf("a tunnel got %q", tunnel)
	}
	release()
	var many []net.Conn
	for range 10 { // of ten thousand
		many = append(many, dialed(t, b.plain.address, request(b.pages.URL+"/idle")))
	}
	for _, conn := range many {
		if _, err := io.ReadFull(conn, make([]byte, len("HTTP/1.1 200"))); err != nil {
			t.Errorf("by default: %v", err)
		}
	}
}

// endOf is closed when a connection has something to read, or has ended.
func endOf(conn net.Conn) <-chan struct{} {
	ended := make(chan struct{})
	go func() { conn.Read(make([]byte, 1)); close(ended) }()
	return ended
}
