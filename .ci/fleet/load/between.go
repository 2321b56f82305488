package main

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// between passes requests on to a storage, with the host that was signed, and notes each in the
// file requests of its folder. While there is a file there named corrupt, one byte of each body above
// 64 KiB that goes to the storage is changed; while there is one named busy, the storage says SlowDown
// to all but reading.
type between struct {
	folder  string
	storage string
	lock    sync.Mutex
	notes   *json.Encoder
	door    *http.Transport
}

// passed is a line of the file requests.
type passed struct {
	Method string `json:"method"`
	Path   string `json:"path"`
	Query  string `json:"query"`
	Status int    `json:"status"`
	Sent   int64  `json:"sent"` // bytes of the request's body
	Got    int64  `json:"got"`  // and of the answer's
	Range  string `json:"range,omitempty"`
}

const slowDown = `<?xml version="1.0" encoding="UTF-8"?>
<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>`

func stand(folder, storage string) error {
	file, err := os.Create(filepath.Join(folder, "requests"))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b := &between{folder: folder, storage: storage, notes: json.NewEncoder(file)}
	b.door = &http.Transport{DisableCompression: true, ExpectContinueTimeout: time.Second,
		DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return (&net.Dialer{}).DialContext(ctx, network, storage)
		}}
	if err := leave(folder, "between", listener.Addr().String()+"\n"); err != nil {
		return err
	}
	return (&http.Server{Handler: b, ErrorLog: log.New(io.Discard, "", 0)}).Serve(listener)
}

func (b *between) has(name string) bool {
	_, err := os.Stat(filepath.Join(b.folder, name))
	return err == nil
}

func (b *between) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	n := passed{Method: r.Method, Path: r.URL.Path, Query: r.URL.RawQuery}
	n.Range = r.Header.Get("Range")
	reads := r.Method == http.MethodGet || r.Method == http.MethodHead
	if !reads && b.has("busy") {
		n.Status = http.StatusServiceUnavailable
		w.Header().Set("Content-Type", "application/xml")
		w.WriteHeader(n.Status)
		io.WriteString(w, slowDown)
	} else {
		b.pass(w, r, &n)
	}
	b.lock.Lock()
	defer b.lock.Unlock()
	b.notes.Encode(n)
}

func (b *between) pass(w http.ResponseWriter, r *http.Request, n *passed) {
	out := r.Clone(r.Context())
	out.URL.Scheme, out.URL.Host, out.RequestURI = "http", r.Host, ""
	out.Body = b.counted(r, n)
	answer, err := b.door.RoundTrip(out)
	if err != nil {
		n.Status = http.StatusBadGateway
		w.WriteHeader(n.Status)
		return
	}
	defer answer.Body.Close()
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	n.Status = answer.StatusCode
	w.WriteHeader(n.Status)
	n.Got, err = io.Copy(w, answer.Body)
	if err != nil {
		panic(http.ErrAbortHandler) // a body that is cut is cut for its reader as well
	}
}

// counted is the request's body, counted, and changed if that is asked for.
func (b *between) counted(r *http.Request, n *passed) io.ReadCloser {
	if r.Body == nil || r.ContentLength == 0 {
		return http.NoBody
	}
	reader := bufio.NewReaderSize(r.Body, 64<<10)
	if r.ContentLength > 64<<10 && b.has("corrupt") {
		if piece, err := reader.Peek(1000); err == nil {
			piece[999] ^= 1
		}
	}
	return struct {
		io.Reader
		io.Closer
	}{io.TeeReader(reader, (*counter)(&n.Sent)), r.Body}
}

type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}
