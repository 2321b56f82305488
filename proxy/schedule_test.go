package proxy

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"warcorder/recorder"
)

const aPart = "Range: bytes=3-5"

// held is a film whose whole is given out only when a test lets it.
func held(release <-chan struct{}) func(string) string {
	return func(head string) string {
		if !strings.Contains(head, "Range:") {
			<-release
		}
		return film(head)
	}
}

// spare is how many descriptors are left for clients and exchanges.
func (h *house) spare() int {
	c := h.proxy.clients
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.spare
}

// TestCompletionsArePolite: never more than complete-per-host of one host, and complete-at-once of
// all, in the order in which they came.
func TestCompletionsArePolite(t *testing.T) {
	for _, c := range []struct{ perHost, atOnce, want int }{{1, 4, 1}, {2, 4, 2}, {9, 3, 3}} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			cfg := hasty()
			cfg.Complete.PerHost, cfg.Complete.AtOnce = c.perHost, c.atOnce
			h := newHouse(t, cfg)
			spare := h.spare()
			release := make(chan struct{})
			o := newLibrary(t, false, held(release))
			const films = 8
			for n := range films {
				h.fetch(o.originServer, false, fmt.Sprint("/", n), aPart)
				until(t, "it is noted, and has ended, before the next one", func() bool {
					got := h.proxy.Completions()
					return got.Running+got.Waiting == n+1 && h.noPart()
				})
			}
			until(t, "as many are asked for as may be", func() bool {
				got := h.proxy.Completions()
				return got.Running == c.want && got.Waiting == films-c.want && len(o.wholes()) == c.want &&
					h.spare() == spare-c.want*exchangeFiles && h.allAreDue()
			})
			close(release)
			h.untilCompleted(films, 0)
			if got := h.spare(); got != spare {
				t.Errorf("%d descriptors are spare, %d were", got, spare)
			}
			if o.most != c.want {
				t.Errorf("%d at a time, want %d", o.most, c.want)
			}
			for n, head := range o.wholes() {
				if c.want == 1 && !strings.HasPrefix(head, fmt.Sprintf("GET /%d ", n)) {
					t.Errorf("number %d was asked for as %q", n, head)
				}
			}
		})
	}
}

// TestCompletionsOfHosts: hosts do not share what one of them may have, but all share
// complete-at-once.
func TestCompletionsOfHosts(t *testing.T) {
	for _, atOnce := range []int{1, 2} {
		t.Run(fmt.Sprint(atOnce), func(t *testing.T) {
			cfg := hasty()
			cfg.Complete.AtOnce = atOnce
			h := newHouse(t, cfg)
			release := make(chan struct{})
			o := newLibrary(t, false, held(release))
			_, port, _ := strings.Cut(o.address, ":")
			for _, place := range []string{"127.0.0.1:" + port + "/1", "127.0.0.1:" + port + "/2",
				"localhost:" + port + "/"} {
				client := h.dial()
				client.send(text("GET http://"+place+" HTTP/1.1", "Host: a", aPart, "Connection: close"))
				client.readAll()
			}
			until(t, "as many as may be", func() bool { return len(o.wholes()) == atOnce })
			if got := h.proxy.Completions(); got.Running != atOnce || got.Waiting != 3-atOnce {
				t.Errorf("%+v", got)
			}
			close(release)
			h.untilCompleted(3, 0)
			if o.most != atOnce {
				t.Errorf("%d at a time", o.most)
			}
		})
	}
}

// TestQuiet: nothing is asked for while an answer of the URL is under way, until complete-within is
// over; and many answers make one completion, with the fields of the latest.
func TestQuiet(t *testing.T) {
	for name, c := range map[string]struct {
		within time.Duration
		latest string
	}{
		"waits for the end":           {time.Hour, "X-Number: slow"},
		"waits no longer than within": {3 * time.Second, "X-Number: 9"},
	} {
		t.Run(name, func(t *testing.T) {
			cfg := hasty()
			cfg.Complete.Within = c.within
			h := newHouse(t, cfg)
			o := newLibrary(t, false, func(head string) string {
				answer := film(head)
				if strings.Contains(head, "X-Number: slow") && strings.Contains(head, "Range:") {
					return answer[:len(answer)-1] + "‖" + answer[len(answer)-1:]
				}
				return answer
			})
			slow := h.dial()
			slow.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", aPart, "X-Number: slow",
				"Connection: close"))
			slow.readHead()
			for n := range 10 {
				h.fetch(o.originServer, false, "/", aPart, fmt.Sprint("X-Number: ", n))
			}
			if c.within == time.Hour {
				// By the time that another URL has been completed, complete-quiet has passed for this one.
				h.fetch(o.originServer, false, "/other", aPart)
				until(t, "the other URL", func() bool { return h.proxy.Completions().Whole == 1 })
				if n := len(o.wholes()); n != 1 {
					t.Errorf("%d wholes are asked for, want that of the other URL", n)
				}
				close(o.rest)
				slow.readAll()
				h.untilCompleted(2, 0)
			} else {
				h.untilCompleted(1, 0)
				close(o.rest)
				slow.readAll()
				h.close()
			}
			all := o.wholes()
			if last := all[len(all)-1]; !strings.Contains(last, c.latest+"\r\n") ||
				!strings.HasPrefix(last, "GET / ") {
				t.Errorf("asked for as %q", last)
			}
			if want := int(h.proxy.Completions().Whole); len(all) != want {
				t.Errorf("%d wholes are asked for, want %d", len(all), want)
			}
		})
	}
}

