package replaying

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http/httputil"
	"strings"
	"syscall"
	"time"

	"warcorder/proxy/http1"
)

// Doorway is a replay listener of a recorder, as the one client sees it that may use it.
type Doorway struct {
	Address  string `json:"address"`
	User     string `json:"user"`
	Password string `json:"password"`
}

// errShut says that nobody listens there, or that it ended before it answered.
var errShut = errors.New("the recorder does not replay any more")

// errTaken says beside errShut that a request may have been sent on before.
var errTaken = errors.New("it had the request")

const (
	doorPatience = 5 * time.Second // for a connection within the machine
	maxAnswer    = 2 << 20         // bytes of the heads of an answer: more than a recorder lets pass
)

// ask sends a request on, and returns the head of its answer and what follows it. Each has a
// connection of its own, which ends with the answer, so that nothing has to be found out about where
// that ends.
func (d *Doorway) ask(ctx context.Context, url string, head []byte, body io.Reader) (
	answer []byte, rest io.ReadCloser, err error) {
	conn, err := d.dial(ctx)
	if isShortage(err) {
		return nil, nil, err
	}
	if err != nil {
		return nil, nil, shut(ctx, err)
	}
	over := context.AfterFunc(ctx, func() { conn.Close() })
	in := bufio.NewReader(conn)
	// An answer may come before all of a body is read, and then the writing fails.
	failed := d.send(conn, url, head, body)
	if isBrokenOff(failed) {
		err = failed
	} else if answer, err = readHead(in); err != nil {
		err = shut(ctx, fmt.Errorf("%w: %w", errTaken, errors.Join(err, failed)))
	}
	if err != nil {
		over()
		conn.Close()
		return nil, nil, err
	}
	return answer, &following{in: in, conn: conn, over: over}, nil
}

func (d *Doorway) dial(ctx context.Context) (net.Conn, error) {
	dialer := net.Dialer{Timeout: doorPatience}
	return dialer.DialContext(ctx, "tcp", d.Address)
}

// isShortage reports an error of a dial that says nothing about who is dialled: this process, or the
// machine, is short of something.
func isShortage(err error) bool {
	for _, short := range []error{
		syscall.EMFILE, syscall.ENFILE, syscall.ENOBUFS, syscall.ENOMEM, syscall.EADDRNOTAVAIL,
	} {
		if errors.Is(err, short) {
			return true
		}
	}
	return false
}

// shut is the error of a request without an answer. If nobody waits for one any more, that says
// nothing about the recorder.
func shut(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return fmt.Errorf("%w (%w)", errShut, err)
}

// following is what follows the head of an answer. It comes as the recorder sends it, which may be at
// the pace of a recorded stream: a Read that returns nothing says that what has come goes on.
type following struct {
	in   *bufio.Reader
	conn net.Conn
	over func() bool
	told bool // that nothing is there
}

func (f *following) Read(p []byte) (int, error) {
	if f.told = !f.told && f.in.Buffered() == 0; f.told {
		return 0, nil
	}
	n, err := f.in.Read(p)
	if errors.Is(err, syscall.ECONNRESET) { // so the recorder ends what has no other end
		err = fmt.Errorf("%w (%w)", io.ErrUnexpectedEOF, err)
	}
	return n, err
}

func (f *following) Close() error {
	f.over()
	return f.conn.Close()
}

// send writes a request as a proxy gets it.
func (d *Doorway) send(conn net.Conn, url string, head []byte, body io.Reader) error {
	request, err := http1.ParseRequest(head)
	if err != nil {
		return err
	}
	out := bufio.NewWriter(conn)
	out.Write(d.head(url, head))
	switch {
	case body == nil || request.Framing == http1.NoBody:
	case request.Framing == http1.Chunked: // its chunks are taken off by now
		chunks := httputil.NewChunkedWriter(out)
		if _, err := io.Copy(chunks, body); err != nil {
			return err
		}
		chunks.Close()
		out.WriteString("\r\n")
	default:
		if _, err := io.Copy(out, body); err != nil {
			return err
		}
	}
	return out.Flush()
}

// head is that of a request with the URL as its target, and with what shows who asks in the place of
// what a client showed another proxy.
func (d *Doorway) head(url string, head []byte) []byte {
	const login = "Proxy-Authorization:"
	line, fields, _ := bytes.Cut(head, []byte{'\n'})
	method, rest, _ := strings.Cut(string(line), " ")
	version := rest[strings.LastIndexByte(rest, ' ')+1:]
	shown := base64.StdEncoding.EncodeToString([]byte(d.User + ":" + d.Password))
	b := fmt.Appendf(nil, "%s %s %s\n%s Basic %s\r\n", method, url, version, login, shown)
	left := false // out, with the lines on which the field goes on
	for line := range bytes.Lines(fields) {
		if line[0] != ' ' && line[0] != '\t' {
			left = len(line) >= len(login) && strings.EqualFold(string(line[:len(login)]), login)
		}
		if !left {
			b = append(b, line...)
		}
	}
	return b
}

// readHead reads the head of the final answer: those of 1xx are for the client that sent its body,
// and here the body has gone out.
func readHead(in *bufio.Reader) (head []byte, err error) {
	for taken := 0; ; {
		line, err := in.ReadSlice('\n')
		for errors.Is(err, bufio.ErrBufferFull) && taken+len(line) <= maxAnswer {
			head = append(head, line...)
			taken += len(line)
			line, err = in.ReadSlice('\n')
		}
		if err != nil {
			return nil, err
		}
		head = append(head, line...)
		if taken += len(line); taken > maxAnswer {
			return nil, errors.New("its answer has no end of its head")
		}
		if len(bytes.TrimRight(line, "\r\n")) > 0 {
			continue
		}
		if _, status, _ := bytes.Cut(head, []byte{' '}); !bytes.HasPrefix(status, []byte{'1'}) {
			return head, nil
		}
		head = nil
	}
}
