package proxy

import (
	"crypto/tls"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
)

// TestForeignClients: a client that speaks another protocol is answered at once, in its own where
// that has words for it, and the log and the gap list say what to set.
func TestForeignClients(t *testing.T) {
	for name, c := range map[string]struct{ sends, gets, says string }{
		"SOCKS5":         {"\x05\x01\x00", "\x05\xff", "set warcorder as an HTTP proxy"},
		"SOCKS5, 255":    {"\x05\xff" + strings.Repeat("\x02", 255), "\x05\xff", "a SOCKS5 client"},
		"SOCKS5, a byte": {"\x05", "\x05\xff", "a SOCKS5 client"},
		"SOCKS4": {"\x04\x01\x00\x50\x7f\x00\x00\x01me\x00",
			"\x00\x5b\x00\x00\x00\x00\x00\x00", "a SOCKS4 client"},
		"TLS": {string(hello(t, "a.example", nil)),
			"HTTP/1.1 400 ", "set warcorder as http://"},
		"HTTP/2": {"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
			"\x00\x00\x00\x04", "let it speak HTTP/1.1"},
		"SSH":           {"SSH-2.0-OpenSSH_9.2\r\n", "HTTP/1.1 400 ", "an SSH client"},
		"NUL":           {"\x00\x00\x00\x2a", "HTTP/1.1 400 ", "speaks no HTTP"},
		"not ASCII":     {"\xff\xfb\x01", "HTTP/1.1 400 ", "speaks no HTTP"},
		"behind a line": {"\r\n\x05\x01\x00", "\x05\xff", "a SOCKS5 client"},
		"with much of it": {"\x16\x03\x01" + strings.Repeat("\x00", 1<<20),
			"HTTP/1.1 400 ", "speaks TLS"},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, config())
			client := h.dial()
			client.send(c.sends)
			if got := client.readAll(); !strings.HasPrefix(got, c.gets) {
				t.Errorf("%q, want %q", got, c.gets)
			}
			h.untilClients(0)
			gaps := h.gaps()
			if len(gaps) != 1 || gaps[0].Reason != recorder.GapRefused ||
				!strings.Contains(gaps[0].Detail, c.says) {
				t.Errorf("gaps: %+v", gaps)
			}
			if log := h.log.String(); strings.Count(log, "\n") != 1 {
				t.Errorf("log: %s", log)
			}
		})
	}
}

// TestForeignClientsInPieces: one byte at a time is the same; and what only begins like another
// protocol is a request like any other.
func TestForeignClientsInPieces(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) { o.readHead(); o.send(numbered(1)) })
	const last = "Connection: close" // the origin answers once on a connection
	for sends, want := range map[string]string{
		"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n": "\x00\x00\x00\x04",
		"SSH-2.0-x\r\n":                    "HTTP/1.1 400 ",
		text("PRI http://"+o.address+"/ HTTP/1.1", "Host: a", last): numbered(1)[:15],
		text("SSH http://"+o.address+"/ HTTP/1.1", last):            numbered(1)[:15],
		text("PROPFIND http://"+o.address+"/ HTTP/1.1", last):       numbered(1)[:15],
		text("SUBSCRIBE http://"+o.address+"/ HTTP/1.1", last):      numbered(1)[:15],
	} {
		client := h.dial()
		for i := range len(sends) {
			client.send(sends[i : i+1])
		}
		if got := client.readN(len(want)); got != want {
			t.Errorf("%.20q: %q, want %q", sends, got, want)
		}
		client.conn.Close()
	}
}

// TestManyForeignClients: they are a line a second, and each is counted.
func TestManyForeignClients(t *testing.T) {
	h := newHouse(t, config())
	const many = 200
	began := time.Now()
	for range many {
		client := h.dial()
		client.send("\x05\x01\x00")
		client.readAll()
	}
	h.close()
	lines := int(time.Since(began)/summaryEvery) + 2
	if n := strings.Count(h.log.String(), "a SOCKS5 client"); n > lines {
		t.Errorf("%d lines of the log for %d clients, want at most %d", n, many, lines)
	}
	if n := h.rec.Status().Gaps[recorder.GapRefused]; n != many {
		t.Errorf("%d are counted, want %d", n, many)
	}
}

// TestGoKnowsThePage: what a client in Go tells its user whose proxy is an https:// one.
func TestGoKnowsThePage(t *testing.T) {
	h := newHouse(t, config())
	proxy := &url.URL{Scheme: "https", Host: h.address}
	client := http.Client{Transport: &http.Transport{Proxy: http.ProxyURL(proxy),
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	res, err := client.Get("http://a.example/")
	if err == nil {
		io.Copy(io.Discard, res.Body)
		t.Fatal("answered")
	}
	if !strings.Contains(err.Error(), "first record does not look like a TLS handshake") &&
		!strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		t.Errorf("unclear: %v", err)
	}
}
