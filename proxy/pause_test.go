package proxy

import (
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"warcorder/proxy/unused"
	"warcorder/recorder"
)

// wantPaths: the records are of requests to these paths, in any order.
func wantPaths(t *testing.T, all []warcRecord, paths ...string) {
	t.Helper()
	got := map[string]bool{}
	for _, r := range of(all, "response") {
		uri := r.header.Get("WARC-Target-URI")
		got[uri[strings.LastIndex(uri, "/"):]] = true
	}
	for _, path := range paths {
		if !got[path] {
			t.Errorf("no record of %s", path)
		}
		delete(got, path)
	}
	if len(got) > 0 {
		t.Errorf("records of %v too", got)
	}
}

// TestPause: on one connection, what begins while recording is paused passes as it is, and is
// counted; what comes before and behind is recorded. Pausing and resuming twice is as once.
func TestPause(t *testing.T) {
	const asked = "Accept-Encoding: zstd"
	onBothSchemes(t, func(t *testing.T, secure bool) {
		cfg := config()
		cfg.Anticache = "always"
		h := newHouse(t, cfg)
		o := newOrigin(t, secure, func(o *peer) {
			for o.readHead() != "" {
				o.send(numbered(1))
			}
		})
		client, prefix := h.to(o, secure)
		ask := func(path string) {
			client.send(text("GET "+prefix+path+" HTTP/1.1", "Host: a", asked, `If-None-Match: "1"`))
			client.readN(len(numbered(1)))
		}
		ask("/before")
		since := h.proxy.Pause()
		ask("/within")
		if again := h.proxy.Pause(); !again.Equal(since) || !h.proxy.Paused().Equal(since) {
			t.Errorf("paused since %v, then %v", since, again)
		}
		ask("/within")
		h.proxy.Resume()
		h.proxy.Resume()
		if h.proxy.Paused() != nil {
			t.Error("it is paused when resumed")
		}
		ask("/behind")
		client.conn.Close()
		h.untilClients(0)
		gaps, listed := h.rec.Status().Gaps, h.gaps()
		wantPaths(t, h.records(), "/before", "/behind")
		if len(gaps) != 2 || gaps[recorder.GapUnrecorded] != 2 || len(listed) != 1 ||
			listed[0].Reason != recorder.GapPaused || listed[0].URL != "" || !listed[0].Until.After(listed[0].Time) {
			t.Errorf("gaps %v, listed %v, want 2 unrecorded, and the time of the pause", gaps, listed)
		}
		for i, head := range strings.SplitAfter(o.connections()[0].seen.String(), "\r\n\r\n")[:4] {
			within := i == 1 || i == 2
			if strings.Contains(head, asked) != within || strings.Contains(head, "If-None") != within {
				t.Errorf("request %d reached the origin as %q", i, head)
			}
		}
		log := h.log.String()
		if strings.Count(log, `"paused: `) != 1 || strings.Count(log, `"resumed: `) != 1 ||
			strings.Contains(log, "/within") {
			t.Error(log)
		}
	})
}

// TestPauseBetweenHeadAndEnd: an exchange belongs to the state that it begins in.
func TestPauseBetweenHeadAndEnd(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		h := newHouse(t, config())
		rest := map[string]chan struct{}{"/before": make(chan struct{}), "/within": make(chan struct{})}
		o := newOrigin(t, secure, func(o *peer) {
			path := strings.Fields(o.readHead())[1]
			o.send(text("HTTP/1.1 200 OK", "Connection: close", "Content-Length: 10") + "begun")
			<-rest[path]
			o.send(" done")
		})
		begin := func(path string) *peer {
			client, prefix := h.to(o, secure)
			client.send(text("GET "+prefix+path+" HTTP/1.1", "Host: a"))
			client.readHead()
			return client
		}
		before := begin("/before")
		h.proxy.Pause()
		within := begin("/within")
		close(rest["/before"])
		before.readAll()
		h.proxy.Resume()
		close(rest["/within"])
		within.readAll()
		all := h.records()
		wantPaths(t, all, "/before")
		if block := string(of(all, "response")[0].block); !strings.HasSuffix(block, "begun done") {
			t.Errorf("recorded: %q", block)
		}
		if n := len(of(all, "resource")); secure != (n == 1) {
			t.Errorf("%d records of certificates", n)
		}
	})
}

// TestPausedUpgrade is the exchange's own affair.
func TestPausedUpgrade(t *testing.T) {
	handshake := text("HTTP/1.1 101 Switching Protocols", "Upgrade: echo", "Connection: Upgrade")
	h := newHouse(t, config())
	h.proxy.Pause()
	o := newOrigin(t, true, func(o *peer) {
		o.readHead()
		o.send(handshake)
		io.Copy(o.conn, o.in) // echo
	})
	client, _ := h.to(o, true)
	client.send(text("GET /ws HTTP/1.1", "Host: a", "Upgrade: echo", "Connection: Upgrade") + "early")
	if got := client.readN(len(handshake) + 5); got != handshake+"early" {
		t.Errorf("%q", got)
	}
	h.proxy.Resume()
	client.send("later")
	client.readN(5)
	client.conn.Close()
	h.wantUnrecorded(h.records(), 1)
}

