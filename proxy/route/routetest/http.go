package routetest

import (
	"bufio"
	"crypto/tls"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"strings"
	"testing"
)

// HTTP makes an HTTP proxy, with TLS if cfg is not nil. It passes heads and bodies on as they come,
// but for the target and Proxy-Authorization.
func HTTP(t testing.TB, cfg *tls.Config, user, password string) *Parent {
	return listen(t, cfg, user, password, (*Parent).serveHTTP)
}

func (p *Parent) serveHTTP(client net.Conn, seen *Conn) {
	in := bufio.NewReader(client)
	var origin net.Conn
	for {
		head := readHead(in)
		if len(head) == 0 {
			return
		}
		if conn, ok := client.(*tls.Conn); ok {
			p.mu.Lock()
			seen.Resumed = conn.ConnectionState().DidResume
			p.mu.Unlock()
		}
		parts := strings.SplitN(head[0], " ", 3)
		user, ok := p.authorized(head)
		if !ok {
			io.WriteString(client, "HTTP/1.1 407 Proxy Authentication Required\r\n"+
				"Proxy-Authenticate: Basic realm=\"parent\"\r\nContent-Length: 6\r\n\r\nparent")
			return
		}
		p.asked(seen, user, parts[1])
		if parts[0] == "CONNECT" {
			origin, err := p.dial(parts[1])
			if err != nil {
				io.WriteString(client, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 6\r\n\r\nparent")
				return
			}
			io.WriteString(client, "HTTP/1.1 200 Connection established\r\nVia: parent\r\n\r\n")
			p.splice(client, in, origin)
			return
		}
		if origin = p.forward(client, in, origin, parts, head); origin == nil {
			return
		}
	}
}

// authorized returns who asks, and whether the password is right.
func (p *Parent) authorized(head []string) (user string, ok bool) {
	if p.user == "" {
		return "", true
	}
	for _, line := range head {
		if name, value, _ := strings.Cut(line, ": "); strings.EqualFold(name, "Proxy-Authorization") {
			text, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(value, "Basic "))
			user, _, _ = strings.Cut(string(text), ":")
			return user, string(text) == unescaped(p.user)+":"+unescaped(p.password)
		}
	}
	return "", false
}

func unescaped(text string) string {
	text, _ = url.PathUnescape(text)
	return text
}

// forward sends a request on, to an origin that is the same for all requests of a connection.
func (p *Parent) forward(client net.Conn, in *bufio.Reader, origin net.Conn, parts,
	head []string) net.Conn {
	target, err := url.Parse(parts[1])
	if err != nil || target.Scheme != "http" {
		io.WriteString(client, "HTTP/1.1 400 Bad Request\r\nContent-Length: 6\r\n\r\nparent")
		return nil
	}
	if origin == nil {
		host, port := target.Hostname(), target.Port()
		if port == "" {
			port = "80"
		}
		if origin, err = p.dial(net.JoinHostPort(host, port)); err != nil {
			io.WriteString(client, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 6\r\n\r\nparent")
			return nil
		}
		p.running.Go(func() {
			io.Copy(client, origin)
			client.Close()
			origin.Close()
		})
	}
	path := target.RequestURI()
	if target.Path == "" && parts[0] == "OPTIONS" {
		path = "*"
	}
	fmt.Fprintf(origin, "%s %s %s\r\n", parts[0], path, parts[2])
	length := int64(0)
	for _, line := range head[1:] {
		name, value, _ := strings.Cut(line, ": ")
		if strings.EqualFold(name, "Content-Length") {
			length, _ = strconv.ParseInt(value, 10, 64)
		}
		if !strings.EqualFold(name, "Proxy-Authorization") {
			io.WriteString(origin, line+"\r\n")
		}
	}
	io.WriteString(origin, "\r\n")
	if io.CopyN(origin, in, length); strings.Contains(strings.Join(head, "\n"), "Upgrade: ") {
		io.Copy(origin, in)
		return nil
	}
	return origin
}

// readHead returns the lines of a head, without their ends and the blank one.
func readHead(in *bufio.Reader) (lines []string) {
	for {
		line, err := in.ReadString('\n')
		if line = strings.TrimRight(line, "\r\n"); err != nil || line == "" {
			return lines
		}
		lines = append(lines, line)
	}
}
