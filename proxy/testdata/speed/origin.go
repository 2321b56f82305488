package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"

	"warcorder/certs"
)

// The origin serves, on every address of 127/8 and on nothing else:
//
//	/mix/SIZE?u=NUMBER  a body of SIZE bytes of the kind that the number deals out
//	/titled/SIZE?u=NUMBER
//	                    HTML that has the title and the heading "Page NUMBER"
//	/br/SIZE?u=NUMBER   one that is said to be brotli, of SIZE bytes on average
//	/big/SIZE?u=NUMBER  one that does not shrink, of any size

// serveOrigin serves until the program ends. certificate is the file of the root of its
// certificates, which lies in dir.
func serveOrigin(dir string, port int) (certificate string, err error) {
	authority, err := certs.Open(dir)
	if err != nil {
		return "", err
	}
	plain, err := listen(port)
	if err != nil {
		return "", err
	}
	secure, err := listen(port + 1)
	if err != nil {
		return "", errors.Join(err, plain.Close())
	}
	// A client that asks for an address sends no name.
	config := authority.ServerConfig(
		func(hello *tls.ClientHelloInfo) string { return hostOf(hello.Conn.LocalAddr().String()) })
	server := &http.Server{Handler: http.HandlerFunc(answer), ErrorLog: log.New(io.Discard, "", 0)}
	go server.Serve(plain)
	go server.Serve(tls.NewListener(secure, config))
	return authority.File(), nil
}

// listen takes all of 127/8: the socket is bound to the loopback device.
func listen(port int) (net.Listener, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) (err error) {
		return errors.Join(raw.Control(func(fd uintptr) {
			err = syscall.SetsockoptString(int(fd), syscall.SOL_SOCKET, syscall.SO_BINDTODEVICE, "lo")
		}), err)
	}}
	return config.Listen(context.Background(), "tcp4", fmt.Sprintf(":%d", port))
}

func hostOf(address string) string {
	host, _, _ := net.SplitHostPort(address)
	return host
}

func answer(w http.ResponseWriter, r *http.Request) {
	way, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	size, err := strconv.ParseInt(rest, 10, 64)
	number, err2 := strconv.ParseUint(r.URL.Query().Get("u"), 16, 64)
	if err != nil || err2 != nil || size < 0 || way != "big" && size > poolSize/2 {
		http.NotFound(w, r)
		return
	}
	kind, heading := picture, ""
	h := w.Header()
	switch way {
	case "mix":
		kind = kindOf(number)
		h.Set("Content-Type", kind)
	case "titled":
		kind = "text/html; charset=utf-8"
		heading = fmt.Sprintf("<title>Page %x</title><h1>Page %[1]x</h1>\n", number)
		h.Set("Content-Type", kind)
	case "br":
		size = size/2 + int64(scatter(number)%uint64(size+1))
		h.Set("Content-Type", "text/html; charset=utf-8")
		h.Set("Content-Encoding", "br")
	case "big":
		h.Set("Content-Type", "application/octet-stream")
	default:
		http.NotFound(w, r)
		return
	}
	h.Set("Cache-Control", "public, max-age=600")
	h.Set("Content-Length", strconv.FormatInt(size, 10))
	h.Set("Etag", fmt.Sprintf(`"%016x"`, number))
	h.Set("Last-Modified", "Wed, 01 Jul 2026 10:00:00 GMT")
	h.Set("Server", "speed")
	h.Set("Vary", "Accept-Encoding")
	for size > 0 {
		first, rest := body(kind, int(min(size, pieces*2)), number)
		if len(heading) <= len(rest) {
			first, rest, heading = first+heading, rest[len(heading):], ""
		}
		io.WriteString(w, first)
		if _, err := w.Write(rest); err != nil {
			return
		}
		size -= int64(len(first) + len(rest))
		number++
	}
}
