package inspect

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"

	"golang.org/x/text/transform"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/chunks"
	"warcorder/store/readback"
	"warcorder/store/text"
)

const (
	// mostRead is how many bytes of a body are read, stored and without each of its codings, for one
	// piece: what lies further into it is not shown.
	mostRead = 64 << 20

	// mostIndented is how long JSON may be, in bytes, that is shown indented.
	mostIndented = 1 << 20

	// startSize is how much of a body is looked at for what it is.
	startSize = 64 << 10
)

// errBudget says that a piece lies further into a body than is read for it.
var errBudget = errors.New("this is further into the body than is shown here (64 MiB): download the " +
	"record to see it")

// opened is a body that is being read, without its transfer coding and, if they can be taken off, its
// content codings.
type opened struct {
	*bufio.Reader
	contentType string
	coding      string // that was taken off; "" if none was
	size        int64  // of the whole; -1 if that is not known
	why         string // it is as it is stored
	close       func() error
}

// limited ends a body that is longer than is read, or whose reader has gone.
type limited struct {
	io.Reader
	left int64
	ctx  context.Context
}

func (l *limited) Read(p []byte) (int, error) {
	if err := l.ctx.Err(); err != nil {
		return 0, err
	}
	if l.left <= 0 {
		return 0, errBudget
	}
	n, err := l.Reader.Read(p[:min(int64(len(p)), l.left)])
	l.left -= int64(n)
	return n, err
}

// openResponse begins to read the body of the response of a capture.
func (i *Inspector) openResponse(ctx context.Context, c *store.Capture) (*opened, error) {
	r, err := i.files.Response(c)
	if err != nil {
		return nil, err
	}
	o := i.decodedOf(ctx, r)
	if start, err := o.Peek(1); len(start) == 0 && errors.Is(err, readback.ErrCoding) { // as it is stored
		if err := r.Close(); err != nil {
			return nil, err
		}
		if r, err = i.files.Response(c); err != nil {
			return nil, err
		}
		plain := i.storedOf(ctx, r)
		plain.why = "the content coding cannot be taken off: this is the body as it is stored"
		return plain, nil
	}
	return o, nil
}

// decodedOf reads the body of a response without its content codings.
func (i *Inspector) decodedOf(ctx context.Context, r *readback.Response) *opened {
	r.Body = &limited{r.Body, i.mostRead, ctx}
	in, err := r.DecodedWithin(i.mostRead)
	if err != nil {
		in = failed{err}
	}
	if in == r.Entity() {
		return openedOf(r, in)
	}
	o := openedOf(r, &limited{in, i.mostRead, ctx})
	o.coding, o.size = codingOf(r.Head), -1
	return o
}

// storedOf reads the body of a response with its content codings.
func (i *Inspector) storedOf(ctx context.Context, r *readback.Response) *opened {
	r.Body = &limited{r.Body, i.mostRead, ctx}
	return openedOf(r, r.Entity())
}

func openedOf(r *readback.Response, in io.Reader) *opened {
	h := record.ParseHead(r.Head)
	o := &opened{Reader: bufio.NewReaderSize(in, startSize), contentType: string(h.ContentType),
		close: r.Close, size: -1}
	if size, known := r.EntitySize(); known {
		o.size = size
	}
	return o
}

// failed is a body that cannot be read.
type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// codingOf is what a head says of content codings.
func codingOf(head []byte) string {
	var all []string
	for name, value := range readback.Fields(head) {
		if strings.EqualFold(name, "Content-Encoding") {
			all = append(all, value)
		}
	}
	return short(strings.Join(all, ", "))
}

// openRequest begins to read what the request of a capture has sent.
func (i *Inspector) openRequest(ctx context.Context, c *store.Capture) (*opened, error) {
	r, err := i.files.Request(c)
	if err != nil {
		return nil, err
	}
	h := record.ParseHead(r.Head)
	o := &opened{contentType: string(h.ContentType), close: r.Close, size: r.Size}
	if h.Chunked {
		o.size = -1
	}
	r.Body = &limited{r.Body, i.mostRead, ctx}
	o.Reader = bufio.NewReaderSize(bodyOfRequest(r), startSize)
	return o, nil
}

// bodyOfRequest is what a request has sent, without its transfer coding.
func bodyOfRequest(r *readback.Request) io.Reader {
	if h := record.ParseHead(r.Head); h.Chunked {
		return chunks.NewReader(r.Body)
	}
	return r.Body
}

// start is the beginning of the body, which is still to be read: all of it, or whole characters.
func (o *opened) start() []byte {
	b, _ := o.Peek(startSize)
	if len(b) == startSize {
		b = b[:readback.WholeRunes(b)]
	}
	return b
}

// serveBody answers with a piece of a body.
func (i *Inspector) serveBody(w http.ResponseWriter, a *asking) error {
	from := int64(0)
	if a.form.Get("from") != "" {
		var err error
		if from, err = numberOf(a.form, "from"); err != nil {
			return err
		}
	}
	o, err := i.open(a)
	if errors.Is(err, readback.ErrNoRequest) || errors.Is(err, readback.ErrNoOriginal) {
		writeJSON(w, http.StatusNotFound, map[string]string{"error": err.Error()})
		return nil
	}
	if err != nil {
		return err
	}
	defer o.close()
	var p *piece
	switch a.form.Get("as") {
	case "", "text":
		p, err = o.textFrom(from)
	case "hex":
		p, err = o.hexFrom(from)
	default:
		return badRequest("as is text or hex")
	}
	if isBudget(err) {
		writeJSON(w, http.StatusUnprocessableEntity, map[string]string{"error": errBudget.Error()})
		return nil
	}
	if err == nil {
		writeJSON(w, http.StatusOK, p)
	}
	return err
}

// open begins to read the body that is asked for.
func (i *Inspector) open(a *asking) (*opened, error) {
	switch a.form.Get("of") {
	case "", "response":
		return i.openResponse(a.Context(), &a.c)
	case "request":
		return i.openRequest(a.Context(), &a.c)
	}
	return nil, badRequest("of is response or request")
}

// text returns the body as UTF-8, indented if it is JSON, and the name of its charset.
func (o *opened) text() (io.Reader, string) {
	found, name := text.Charset(o.start(), o.contentType)
	decoded := io.Reader(transform.NewReader(o.Reader, found.NewDecoder()))
	if isJSON(o.contentType) && o.size <= mostIndented {
		return indentedOf(decoded), name
	}
	return decoded, name
}

// indentedOf is a text, indented if it is JSON of no more than mostIndented bytes.
func indentedOf(in io.Reader) io.Reader {
	b, err := io.ReadAll(io.LimitReader(in, mostIndented+1))
	rest := in
	if err != nil {
		rest = failed{err}
	}
	if err == nil && len(b) <= mostIndented {
		if indented, is := indent(bytes.TrimPrefix(b, []byte("\uFEFF"))); is {
			return bytes.NewReader(indented)
		}
	}
	return io.MultiReader(bytes.NewReader(b), rest)
}