// TestWholeUnderWay: while the whole comes to another client, it is not asked for, be it ever so
// long; and not at all if it has come then.
func TestWholeUnderWay(t *testing.T) {
	for _, ending := range []string{"9", "…"} {
		t.Run(ending, func(t *testing.T) {
			cfg := hasty()
			cfg.Complete.Within = cfg.Complete.Quiet
			h := newHouse(t, cfg)
			first := true
			o := newLibrary(t, false, func(head string) string {
				answer := film(head)
				if asksForAll(head) { // a long one
					answer = strings.Replace(answer, "Length: 10", "Length: 2000000", 1) +
						strings.Repeat("x", 2_000_000-10)
				}
				if first && asksForAll(head) {
					first = false
					return answer[:len(answer)-1] + "‖" + ending
				}
				return answer
			})
			slow := h.dial()
			slow.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
			slow.readHead()
			h.fetch(o.originServer, false, "/", aPart)
			h.fetch(o.originServer, false, "/other", aPart)
			until(t, "the other URL", func() bool { return h.proxy.Completions().Whole == 1 })
			if got := h.proxy.Completions(); got.Waiting != 1 {
				t.Errorf("%+v", got)
			}
			close(o.rest)
			slow.readAll()
			want := map[string]int64{"9": 1, "…": 2}[ending]
			h.untilCompleted(want, 0)
			h.close()
			if n := len(o.wholes()); n != 1+int(want) {
				t.Errorf("%d wholes are asked for, want %d", n, 1+want)
			}
		})
	}
}

// TestCompletionsAreCrowded: what finds no place is a gap at once, and nothing grows.
func TestCompletionsAreCrowded(t *testing.T) {
	cfg := hasty()
	cfg.Complete.Quiet, cfg.Complete.Within = time.Hour, time.Hour
	cfg.Complete.Waiting = 3
	h := newHouse(t, cfg)
	o := newLibrary(t, false, func(head string) string {
		if !strings.Contains(head, "Range:") {
			return "HTTP/1.1 200 OK\r\nContent-Type: video/mp4\r\nContent-Length: 9\r\n\r\n…"
		}
		return film(head)
	})
	for n := range 6 {
		for range 2 { // of one version there is one gap
			h.fetch(o.originServer, false, fmt.Sprint("/", n), aPart)
		}
	}
	h.fetch(o.originServer, false, "/cut")
	until(t, "the gaps", func() bool { return len(h.gaps()) == 4 })
	for n, gap := range h.gaps() { // the newest first
		want := "the whole was not asked for: too many wait (complete-waiting)"
		if n == 0 {
			want = o.address + " closed the connection before its answer was complete."
		}
		if gap.Reason != recorder.GapCut || gap.Detail != want {
			t.Errorf("%+v, want %q", gap, want)
		}
	}
	if got := h.proxy.Completions(); got != (Completions{Waiting: 3}) {
		t.Errorf("%+v", got)
	}
	h.records()
	if got := h.proxy.Completions(); got != (Completions{Failed: 3}) {
		t.Errorf("%+v after the end", got)
	}
}

