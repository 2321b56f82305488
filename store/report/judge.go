package report

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/refusal"
	"warcorder/store/warc"
)

// judge adds what is wrong with a capture.
func (w *work) judge(page string, c *store.Capture) error {
	found, err := w.judged(c)
	for i := range found {
		if err == nil {
			found[i].page = page
			err = w.addFinding(&found[i])
		}
	}
	return err
}

// judged finds what is wrong with a capture.
func (r *Reports) judged(c *store.Capture) (found []finding, err error) {
	f := finding{url: c.URL, at: c.Time, status: c.Status}
	add := func(kind Kind, detail string) {
		f.kind, f.detail = kind, detail
		found = append(found, f)
	}
	response, err := r.files.Response(c)
	if errors.As(err, &f.needs) {
		add(Outside, fmt.Sprintf("needs %s of %s, payload %s, in %s", f.needs.URL, f.needs.Date,
			f.needs.Digest, strings.Join(f.needs.Archives, " or ")))
		return found, nil
	}
	if why, gone := missing(err); gone {
		add(Missing, why)
		return found, nil
	}
	if errors.Is(err, readback.ErrNoMessage) { // of another tool; it is shown by none
		add(Missing, "the record holds no HTTP message")
		return found, nil
	}
	if err != nil {
		return nil, err
	}
	defer response.Close()
	switch {
	case c.Truncated && !isStream(c):
		f.received, f.expected = lengths(response)
		add(Cut, response.Truncated)
		f.received, f.expected = 0, 0
	case c.Status == http.StatusPartialContent && !c.Whole:
		add(Part, contentRange(response.Head))
	}
	if response.Made {
		return found, nil
	}
	refused := refusal.Of(c.Status, response.Head)
	if kind, is := refusals[refused.Kind]; is {
		add(kind, refused.By)
	}
	if other := unknownCoding(response.Head); other != "" && response.Size > 0 {
		add(Coding, other)
	}
	return found, nil
}

// isStream reports whether a capture is a stream of events, which has no end (HTML, Server-sent
// events): somebody ends each.
func isStream(c *store.Capture) bool { return strings.EqualFold(c.MIME, "text/event-stream") }

// missing reports whether an error says that a record cannot be read, and why.
func missing(err error) (why string, is bool) {
	var damage *warc.Damage
	switch {
	case errors.Is(err, readback.ErrMissing), errors.Is(err, readback.ErrUncommitted),
		errors.Is(err, readback.ErrNoOriginal), errors.As(err, &damage):
		return err.Error(), true
	}
	return "", false
}

var refusals = map[refusal.Kind]Kind{
	refusal.Forbidden:   Forbidden,
	refusal.TooMany:     TooMany,
	refusal.Unavailable: Unavailable,
	refusal.Challenge:   Challenge,
}

// codings are those that pywb and replayweb.page take off, both of them; identity is none.
var codings = []string{"gzip", "deflate", "br", "identity", ""}

// unknownCoding returns the first content coding of a head that is none of codings; "" if there is
// none.
func unknownCoding(head []byte) (unknown string) {
	eachField(head, "Content-Encoding", func(value []byte) {
		for coding := range bytes.SplitSeq(value, []byte(",")) {
			name := strings.ToLower(string(bytes.TrimSpace(coding[:min(len(coding), 64)])))
			if unknown == "" && !slices.Contains(codings, name) {
				unknown = name
			}
		}
	})
	return unknown
}

// lengths are how many bytes of a body came, and how many its head tells of; 0 if it tells of no more.
func lengths(r *readback.Response) (received, expected int64) {
	eachField(r.Head, "Content-Length", func(v []byte) {
		if n, err := strconv.ParseInt(string(v[:min(len(v), 20)]), 10, 64); err == nil {
			expected = n
		}
	})
	if r.Chunked || expected <= r.Size {
		return 0, 0
	}
	return r.Size, expected
}

// contentRange returns the Content-Range of a head.
func contentRange(head []byte) (value string) {
	eachField(head, "Content-Range", func(v []byte) { value = string(v[:min(len(v), 100)]) })
	return value
}

// eachField calls do with the value of each field of that name; it reads a head once, and takes its
// lines as they are.
func eachField(head []byte, name string, do func(value []byte)) {
	for len(head) > 0 {
		var line []byte
		line, head, _ = bytes.Cut(head, []byte("\n"))
		field, value, found := bytes.Cut(line, []byte(":"))
		if found && strings.EqualFold(string(bytes.TrimSpace(field[:min(len(field), 64)])), name) {
			do(bytes.TrimSpace(value))
		}
	}
}
