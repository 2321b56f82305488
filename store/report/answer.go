package report

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/readback"
)

// A Line is one of the lines of JSON of a report: a page or, as the last one, the total, or why there
// is none.
type Line struct {
	*Report
	Total *Total `json:"total,omitempty"`
	Error string `json:"error,omitempty"`
}

// Lines gives the report as lines of JSON, each with its line break.
func (r *Reports) Lines(ctx context.Context, s Selection, line func([]byte) error) error {
	put := func(l Line) error {
		text, err := json.Marshal(l)
		if err != nil {
			return err
		}
		return line(append(text, '\n'))
	}
	total, err := r.Each(ctx, s, func(page *Report) error { return put(Line{Report: page}) })
	if err != nil {
		return err
	}
	return put(Line{Total: &total})
}

// The parameters of a selection.
const (
	paramPage = "page"
	paramFrom = "from"
	paramTo   = "to"
)

// Page answers other processes the reports of a collection, while its recorder has the index open
// and knows the gaps; index is it, with all that a question may find. Each request has Files of its own by
// it.
func Page(of *readback.Files, index func(context.Context, store.Question) *store.Bolt,
	gaps func(limit int) (store.Gaps, error)) http.Handler {
	return cdxserver.ReportPage(func(w http.ResponseWriter, r *http.Request) (int, error) {
		form := r.URL.Query()
		s := Selection{Page: form.Get(paramPage), From: form.Get(paramFrom), To: form.Get(paramTo)}
		if err := s.Check(); err != nil {
			return http.StatusBadRequest, err
		}
		open := index(r.Context(), store.Everything) // any capture may be a page's
		files := of.By(open)
		defer files.Close()
		reports := New(open, files)
		reports.TempDir, reports.Gaps = open.TempDir, gaps
		w.Header().Set("Content-Type", "application/x-ndjson")
		if err := http.NewResponseController(w).Flush(); err != nil { // what must be read takes a while
			return http.StatusInternalServerError, err
		}
		out := bufio.NewWriter(w)
		err := reports.Lines(r.Context(), s, func(line []byte) error {
			_, err := out.Write(line)
			return err
		})
		if errors.Is(err, store.ErrReplaced) {
			err = store.ErrReplaced // by which who has asked knows it
		}
		if err != nil {
			json.NewEncoder(out).Encode(Line{Error: err.Error()})
		}
		if out.Flush() != nil {
			panic(http.ErrAbortHandler)
		}
		return 0, nil
	})
}

// Ask gives what Lines gives, of a collection that a recorder has open.
func Ask(recorder cdxserver.Recorder, s Selection, line func([]byte) error) error {
	form := url.Values{paramPage: {s.Page}, paramFrom: {s.From}, paramTo: {s.To}}
	whole := false
	err := recorder.Report(form, func(text []byte) error {
		var l struct{ Total, Error json.RawMessage }
		if err := json.Unmarshal(text, &l); err != nil {
			return fmt.Errorf("the recorder's answer: %w", err)
		}
		if l.Error != nil {
			return errorOf(l.Error)
		}
		whole = l.Total != nil
		return line(text)
	})
	if err == nil && !whole {
		err = cdxserver.ErrBrokeOff
	}
	return err
}

// errorOf is an error as the recorder tells it.
func errorOf(text json.RawMessage) error {
	var said string
	if err := json.Unmarshal(text, &said); err != nil {
		return fmt.Errorf("the recorder's answer: %w", err)
	}
	if said == store.ErrReplaced.Error() {
		return store.ErrReplaced
	}
	return errors.New(said)
}
