package cmd

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"syscall"

	"github.com/schollz/progressbar/v3"

	"warcorder/cmd/ask"
	"warcorder/store"
)

// errBrokeOff says that a recorder has not come to the end of its answer: it ended.
var errBrokeOff = errors.New("the recorder's answer broke off")

// errNobodyAnswers says that who has the collection open cannot be asked, or does not listen yet.
var errNobodyAnswers = errors.New("who has the index open cannot be asked")

// unanswered is errNobodyAnswers for people.
func unanswered(dir string) error {
	return fmt.Errorf("the index is in use by %s, which cannot be asked: wait until it has ended",
		holders(dir))
}

// exportFromRecorder asks the recorder that has the collection open.
func exportFromRecorder(dir string, query store.Query, w io.Writer) (store.Exported, error) {
	var exported store.Exported
	bodies := ""
	if query.NoBodies {
		bodies = noBodies
	}
	res, err := askRecorder(dir, "/export", url.Values{
		"url": {query.URL}, "match": {string(query.Match)}, "from": {query.From}, "to": {query.To},
		"key": {string(query.Key)}, "dialect": {string(query.Dialect)}, "bodies": {bodies}})
	if err != nil {
		return exported, err
	}
	defer res.Body.Close()
	if query.NoBodies && res.Header.Get(bodiesField) != noBodies {
		return exported, errors.New(
			"the recorder is of an older version, which cannot leave request bodies out: export when it has ended")
	}
	total := int64(-1)
	fmt.Sscan(res.Header.Get(totalField), &total)
	bar := newBar(total, "captures")
	defer bar.Finish()
	body := lineCounter{r: res.Body, bar: bar}
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

// askRecorder asks the recorder that has a collection open for one of its pages. An answer other
// than 200 is an error.
func askRecorder(dir, path string, query url.Values) (*http.Response, error) {
	who, running := runningRecorder(dir)
	if !running {
		return nil, errNobodyAnswers
	}
	res, err := ask.Recorder{PID: who.PID, Address: who.Addresses[0]}.Get(path, query)
	if errors.Is(err, syscall.ECONNREFUSED) {
		return nil, fmt.Errorf("%w (%w)", errNobodyAnswers, err)
	}
	return res, err
}

// lineCounter moves the bar as lines are read, and keeps the error of whom they are read from.
type lineCounter struct {
	r   io.Reader
	bar *progressbar.ProgressBar
	err error // of r
}

func (l *lineCounter) Read(p []byte) (int, error) {
	n, err := l.r.Read(p)
	if err != io.EOF {
		l.err = err
	}
	l.bar.Add(strings.Count(string(p[:n]), "\n"))
	return n, err
}

func gapsOfRecorder(dir string) (gaps store.Gaps, err error) {
	res, err := askRecorder(dir, "/gaps", nil)
	if err != nil {
		return gaps, err
	}
	defer res.Body.Close()
	return gaps, json.NewDecoder(res.Body).Decode(&gaps)
}
