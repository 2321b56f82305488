package proxy

import (
	"fmt"
	"math/rand/v2"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
)

// whims is how many requests TestWhims makes.
var whims = map[string]int{"1": 20_000}[os.Getenv("CI_LONG")]

// TestWhims: whatever clients and origins do to each other, and at whichever moment they go,
// nothing that is counted for it is left behind: a place that did not come back would be one the
// less for good, and an answer that seemed to be under way would keep its URL from being completed.
func TestWhims(t *testing.T) {
	cfg := hasty()
	cfg.Complete.Quiet, cfg.Complete.Within = time.Millisecond, 5*time.Millisecond
	cfg.Complete.Running, cfg.Complete.Waiting, cfg.Complete.PerHost = 3, 10, 2
	cfg.Complete.Max, cfg.Complete.Timeout = 40_000, 200*time.Millisecond
	cfg.Timeout.FirstByte, cfg.Timeout.Idle = time.Second, time.Second
	h := newHouse(t, cfg)
	o := newOrigin(t, false, whimsical)
	const clients = 16
	var running sync.WaitGroup
	for n := range clients {
		running.Go(func() {
			r := rand.New(rand.NewPCG(uint64(n), 1))
			for range max(whims, 1000) / clients {
				h.whim(r, o)
			}
		})
	}
	running.Wait()
	h.close()
	q := h.proxy.completions
	t.Logf("%+v, %v", h.proxy.Completions(), h.rec.Status().Gaps)
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.flights)+len(q.queue)+len(q.byURL)+q.heads+len(q.hosts)+len(q.running)+q.places != 0 {
		t.Errorf("left: %v, %d waiting, %d URLs, %d bytes, hosts %v, %d running, %d places", q.flights,
			len(q.queue), len(q.byURL), q.heads, q.hosts, len(q.running), q.places)
	}
	if q.wholes == 0 || q.failures == 0 {
		t.Errorf("%d wholes, %d failures: nothing is tried", q.wholes, q.failures)
	}
}

// whim makes a request, or some, and goes at any moment.
func (h *house) whim(r *rand.Rand, o *originServer) {
	conn, err := net.Dial("tcp", h.address)
	if err != nil {
		h.t.Error(err)
		return
	}
	defer conn.Close()
	conn.SetDeadline(time.Now().Add(5 * time.Second))
	var requests strings.Builder
	for range 1 + r.IntN(2) {
		method := [...]string{"GET", "GET", "GET", "GET", "HEAD", "POST"}[r.IntN(6)]
		lines := []string{fmt.Sprintf("%s http://%s/%d HTTP/1.%d", method, o.address, r.IntN(300), 1-r.IntN(4)/3),
			"Host: a"}
		if r.IntN(2) == 0 {
			lines = append(lines, aPart)
		}
		if r.IntN(4) == 0 {
			lines = append(lines, "Connection: close")
		}
		if r.IntN(8) == 0 {
			lines = append(lines, "Connection: Upgrade", "Upgrade: a")
		}
		requests.WriteString(text(lines...))
	}
	conn.Write([]byte(requests.String()))
	switch r.IntN(6) {
	case 0:
	case 1: // until the end
		for b := make([]byte, 4096); err == nil; {
			conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
			_, err = conn.Read(b)
		}
	case 2:
		conn.Read(make([]byte, 1))
	default:
		conn.SetReadDeadline(time.Now().Add(time.Duration(r.IntN(400)) * time.Millisecond))
		conn.Read(make([]byte, r.IntN(2000)))
		conn.Read(make([]byte, r.IntN(20_000)))
	}
	if r.IntN(2) == 0 {
		conn.(*net.TCPConn).SetLinger(0)
	}
}

// whimsical is the script of an origin of many kinds.
func whimsical(p *peer) {
	r := rand.New(rand.NewPCG(rand.Uint64(), 1))
	for {
		head := p.readHead()
		if head == "" || r.IntN(12) == 0 {
			return
		}
		status := [...]string{"200 OK", "200 OK", "200 OK", "206 Partial Content", "206 Partial Content",
			"403 No", "304 Not Modified", "101 Switching Protocols"}[r.IntN(8)]
		kind := [...]string{"video/mp4", "text/html", "text/html", "text/css"}[r.IntN(4)]
		lines := []string{"HTTP/1.1 " + status, "Content-Type: " + kind, fmt.Sprintf("ETag: %d", r.IntN(3)),
			"Content-Range: bytes 0-9999/30000"}
		size := []int{0, 10, 30_000, 50_000}[r.IntN(4)]
		body := strings.Repeat("x", size)
		switch r.IntN(4) {
		case 0:
			lines = append(lines, "Transfer-Encoding: chunked")
			body = fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", size, body)
			if size == 0 {
				body = "0\r\n\r\n"
			}
		case 1: // until close
		default:
			lines = append(lines, fmt.Sprint("Content-Length: ", size))
		}
		all := text(lines...) + body
		cut := len(all)
		if r.IntN(3) == 0 {
			cut = r.IntN(len(all))
		}
		for sent := 0; sent < cut; {
			n := min(cut, sent+1+r.IntN(20_000))
			if _, err := p.conn.Write([]byte(all[sent:n])); err != nil {
				return
			}
			if sent = n; r.IntN(3) == 0 {
				time.Sleep(time.Duration(r.IntN(30)) * time.Millisecond)
			}
			if r.IntN(100) == 0 {
				time.Sleep(350 * time.Millisecond)
			}
		}
		if cut < len(all) || r.IntN(3) == 0 {
			return
		}
	}
}
