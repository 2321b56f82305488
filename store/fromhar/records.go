package fromhar

import (
	"bytes"
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store/warc"
)

// Kinds of records, of which IDs are made.
const (
	ofWarcinfo = iota
	ofResponse
	ofRequest
	ofMetadata
)

// exchange is an entry that becomes records.
type exchange struct {
	*entry
	at     time.Time
	uri    string // as it stands in records
	host   string
	status int
	asked  body
	got    body
	cut    bool
}

// ours is the creator of a HAR of ours, in which no text was decoded.
const ours = "warcorder"

// take makes records of an entry, or notes why there are none.
func (h *har) take(e *entry) error {
	h.report.Messages += int(e.Messages)
	x := &exchange{entry: e, status: e.Response.Status}
	if reason := x.judge(); reason != "" {
		h.skip(h.report.Entries, e.Request.URL, reason)
		return nil
	}
	if h.creator.Name == ours {
		x.got.text = false // its text is the bytes that came
	}
	err := h.write(x)
	switch {
	case errors.Is(err, errAttached):
		h.skip(h.report.Entries, e.Request.URL, "has its body in a file that is not there")
		return nil
	case errors.Is(err, errHead):
		h.skip(h.report.Entries, e.Request.URL, "has a head that is too long")
		return nil
	}
	if err != nil {
		return err
	}
	h.report.Captures++
	if x.cut {
		h.report.Cut++
	}
	if x.status != x.Response.Status {
		h.report.Fresh++
	}
	h.pages.saw(x)
	return nil
}

// judge says why an entry cannot become records, or "".
func (x *exchange) judge() (reason string) {
	x.uri = record.TargetURI(x.Request.URL)
	if target, err := url.Parse(x.uri); err == nil {
		x.host = target.Host
	}
	if reason = x.judgeHeads(); reason != "" {
		return reason
	}
	var ok bool
	if x.at, ok = when(x.Started); !ok {
		return "has no time"
	}
	if x.asked, ok = requestBody(x.Request.Body); !ok {
		return "has a request whose body is in a form that is not known"
	}
	return x.judgeBody()
}

// judgeHeads is judge for what is not a body.
func (x *exchange) judgeHeads() string {
	r := &x.Response
	scheme, _, _ := strings.Cut(strings.ToLower(x.Request.URL), ":")
	switch {
	case scheme == "ws" || scheme == "wss" || r.Status == 101:
		return "is a WebSocket, whose messages have no place in a WARC file"
	case scheme != "http" && scheme != "https":
		return "was not fetched by HTTP"
	case x.host == "":
		return "has no address that can be read"
	case !isToken(x.Request.Method) || x.Request.Method == "CONNECT":
		return "has no method"
	case r.Status <= 0: // -1 is what Playwright has
		return "has no answer (status 0)"
	case r.Status == 307 && valueOf(r.Headers, "Non-Authoritative-Reason") != "":
		return "was sent on by the browser itself, which asked nobody" // Chromium, for HSTS
	case r.Status < 200 || r.Status > 999:
		return "has no status of an answer"
	case isWanting(x.Request.Method, r):
		return "has an answer whose body is not in the HAR"
	}
	return ""
}

// judgeBody reads the body of the response, if it has one.
func (x *exchange) judgeBody() string {
	r := &x.Response
	if x.Request.Method == "HEAD" {
		return ""
	}
	if r.Content.File != "" {
		x.got = body{file: r.Content.File}
	} else {
		var ok bool
		if x.got, ok = decoded(r.Content.Text, r.Content.Encoding); !ok {
			return "has an answer whose body is in a form that is not known"
		}
	}
	if there := x.got.file != "" || len(x.got.bytes) > 0; there && r.Status == 304 {
		x.status = 200
	}
	if hasNoBody(x.status) {
		x.got = body{}
		return ""
	}
	x.cut = isCut(r, &x.got) || isReason(r.Truncated)
	return ""
}

// hasBody reports whether a response has a body, which may be empty.
func (x *exchange) hasBody() bool { return x.Request.Method != "HEAD" && !hasNoBody(x.status) }