// TestPausedFaults: what comes to nothing while recording is paused is in no list, whatever it was.
func TestPausedFaults(t *testing.T) {
	h := newHouse(t, config())
	h.proxy.Pause()
	nobody := unused.Address(t)
	for request, status := range map[string]string{
		text("GET http://"+nobody+"/ HTTP/1.1", "Host: a", "Connection: close"):       "502",
		text("GET http://a.test/ HTTP/1.1", "Content-Length: 1", "Content-Length: 2"): "400",
		text("CONNECT a.test:99999 HTTP/1.1", "Host: a"):                              "400",
	} {
		client := h.dial()
		client.send(request)
		if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 "+status) {
			t.Errorf("%q: %.100q", request, got)
		}
	}
	h.proxy.Shutdown(t.Context())
	if gaps := h.rec.Status().Gaps; len(gaps) > 0 {
		t.Errorf("gaps %v %v", gaps, h.gaps())
	}
}

// TestPauseWhileNothingCanBeWritten: a pause passes what an archive that cannot be written stops.
func TestPauseWhileNothingCanBeWritten(t *testing.T) {
	h := newHouse(t, config())
	o := newOrigin(t, false, func(o *peer) {
		for o.readHead() != "" {
			o.send(numbered(1))
		}
	})
	archive := filepath.Join(h.dir, "archive")
	if err := os.Rename(archive, archive+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(archive, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func() string { return strings.Fields(h.fetch(o, false, "/"))[1] }
	until(t, "a 503", func() bool { return ask() == "503" })
	h.proxy.Pause()
	if got := ask(); got != "200" || h.rec.Ready() == nil {
		t.Errorf("paused: %s while the recorder is ready: %v", got, h.rec.Ready() == nil)
	}
	h.proxy.Resume()
	if got := ask(); got != "503" {
		t.Errorf("resumed: %s", got)
	}
	if err := os.Remove(archive); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(archive+".away", archive); err != nil {
		t.Fatal(err)
	}
}

// TestCompletionsWaitForResume: nothing is asked for while recording is paused, and all of it is
// when it goes on; what an end finds still waiting is a gap.
func TestCompletionsWaitForResume(t *testing.T) {
	for _, resumes := range []bool{true, false} {
		t.Run(fmt.Sprint("resumes ", resumes), func(t *testing.T) {
			cfg := hasty()
			cfg.Complete.PerHost = 1
			h := newHouse(t, cfg)
			release := make(chan struct{})
			o := newLibrary(t, false, held(release))
			for n := range 3 { // the first is asked for, and holds the others up
				h.fetch(o.originServer, false, fmt.Sprint("/", n), aPart)
			}
			until(t, "the first is asked for", func() bool { return len(o.wholes()) == 1 })
			h.proxy.Pause()
			close(release)
			until(t, "the first has come", func() bool { return h.proxy.Completions().Whole == 1 })
			if got := h.proxy.Completions(); got.Waiting != 2 || got.Running != 0 {
				t.Errorf("paused: %+v", got)
			}
			wholes := int64(1)
			if resumes {
				h.proxy.Resume()
				h.untilCompleted(3, 0)
				wholes = 3
			}
			h.proxy.Shutdown(t.Context())
			if got := h.proxy.Completions(); got != (Completions{Whole: wholes, Failed: 3 - wholes}) {
				t.Errorf("%+v", got)
			}
			for _, gap := range h.gaps() {
				if gap.Reason != recorder.GapCut || !strings.Contains(gap.Detail, "paused until") {
					t.Errorf("%+v", gap)
				}
			}
			if n := int64(len(h.gaps())); n != 3-wholes {
				t.Errorf("%d gaps", n)
			}
		})
	}
}

// TestPausedNames: what name servers say is not recorded either, and asked for all the same, for a
// tunnel as for an exchange.
func TestPausedNames(t *testing.T) {
	for _, tunnel := range []bool{false, true} {
		t.Run(fmt.Sprint("tunnel ", tunnel), func(t *testing.T) {
			server := newNameServer(t)
			o := newOrigin(t, false, func(p *peer) {
				p.readHead()
				p.send(text("HTTP/1.1 200 OK", "Connection: close", "Content-Length: 0"))
			})
			_, port, _ := net.SplitHostPort(o.address)
			cfg := config()
			cfg.RecordDNS = true
			cfg.Resolver = server.servers()
			cfg.Tunnel.Hosts = []string{"site.test"}
			h := newHouse(t, cfg)
			h.proxy.Pause()
			client, prefix := h.dial(), "http://site.test:"+port
			if tunnel {
				client.send(text("CONNECT site.test:"+port+" HTTP/1.1", "Host: a"))
				client.readHead()
				prefix = ""
			}
			client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: site.test"))
			if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 200 OK") {
				t.Errorf("%q", got)
			}
			h.wantUnrecorded(h.records(), 1)
			server.mu.Lock()
			defer server.mu.Unlock()
			if len(server.asked) == 0 {
				t.Error("the name server was not asked")
			}
		})
	}
}
