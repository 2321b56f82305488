package cdxserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"warcorder/store"
)

// Listed is what is told of a list of pages beside its lines.
type Listed struct {
	Pages   int64 // how many there were
	Untimed int64 // captures that are not in the timeline, so that their pages are not known
}

// PagesPage streams the lines that list gives of the pages of a time. An error in the middle breaks
// the answer off.
func PagesPage(list func(ctx context.Context, from, to string,
	line func([]byte) error) (Listed, error)) http.Handler {
	return forProcess(func(w http.ResponseWriter, r *http.Request) {
		from, to := r.URL.Query().Get(paramFrom), r.URL.Query().Get(paramTo)
		if _, err := store.NewPeriod(from, to); err != nil {
			jsonError(w, err.Error(), http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "application/x-ndjson")
		w.Header().Set("Trailer", pagesField+", "+untimedField)
		http.NewResponseController(w).Flush() // the first one may take a while
		listed, err := list(r.Context(), from, to, func(line []byte) error {
			_, err := w.Write(line)
			return err
		})
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set(pagesField, fmt.Sprint(listed.Pages))
		w.Header().Set(untimedField, fmt.Sprint(listed.Untimed))
	}, jsonError)
}

// maxPageLine is more than a line of a page has: its URL and its title have bounds.
const maxPageLine = 32 << 20

// Pages gives the lines of the pages of a time, one by one, each with its line break; the next one
// takes its place. The error is ErrNobody before the first line, ErrBrokeOff after it, ErrSilent at
// any time; any other is one of the question or of line.
func (r Recorder) Pages(from, to string, line func([]byte) error) (listed Listed, err error) {
	res, err := r.page(http.MethodGet, PagesPath, url.Values{paramFrom: {from}, paramTo: {to}})
	refused := (*refusedError)(nil)
	if errors.As(err, &refused) && refused.status == http.StatusNotFound {
		return listed, errors.New("the recorder is of an older version, which knows no pages: list them " +
			"when it has ended")
	}
	if err != nil {
		return listed, err
	}
	defer res.Body.Close()
	lines := bufio.NewScanner(res.Body)
	lines.Buffer(nil, maxPageLine)
	lines.Split(wholeLines)
	for lines.Scan() {
		if err := line(lines.Bytes()); err != nil {
			return listed, err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, ErrSilent):
		return listed, err
	case err != nil:
		return listed, fmt.Errorf("%w: %w", ErrBrokeOff, err)
	}
	if _, err := fmt.Sscan(res.Trailer.Get(pagesField), &listed.Pages); err != nil {
		return listed, ErrBrokeOff
	}
	fmt.Sscan(res.Trailer.Get(untimedField), &listed.Untimed)
	return listed, nil
}

// wholeLines splits text into lines with their line breaks; one without is an error.
func wholeLines(data []byte, atEOF bool) (advance int, token []byte, err error) {
	for i, c := range data {
		if c == '\n' {
			return i + 1, data[:i+1], nil
		}
	}
	if atEOF && len(data) > 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return 0, nil, nil
}