// write writes the records of an exchange, and before the first one that of their file.
func (h *har) write(x *exchange) error {
	got, err := h.measure(&x.got)
	if err != nil {
		return err
	}
	asked, err := h.measure(&x.asked)
	if err != nil {
		return err
	}
	answer, request := x.heads(got.size, asked.size)
	if len(answer) > maxHead || len(request) > maxHead {
		return errHead
	}
	if h.warcinfo == nil {
		if err := h.writeWarcinfo(x.at); err != nil {
			return err
		}
	}
	index := h.report.Entries
	id := h.idOf(index, ofResponse)
	if err := h.writeMessage(x, "response", id, nil, answer, got); err != nil {
		return err
	}
	err = h.writeMessage(x, "request", h.idOf(index, ofRequest), &id, request, asked)
	if err != nil || !x.isCompletion() {
		return err
	}
	return h.writeMetadata(x, h.idOf(index, ofMetadata), &id)
}

// isCompletion reports whether the recorder has asked for it that has made the HAR, and no client.
func (x *exchange) isCompletion() bool { return x.Completion == "part" || x.Completion == "cut" }

// writeMetadata writes the record that says what the recorder has asked for, so that it is no page
// here either.
func (h *har) writeMetadata(x *exchange, id record.ID, beside *record.ID) error {
	block := warc.AppendField(nil, "completion", x.Completion)
	header := h.begin("metadata", id, x.at)
	header = warc.AppendField(header, "WARC-Target-URI", x.uri)
	header = warc.AppendField(header, "WARC-Concurrent-To", beside.String())
	header = warc.AppendField(header, "WARC-Warcinfo-ID", h.warcinfo.String())
	return h.writeFields(header, block)
}

// writeFields writes a record whose block holds fields; header is the beginning of its header.
func (h *har) writeFields(header, block []byte) error {
	digest := record.SHA1.SumBytes(block)
	header = warc.AppendField(header, "WARC-Block-Digest", digest.String())
	header = warc.AppendField(header, "Content-Type", record.FieldsType)
	header = warc.AppendInt(header, "Content-Length", int64(len(block)))
	return h.Out([][]byte{append(header, "\r\n"...)}, bytes.NewReader(block), int64(len(block)), false)
}

// heads are the heads of an exchange whose bodies have so many bytes.
func (x *exchange) heads(got, asked int64) (response, request []byte) {
	if !x.hasBody() {
		got = -1
	}
	return responseHead(&x.Response, x.status, &x.got, got), requestHead(&x.Request, x.host, asked)
}

// truncated is the WARC-Truncated of the record of one side; "" if that is whole.
func (x *exchange) truncated(kind string) string {
	why := x.Response.Truncated
	if kind == "request" {
		why = x.Request.Truncated
	}
	switch {
	case isReason(why):
		return why
	case kind == "response" && x.cut:
		return "unspecified"
	}
	return ""
}

// isReason reports whether a text is a value of WARC-Truncated (WARC 1.1 section 5.13).
func isReason(text string) bool {
	return slices.Contains([]string{"length", "time", "disconnect", "unspecified"}, text)
}

// measured is a body of which the length and the digest are known.
type measured struct {
	*body
	size    int64
	payload string // digest
	sample  []byte
}

// errAttached says that a file is not there that is a body.
var errAttached = errors.New("a file that is attached is not there")

// errHead says that a head is longer than maxHead.
var errHead = errors.New("a head is too long")

// measure reads a body to its end.
func (h *har) measure(b *body) (m measured, err error) {
	m.body = b
	in, err := h.open(b)
	if err != nil {
		return m, err
	}
	defer in.Close()
	hash := sha1.New()
	counted := io.TeeReader(&roomy{in, h.Maker}, hash)
	m.sample = make([]byte, record.SampleSize)
	n, err := io.ReadFull(counted, m.sample)
	m.sample, m.size = m.sample[:n], int64(n)
	if warc.IsEnd(err) {
		err = nil
	} else if err == nil {
		var rest int64
		rest, err = io.Copy(io.Discard, counted)
		m.size += rest
	}
	digest := record.SHA1.DigestOf(hash)
	m.payload = digest.String()
	return m, err
}