// TestShutdownCompletes: what waits is asked for at once when the proxy is to end, within the same
// bounds; what has not come when time is over is a gap each.
func TestShutdownCompletes(t *testing.T) {
	for name, ends := range map[string]bool{"in time": true, "too late": false} {
		t.Run(name, func(t *testing.T) {
			cfg := hasty()
			cfg.Complete.Quiet, cfg.Complete.Within = time.Hour, time.Hour
			h := newHouse(t, cfg)
			release := make(chan struct{})
			o := newLibrary(t, false, held(release))
			for n := range 5 {
				h.fetch(o.originServer, false, fmt.Sprint("/", n), aPart)
			}
			if n := len(o.wholes()); n != 0 {
				t.Errorf("%d are asked for before their time", n)
			}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			ended := make(chan struct{})
			go func() { h.proxy.Shutdown(ctx); close(ended) }()
			until(t, "the first is asked for", func() bool { return len(o.wholes()) == 1 })
			if ends {
				close(release)
			} else {
				cancel()
				defer close(release)
			}
			wantSoon(t, "shutdown", ended)
			want := Completions{Whole: 5}
			if !ends {
				want = Completions{Failed: 5}
			}
			if got := h.proxy.Completions(); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
			gaps := h.gaps()
			if len(gaps) != int(want.Failed) {
				t.Errorf("gaps: %+v", gaps)
			}
			asked := 0
			for _, gap := range gaps {
				switch gap.Detail {
				case "the whole was asked for, and did not come: warcorder is being stopped.":
					asked++
				case "the whole was not asked for: the recorder was stopped":
				default:
					t.Errorf("%+v", gap)
				}
			}
			if !ends && asked != 1 {
				t.Errorf("%d are told to have been asked for, and one was: %+v", asked, gaps)
			}
			if o.most != 1 && ends {
				t.Errorf("%d at a time", o.most)
			}
			if !strings.Contains(h.log.String(), "asking at once for the wholes of what has come in part") ||
				strings.Contains(h.log.String(), "what has come in part stays so") == ends {
				t.Errorf("%s", h.log)
			}
		})
	}
}

// TestCompletedByManyClients: however many take parts of one URL at a time, its whole is asked for
// once.
func TestCompletedByManyClients(t *testing.T) {
	h := newHouse(t, hasty())
	o := newLibrary(t, false, film)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 10 {
				h.fetch(o.originServer, false, "/", aPart)
			}
		})
	}
	all.Wait()
	h.untilCompleted(1, 0)
	h.fetch(o.originServer, false, "/", aPart)
	h.close()
	if n := len(o.wholes()); n != 1 {
		t.Errorf("%d wholes are asked for", n)
	}
}

// TestCompletedOnAKeptConnection: the connection of the client's request serves the completion, and
// goes back to where it was.
func TestCompletedOnAKeptConnection(t *testing.T) {
	h := newHouse(t, hasty())
	o := newLibrary(t, false, film)
	client := h.dial()
	for n, path := range []string{"/one", "/two"} {
		client.send(text("GET http://"+o.address+path+" HTTP/1.1", "Host: a", aPart))
		client.readUntil((n + 1) * len(film("\r\n"+aPart+"\r\n")))
		h.untilCompleted(int64(n+1), 0)
	}
	if n := len(o.connections()); n != 1 {
		t.Errorf("%d connections", n)
	}
}

// TestHeldIsNotCompleted: what the collection has whole is not asked for, unless that is another
// version.
func TestHeldIsNotCompleted(t *testing.T) {
	for name, c := range map[string]struct {
		first, second string // validators
		asked         int
	}{
		"the same tag":  {`ETag: "1"`, `ETag: "1"`, 0},
		"another tag":   {`ETag: "1"`, `ETag: "2"`, 1},
		"a tag is gone": {`ETag: "1"`, "Last-Modified: x", 1},
		"the same date": {"Last-Modified: x", "Last-Modified: x", 0},
		"another date":  {"Last-Modified: x", "Last-Modified: y", 1},
		"no validator":  {"X: y", "X: y", 1},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHouse(t, hasty())
			validator := c.first
			o := newLibrary(t, false, func(head string) string {
				return strings.Replace(film(head), `ETag: "1"`, validator, 1)
			})
			h.fetch(o.originServer, false, "/")
			validator = c.second
			h.fetch(o.originServer, false, "/", aPart)
			h.close()
			if n, gaps := len(o.wholes()), h.rec.Status().Gaps; n != 1+c.asked || len(gaps) > 0 {
				t.Errorf("asked for %d times, want %d; gaps: %v", n-1, c.asked, gaps)
			}
			want := Completions{Whole: int64(c.asked)}
			if got := h.proxy.Completions(); got != want {
				t.Errorf("%+v, want %+v", got, want)
			}
		})
	}
}

// TestNewVersionIsCompleted: a version is asked for once, a later one again.
func TestNewVersionIsCompleted(t *testing.T) {
	h := newHouse(t, hasty())
	tag := `"1"`
	o := newLibrary(t, false, func(head string) string { return strings.Replace(film(head), `"1"`, tag, 1) })
	for n, next := range []string{`"1"`, `"2"`, `"2"`} {
		tag = next
		h.fetch(o.originServer, false, "/", aPart)
		h.untilCompleted(int64(min(n+1, 2)), 0)
	}
	h.close()
	if n := len(o.wholes()); n != 2 {
		t.Errorf("%d wholes are asked for, want 2", n)
	}
}
