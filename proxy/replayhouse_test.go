package proxy

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"warcorder/certs"
	"warcorder/proxy/admin"
	"warcorder/proxy/http1"
)

// sourceFunc is a Source that is a function.
type sourceFunc func(ctx context.Context, method, url string, head []byte, body io.Reader) (
	[]byte, io.ReadCloser, error)

func (f sourceFunc) Answer(ctx context.Context, method, url string, head []byte, body io.Reader) (
	[]byte, io.ReadCloser, error) {
	return f(ctx, method, url, head, body)
}

// shelf is a Source of whole answers by URL.
type shelf map[string]string

func (s shelf) Answer(_ context.Context, _, url string, _ []byte, _ io.Reader) (
	[]byte, io.ReadCloser, error) {
	answer, ok := s[url]
	if !ok {
		return nil, nil, fmt.Errorf("%s: %w", url, fs.ErrNotExist)
	}
	head, rest := split(answer)
	return head, rest, nil
}

// always is a Source that has one answer for everything, and reads each body.
func always(answer string) Source {
	head, _ := split(answer)
	rest := answer[len(head):]
	return sourceFunc(func(_ context.Context, _, _ string, _ []byte, body io.Reader) (
		[]byte, io.ReadCloser, error) {
		if body != nil {
			if _, err := io.Copy(io.Discard, body); err != nil {
				return nil, nil, err
			}
		}
		return head, io.NopCloser(strings.NewReader(rest)), nil
	})
}

// pieces are read one by one, and their reader can be closed once.
type pieces struct {
	left   []string
	err    error // behind them; nil is io.EOF
	closed chan struct{}
}

func (p *pieces) Read(b []byte) (int, error) {
	if len(p.left) == 0 {
		if p.err != nil {
			return 0, p.err
		}
		return 0, io.EOF
	}
	n := copy(b, p.left[0])
	if p.left[0] = p.left[0][n:]; p.left[0] == "" {
		p.left = p.left[1:]
	}
	return n, nil
}

func (p *pieces) Close() error {
	if p.closed != nil {
		close(p.closed)
	}
	return nil
}

// split makes of what an origin sends what a Source returns.
func split(answer string) (head []byte, rest io.ReadCloser) {
	end, _ := http1.HeadEnd([]byte(answer), 0)
	if end < 0 {
		end = len(answer)
	}
	return []byte(answer[:end]), &pieces{left: []string{answer[end:]}}
}

// replaying is the configuration of a test with a Source.
func replaying(source Source) Config {
	cfg := config()
	cfg.Source = source
	return cfg
}

// newReplayHouse is a house without a recorder.
func newReplayHouse(t testing.TB, cfg Config) *house {
	t.Helper()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	return newReplayHouseAt(t, cfg, ln)
}

func newReplayHouseAt(t testing.TB, cfg Config, ln net.Listener) *house {
	t.Helper()
	h := &house{t: t, log: &syncBuffer{}, served: make(chan error, 1), address: ln.Addr().String()}
	var err error
	if h.authority, err = certs.Open(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	own := http.Handler(admin.New(admin.Config{}))
	if h.proxy, err = New(cfg, ln, h.authority, nil, own, zerolog.New(h.log)); err != nil {
		t.Fatal(err)
	}
	go func() { h.served <- h.proxy.Serve() }()
	t.Cleanup(func() { h.stop(20 * time.Second) })
	return h
}

// stop ends a house without a recorder.
func (h *house) stop(patience time.Duration) {
	h.once.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		h.proxy.Shutdown(ctx)
		if err := <-h.served; err != nil {
			h.t.Errorf("serve: %v", err)
		}
	})
}

// toHost is to for a host that no origin need be at.
func (h *house) toHost(host string, secure bool) (client *peer, prefix string) {
	if secure {
		return h.tunnel(host+":443", true), ""
	}
	return h.dial(), "http://" + host
}
