package proxy

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/raced"
)

// waiting is a body that has its first piece at once, and the others when they are there.
type waiting struct {
	ctx    context.Context
	silent bool // does not say that it waits
	more   chan string
	paused bool
	closed chan struct{}
}

func (w *waiting) Read(p []byte) (int, error) {
	if w.paused = !w.paused; w.paused && !w.silent {
		return 0, nil
	}
	select {
	case piece, ok := <-w.more:
		if !ok {
			return 0, io.EOF
		}
		return copy(p, piece), nil
	case <-w.ctx.Done():
		return 0, w.ctx.Err()
	}
}

func (w *waiting) Close() error { close(w.closed); return nil }

// newWaiting makes a Source of events, and its one body.
func newWaiting() (Source, *waiting) {
	w := &waiting{more: make(chan string), closed: make(chan struct{})}
	head := []byte(text("HTTP/1.1 200 OK", "Content-Type: text/event-stream"))
	return sourceFunc(func(ctx context.Context, _, _ string, _ []byte, _ io.Reader) (
		[]byte, io.ReadCloser, error) {
		w.ctx = ctx
		return head, w, nil
	}), w
}

// TestReplayedEvents: what a Source has goes out before it waits for more, and it learns that the
// client has gone.
func TestReplayedEvents(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		source, events := newWaiting()
		h := newReplayHouse(t, replaying(source))
		client, prefix := h.toHost("a.test", secure)
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test"))
		client.readHead()
		for i := range 3 {
			event := fmt.Sprintf("data: %d\n\n", i)
			events.more <- event
			if got := client.readN(len(event)); got != event {
				t.Errorf("%q", got)
			}
		}
		client.conn.Close()
		<-events.ctx.Done()
		<-events.closed
		h.stop(20 * time.Second)
		if log := h.log.String(); log != "" {
			t.Errorf("the log: %s", log)
		}
	})
}

// TestReplayedUnasked: a client goes that still waits to be asked for the body of its request.
func TestReplayedUnasked(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		source, events := newWaiting()
		h := newReplayHouse(t, replaying(source))
		client, prefix := h.toHost("a.test", secure)
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test", "Expect: 100-continue",
			"Content-Length: 1"))
		client.readHead()
		client.conn.Close()
		<-events.ctx.Done()
		<-events.closed
		h.stop(20 * time.Second)
	})
}

// TestReplayedClientGone: a Source that takes its time learns that the client has gone, also when
// the request had a body.
func TestReplayedClientGone(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		for _, body := range []string{"", "hello"} {
			asked, gone := make(chan struct{}), make(chan error)
			h := newReplayHouse(t, replaying(sourceFunc(func(ctx context.Context, _, _ string, _ []byte,
				body io.Reader) ([]byte, io.ReadCloser, error) {
				if body != nil {
					io.Copy(io.Discard, body)
				}
				close(asked)
				<-ctx.Done()
				gone <- ctx.Err()
				return nil, nil, ctx.Err()
			})))
			client, prefix := h.toHost("a.test", secure)
			client.send(text("PUT "+prefix+"/ HTTP/1.1", fmt.Sprint("Content-Length: ", len(body))) + body)
			<-asked
			client.conn.Close()
			if err := <-gone; err != context.Canceled {
				t.Errorf("%v", err)
			}
			h.stop(20 * time.Second)
			if log := h.log.String(); log != "" {
				t.Errorf("the log: %s", log)
			}
		}
	})
}

// TestReplayedSlowly: while a Source takes its time the client is watched, and what it sends
// meanwhile is its next request.
func TestReplayedSlowly(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		asked := make(chan struct{}, 1)
		h := newReplayHouse(t, replaying(sourceFunc(func(ctx context.Context, _, url string, _ []byte,
			body io.Reader) ([]byte, io.ReadCloser, error) {
			if strings.HasSuffix(url, "/slow") {
				io.Copy(io.Discard, body)
				asked <- struct{}{}
				time.Sleep(2 * glance) // the watching begins
			}
			return echo(0).Answer(ctx, "GET", url, nil, nil)
		})))
		client, prefix := h.toHost("a.test", secure)
		client.send(text("POST "+prefix+"/slow HTTP/1.1", "Content-Length: 2") + "ab")
		<-asked
		client.send(text("GET "+prefix+"/next HTTP/1.1", "Host: a.test"))
		for _, path := range []string{"/slow", "/next"} {
			head := client.readHead()
			if got := client.readN(contentLength(t, head)); !strings.Contains(got, path) {
				t.Errorf("%s: %s%s", path, head, got)
			}
		}
	})
}

