package routetest

import (
	"bufio"
	"io"
	"net"
	"strconv"
	"testing"
)

// SOCKS5 makes a SOCKS5 proxy (RFC 1928, RFC 1929).
func SOCKS5(t testing.TB, user, password string) *Parent {
	return listen(t, nil, user, password, (*Parent).serveSOCKS)
}

func (p *Parent) serveSOCKS(client net.Conn, seen *Conn) {
	in := bufio.NewReader(client)
	user, ok := p.greet(in, client)
	if !ok {
		return
	}
	address, ok := readAddress(in)
	if !ok {
		return
	}
	p.asked(seen, user, address)
	origin, err := p.dial(address)
	if err != nil {
		client.Write([]byte{5, 4, 0, 1, 0, 0, 0, 0, 0, 0}) // host unreachable
		return
	}
	client.Write([]byte{5, 0, 0, 1, 0, 0, 0, 0, 0, 0})
	p.splice(client, in, origin)
}

// greet agrees upon a method, and asks for the password if there is one.
func (p *Parent) greet(in *bufio.Reader, client net.Conn) (user string, ok bool) {
	var head [2]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || head[0] != 5 {
		return "", false
	}
	methods := make([]byte, head[1])
	io.ReadFull(in, methods)
	if p.user == "" {
		client.Write([]byte{5, 0})
		return "", true
	}
	for _, method := range methods {
		if method != 2 {
			continue
		}
		client.Write([]byte{5, 2})
		in.Discard(1)
		user, password := readShort(in), readShort(in)
		if user != unescaped(p.user) || password != unescaped(p.password) {
			client.Write([]byte{1, 1})
			return user, false
		}
		client.Write([]byte{1, 0})
		return user, true
	}
	client.Write([]byte{5, 0xff})
	return "", false
}

// readShort reads a text behind its length.
func readShort(in *bufio.Reader) string {
	n, _ := in.ReadByte()
	text := make([]byte, n)
	io.ReadFull(in, text)
	return string(text)
}

// readAddress reads a request to connect.
func readAddress(in *bufio.Reader) (address string, ok bool) {
	var head [4]byte
	if _, err := io.ReadFull(in, head[:]); err != nil || head[0] != 5 || head[1] != 1 {
		return "", false
	}
	host := ""
	switch head[3] {
	case 1, 4:
		ip := make(net.IP, map[byte]int{1: net.IPv4len, 4: net.IPv6len}[head[3]])
		io.ReadFull(in, ip)
		host = ip.String()
	case 3:
		host = readShort(in)
	}
	var port [2]byte
	_, err := io.ReadFull(in, port[:])
	return net.JoinHostPort(host, strconv.Itoa(int(port[0])<<8|int(port[1]))), err == nil
}