// open opens a body.
func (h *har) open(b *body) (io.ReadCloser, error) {
	if b.file == "" {
		return io.NopCloser(bytes.NewReader(b.bytes)), nil
	}
	if h.Attached == nil {
		return nil, errAttached
	}
	in, err := h.Attached(b.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, errAttached
	}
	return in, err
}

// writeMessage writes the record of one side of an exchange.
func (h *har) writeMessage(x *exchange, kind string, id record.ID, beside *record.ID, head []byte,
	b measured) error {
	block, err := h.blockDigest(head, b)
	if err != nil {
		return err
	}
	header := h.begin(kind, id, x.at)
	header = x.appendWhere(header, beside)
	header = warc.AppendField(header, "WARC-Warcinfo-ID", h.warcinfo.String())
	header = warc.AppendField(header, "WARC-Block-Digest", block)
	if kind == "response" || b.size > 0 {
		header = warc.AppendField(header, "WARC-Payload-Digest", b.payload)
	}
	if why := x.truncated(kind); why != "" {
		header = warc.AppendField(header, "WARC-Truncated", why)
	}
	header = warc.AppendField(header, "Content-Type", "application/http; msgtype="+kind)
	header = warc.AppendInt(header, "Content-Length", int64(len(head))+b.size)
	header = append(header, "\r\n"...)
	in, err := h.open(b.body)
	if err != nil {
		return err
	}
	defer in.Close()
	parsed := record.ParseHead(head)
	return h.Out([][]byte{header, head}, in, b.size, !record.Deflates(&parsed, b.sample))
}

// appendWhere appends the fields that say where an exchange was, and which record is its other side.
func (x *exchange) appendWhere(header []byte, beside *record.ID) []byte {
	header = warc.AppendField(header, "WARC-Target-URI", x.uri)
	if beside != nil {
		header = warc.AppendField(header, "WARC-Concurrent-To", beside.String())
	}
	if ip, err := netip.ParseAddr(strings.Trim(x.Address, "[]")); err == nil {
		header = warc.AppendField(header, "WARC-IP-Address", ip.WithZone("").String())
	}
	return header
}

// blockDigest is the digest of a head and the body behind it.
func (h *har) blockDigest(head []byte, b measured) (string, error) {
	in, err := h.open(b.body)
	if err != nil {
		return "", err
	}
	defer in.Close()
	hash := sha1.New()
	hash.Write(head)
	n, err := io.Copy(hash, in)
	if err == nil && n != b.size {
		err = fmt.Errorf("%s was changed while it was read", b.file)
	}
	digest := record.SHA1.DigestOf(hash)
	return digest.String(), err
}

// begin begins the header of a record.
func (h *har) begin(kind string, id record.ID, at time.Time) []byte {
	header := []byte(warc.Version + "\r\n")
	header = warc.AppendField(header, "WARC-Type", kind)
	header = warc.AppendField(header, "WARC-Record-ID", id.String())
	return warc.AppendField(header, "WARC-Date", record.AppendDate(nil, at, false))
}

// writeWarcinfo writes the first record, which says what the others are. Its time is that of the
// first exchange, and it does not say how the HAR is called: the same HAR makes the same file.
func (h *har) writeWarcinfo(at time.Time) error {
	id := h.idOf(0, ofWarcinfo)
	var block []byte
	for _, f := range [][2]string{
		{"description", "derived from a HAR: heads and bodies are not the bytes that crossed the wire; " +
			"bodies are without their codings, and text is in UTF-8"},
		{"harVersion", h.version},
		{"harCreator", h.creator.String()},
		{"harBrowser", h.browser.String()},
		{"harDigest", fmt.Sprintf("sha256:%x", h.sum)},
		{"format", "WARC File Format 1.1"},
		{"conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"},
	} {
		if name, value := f[0], f[1]; value != "" {
			block = warc.AppendField(block, name, value[:min(len(value), 1000)])
		}
	}
	h.warcinfo = &id
	return h.writeFields(h.begin("warcinfo", id, at), block)
}
