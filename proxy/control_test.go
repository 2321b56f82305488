package proxy

import (
	"strings"
	"testing"
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
		if !h.proxy.relay.cfg.NoRecord.All && !contains(recorded, one) {
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
