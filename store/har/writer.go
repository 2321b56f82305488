package har

import (
	"bufio"
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"time"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/readback"
	"warcorder/store/selection"
)

// Writer writes one HAR: Begin, the pages, Exchange for each capture, End.
type Writer struct {
	out    *bufio.Writer
	files  *readback.Files
	quoter *quoter
	list   list

	got, sent []byte // room for the bodies of an exchange
}

// list is the list that is being written.
type list int

const (
	none list = iota
	firstPage
	morePages
	firstExchange
	moreExchanges
)

// Page is a page to which exchanges may belong.
type Page struct {
	ID    string
	URL   string
	Title string // its URL is its title if this is ""
	Time  time.Time
}

// LeftOutError says that an exchange could not be read, and that nothing was written of it.
type LeftOutError struct {
	Capture store.Capture
	Err     error
}

func (e *LeftOutError) Error() string {
	what := cmp.Or(e.Capture.URL, "what was captured")
	return fmt.Sprintf("%s of %s is left out: %v", what, date(e.Capture.Time), e.Err)
}

// Unwrap returns why the exchange could not be read.
func (e *LeftOutError) Unwrap() error { return e.Err }

// base64Name is what encoding says of a body that is in base64: of content in HAR, and of what a
// request sent where Playwright reads a HAR.
const base64Name = "base64"

// NewWriter returns a Writer of the exchanges that the files hold.
func NewWriter(out io.Writer, files *readback.Files) *Writer {
	return &Writer{out: bufio.NewWriterSize(out, pieceSize), files: files, quoter: newQuoter()}
}

// Begin writes what stands before the pages; version is that of the program.
func (w *Writer) Begin(version string) error {
	w.raw(`{"log":{"version":"1.2","creator":`)
	w.list = firstPage
	err := w.value(creator{"warcorder", version})
	w.raw(`,"pages":[`)
	return err
}

// Page writes a page. All pages come before the first exchange.
func (w *Writer) Page(p Page) error {
	title := p.Title
	if title == "" {
		title = p.URL
	}
	w.next()
	return w.value(page{
		Started: date(p.Time),
		ID:      text(p.ID),
		Title:   text(title),
		Timings: pageTimings{-1, -1},
		URL:     text(p.URL),
	})
}

// Exchange writes the exchange of a capture. It is read to its end before anything of it is written:
// an error that is a *LeftOutError leaves a HAR that can go on.
func (w *Writer) Exchange(ctx context.Context, c *selection.Chosen) error {
	x, err := w.read(ctx, c)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if err != nil && isOfAll(err) {
		return err
	}
	if err != nil {
		return &LeftOutError{c.Capture, err}
	}
	x.entry.Page = text(c.Page)
	if w.list < firstExchange {
		w.beginExchanges()
	}
	w.next()
	return w.exchange(ctx, x)
}

// End writes what stands behind the exchanges.
func (w *Writer) End() error {
	if w.list < firstExchange {
		w.beginExchanges()
	}
	w.raw("\n]}}\n")
	return w.out.Flush()
}

// isOfAll reports whether an error is not of one capture, but of the index that finds all.
func isOfAll(err error) bool {
	return errors.Is(err, collection.ErrLocked) || errors.Is(err, store.ErrReplaced) ||
		errors.Is(err, store.ErrDamaged)
}

func (w *Writer) beginExchanges() {
	w.raw("\n],\"entries\":[")
	w.list = firstExchange
}

// next begins the next element of the list, on a line of its own.
func (w *Writer) next() {
	switch w.list {
	case firstPage, firstExchange:
		w.list++
	default:
		w.raw(",")
	}
	w.raw("\n")
}

// exchange writes what was read.
func (w *Writer) exchange(ctx context.Context, x *exchange) error {
	err := w.open(x.entry)
	w.raw(`,"request":`)
	err = errors.Join(err, w.open(x.request))
	if x.posted != nil {
		w.raw(`,"postData":`)
		err = errors.Join(err, w.open(x.posted), w.body(ctx, &x.sent))
	}
	w.raw(`},"response":`)
	err = errors.Join(err, w.open(x.response))
	w.raw(`,"content":`)
	err = errors.Join(err, w.open(x.content), w.body(ctx, &x.got))
	w.raw(`}}`)
	return err
}

// body writes a body as the text of an object, and ends the object.
func (w *Writer) body(ctx context.Context, b *body) error {
	w.raw(`,"text":"`)
	write := w.quote
	var encoder io.WriteCloser
	if !b.isText {
		encoder = base64.NewEncoder(base64.StdEncoding, w.out)
		write = func(p []byte) error {
			_, err := encoder.Write(p)
			return err
		}
	}
	err := b.eachPiece(func(p []byte) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return write(p)
	})
	if encoder != nil {
		err = errors.Join(err, encoder.Close())
	}
	w.raw(`"}`)
	return err
}

// quote writes a piece of a text within a string.
func (w *Writer) quote(p []byte) error {
	quoted, err := w.quoter.inner(p)
	if err == nil {
		_, err = w.out.Write(quoted)
	}
	return err
}

// open writes an object that has fields, without its end: more may follow.
func (w *Writer) open(v any) error {
	b, err := w.quoter.value(v)
	if err == nil {
		_, err = w.out.Write(b[:len(b)-1])
	}
	return err
}

// value writes v as JSON.
func (w *Writer) value(v any) error {
	b, err := w.quoter.value(v)
	if err == nil {
		_, err = w.out.Write(b)
	}
	return err
}

// raw writes JSON as it is. An error comes again with the next one that is looked at, and with End.
func (w *Writer) raw(text string) { w.out.WriteString(text) }
