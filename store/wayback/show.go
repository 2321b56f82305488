package wayback

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"warcorder/store"
	"warcorder/store/readback"
)

// What was recorded is shown with its status and its body, whose content coding stays. Of its
// fields each is there under the name that the Wayback Machine gives it, X-Archive-Orig-…; under
// its own name none that could act on the origin that we have together with all that is recorded:
// no cookie, no policy, no service worker. Content-Type, Content-Encoding, Content-Language and
// Content-Range have theirs too, and Location leads to what was captured there. A document is in a
// sandbox of its own, where no script runs and nothing is fetched. That binds no viewer that a browser
// has for files of other kinds: what these would open is told to be a file, to be kept.

// sandbox is the policy of what was recorded.
const sandbox = "sandbox; default-src 'none'; frame-ancestors 'none'"

// The fields of an answer that are copied: some clients take no more than a hundred.
const (
	mostFields    = 75
	mostFieldText = 64 << 10

	archived = "X-Archive-Orig-"
)

// ofContent are the fields that keep their names.
var ofContent = []string{"Content-Type", "Content-Encoding", "Content-Language", "Content-Range"}

// show answers with the response of a capture.
func (a *answering) show(c *store.Capture, response *readback.Response) {
	h := a.w.Header()
	h["Content-Type"] = nil // what was sent without one has none here
	a.copyFields(h, c, response)
	if h.Get("Content-Encoding") != "" {
		if decoded, err := response.IsDecoded(); err == nil && decoded {
			h.Del("Content-Encoding") // the body was stored without
		}
	}
	if isOneOf(h["Content-Type"], replaced) {
		h.Set("Content-Type", "application/octet-stream")
	}
	if isOneOf(h["Content-Type"], viewed...) {
		h.Set("Content-Disposition", "attachment")
	}
	if response.Status != http.StatusPartialContent && response.Status != 416 {
		h.Del("Content-Range")
	}
	h.Set("Content-Security-Policy", sandbox)
	h.Set("X-Content-Type-Options", "nosniff") // else what has no type, and begins as a PDF does, is one
	h.Set("Memento-Datetime", c.Time.UTC().Format(http.TimeFormat))
	h.Set("Content-Location", a.at(c, c.URL))
	h.Set("Link", "<"+inHeader(c.URL)+`>; rel="original"`)
	h.Set("X-Archive-Src", c.File)
	cut := response.Truncated
	if cut == "" && response.Unended {
		cut = "unspecified"
	}
	if cut != "" {
		h.Set("X-Warcorder-Truncated", cut)
	}
	size, known := response.EntitySize()
	if known && hasBody(response.Status) {
		h.Set("Content-Length", strconv.FormatInt(size, 10))
	}
	a.w.WriteHeader(response.Status)
	if a.r.Method == http.MethodHead || !hasBody(response.Status) {
		return
	}
	_, err := io.Copy(a.w, response.Entity())
	if cut != "" && !known && errors.Is(err, io.ErrUnexpectedEOF) {
		err = nil // it broke off for the first client, as was said
	}
	if err != nil {
		panic(http.ErrAbortHandler) // so that nobody takes a part for the whole
	}
}

// replaced is a type whose parts take the places of those before them, as documents with fields of their
// own: a browser may take these for ours.
const replaced = "multipart/x-mixed-replace"

// viewed is in the types of files that browsers have viewers for, in which scripts of the files run: PDF,
// and what Firefox takes for one by its name.
var viewed = []string{"pdf", "octet-stream"}

// isOneOf reports whether a text is in one of the types, whichever of them a browser may take: the last one
// of several, also within one field.
func isOneOf(types []string, texts ...string) bool {
	all := strings.ToLower(strings.Join(types, ","))
	return slices.ContainsFunc(texts, func(text string) bool { return strings.Contains(all, text) })
}

// hasBody reports whether answers of a status may have a body.
func hasBody(status int) bool {
	return status != http.StatusNoContent && status != http.StatusNotModified &&
		status != http.StatusResetContent
}

// at is where the capture of a URL is that was made nearest to another capture.
func (a *answering) at(c *store.Capture, of string) string {
	return fmt.Sprintf("%s%s%sid_/%s", a.base, webPath, c.Time.UTC().Format("20060102150405"),
		inHeader(of))
}

// inHeader is a URL as a field may have it: other bytes are escaped.
func inHeader(of string) string {
	var b strings.Builder
	for i := 0; i < len(of); i++ {
		if c := of[i]; c > ' ' && c < 0x7f && c != '<' && c != '>' && c != '"' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// copyFields copies the fields of a response.
func (a *answering) copyFields(h http.Header, c *store.Capture, response *readback.Response) {
	fields, text, left := 0, 0, 0
	eachField(response.Head, func(name, value string) {
		if fields++; fields > mostFields || text+len(name)+len(value) > mostFieldText {
			left++
			return
		}
		text += len(name) + len(value)
		h.Add(archived+name, value)
		for _, kept := range ofContent {
			if strings.EqualFold(name, kept) && (kept == "Content-Encoding" || h.Get(kept) == "") {
				h.Add(kept, value)
			}
		}
		if strings.EqualFold(name, "Location") && h.Get("Location") == "" {
			if to := a.leadsTo(c, value); to != "" {
				h.Set("Location", to)
			}
		}
	})
	if left > 0 {
		h.Set("X-Warcorder-Fields-Left-Out", strconv.Itoa(left))
	}
}

// leadsTo is where a redirect leads here; "" if it leads to what has no address.
func (a *answering) leadsTo(c *store.Capture, location string) string {
	from, err := url.Parse(c.URL)
	if err != nil {
		return ""
	}
	to, err := from.Parse(location)
	if err != nil || to.Scheme != "http" && to.Scheme != "https" || to.Host == "" {
		return ""
	}
	to.Fragment, to.RawFragment = "", ""
	return a.at(c, to.String())
}

// eachField calls yield with the name and the value of each field of a head that can have one in
// another head. Lines that go on the one before are put together with it.
func eachField(head []byte, yield func(name, value string)) {
	var field []byte
	give := func() {
		name, value, found := bytes.Cut(field, []byte(":"))
		if name = bytes.TrimRight(name, " \t"); found && isToken(name) {
			yield(string(name), string(visible(bytes.TrimSpace(value))))
		}
		field = field[:0]
	}
	_, rest, _ := bytes.Cut(head, []byte("\n"))
	for line := range bytes.Lines(rest) {
		line = bytes.TrimRight(line, "\r\n")
		if len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			field = append(append(field, ' '), bytes.TrimSpace(line)...)
			continue
		}
		give()
		field = append(field, line...)
	}
	give()
}

// isToken reports whether a name may be that of a field (RFC 9110 section 5.6.2).
func isToken(name []byte) bool {
	for _, c := range name {
		if c <= ' ' || c >= 0x7f || strings.IndexByte(`"(),/:;<=>?@[\]{}`, c) >= 0 {
			return false
		}
	}
	return len(name) > 0
}

// visible makes blanks of the bytes of a value that no field may have.
func visible(value []byte) []byte {
	for i, c := range value {
		if c < ' ' && c != '\t' || c == 0x7f {
			value[i] = ' '
		}
	}
	return value
}