// TestReplayIsBounded: timeout-total ends a Source that takes its time, and timeout-idle a client
// that does not read.
func TestReplayIsBounded(t *testing.T) {
	onBothSchemes(t, func(t *testing.T, secure bool) {
		cfg := replaying(sourceFunc(func(ctx context.Context, _, _ string, _ []byte, _ io.Reader) (
			[]byte, io.ReadCloser, error) {
			<-ctx.Done()
			return nil, nil, fmt.Errorf("look up: %w", ctx.Err())
		}))
		cfg.Timeout.Total = 50 * time.Millisecond
		h := newReplayHouse(t, cfg)
		client, prefix := h.toHost("a.test", secure)
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test"))
		head := client.readHead()
		if page := client.readN(contentLength(t, head)); !strings.HasPrefix(head, "HTTP/1.1 504 ") ||
			!strings.Contains(page, "timeout-total") {
			t.Errorf("%s%s", head, page)
		}

		endless := &zeros{left: 1 << 40, closed: make(chan struct{})}
		cfg = replaying(sourceFunc(func(context.Context, string, string, []byte, io.Reader) (
			[]byte, io.ReadCloser, error) {
			return []byte(text("HTTP/1.1 200 OK")), endless, nil
		}))
		cfg.Timeout.Idle = 50 * time.Millisecond
		h = newReplayHouse(t, cfg)
		client, prefix = h.toHost("a.test", secure)
		client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test"))
		<-endless.closed
	})
}

// TestReplayHeld: an answer that its Source holds open, as a stream of events is, ends with
// timeout-total. That is no fault of the archive, and the log does not say so.
func TestReplayHeld(t *testing.T) {
	cfg := replaying(sourceFunc(func(ctx context.Context, _, _ string, _ []byte, _ io.Reader) (
		[]byte, io.ReadCloser, error) {
		return []byte(text("HTTP/1.1 200 OK")), io.NopCloser(&waits{ctx: ctx}), nil
	}))
	cfg.Timeout.Total = 50 * time.Millisecond
	h := newReplayHouse(t, cfg)
	client, prefix := h.toHost("a.test", false)
	client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test"))
	client.readAll()
	h.stop(20 * time.Second)
	if log := h.log.String(); !strings.Contains(log, "timeout-total has ended the answer") ||
		strings.Contains(log, "could not be read") {
		t.Error(log)
	}
}

// waits is a body that has nothing at the moment, until its context ends.
type waits struct {
	ctx  context.Context
	told bool
}

func (w *waits) Read([]byte) (int, error) {
	if !w.told {
		w.told = true
		return 0, nil
	}
	<-w.ctx.Done()
	return 0, w.ctx.Err()
}

// zeros are a body.
type zeros struct {
	left   int64
	closed chan struct{}
}

func (z *zeros) Read(p []byte) (int, error) {
	if z.left == 0 {
		return 0, io.EOF
	}
	n := min(int64(len(p)), z.left)
	clear(p[:n])
	z.left -= n
	return int(n), nil
}

func (z *zeros) Close() error { close(z.closed); return nil }

// TestReplayedBodyTakesNoMemory: however large an answer is, a buffer of it is in memory.
func TestReplayedBodyTakesNoMemory(t *testing.T) {
	const size = 256 << 20
	h := newReplayHouse(t, replaying(sourceFunc(func(context.Context, string, string, []byte,
		io.Reader) ([]byte, io.ReadCloser, error) {
		return []byte(text("HTTP/1.1 200 OK", fmt.Sprint("Content-Length: ", size))),
			&zeros{left: size, closed: make(chan struct{})}, nil
	})))
	client, prefix := h.toHost("a.test", false)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	client.in.Reset(client.conn) // which forgets what it reads
	client.send(text("GET "+prefix+"/ HTTP/1.1", "Host: a.test"))
	client.readHead()
	if n, err := io.CopyN(io.Discard, client.in, size); err != nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	runtime.ReadMemStats(&after)
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 4<<20 && !raced.Enabled {
		t.Errorf("%d bytes were allocated", grown)
	}
}

// TestManyReplayed: a connection serves any number of requests, and leaves nothing behind.
func TestManyReplayed(t *testing.T) {
	h := newReplayHouse(t, replaying(echo(10)))
	client, prefix := h.toHost("a.test", false)
	for i := range 10_000 {
		client.forget()
		if i%3 == 0 {
			client.send(text(fmt.Sprintf("GET %s/%d HTTP/1.1", prefix, i), "Host: a"))
		} else {
			client.send(text(fmt.Sprintf("POST %s/%d HTTP/1.1", prefix, i), "Content-Length: 20") +
				strings.Repeat("x", 20))
		}
		head := client.readHead()
		if got := client.readN(contentLength(t, head)); !strings.Contains(got, fmt.Sprintf("/%d ", i)) {
			t.Fatalf("%d: %s%s", i, head, got)
		}
	}
	client.conn.Close()
	h.stop(20 * time.Second)
	if left := h.proxy.memory.left.Load(); left != h.proxy.current().cfg.MaxHeaderMemory {
		t.Errorf("%d bytes of the budget are left", left)
	}
}
