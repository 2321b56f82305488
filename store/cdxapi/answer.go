package cdxapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strconv"

	"warcorder/store"
)

// format is how lines are written.
type format struct {
	contentType string
	begin       string // before the first line
	between     string // before each other one
	end         string // behind the last one
	none        string // all, if there is no line
	line        func(dst []byte, l *line) []byte
	resume      func(dst []byte, key string) []byte // behind the last line, before end
}

// answer writes lines. Its beginning waits, as long as it is short: what goes wrong meanwhile can be
// said.
type answer struct {
	w      http.ResponseWriter
	format format
	buffer []byte
	lines  int
	isSent bool // a part
}

// give writes a line.
func (a *answer) give(l *line) error {
	if a.lines == 0 {
		a.buffer = append(a.buffer, a.format.begin...)
	} else {
		a.buffer = append(a.buffer, a.format.between...)
	}
	a.lines++
	a.buffer = a.format.line(a.buffer, l)
	if len(a.buffer) < heldBack {
		return nil
	}
	if !a.isSent {
		a.isSent = true
		a.w.Header().Set("Content-Type", a.format.contentType)
	}
	_, err := a.w.Write(a.buffer)
	a.buffer = a.buffer[:0]
	return err
}

// resumeBy says how to go on behind the last line.
func (a *answer) resumeBy(key string) {
	if a.lines == 0 {
		a.buffer = append(a.buffer, a.format.begin...)
		a.lines = 1
	}
	a.buffer = a.format.resume(a.buffer, key)
}

// finish ends the answer.
func (a *answer) finish() {
	if a.lines == 0 {
		a.buffer = append(a.buffer, a.format.none...)
	} else {
		a.buffer = append(a.buffer, a.format.end...)
	}
	if !a.isSent {
		a.w.Header().Set("Content-Type", a.format.contentType)
		a.w.Header().Set("Content-Length", strconv.Itoa(len(a.buffer)))
	}
	a.w.Write(a.buffer)
}

// fail says what went wrong, or breaks off if lines have gone out.
func (a *answer) fail(err error) {
	if a.isSent {
		panic(http.ErrAbortHandler)
	}
	fail(a.w, err)
}

// tooMuch says that a bound is reached before an answer.
type tooMuch struct{ text string }

func (e *tooMuch) Error() string { return e.text }

// later says that the answer can be had when the client asks again, and that counting goes on then. It
// is no 400: cdx_toolkit takes that for the end of the pages.
type later struct{ text string }

func (e *later) Error() string { return e.text }

// fail answers with an error.
func fail(w http.ResponseWriter, err error) {
	var parameter *badParam
	var much *tooMuch
	var again *later
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		panic(http.ErrAbortHandler) // nobody is there
	case errors.As(err, &parameter):
		refuse(w, http.StatusBadRequest, err.Error(), parameter.name)
	case errors.As(err, &much):
		refuse(w, http.StatusBadRequest, err.Error(), "")
	case errors.As(err, &again):
		w.Header().Set("Retry-After", "1")
		refuse(w, http.StatusServiceUnavailable, err.Error(), "page")
	case errors.Is(err, store.ErrBack):
		refuse(w, http.StatusBadRequest, "The order cannot be reversed: "+err.Error()+
			". Ask without sort=reverse, or narrow url.", "sort")
	case errors.Is(err, store.ErrReplaced):
		refuse(w, http.StatusServiceUnavailable, "The index was replaced meanwhile: ask again.", "")
	default:
		refuse(w, http.StatusInternalServerError, "The index cannot be read: "+err.Error(), "")
	}
}

// refuse answers with what is wrong, in the members where the clients of pywb and ours look.
func refuse(w http.ResponseWriter, status int, text, parameter string) {
	said := struct {
		Error     string `json:"error"`
		Message   string `json:"message"`
		Parameter string `json:"parameter,omitempty"`
	}{text, text, parameter}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(said)
}
