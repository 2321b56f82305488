package cmd

import (
	"bytes"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// films is an origin of what clients take a part of. What it does depends on the path:
//
//	/half/…      sends the beginning of all of it, and the rest when it is released
//	/drip/…      sends that beginning, and then a byte every 10 ms
//	/slow/…      does as /half/ with a part
//	/held/…      answers a request for the whole when it is released
//	/new/…       is of another version each time
//	/declared/N  says that it is N bytes long, and does not have the whole
//
// The type is that of the path's extension.
type films struct {
	*httptest.Server
	asked    chan filmAsked
	left     chan string   // paths whose connection was closed before they were released
	released chan struct{} // when it is closed
	versions atomic.Int64
}

// filmAsked is a request: of a whole, or a part.
type filmAsked struct {
	path  string
	whole bool
	at    time.Time
}

const (
	filmSize = 4000      // bytes of a whole
	halfSize = 100_000   // bytes of the beginning
	longSize = 2_100_000 // bytes of what has one: more than lies in the buffers of sockets
)

func newFilms(t *testing.T) *films {
	f := &films{asked: make(chan filmAsked, 1000), left: make(chan string, 100),
		released: make(chan struct{})}
	f.Server = keyOrigin(t, f.answer)
	return f
}

// kindOf is the media type of an extension.
func kindOf(name string) string {
	return map[string]string{".mp4": "video/mp4", ".pdf": "application/pdf", ".woff2": "font/woff2",
		".zip": "application/zip", ".html": "text/html", ".png": "image/png",
		".json": "application/json"}[path.Ext(name)]
}

func (f *films) answer(w http.ResponseWriter, r *http.Request) {
	name, whole := r.URL.Path, r.Header.Get("Range") == ""
	f.asked <- filmAsked{name, whole, time.Now()}
	w.Header().Set("Content-Type", kindOf(name))
	kind, rest, _ := strings.Cut(strings.TrimPrefix(name, "/"), "/")
	switch {
	case kind == "half":
		w.Header().Set("Content-Length", fmt.Sprint(longSize))
		f.inTwo(w, r, halfSize, longSize-halfSize)
		return
	case kind == "drip":
		w.Header().Set("Content-Length", fmt.Sprint(longSize))
		f.drip(w, r)
		return
	case kind == "slow" && !whole:
		w.Header().Set("Content-Length", "100")
		w.Header().Set("Content-Range", fmt.Sprintf("bytes 0-99/%d", filmSize))
		w.WriteHeader(http.StatusPartialContent)
		f.inTwo(w, r, 50, 50)
		return
	case kind == "declared" && whole:
		http.NotFound(w, r)
		return
	case kind == "declared":
		w.Header().Set("Content-Type", "video/mp4")
		w.Header().Set("Content-Range", "bytes 0-99/"+rest)
		w.WriteHeader(http.StatusPartialContent)
		w.Write(make([]byte, 100))
		return
	case kind == "held" && whole:
		if !f.wait(r) {
			return
		}
	case kind == "new":
		w.Header().Set("ETag", fmt.Sprintf(`"%d"`, f.versions.Add(1)))
	}
	http.ServeContent(w, r, "", time.Time{}, strings.NewReader(strings.Repeat("film", filmSize/4)))
}

// body is so much of what this origin has, and no other: it would be stored once for all of them.
func (f *films) body(size int) []byte {
	return bytes.Repeat([]byte(f.URL), size/len(f.URL)+1)[:size]
}

// inTwo sends a body in two pieces, the second when it is released.
func (f *films) inTwo(w http.ResponseWriter, r *http.Request, first, second int) {
	w.Write(f.body(first))
	w.(http.Flusher).Flush()
	if f.wait(r) {
		w.Write(f.body(second))
	}
}

// drip sends a body that does not come to its end.
func (f *films) drip(w http.ResponseWriter, r *http.Request) {
	w.Write(f.body(halfSize))
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for {
		w.Write([]byte("x"))
		w.(http.Flusher).Flush()
		select {
		case <-ticks.C:
		case <-r.Context().Done():
			f.left <- r.URL.Path
			return
		}
	}
}

// wait waits for the release, and reports false if the other side has left before.
func (f *films) wait(r *http.Request) bool {
	select {
	case <-f.released:
		return true
	case <-r.Context().Done():
		f.left <- r.URL.Path
		return false
	}
}

// release lets go on what waits.
func (f *films) release() { close(f.released) }

// whole waits for the next request for a whole.
func (f *films) whole(t *testing.T) filmAsked {
	t.Helper()
	for {
		if one := await(t, f.asked, "a whole is asked for"); one.whole {
			return one
		}
	}
}

// wholes are the paths whose wholes were asked for so far, in their order.
func (f *films) wholes() (paths []string) {
	for len(f.asked) > 0 {
		if one := <-f.asked; one.whole {
			paths = append(paths, one.path)
		}
	}
	return paths
}

// part takes a part by a recorder.
func (f *films) part(t *testing.T, r *keyed, target string) {
	t.Helper()
	r.fetch(target, "Range", "bytes=0-99").wants(t, http.StatusPartialContent, "")
}

// leave asks by a recorder for what comes in two pieces, and goes when the first has begun to come.
func (f *films) leave(t *testing.T, r *keyed, name string) {
	t.Helper()
	conn := dialed(t, r.address, fmt.Sprintf("GET %s%s HTTP/1.1\r\nHost: %s\r\n\r\n", f.URL, name,
		f.Listener.Addr()))
	if _, err := conn.Read(make([]byte, 100)); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	conn.Close()
}
