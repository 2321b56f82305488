package proxy

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
)

// TestCompletionOnDeadConnection: an origin that ends a kept connection just when the whole is
// asked for on it is asked once more, as for a client: to keep connections for complete-quiet is
// usual.
func TestCompletionOnDeadConnection(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, hasty())
		o := newOrigin(t, secure, func(p *peer) {
			head := p.readHead()
			p.send(film(head))
			if strings.Contains(head, "Range:") {
				p.readHead() // and no answer
			}
		})
		client, prefix := h.to(o, secure)
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a", aPart))
		client.readHead()
		h.untilCompleted(1, 0)
		if n := len(o.connections()); n != 2 {
			t.Errorf("%d connections, want 2", n)
		}
	})
}

// TestCompletionInAnotherCoding: a whole in a coding that others cannot read is in the gap list as
// such; and it is not why one that does not come fails.
func TestCompletionInAnotherCoding(t *testing.T) {
	for status, want := range map[string][]string{
		"200 OK": {recorder.GapCoding + " coding others cannot read: zstd"},
		"403 No thing": {recorder.GapCoding + " coding others cannot read: zstd", recorder.GapCut +
			" the whole was asked for, and did not come: the answer's status was 403"},
	} {
		t.Run(status, func(t *testing.T) {
			h := newHouse(t, hasty())
			o := newLibrary(t, false, func(head string) string {
				if strings.Contains(head, "Range:") {
					return film(head)
				}
				return text("HTTP/1.1 "+status, "Content-Encoding: zstd", "Content-Length: 1") + "x"
			})
			h.fetch(o.originServer, false, "/", aPart)
			until(t, "an end", func() bool {
				got := h.proxy.Completions()
				return got.Whole+got.Failed == 1
			})
			var got []string
			for _, gap := range h.gaps() { // the newest first
				got = append([]string{gap.Reason + " " + gap.Detail}, got...)
			}
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("gaps: %q, want %q", got, want)
			}
		})
	}
}

// TestHeldIsThatVersion: a whole that only a date makes look the same is no reason to leave a part
// as it is: not where the page differs by request, nor under another URL with the same key.
func TestHeldIsThatVersion(t *testing.T) {
	const modified = "Last-Modified: Sat, 01 Jan 2000 00:00:00 GMT"
	for name, c := range map[string]struct {
		field string
		first string
		asked int
	}{
		"the same":                {modified, "/?a&b", 1},
		"the same, in codings":    {modified + "\r\nVary: Accept-Encoding", "/?a&b", 1},
		"by request":              {modified + "\r\nVary: Cookie", "/?a&b", 2},
		"another URL":             {modified, "/?b&a", 2},
		"a tag":                   {"ETag: x\r\nVary: Cookie", "/?a&b", 1},
		"the tag of the same key": {"ETag: x\r\nVary: Cookie", "/?b&a", 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, hasty())
			o := newLibrary(t, false, func(head string) string {
				return strings.Replace(film(head), `ETag: "1"`, c.field, 1)
			})
			h.fetch(o.originServer, false, c.first)
			until(t, "the first is recorded", func() bool { return h.rec.Status().Exchanges == 1 })
			h.rec.Index() // waits until it is there too
			h.fetch(o.originServer, false, "/?a&b", aPart)
			h.close()
			if n := len(o.wholes()); n != c.asked {
				t.Errorf("%d requests for the whole, want %d", n, c.asked)
			}
		})
	}
}

// TestPartAfterTheEnd: a part whose last byte comes when nothing is asked for any more is a gap.
func TestPartAfterTheEnd(t *testing.T) {
	h := newHouse(t, hasty())
	o := newLibrary(t, false, film)
	h.proxy.completions.stop()
	h.fetch(o.originServer, false, "/", aPart)
	h.untilGaps(1)
	if gap := h.gaps()[0]; gap.Reason != recorder.GapCut ||
		gap.Detail != "the whole was not asked for: the recorder was stopped" {
		t.Errorf("%+v", gap)
	}
}

// TestAloneHoldsNoClient: a fetch that goes on without its client does not hold the place of one.
func TestAloneHoldsNoClient(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		cfg := config()
		cfg.MaxConnections = 1
		h := newHouse(t, cfg)
		o := newLibrary(t, secure, func(head string) string {
			answer := film(head)
			if strings.Contains(head, "GET /slow ") {
				return answer[:len(answer)-1] + "‖9"
			}
			return answer
		})
		client, prefix := h.to(o.originServer, secure)
		client.send(text("GET "+prefix+"/slow HTTP/1.1", "Host: a"))
		client.readHead()
		client.conn.Close()
		until(t, "the fetch goes on alone", func() bool { return h.proxy.Completions().Alone == 1 })
		h.untilClients(0)
		if answer := h.fetch(o.originServer, secure, "/other"); answer != film("") {
			t.Errorf("%q", answer)
		}
		close(o.rest)
		r := of(h.records(), "response")
		if len(r) != 2 || string(r[0].block) != film("") || string(r[1].block) != film("") {
			t.Errorf("%q", r)
		}
	})
}

// TestHalfClosedSeesNoEnd: a client that sends nothing more and still reads counts as gone; it must
// not take what it has for all of a body that the end of the connection ends.
func TestHalfClosedSeesNoEnd(t *testing.T) {
	h := newHouse(t, config())
	o := newLibrary(t, false, func(string) string {
		return text("HTTP/1.1 200 OK", "Content-Type: text/html", "Connection: close") + "first‖later…"
	})
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a"))
	client.readHead()
	client.conn.(*net.TCPConn).CloseWrite()
	until(t, "the fetch goes on alone", func() bool { return h.proxy.Completions().Alone == 1 })
	close(o.rest)
	if rest, err := io.ReadAll(client.in); err == nil {
		t.Errorf("%q is the whole body to the client", rest)
	}
	r := of(h.records(), "response")
	if len(r) != 1 || !strings.HasSuffix(string(r[0].block), "firstlater") || r[0].header.Get("WARC-Truncated") != "" {
		t.Errorf("%q", r)
	}
}

// TestCompletionsWaitForTheDisk: what is due while nothing can be recorded is asked for when it
// can.
func TestCompletionsWaitForTheDisk(t *testing.T) {
	cfg := hasty()
	cfg.Complete.Quiet, cfg.Complete.Within = time.Hour, time.Hour
	h := newHouse(t, cfg)
	o := newLibrary(t, false, film)
	archive := filepath.Join(h.dir, "archive")
	h.fetch(o.originServer, false, "/", aPart)
	until(t, "the part is recorded", func() bool { return h.rec.Status().Exchanges == 1 })
	h.takeAway()
	h.fetch(o.originServer, false, "/other")
	until(t, "nothing can be recorded", func() bool { return h.rec.Ready() != nil })
	h.take(func(cfg *Config) { cfg.Complete.Quiet, cfg.Complete.Within = 0, 0 }) // it is due
	if got := h.proxy.Completions(); got != (Completions{Waiting: 1}) {
		t.Errorf("%+v", got)
	}
	if err := errors.Join(os.Remove(archive), os.Rename(archive+".away", archive)); err != nil {
		t.Fatal(err)
	}
	h.untilCompleted(1, 0)
}
