package route

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"warcorder/proxy/http1"
)

// maxAnswer is how many bytes an HTTP proxy may answer a CONNECT with, interim answers included. A
// body behind a refusal is not read.
const maxAnswer = 64 << 10

// connect has an HTTP proxy connect to an address (RFC 9110 section 9.3.6).
func (h *hop) connect(ctx context.Context, conn net.Conn, address string) error {
	if strings.ContainsFunc(address, func(r rune) bool { return r <= ' ' || r == 0x7f }) {
		return h.fault("it cannot be told a host with such characters", nil)
	}
	stop := context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })
	err := h.askConnect(conn, address)
	if !stop() && ctx.Err() != nil {
		return h.fault("it did not answer in time", ctx.Err())
	}
	return err
}

func (h *hop) askConnect(conn net.Conn, address string) error {
	head := "CONNECT " + address + " HTTP/1.1\r\nHost: " + address + "\r\n"
	if h.asks {
		head += "Proxy-Authorization: " + h.authorization() + "\r\n"
	}
	if _, err := io.WriteString(conn, head+"\r\n"); err != nil {
		return h.fault("it closed the connection", err)
	}
	status, answer, err := h.readAnswer(conn)
	switch {
	case err != nil:
		return err
	case status == http.StatusProxyAuthRequired:
		return h.unauthorized(answer)
	case status < 200 || status > 299:
		return h.fault(strings.TrimSpace(fmt.Sprint("it answered ", status, " ",
			http.StatusText(status))), nil)
	}
	return nil
}

// unauthorized is what a 407 with this head means.
func (h *hop) unauthorized(head []byte) error {
	switch {
	case !takesBasic(head):
		return h.fault("it asks for a password in another way than Basic, the only one that is known here",
			nil)
	case h.asks:
		return h.fault("it does not take the user and the password that it is given", nil)
	}
	return h.fault("it demands a user and a password", nil)
}

// takesBasic reports a 407 that asks for Basic, or does not say for what (RFC 9110 section 11.7.1).
func takesBasic(head []byte) bool {
	says, basic := false, false
	http1.Fields(head, func(name, value []byte) {
		if strings.EqualFold(string(name), "Proxy-Authenticate") {
			says, basic = true, basic || bytes.Contains(bytes.ToLower(value), []byte("basic"))
		}
	})
	return basic || !says
}

// authorization is the value of Proxy-Authorization (RFC 7617).
func (h *hop) authorization() string {
	if !h.asks {
		return ""
	}
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(h.user+":"+h.password))
}

// readAnswer reads up to the end of the head of the final answer, and not a byte more: what comes
// behind the head is the origin's.
func (h *hop) readAnswer(from io.Reader) (status int, head []byte, err error) {
	for looked, left := 0, maxAnswer; left > 0; left-- {
		var b [1]byte
		if n, err := from.Read(b[:]); n == 0 {
			return 0, nil, h.fault("it closed the connection", cmp.Or(err, io.ErrNoProgress))
		}
		head = append(head, b[0])
		end, next := http1.HeadEnd(head, looked)
		if looked = next; end < 0 {
			continue
		}
		switch status = statusOf(head); {
		case status == 0:
			return 0, nil, h.fault("its answer is not one of HTTP/1.1", nil)
		case status >= 200:
			return status, head, nil
		}
		head, looked = head[:0], 0
	}
	return 0, nil, h.fault("the head of its answer is larger than 64 KiB", nil)
}

// statusOf reads a status line; 0 if it is none.
func statusOf(head []byte) int {
	const line = "HTTP/1.1 200"
	if len(head) <= len(line) || string(head[:len("HTTP/1.")]) != "HTTP/1." ||
		head[len("HTTP/1.")]&^1 != '0' || head[len("HTTP/1.1")] != ' ' {
		return 0
	}
	status := 0
	for _, c := range head[len("HTTP/1.1 "):len(line)] {
		if c < '0' || c > '9' {
			return 0
		}
		status = status*10 + int(c-'0')
	}
	if end := head[len(line)]; status < 100 || end != ' ' && end != '\r' && end != '\n' {
		return 0
	}
	return status
}
