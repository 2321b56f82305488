package inspect

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"warcorder/canon"
	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/warc"
)

// exchange is what is told of one.
type exchange struct {
	Capture   capture           `json:"capture"`
	Request   *message          `json:"request"`
	Response  *message          `json:"response"`
	Records   []recordLine      `json:"records"`
	Keys      map[string]string `json:"keys"`
	RevisitOf *revisitOf        `json:"revisitOf"`
	Metadata  *string           `json:"metadata"`
	Curl      string            `json:"curl"`
	CurlLacks string            `json:"curlLacks,omitempty"` // what the command leaves out
	Why       string            `json:"why,omitempty"`       // there is no body
	Preview   preview           `json:"preview"`
	Page      *string           `json:"page"` // its ID; nil if that is not known
}

// capture is what an event tells of one, but for its number.
type capture struct {
	Kind       string `json:"kind"`
	Time       string `json:"ts"`
	URL        string `json:"url"`
	Host       string `json:"host"`
	Method     string `json:"method"`
	Status     int    `json:"status"`
	MIME       string `json:"mime"`
	Size       *int64 `json:"size"` // nil: the body of a revisit is not to be had
	Length     int64  `json:"length"`
	Took       *int64 `json:"ms"`
	Stored     string `json:"stored"`
	Truncated  bool   `json:"truncated"`
	Completion string `json:"completion,omitempty"`
	File       string `json:"file"`
	Offset     int64  `json:"offset"`
}

// message is what is told of a request or a response.
type message struct {
	Head      string `json:"head"` // its bytes, in Base64; "" if the record has none
	Size      int64  `json:"size"` // of the body, as it is stored
	RecordID  string `json:"recordID"`
	Date      string `json:"date"`
	Truncated string `json:"truncated,omitempty"`
}

// revisitOf is what a revisit refers to. File is "" if that was not found.
type revisitOf struct {
	URI    string `json:"uri"`
	Date   string `json:"date"`
	File   string `json:"file"`
	Offset int64  `json:"offset"`
}

// The bounds of what is told in one answer.
const (
	mostText     = 8 << 10  // bytes of a key, a URL or a field, which may be of any length
	mostMetadata = 64 << 10 // of the block of a metadata record
)

// short is a text as UTF-8, and no longer than people read.
func short(s string) string {
	if len(s) > mostText {
		s = s[:readback.WholeRunes([]byte(s[:mostText]))] + "…"
	}
	return strings.ToValidUTF8(s, "\uFFFD")
}

// serveExchange answers with all that is told of an exchange but its bodies.
func (i *Inspector) serveExchange(w http.ResponseWriter, a *asking) error {
	x, err := i.exchangeOf(&a.c, a.Host)
	if err == nil && i.PageOf != nil {
		if id := i.PageOf(a.Context(), a.c.Location); id != "" {
			x.Page = &id
		}
	}
	if err == nil {
		writeJSON(w, http.StatusOK, x)
	}
	return err
}

// exchangeOf reads what is told of the exchange of a capture to the page at a Host.
func (i *Inspector) exchangeOf(c *store.Capture, page string) (*exchange, error) {
	own, err := i.files.Record(c.Location)
	if err != nil {
		return nil, err
	}
	header, kind := own.Header, own.Type()
	x := &exchange{Capture: captureOf(c, kind), Keys: keysOf(c)}
	if err := own.Close(); err != nil {
		return nil, err
	}
	x.Response = messageOf(header)
	if err := i.readResponse(x, c, header, page); err != nil {
		return nil, err
	}
	if err := i.readRequest(x, c); err != nil {
		return nil, err
	}
	x.Records = i.recordsOf(c)
	i.readMetadata(x, c)
	if x.Capture.Took == nil && i.Took != nil {
		if ms, known := i.Took(c.File, c.Offset); known {
			x.Capture.Took = &ms
		}
	}
	return x, nil
}

func captureOf(c *store.Capture, kind string) capture {
	host := ""
	if address, err := url.Parse(c.URL); err == nil {
		host = address.Hostname()
	}
	return capture{
		Kind: "capture", Time: c.Time.UTC().Format("2006-01-02T15:04:05.000000Z"), URL: short(c.URL),
		Host: short(host), Method: short(cmp.Or(c.Method, "GET")), Status: c.Status, MIME: short(c.MIME),
		Length: c.Length, Stored: kind, Truncated: c.Truncated, File: c.File, Offset: c.Offset,
	}
}

