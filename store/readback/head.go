package readback

import (
	"bytes"
	"errors"
	"io"
	"strings"
)

// maxHead is how far into a block, in bytes, the end of an HTTP head is looked for. A proxy lets no
// longer one pass.
const maxHead = 1<<20 + 64<<10

// head is what reading a message back needs of its head. It is read with the eyes of those who read
// archives: any line end, folded lines, bytes of any kind, lines without a colon.
type head struct {
	bytes   []byte // up to and with the empty line
	ended   bool   // there is an empty line
	status  int    // of a response; 0 if its first line is no status line
	chunked bool   // the last transfer coding is chunked
}

// readStart reads the beginning of the record's block, with all of its HTTP head in it if it is a
// message; size is that of the head. A message that has no empty line is all head. Interim heads
// before that of a response are left out of what is returned, which lies in the member.
func (r *Record) readStart(isMessage func([]byte) bool) (start []byte, size int, ended bool,
	err error) {
	m := r.member
	r.interim = 0
	for _, room := range []int64{startSize, 64 << 10, maxHead} {
		room = min(room, r.Size)
		if int64(cap(m.start)) < room {
			m.start = append(make([]byte, 0, room), start...)
		}
		n, err := io.ReadFull(r.Block, m.start[len(start):room])
		start = m.start[:len(start)+n]
		if !isMessage(start) {
			return start, 0, false, nil
		}
		r.interim = behindInterim(start)
		size, ended = headEnd(start[r.interim:])
		if ended || err == nil && int64(len(start)) == r.Size {
			return start[r.interim:], size, ended, nil // after damage, too, which comes again
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, 0, false, err
		}
	}
	return nil, 0, false, ErrNoMessage
}

// readMore reads some more of the block behind what readStart has read. An error comes again when
// the block is read on.
func (r *Record) readMore(start []byte) []byte {
	m, read := r.member, r.interim+len(start)
	room := min(int64(read+sampled), r.Size)
	if int64(cap(m.start)) < room {
		m.start = append(make([]byte, 0, room), m.start[:read]...)
	}
	n, _ := io.ReadFull(r.Block, m.start[read:room])
	return m.start[r.interim : read+n]
}

// behindInterim returns where in a block the head of the final response begins. Other tools store
// the interim ones (1xx, RFC 9110 section 15.2) before it.
func behindInterim(b []byte) (at int) {
	for {
		line, _, _ := bytes.Cut(b[at:], []byte("\n"))
		end, ended := headEnd(b[at:])
		if status := statusOf(line); !ended || status < 100 || status > 199 || status == 101 ||
			!isMessage(b[at:]) || !isMessage(b[at+end:]) {
			return at
		}
		at += end
	}
}

// headEnd returns where the head at the beginning of b ends: behind its empty line, or at the end
// of b if there is none.
func headEnd(b []byte) (end int, found bool) {
	for at := 0; ; {
		n := bytes.IndexByte(b[at:], '\n')
		if n < 0 {
			return len(b), false
		}
		isEmpty := n == 0 || n == 1 && b[at] == '\r'
		isFirst := at == 0
		at += n + 1
		if isEmpty && !isFirst {
			return at, true
		}
	}
}

// isMessage reports whether b begins as a response does: with the version of HTTP, or as those of
// Shoutcast begin, which browsers take too.
func isMessage(b []byte) bool { return hasPrefix(b, "HTTP/") || hasPrefix(b, "ICY ") }

// neverMessage is isMessage for what is no message, however it begins.
func neverMessage([]byte) bool { return false }

// hasPrefix reports whether b begins with a text in any case.
func hasPrefix(b []byte, text string) bool {
	return len(b) >= len(text) && strings.EqualFold(string(b[:len(text)]), text)
}

// parseHead reads what is needed in a head.
func parseHead(b []byte, ended bool) head {
	h := head{bytes: b, ended: ended}
	line, _, _ := bytes.Cut(b, []byte("\n"))
	h.status = statusOf(line)
	eachField(b, "Transfer-Encoding", func(value []byte) {
		last := value[bytes.LastIndexByte(value, ',')+1:]
		h.chunked = bytes.EqualFold(bytes.TrimSpace(last), []byte("chunked"))
	})
	return h
}

// eachField calls take with the value of each field of a name in a head, in any case, and with each
// line that continues it.
func eachField(head []byte, name string, take func(value []byte)) {
	within := false
	_, rest, _ := bytes.Cut(head, []byte("\n"))
	for len(rest) > 0 {
		var line []byte
		line, rest, _ = bytes.Cut(rest, []byte("\n"))
		line = bytes.TrimSuffix(line, []byte("\r"))
		if len(line) > 0 && (line[0] == ' ' || line[0] == '\t') {
			if within {
				take(line)
			}
			continue
		}
		within = hasPrefix(line, name)
		if !within {
			continue
		}
		value := bytes.TrimLeft(line[len(name):], " \t")
		if within = len(value) > 0 && value[0] == ':'; within {
			take(value[1:])
		}
	}
}

// statusOf returns the code of a status line: its second word, if that is three digits; else 0.
func statusOf(line []byte) (status int) {
	_, rest, _ := bytes.Cut(line, []byte(" "))
	code, _, _ := bytes.Cut(bytes.TrimSpace(rest), []byte(" "))
	if len(code) != 3 {
		return 0
	}
	for _, c := range code {
		if c < '0' || c > '9' {
			return 0
		}
		status = 10*status + int(c-'0')
	}
	return status
}
