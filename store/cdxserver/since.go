package cdxserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/delta"
)

// exportSince streams what has come since a token. An error is one that comes before the answer has
// begun.
func exportSince(w http.ResponseWriter, form url.Values, query store.Query, dir collection.Dir,
	ends *delta.Ends, index *store.Bolt) error {
	ask, err := askOf(form)
	if err != nil {
		return err
	}
	ask.Ends = ends
	d, err := delta.Begin(dir, index, query, ask)
	if err != nil {
		return err
	}
	defer d.Close()
	w.Header().Set(tokenField, d.Token().String())
	beginLines(w, query, linesField, openField, leftField, deltaField)
	done, err := d.Write(w, nil)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	endLines(w, done.Exported)
	text, err := json.Marshal(done)
	w.Header().Set(deltaField, string(text))
	return err
}

// The statuses of the errors that a client branches by.
const (
	statusChanged = http.StatusGone
	statusOther   = http.StatusUnprocessableEntity
)

func statusOf(err error) int {
	switch {
	case errors.Is(err, delta.ErrChanged):
		return statusChanged
	case errors.Is(err, delta.ErrOther):
		return statusOther
	}
	return http.StatusBadRequest
}

// errorOf is the inverse of statusOf.
func errorOf(err error) error {
	refused := (*refusedError)(nil)
	switch {
	case !errors.As(err, &refused):
	case refused.status == statusChanged:
		return delta.ErrChanged
	case refused.status == statusOther:
		return delta.ErrOther
	}
	return err
}

// askOf reads the tokens of a form.
func askOf(form url.Values) (ask delta.Ask, err error) {
	if ask.Since, err = delta.Parse(form.Get(paramSince)); err != nil {
		return ask, fmt.Errorf("%s: %w", paramSince, err)
	}
	if form.Has(paramUntil) {
		until, err := delta.Parse(form.Get(paramUntil))
		if err != nil {
			return ask, fmt.Errorf("%s: %w", paramUntil, err)
		}
		ask.Until = &until
	}
	return ask, nil
}

// ExportSince is Export for what has come since a token. began is told the token of what is written
// before the first line comes: who goes on after ErrBrokeOff asks until that. Errors are also those of
// delta.Begin.
func (r Recorder) ExportSince(w io.Writer, query store.Query, ask delta.Ask, began func(delta.Token),
	progress func(lines, total int64)) (done delta.Done, err error) {
	form := formOf(query)
	form.Set(paramSince, ask.Since.String())
	if ask.Until != nil {
		form.Set(paramUntil, ask.Until.String())
	}
	res, err := r.page(http.MethodGet, ExportPath, form)
	if err != nil {
		return done, errorOf(err)
	}
	defer res.Body.Close()
	if res.Header.Get(tokenField) == "" {
		return done, errors.New("the recorder is of an older version, which gives all lines and no " +
			"token: export when it has ended")
	}
	token, err := delta.Parse(res.Header.Get(tokenField))
	if err != nil {
		return done, err
	}
	began(token)
	exported, err := lines(res, w, query, progress)
	if err != nil {
		return done, err
	}
	err = json.Unmarshal([]byte(res.Trailer.Get(deltaField)), &done)
	done.Exported = exported
	return done, err
}
