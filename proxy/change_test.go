package proxy

import (
	"strings"
	"testing"

	"warcorder/proxy/http1"
	"warcorder/recorder"
)

// passes sends requests, each behind the answer to the one before, and returns what the origin got
// of each. The records of the requests, if there are any, are the same.
func passes(t *testing.T, h *house, o *originServer, secure bool, requests ...string) (got []string) {
	t.Helper()
	client, prefix := h.to(o, secure)
	for _, request := range requests {
		client.send(strings.ReplaceAll(request, "TARGET", prefix))
		client.readN(len(answered(request)))
	}
	client.conn.Close()
	all := h.records()
	o.close()
	seen := o.connections()[0].seen.String()
	for head := range strings.SplitAfterSeq(seen, "\r\n\r\n") {
		if head != "" {
			got = append(got, head)
		}
	}
	var recorded []string
	for _, r := range of(all, "request") {
		recorded = append(recorded, string(r.block))
	}
	for _, one := range got {
		if !h.proxy.current().cfg.NoRecord.All && !contains(recorded, one) {
			t.Errorf("the origin got %q, recorded is %q", one, recorded)
		}
	}
	if len(got) != len(requests) {
		t.Fatalf("of %d requests the origin got %q", len(requests), got)
	}
	return got
}

func contains(all []string, one string) bool { return strings.Contains(strings.Join(all, "\x00"), one) }

// answered is what the origin of passing answers a request.
func answered(request string) string {
	if strings.HasPrefix(request, "HEAD ") {
		return text("HTTP/1.1 200 OK", "Content-Length: 2")
	}
	return text("HTTP/1.1 200 OK", "Content-Length: 2") + "ok"
}

// passing answers whatever it is asked.
func passing(t *testing.T, secure bool) *originServer {
	return newOrigin(t, secure, func(o *peer) {
		for {
			head := o.readHead()
			if head == "" {
				return
			}
			o.send(answered(head))
		}
	})
}

// TestControlFields: what crawlers tell recorders reaches no origin, and no record, in whatever
// settings; a host of no-record does not get it either.
func TestControlFields(t *testing.T) {
	const told = "GET TARGET/a HTTP/1.1\r\nHost: a\r\nWarcprox-Meta: {\"warc-prefix\":\r\n\t\"secret\"}\r\n" +
		"X: y\r\nRECORDER-SKIP: 1\r\nveidemann_eid : secret\r\nveidemann_jeid: secret\r\n" +
		"veidemann_cid: secret\r\nAccept: */*\r\n\r\n"
	const want = "GET /a HTTP/1.1\r\nHost: a\r\nX: y\r\nAccept: */*\r\n\r\n"
	everything := config()
	everything.NoRecord.All = true
	onBothSchemes(t, func(t *testing.T, secure bool) {
		for name, cfg := range map[string]Config{"recorded": config(), "unrecorded": everything} {
			t.Run(name, func(t *testing.T) {
				got := passes(t, newHouse(t, cfg), passing(t, secure), secure, told)
				if got[0] != want {
					t.Errorf("%q, want %q", got[0], want)
				}
			})
		}
	})
}

// verbatim is config with all that changes a request turned off.
func verbatim() Config {
	cfg := config()
	cfg.Codings, cfg.Anticache, cfg.Complete.What = http1.Codings{Any: true}, "never", "never"
	return cfg
}

