package proxy

import (
	"bytes"
	"crypto/tls"
	"io"
	"slices"
	"strings"
	"testing"

	"warcorder/proxy/route"
	"warcorder/proxy/route/routetest"
)

// byWay is config with ways out.
func byWay(t testing.TB, upstream string) Config {
	t.Helper()
	cfg := config()
	var err error
	if cfg.Upstream, err = route.Parse(upstream); err != nil {
		t.Fatal(err)
	}
	return cfg
}

// repeating is an origin that gives the same answer to every request, and reads their bodies if
// they have one of 5 bytes.
func repeating(t testing.TB, secure bool, answer string) *originServer {
	return newOrigin(t, secure, func(p *peer) {
		for {
			head := p.readHead()
			if head == "" {
				return
			}
			if strings.Contains(head, "Content-Length: 5\r\n") {
				p.readN(5)
			}
			p.send(answer)
		}
	})
}

// ways are chains of every kind of parent, the first to be reached first.
var ways = []string{"http", "https", "socks5", "socks5h", "https > http", "http > https",
	"https > https", "socks5h > http", "https > socks5h", "http > socks5", "socks5 > https > http"}

// chainOfParents makes the parents of a way, the first and the last with a password.
func chainOfParents(t testing.TB, kind string, tlsConfig *tls.Config) (cfg Config,
	parents []*routetest.Parent) {
	t.Helper()
	schemes := strings.Split(kind, " > ")
	var urls []string
	for i, scheme := range schemes {
		user, password := "", ""
		if i == 0 || i == len(schemes)-1 {
			user, password = "us%40er", "pass%3Aword"
		}
		var p *routetest.Parent
		switch scheme {
		case "http":
			p = routetest.HTTP(t, nil, user, password)
		case "https":
			p = routetest.HTTP(t, tlsConfig, user, password)
		default:
			p = routetest.SOCKS5(t, user, password)
		}
		parents, urls = append(parents, p), append(urls, p.URL(scheme))
	}
	cfg = byWay(t, strings.Join(urls, " "))
	return cfg, parents
}

// TestWaysOut: by each way the client gets what the origin sent, and the records are of what the
// origin got and sent, byte for byte, as they would be without a parent. They say the kind of the
// way, and no address but the origin's own, where it was looked up here.
func TestWaysOut(t *testing.T) {
	answer := text("HTTP/1.1 200 OK", "X-odd :  kept", "Transfer-Encoding: chunked") +
		"5;x=y\r\nhello\r\n0\r\nTrailer: t\r\n\r\n"
	for _, secure := range []bool{false, true} {
		for _, kind := range ways {
			t.Run(map[bool]string{false: "http by ", true: "https by "}[secure]+kind, func(t *testing.T) {
				o := repeating(t, secure, answer)
				file, parentTLS := vouched(t)
				cfg, parents := chainOfParents(t, kind, parentTLS)
				cfg.UpstreamCA = file
				h := newHouse(t, cfg)
				client, prefix := h.to(o, secure)
				get := text("GET "+prefix+"/a HTTP/1.1", "host:  a", "Proxy-Authorization: Basic c2VjcmV0")
				post := text("POST "+prefix+"/b HTTP/1.1", "Content-Length: 5") + "a=b&c"
				for _, request := range []string{get, get, post} {
					client.send(request)
					if got := client.readN(len(answer)); got != answer {
						t.Errorf("the client got %q", got)
					}
				}
				client.conn.Close()
				records := h.records()
				if n := len(o.connections()); n != 1 {
					t.Errorf("%d connections reached the origin", n)
				}
				checkWay(t, records, o.connections()[0], kind)
				for i, p := range parents {
					seen := p.Seen()
					if len(seen) != 1 || (seen[0].User != "") != (i == 0 || i == len(parents)-1) {
						t.Errorf("parent %d of %d: %+v", i+1, len(parents), seen)
					}
				}
			})
		}
	}
}

// checkWay holds the records of three exchanges against what the origin saw and sent.
func checkWay(t *testing.T, records []warcRecord, o *peer, kind string) {
	t.Helper()
	var requests, responses bytes.Buffer
	slices.SortStableFunc(records, func(a, b warcRecord) int {
		return strings.Compare(a.header.Get("WARC-Target-URI"), b.header.Get("WARC-Target-URI"))
	})
	for _, r := range records {
		switch r.header.Get("WARC-Type") {
		case "request":
			requests.Write(r.block)
		case "response", "revisit":
			responses.Write(r.block)
		case "metadata":
			if !strings.Contains(string(r.block), "via: "+kind+"\r\n") {
				t.Errorf("metadata %q", r.block)
			}
			continue
		}
		address := ""
		if kind == "socks5" || strings.HasSuffix(kind, "> socks5") {
			address = "127.0.0.1"
		}
		protocol := strings.Join(r.header["Warc-Protocol"], " ")
		secure := strings.HasPrefix(r.header.Get("WARC-Target-URI"), "https:")
		if strings.Contains(protocol, "tls/") != secure {
			t.Errorf("WARC-Protocol: %q", protocol)
		}
		if got := r.header.Get("WARC-IP-Address"); got != address {
			t.Errorf("WARC-IP-Address: %q, want %q", got, address)
		}
	}
	if requests.String() != o.seen.String() ||
		!strings.HasPrefix(requests.String(), "GET /a HTTP/1.1\r\nhost:  a\r\n\r\n") {
		t.Errorf("recorded\n%q\nthe origin got\n%q", &requests, &o.seen)
	}
	if responses.String() != o.sent.String() {
		t.Errorf("recorded\n%q\nthe origin sent\n%q", &responses, &o.sent)
	}
	if n := len(of(records, "metadata")); n != 3 {
		t.Errorf("%d metadata records", n)
	}
}

// TestTunnelByWay: what passes untouched goes the way of all, whatever it is: an origin that
// speaks first is heard.
func TestTunnelByWay(t *testing.T) {
	for _, kind := range []string{"http", "https", "socks5h", "socks5h > http"} {
		file, parentTLS := vouched(t)
		cfg, parents := chainOfParents(t, kind, parentTLS)
		cfg.UpstreamCA, cfg.Tunnel.Hosts = file, []string{"127.0.0.1"}
		h := newHouse(t, cfg)
		o := newOrigin(t, false, func(p *peer) {
			p.send("220 ready\r\n")
			io.Copy(p.conn, p.in)
		})
		client := h.tunnel(o.address, false)
		client.send("hello")
		if got := client.readN(16); got != "220 ready\r\nhello" {
			t.Errorf("%s: %q", kind, got)
		}
		client.conn.Close()
		last := parents[len(parents)-1].Seen()
		if len(last) != 1 || last[0].Asked[0] != o.address {
			t.Errorf("%s: %+v", kind, last)
		}
	}
}
