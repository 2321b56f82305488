package proxy

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"testing"
)

// TestFallback: what the Source has no answer for goes to the origin as it came, with the body that
// the Source has read, or a part of, and is recorded.
func TestFallback(t *testing.T) {
	large := strings.Repeat("0123456789abcdef", 1<<16)
	for _, c := range []struct{ name, fields, body, data string }{
		{"no body", "", "", ""},
		{"sized", "Content-Length: 5\r\n", "hello", "hello"},
		{"chunked", "Transfer-Encoding: chunked\r\n",
			"5;x=y\r\nhello\r\n006\r\n world\r\n0\r\nT: 1\r\n\r\n", "hello world"},
		{"large", fmt.Sprintf("Content-Length: %d\r\n", len(large)), large, large},
	} {
		for _, most := range []int64{0, 3, 1 << 30} {
			t.Run(fmt.Sprint(c.name, ", read ", most), func(t *testing.T) {
				const answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
				request := "POST TARGET/up HTTP/1.1\r\nHost: a\r\n" + c.fields + "\r\n" + c.body
				o := newOrigin(t, false, func(p *peer) {
					for range 2 {
						want := strings.ReplaceAll(request, "TARGET", "")
						if got := p.readN(len(want)); got != want {
							p.t.Errorf("the origin got %.200q", got)
						}
						p.send(answer)
					}
				})
				cfg := config()
				cfg.Source = sourceFunc(func(_ context.Context, _, url string, _ []byte, body io.Reader) (
					[]byte, io.ReadCloser, error) {
					if body != nil {
						got, err := io.ReadAll(io.LimitReader(body, most))
						if want := c.data[:min(int64(len(c.data)), most)]; string(got) != want || err != nil {
							t.Errorf("the Source got %.200q, %v", got, err)
						}
					}
					return nil, nil, fs.ErrNotExist
				})
				h := newHouse(t, cfg)
				client := h.dial()
				sent := strings.ReplaceAll(request, "TARGET", "http://"+o.address)
				client.send(sent + sent)
				for range 2 {
					if got := client.readN(len(answer)); got != answer {
						t.Errorf("the client got %q", got)
					}
				}
				if got := of(h.records(), "request"); len(got) != 2 ||
					string(got[1].block) != strings.ReplaceAll(request, "TARGET", "") {
					t.Errorf("%d requests recorded", len(got))
				}
			})
		}
	}
}

// TestFallbackOfFaults: an archive that cannot be read is said to be so, and the origin is not asked
// in its place, though there is a recorder.
func TestFallbackOfFaults(t *testing.T) {
	o := newOrigin(t, false, func(p *peer) { p.readHead() })
	h := newHouse(t, replaying(sourceFunc(func(context.Context, string, string, []byte, io.Reader) (
		[]byte, io.ReadCloser, error) {
		return nil, nil, errDisk
	})))
	client := h.dial()
	client.send(text("GET http://"+o.address+"/ HTTP/1.1", "Host: a", "Connection: close"))
	wantFault(t, client.readAll(), "502", errDisk.Error())
	if all := h.records(); len(all) > 0 || len(o.connections()) > 0 {
		t.Errorf("%d records, %d connections to the origin", len(all), len(o.connections()))
	}
}

// TestFallbackWithoutTheBody: a body that the Source has read, and that is too large to be kept, is
// not asked for again: the client is told. What was kept leaves nothing behind.
func TestFallbackWithoutTheBody(t *testing.T) {
	reads := sourceFunc(func(_ context.Context, _, _ string, _ []byte, body io.Reader) (
		[]byte, io.ReadCloser, error) {
		_, err := io.Copy(io.Discard, body)
		return nil, nil, cmp.Or(err, fs.ErrNotExist)
	})
	for _, c := range []struct {
		size, memory int64
		status       string
	}{
		{mostKept / 2, 512 << 20, "200"},
		{mostKept + 1, 512 << 20, "413"},
		{1 << 20, 4 << 20, "200"},
		{5 << 20, 4 << 20, "413"},
	} {
		t.Run(fmt.Sprint(c.size, " of ", c.memory), func(t *testing.T) {
			o := newOrigin(t, false, func(p *peer) {
				p.readHead()
				io.CopyN(io.Discard, p.in, c.size)
				p.send(numbered(0))
			})
			cfg := replaying(reads)
			cfg.MaxHeaderMemory = c.memory
			h := newHouse(t, cfg)
			client := h.dial()
			client.send(text("POST http://"+o.address+"/ HTTP/1.1", "Connection: close",
				fmt.Sprint("Content-Length: ", c.size)))
			io.Copy(client.conn, io.LimitReader(&zeros{left: c.size}, c.size))
			if got := client.readAll(); !strings.HasPrefix(got, "HTTP/1.1 "+c.status+" ") ||
				c.status == "413" && !strings.Contains(got, "too large to be kept for the origin") {
				t.Errorf("%q", got)
			}
			h.close()
			if left := h.proxy.memory.left.Load(); left != c.memory {
				t.Errorf("%d bytes of the budget are left", left)
			}
		})
	}
}
