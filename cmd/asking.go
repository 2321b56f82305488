package cmd

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"syscall"

	"warcorder/cmd/ask"
	"warcorder/store"
)

// errBrokeOff says that a recorder has not come to the end of its answer: it ended.
var errBrokeOff = errors.New("the recorder's answer broke off")

// errNobodyAnswers says that who has the collection open cannot be asked, or does not listen yet.
var errNobodyAnswers = errors.New("who has the index open cannot be asked")

// askExport writes the lines that a running recorder has. progress is told how many lines have come
// of how many; -1 if that is not known.
func askExport(running ask.Recorder, query store.Query, w io.Writer,
	progress func(lines, total int64)) (exported store.Exported, err error) {
	bodies := ""
	if query.NoBodies {
		bodies = noBodies
	}
	res, err := askPage(running, "/export", url.Values{
		"url": {query.URL}, "match": {string(query.Match)}, "from": {query.From}, "to": {query.To},
		"key": {string(query.Key)}, "dialect": {string(query.Dialect)}, "bodies": {bodies}})
	if err != nil {
		return exported, err
	}
	defer res.Body.Close()
	if query.NoBodies && res.Header.Get(bodiesField) != noBodies {
		return exported, errors.New("the recorder is of an older version, which cannot leave " +
			"request bodies out: export when it has ended")
	}
	body := lineCounter{r: res.Body, total: -1, progress: progress}
	fmt.Sscan(res.Header.Get(totalField), &body.total)
	switch _, err := io.Copy(w, &body); {
	case body.err != nil && !errors.Is(body.err, ask.ErrSilent):
		return exported, fmt.Errorf("%w: %w", errBrokeOff, err)
	case err != nil:
		return exported, err
	}
	fmt.Sscan(res.Trailer.Get(linesField), &exported.Lines)
	fmt.Sscan(res.Trailer.Get(openField), &exported.InOpenFiles)
	return exported, nil
}

// askGaps returns the gaps that a running recorder has.
func askGaps(running ask.Recorder) (gaps store.Gaps, err error) {
	res, err := askPage(running, "/gaps", nil)
	if err != nil {
		return gaps, err
	}
	defer res.Body.Close()
	return gaps, json.NewDecoder(res.Body).Decode(&gaps)
}

// askPage asks for one of the recorder's pages. An answer other than 200 is an error.
func askPage(running ask.Recorder, path string, query url.Values) (*http.Response, error) {
	res, err := running.Get(path, query)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w (%w)", errNobodyAnswers, err)
	}
	return res, err
}

// lineCounter counts the lines as they are read, and keeps the error of whom they are read from, as
// opposed to that of whom they are written to.
type lineCounter struct {
	r            io.Reader
	lines, total int64
	progress     func(lines, total int64)
	err          error // of r
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if err != io.EOF {
		l.err = err
	}
	l.lines += int64(bytes.Count(p[:n], []byte{'\n'}))
	l.progress(l.lines, l.total)
	return n, err
}