// TestCodings: what of a request an origin gets, and that the record has the same, byte for byte;
// of requests in a row each by itself.
func TestCodings(t *testing.T) {
	const browser = "GET TARGET/a HTTP/1.1\r\nhost:  a\r\nAccept-encoding:\tgzip, deflate, br, zstd, dcb\r\n" +
		"Available-Dictionary: :x:\r\nX-A: 1\r\n 2\r\nDictionary-ID: \"y\"\r\nX : zstd \r\n\r\n"
	const want = "GET /a HTTP/1.1\r\nhost:  a\r\nAccept-encoding:\tgzip, deflate, br\r\n" +
		"X-A: 1\r\n 2\r\nX : zstd \r\n\r\n"
	const media = "GET TARGET/m HTTP/1.1\r\nHost: a\r\nAccept-Encoding: identity;q=1, *;q=0\r\n\r\n"
	zstd := config()
	zstd.Codings = http1.Codings{Names: []string{"zstd", "dcb"}}
	everything := config()
	everything.NoRecord.All = true
	onBothSchemes(t, func(t *testing.T, secure bool) {
		for _, c := range []struct {
			name string
			cfg  Config
			want string
		}{
			{"default", config(), want},
			{"any", verbatim(), browser},
			{"unrecorded", everything, browser},
			{"others", zstd, strings.Replace(browser, "gzip, deflate, br, zstd, dcb", "zstd, dcb", 1)},
		} {
			t.Run(c.name, func(t *testing.T) {
				got := passes(t, newHouse(t, c.cfg), passing(t, secure), secure, browser, media, browser)
				for i, want := range []string{c.want, media, c.want} {
					if want = strings.ReplaceAll(want, "TARGET", ""); got[i] != want {
						t.Errorf("%q, want %q", got[i], want)
					}
				}
			})
		}
	})
}

// TestOtherCodings: a response in a coding that nobody asked for passes, is recorded as it came,
// and is listed with its URL; the log tells of a flood of them in a line or two.
func TestOtherCodings(t *testing.T) {
	const many = 50
	any, everything := verbatim(), config()
	everything.NoRecord.All = true
	onBothSchemes(t, func(t *testing.T, secure bool) {
		for _, c := range []struct {
			name     string
			cfg      Config
			request  string
			encoding string // of the response
			want     string // detail of its gap; "" without one
		}{
			{"zstd", config(), "GET", "Content-Encoding: zstd", "coding others cannot read: zstd"},
			{"in a list, on two lines", config(), "GET", "Content-Encoding: gzip\r\ncontent-encoding: ,DCB",
				"coding others cannot read: dcb"},
			{"odd bytes", config(), "GET", "Content-Encoding: a\xff\"" + strings.Repeat("b", 500),
				"coding others cannot read: \"a\\ufffd\\\"" + strings.Repeat("b", maxCodingText-3) + "\""},
			{"gzip", config(), "GET", "Content-Encoding: gzip, identity,", ""},
			{"no body", config(), "HEAD", "Content-Encoding: zstd", ""},
			{"any", any, "GET", "Content-Encoding: zstd", ""},
			{"unrecorded", everything, "GET", "Content-Encoding: zstd", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				answer := text("HTTP/1.1 200 OK", c.encoding, "Content-Length: 2")
				if c.request == "GET" {
					answer += "\x28\xb5"
				}
				h := newHouse(t, c.cfg)
				o := newOrigin(t, secure, func(o *peer) {
					for o.readHead() != "" {
						o.send(answer)
					}
				})
				client, prefix := h.to(o, secure)
				for range many {
					client.send(text(c.request+" "+prefix+"/a HTTP/1.1", "Host: a"))
					if got := client.readN(len(answer)); got != answer {
						t.Fatalf("%q, want %q", got, answer)
					}
				}
				client.conn.Close()
				var got []string
				for _, gap := range h.gaps() {
					got = append(got, gap.Detail)
					if gap.Reason != recorder.GapCoding || !strings.HasSuffix(gap.URL, o.address+"/a") {
						t.Errorf("%+v", gap)
					}
				}
				for _, r := range of(h.records(), "response") {
					if string(r.block) != answer {
						t.Errorf("recorded is %q", r.block)
					}
				}
				warned := strings.Count(h.log.String(), "in a coding that others cannot read")
				if c.want == "" {
					if len(got) > 0 || warned > 0 {
						t.Errorf("gaps %q, %d warnings", got, warned)
					}
					return
				}
				if len(got) != many || got[0] != c.want || got[many-1] != c.want ||
					h.rec.Status().Gaps[recorder.GapCoding] != many {
					t.Errorf("%d gaps, %q, want %q", len(got), got[:min(len(got), 1)], c.want)
				}
				if warned < 1 || warned > many/2 {
					t.Errorf("%d warnings for %d responses", warned, many)
				}
			})
		}
	})
}
