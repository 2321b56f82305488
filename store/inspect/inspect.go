// Package inspect shows one exchange as people look at it: its heads as bytes, its bodies as text or
// in hexadecimal, the keys of each dialect, its records as they lie, a command that repeats it, and
// images, which only a listener of their own gives (Previews). Start with [New]; the paths are:
//
//	/live/exchange?file=&offset=                            exchange.go
//	/live/body?file=&offset=&of=response|request&as=text|hex&from=    body.go, piece.go
//	/live/record?file=&offset=[&as=text]                    records.go
//	/live/image?file=&offset=                               thumbnail.go
//
// An exchange is named as lines name it: by the file and the offset of the capture's record.
//
// Invariant: what is shown is a capture that the index has at exactly that place; nothing else in a
// file is, whatever a body holds that looks like a record. Answers are JSON, or a download: nothing of
// what was recorded acts on the origin that shows it. Memory and time have bounds, whatever was
// recorded: they stand where they are held.
package inspect

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"net/http"
	"net/url"
	"strconv"

	"warcorder/canon"
	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/readback"
	"warcorder/store/warc"
)

// The paths of the pages.
const (
	ExchangePath = "/live/exchange"
	BodyPath     = "/live/body"
	RecordPath   = "/live/record"
	ImagePath    = "/live/image"
)

// Inspector shows the exchanges of a collection.
type Inspector struct {
	// PageOf returns the ID of the page to which the capture at a place belongs; "" if it does not know.
	// It may be nil.
	PageOf func(ctx context.Context, at store.Location) string

	// Took says how long an exchange took, in milliseconds, while that is known though no record tells.
	// It may be nil.
	Took func(file string, offset int64) (ms int64, known bool)

	index    func(context.Context, store.Question) *store.Bolt
	files    *readback.Files
	previews *Previews
	places   chan struct{} // one for each request that is being answered
	mostRead int64
}

// mostAtOnce is how many requests are answered at a time: each may hold some MiB.
const mostAtOnce = 16

// New returns what shows the exchanges in files. The index that finds them has what the question is for,
// if it is on disk. Their images are shown by previews, or not at all if that is nil.
func New(index func(context.Context, store.Question) *store.Bolt, files *readback.Files,
	previews *Previews) *Inspector {
	i := &Inspector{index: index, files: files, previews: previews,
		places: make(chan struct{}, mostAtOnce), mostRead: mostRead}
	if previews != nil {
		previews.from = i
	}
	return i
}

// Exchange answers ExchangePath.
func (i *Inspector) Exchange() http.Handler { return i.page(i.serveExchange) }

// Body answers BodyPath.
func (i *Inspector) Body() http.Handler { return i.page(i.serveBody) }

// Record answers RecordPath.
func (i *Inspector) Record() http.Handler { return i.page(i.serveRecord) }

// Image answers ImagePath.
func (i *Inspector) Image() http.Handler { return i.page(i.serveImage) }

// asking is a request for something of a capture.
type asking struct {
	*http.Request
	form url.Values
	c    store.Capture
}

// page is a page about the capture that file and offset name.
func (i *Inspector) page(answer func(http.ResponseWriter, *asking) error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case i.places <- struct{}{}:
			defer func() { <-i.places }()
		default:
			refuse(w, errBusy)
			return
		}
		a := asking{Request: r, form: r.URL.Query()}
		at, err := placeOf(a.form)
		if err == nil {
			a.c, err = i.find(a.Context(), at)
		}
		if err == nil {
			err = answer(w, &a)
		}
		if err != nil {
			refuse(w, err)
		}
	})
}

// badRequest is an error of who asks.
type badRequest string

func (e badRequest) Error() string { return string(e) }

var (
	errBusy = errors.New("too many exchanges are being looked at: ask again in a moment")

	errNoCapture = errors.New("no capture begins there: name file and offset as a line of the index " +
		"does, with the name of the file and without its path")
)

// placeOf reads file and offset.
func placeOf(form url.Values) (at store.Location, err error) {
	at.File = form.Get("file")
	if at.File == "" {
		return at, badRequest("name the exchange by file= and offset=, as a line of the index has them")
	}
	at.Offset, err = numberOf(form, "offset")
	return at, err
}

// numberOf reads a parameter that is a number.
func numberOf(form url.Values, name string) (int64, error) {
	n, err := strconv.ParseInt(form.Get(name), 10, 64)
	if err != nil || n < 0 {
		return 0, badRequest(name + " is to be a number of bytes, 0 or more")
	}
	return n, nil
}

// find returns the capture whose record lies at a place. Its keys are made again of what its records
// say; that the index has it under these, at that place, shows that the place is that of a record.
// What is on disk is found: the index is waited for if this capture is not there yet, and for no other.
func (i *Inspector) find(ctx context.Context, at store.Location) (c store.Capture, err error) {
	index := i.index(ctx, store.OfPlace(at))
	if err := ctx.Err(); err != nil {
		return c, err
	}
	r, err := i.files.Record(at)
	if err != nil {
		return c, err
	}
	date, _ := warc.ParseDate(r.Header.Get("WARC-Date"))
	c = store.Capture{URL: record.Text([]byte(r.TargetURI())), Time: date.UTC(), Location: at}
	if err := r.Close(); err != nil {
		return c, err
	}
	surt, _ := canon.SURT(c.URL)
	found, is, err := index.CaptureAt(surt, c.Time, at)
	if err == nil && !is {
		found, is, err = i.findAsked(index, &c)
	}
	switch {
	case err != nil:
		return c, err
	case !is:
		return c, errNoCapture
	}
	return found, index.AddKeys(&found)
}

// findAsked is find for what is no GET: its key has what was sent.
func (i *Inspector) findAsked(index *store.Bolt, c *store.Capture) (found store.Capture, is bool,
	err error) {
	r, err := i.files.Record(c.Location)
	if err != nil {
		return found, false, err
	}
	at, err := r.End()
	if err = errors.Join(err, r.Close()); err != nil {
		return found, false, err
	}
	c.Location = at
	request, err := i.files.Request(c)
	if errors.Is(err, readback.ErrNoRequest) {
		return found, false, nil
	}
	if err != nil {
		return found, false, err
	}
	defer request.Close()
	h := record.ParseHead(request.Head)
	asked, err := record.AskedOf(&h, request.Body, request.Size)
	if err != nil {
		return found, false, err
	}
	c.Method = record.Text(asked.Method)
	new(store.Keyer).Fill(c, asked.Request())
	return index.CaptureAt(c.URLKey, c.Time, at)
}

// refuse answers that there is no other answer, and why.
func refuse(w http.ResponseWriter, err error) {
	status := http.StatusInternalServerError
	switch {
	case errors.As(err, new(badRequest)):
		status = http.StatusBadRequest
	case errors.Is(err, errBusy), errors.Is(err, store.ErrReplaced):
		w.Header().Set("Retry-After", "1")
		status = http.StatusServiceUnavailable
	case errors.Is(err, readback.ErrMissing), errors.Is(err, fs.ErrNotExist):
		status = http.StatusGone
	case errors.Is(err, errNoImage):
		status = http.StatusNotFound
	case errors.Is(err, errNoCapture), errors.Is(err, readback.ErrUncommitted),
		errors.As(err, new(*warc.Damage)):
		status = http.StatusNotFound
	}
	said := err.Error()
	if status == http.StatusNotFound && !errors.Is(err, errNoImage) {
		said = errNoCapture.Error()
	}
	writeJSON(w, status, map[string]string{"error": said})
}

// writeJSON answers with v.
func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.Encode(v)
}
