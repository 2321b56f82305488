package proxy

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"warcorder/recorder"
)

// TestNothingPassesUnrecorded: while the archive cannot be written clients get 503; when it can
// again, they get answers.
func TestNothingPassesUnrecorded(t *testing.T) {
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
	answered := 0
	ask := func() string {
		client := h.dial()
		defer client.conn.Close()
		client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
		status := client.readHead()
		if strings.HasPrefix(status, "HTTP/1.1 200") {
			answered++
		}
		return status
	}
	until := func(status string) {
		t.Helper()
		for deadline := time.Now().Add(20 * time.Second); !strings.HasPrefix(ask(), "HTTP/1.1 "+status); {
			if time.Now().After(deadline) {
				t.Fatalf("never %s", status)
			}
		}
	}
	until("503")
	if h.rec.Ready() == nil {
		t.Error("the recorder says that it is ready")
	}
	if gaps := h.gaps(); len(gaps) == 0 || gaps[0].Reason != recorder.GapRefused ||
		gaps[0].URL != "http://"+o.address+"/" ||
		!strings.Contains(gaps[0].Detail, "not recording") {
		t.Errorf("gaps: %v", gaps)
	}
	if err := os.Remove(archive); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(archive+".away", archive); err != nil {
		t.Fatal(err)
	}
	until("200")
	if n := len(of(h.records(), "response")); n != answered {
		t.Errorf("%d responses are recorded, %d were answered", n, answered)
	}
}

// TestWhatCannotBeKeptGets503: an upload, and a response head that is too large for memory.
func TestWhatCannotBeKeptGets503(t *testing.T) {
	cfg := config()
	cfg.MaxHeaderSize = 4 << 20
	onBothSchemes(t, func(t *testing.T, secure bool) {
		for method, framing := range map[string]string{"POST": "Content-Length: 1000000000", "GET": "Connection: close"} {
			h := newHouse(t, cfg)
			o := newOrigin(t, secure, func(o *peer) {
				o.readHead()
				if method == "GET" {
					o.send(text("HTTP/1.1 200 OK", "X: "+strings.Repeat("x", 2<<20), "Content-Length: 0"))
				}
				o.readAll()
			})
			spill := filepath.Join(h.dir, "spill")
			// one that is gone would be made again
			if err := errors.Join(os.RemoveAll(spill), os.WriteFile(spill, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
			client, prefix := h.to(o, secure)
			client.send(text(method+" "+prefix+"/ HTTP/1.1", "Host: a", framing))
			if method == "POST" {
				go client.endless()
			}
			wantFault(t, client.readAll(), "503", "cannot record")
			if gaps := h.gaps(); len(gaps) != 1 || gaps[0].Reason != recorder.GapWrite ||
				!strings.Contains(gaps[0].Detail, "spill") {
				t.Errorf("gaps: %v", gaps)
			}
			if err := os.Remove(spill); err != nil {
				t.Fatal(err)
			}
			h.close()
		}
	})
}

// takeAway makes the archive impossible to write.
func (h *house) takeAway() {
	archive := filepath.Join(h.dir, "archive")
	if err := errors.Join(os.Rename(archive, archive+".away"), os.WriteFile(archive, nil, 0o600)); err != nil {
		h.t.Fatal(err)
	}
}