func messageOf(header warc.Header) *message {
	return &message{
		RecordID: short(header.Get("WARC-Record-ID")), Date: short(header.Get("WARC-Date")),
		Truncated: short(header.Get("WARC-Truncated")),
	}
}

// keysOf are the keys of a capture: its URL key in each dialect, and its secondary ones.
func keysOf(c *store.Capture) map[string]string {
	keys := map[string]string{}
	for _, dialect := range []canon.Dialect{canon.Pywb, canon.WarcioJS, canon.Spec} {
		key, _, _ := bytes.Cut(c.AppendLine(nil, dialect), []byte(" "))
		keys[string(dialect)] = short(string(key))
	}
	for name, key := range map[store.Key]string{store.PathKey: c.PathKey,
		store.WWWOFFLEKey: c.WWWOFFLEKey, store.FormKey: c.FormKey, store.QueryKey: c.QueryKey} {
		if key != "" {
			keys[string(name)] = short(key)
		}
	}
	return keys
}

// readResponse adds what the response tells. Of a revisit whose original is nowhere to be found that
// is its own head.
func (i *Inspector) readResponse(x *exchange, c *store.Capture, header warc.Header, page string) error {
	r, err := i.files.Response(c)
	isThere := !errors.Is(err, readback.ErrNoOriginal) && !errors.Is(err, readback.ErrMissing)
	if !isThere {
		x.Why = err.Error()
		r, err = i.files.Message(c.Location)
	}
	if errors.Is(err, readback.ErrNoMessage) {
		x.Why, x.Preview.Kind = err.Error(), "none"
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	if !r.Made {
		x.Response.Head = base64.StdEncoding.EncodeToString(r.Head)
	}
	x.Response.Size, x.Response.Truncated = r.Size, cmp.Or(x.Response.Truncated, short(r.Truncated))
	if isThere {
		size := r.Size
		x.Capture.Size = &size
	}
	if c.IsRevisit() {
		// its own record says of itself, as the standard has it, that it lacks the body
		x.Response.Truncated = ""
		if isThere {
			x.Response.Truncated = short(r.Truncated)
		}
		h := record.ParseHead(r.Head)
		x.Capture.MIME = short(string(h.MIME()))
		x.RevisitOf = &revisitOf{URI: short(header.Get("WARC-Refers-To-Target-URI")),
			Date: short(header.Get("WARC-Refers-To-Date"))}
		if r.Original != nil {
			x.RevisitOf.File, x.RevisitOf.Offset = r.Original.File, r.Original.Offset
		}
	}
	x.Preview = i.previewOf(c, r, page)
	return nil
}

// readRequest adds what the request tells, if one was recorded.
func (i *Inspector) readRequest(x *exchange, c *store.Capture) error {
	r, err := i.files.Request(c)
	if errors.Is(err, readback.ErrNoRequest) || errors.As(err, new(*warc.Damage)) {
		x.Curl, x.CurlLacks = curlOf(c, nil, nil)
		return nil
	}
	if err != nil {
		return err
	}
	defer r.Close()
	x.Request = messageOf(r.Header())
	x.Request.Head, x.Request.Size = base64.StdEncoding.EncodeToString(r.Head), r.Size
	x.Curl, x.CurlLacks = curlOf(c, r.Head, bodyOfRequest(r))
	return nil
}

// readMetadata adds what the metadata record tells. One that cannot be read is as none.
func (i *Inspector) readMetadata(x *exchange, c *store.Capture) {
	for _, line := range x.Records {
		if line.Type != "metadata" {
			continue
		}
		r, err := i.files.Record(line.at)
		if err != nil {
			continue
		}
		block, _ := io.ReadAll(io.LimitReader(r.Block, mostMetadata))
		r.Close()
		text := strings.ToValidUTF8(string(block), "\uFFFD")
		x.Metadata = &text
		for field := range strings.Lines(text) {
			name, value, _ := strings.Cut(field, ":")
			value = strings.TrimSpace(value)
			switch ms, err := strconv.ParseInt(value, 10, 64); {
			case strings.EqualFold(name, "fetchTimeMs") && err == nil && ms >= 0 && ms < int64(24*time.Hour):
				x.Capture.Took = &ms
			case strings.EqualFold(name, "completion"):
				x.Capture.Completion = value
			}
		}
		return
	}
}
