package main

import (
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"strconv"
	"strings"

	"warcorder/certs"
)

// serveOrigin serves /SEED/BODY/NUMBER over http and https at free ports of 127.0.0.1. The folder
// gets the file origin, with both addresses and the place of the root of its certificates.
func serveOrigin(folder string) error {
	authority, err := certs.Open(folder + "/origin-ca")
	if err != nil {
		return err
	}
	plain, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	secure, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		return err
	}
	config := authority.ServerConfig(func(*tls.ClientHelloInfo) string { return "127.0.0.1" })
	server := &http.Server{Handler: http.HandlerFunc(answer), ErrorLog: log.New(io.Discard, "", 0)}
	go server.Serve(tls.NewListener(secure, config))
	text := fmt.Sprintf("%s %s %s\n", plain.Addr(), secure.Addr(), authority.File())
	if err := leave(folder, "origin", text); err != nil {
		return err
	}
	return server.Serve(plain)
}

func answer(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.URL.Path, "/")
	if len(parts) != 4 {
		http.NotFound(w, r)
		return
	}
	b, err := parseBody(parts[2])
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", b.mediaType())
	w.Header().Set("Content-Length", strconv.Itoa(b.size))
	b.writeTo(w) // who goes away has gone
}
