package cdxserver

import (
	"bufio"
	"bytes"
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
	if err := eachLine(res.Body, line); err != nil {
		return listed, err
	}
	if _, err := fmt.Sscan(res.Trailer.Get(pagesField), &listed.Pages); err != nil {
		return listed, ErrBrokeOff
	}
	fmt.Sscan(res.Trailer.Get(untimedField), &listed.Untimed)
	return listed, nil
}

// Report gives the lines of a report on pages, as Pages gives them; form is a selection, as package
// report has it. That the last line has come is the caller's to see.
func (r Recorder) Report(form url.Values, line func([]byte) error) error {
	res, err := r.page(http.MethodGet, ReportPath, form)
	refused := (*refusedError)(nil)
	if errors.As(err, &refused) && refused.status == http.StatusNotFound {
		return errors.New("the recorder is of an older version, which knows no reports: ask when it " +
			"has ended")
	}
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return eachLine(res.Body, line)
}

// ReportPage is where ReportPath leads: answer writes lines, the last of which says that it is; or
// nothing, and says why, with a status.
func ReportPage(answer func(w http.ResponseWriter, r *http.Request) (status int, err error)) http.Handler {
	return ReplayPage(answer)
}

// eachLine calls line with each line, and its line break.
func eachLine(body io.Reader, line func([]byte) error) error {
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, maxPageLine)
	lines.Split(new(lineSplitter).split)
	for lines.Scan() {
		if err := line(lines.Bytes()); err != nil {
			return err
		}
	}
	switch err := lines.Err(); {
	case errors.Is(err, ErrSilent):
		return err
	case err != nil:
		return fmt.Errorf("%w: %w", ErrBrokeOff, err)
	}
	return nil
}

// lineSplitter splits text into lines with their line breaks; one without is an error. What has come of
// a line is looked at once, however often more of it comes.
type lineSplitter struct{ seen int }

func (s *lineSplitter) split(data []byte, atEOF bool) (advance int, token []byte, err error) {
	if at := bytes.IndexByte(data[s.seen:], '\n'); at >= 0 {
		end := s.seen + at + 1
		s.seen = 0
		return end, data[:end], nil
	}
	if s.seen = len(data); atEOF && len(data) > 0 {
		return 0, nil, io.ErrUnexpectedEOF
	}
	return 0, nil, nil
}
