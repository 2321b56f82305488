//go:build linux

package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestSlowBodiesHoldNoRoom: large bodies that trickle hold the room on disk for as long as nobody
// needs it, and are cut when somebody does.
func TestSlowBodiesHoldNoRoom(t *testing.T) {
	const floor, largest, asked = 50 << 20, 100 << 20, 3 << 20
	dir := mounted(t, "300m")
	d := newOnDisk(t, dir, "--min-free-space", "50MiB")
	d.begin("")
	sent := make(chan bool, 2)
	origin := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", "99999999999")
		piece := make([]byte, 128<<10)
		flush := http.NewResponseController(w).Flush
		for n := 0; r.Context().Err() == nil; n += len(piece) { // no faster than the disk shows it
			w.Write(piece)
			flush()
			time.Sleep(2 * time.Millisecond)
			if n >= largest || r.URL.Path == "/slow/1" && free(t, dir)-largest < floor+asked/2 {
				break
			}
		}
		for sent <- true; r.Context().Err() == nil; time.Sleep(20 * time.Millisecond) {
			w.Write(make([]byte, 10))
			flush()
		}
	}))
	defer origin.Close()
	ended := make(chan error, 2)
	for i := range 2 {
		go func() {
			c := &client{proxy: d.r.address, trust: d.trust, got: newReceived()}
			defer c.close()
			_, _, err := c.fetch("GET", fmt.Sprintf("%s/slow/%d", origin.URL, i), nil)
			ended <- err
		}()
		<-sent
	}
	eventually(t, "a body of 3 MB passes", func() bool {
		c := &client{proxy: d.r.address, trust: d.trust, got: newReceived()}
		defer c.close()
		_, body, err := c.fetch("GET", fmt.Sprintf("%s/bytes/0/%d", d.site.plain.URL, asked), nil)
		return err == nil && len(body) == asked
	})
	if err := <-ended; err == nil {
		t.Error("a slow body came to its end")
	}
	captured := func() bool {
		return slices.ContainsFunc(d.r.lines("capture"), func(l logLine) bool {
			return strings.HasPrefix(l.URL, origin.URL+"/slow/")
		})
	}
	eventually(t, "it is in the list of gaps, and recorded as far as it came", func() bool {
		_, gaps, _ := d.r.get("/gaps")
		return strings.Contains(gaps, "held the room that others need") && captured()
	})
	d.r.kill()
}
