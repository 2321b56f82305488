package cdxserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/http"
	"net/url"
	"syscall"

	"warcorder/store"
	"warcorder/store/collection"
)

// ErrNobody says that the process which has the collection open cannot be asked: it is no recorder,
// or does not listen yet.
var ErrNobody = errors.New("who has the index open cannot be asked")

// ErrBrokeOff says that a recorder has not come to the end of its answer: it ended.
var ErrBrokeOff = errors.New("the recorder's answer broke off")

// At returns the recorder that has a collection open, with its token if that may be read; ErrNobody
// if there is none that runs, or another one has just begun: nobody is shown another's token. Whoever
// may not know who records gets the error of that.
func At(dir collection.Dir) (Recorder, error) {
	if _, err := dir.Running(); errors.Is(err, fs.ErrPermission) {
		return Recorder{}, fmt.Errorf("%w: run this as the user who records", err)
	}
	who, running := dir.Recorder()
	if !running {
		return Recorder{}, ErrNobody
	}
	token, err := dir.Token()
	again, running := dir.Recorder()
	if !running || again.PID != who.PID || !again.Started.Equal(who.Started) {
		return Recorder{}, ErrNobody
	}
	return Recorder{PID: who.PID, Address: who.Addresses[0], Token: token, tokenless: err}, nil
}

// Switch asks for a page that changes how the recorder works, and reads the state that it answers
// with into state.
func (r Recorder) Switch(path string, state any) error {
	res, err := r.page(http.MethodPost, path, url.Values{})
	if err != nil {
		return err
	}
	defer res.Body.Close()
	return json.NewDecoder(res.Body).Decode(state)
}

// Work asks for a page that has something done, which may take as long as ctx allows, and reads what
// came of it into result.
func (r Recorder) Work(ctx context.Context, path string, result any) error {
	return r.WorkOn(ctx, path, url.Values{}, result)
}

// WorkOn is Work for a page that is told by a form what to do.
func (r Recorder) WorkOn(ctx context.Context, path string, form url.Values, result any) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go r.watch(ctx, cancel)
	res, err := r.askOnce(ctx, http.MethodPost, path, maps.Clone(form), 0)
	if err == nil {
		defer res.Body.Close()
		err = json.NewDecoder(res.Body).Decode(result)
	}
	if err != nil && errors.Is(context.Cause(ctx), ErrSilent) {
		return ErrSilent
	}
	return nobody(err)
}

// Hold has a recorder that belongs to another command go on when that one ends, until leave is
// called. The error is ErrNobody if the recorder is ending. One that cannot be held, since it is of
// an older version or asks for a token that there is none of, is left as it is.
func (r Recorder) Hold() (leave func(), err error) {
	ctx, cancel := context.WithCancel(context.Background())
	query := url.Values{paramPID: {fmt.Sprint(r.PID)}}
	res, err := r.send(ctx, http.MethodPost, HoldPath, query, r.patience())
	if err != nil {
		cancel()
		return nil, nobody(fmt.Errorf("ask the recorder (process %d): %w", r.PID, err))
	}
	leave = func() { cancel(); res.Body.Close() }
	if res.StatusCode == http.StatusServiceUnavailable {
		leave()
		return nil, fmt.Errorf("%w: it is ending", ErrNobody)
	}
	return leave, nil
}

// Replay has a recorder replay its collection, as form says, until told is closed. What it tells is
// JSON, line by line. The error is ErrNobody if the recorder is ending, or ends before it answers.
func (r Recorder) Replay(form url.Values) (told io.ReadCloser, err error) {
	res, err := r.page(http.MethodPost, ReplayPath, form)
	refused := (*refusedError)(nil)
	ends := errors.As(err, &refused) && refused.status == http.StatusServiceUnavailable
	if ends || isCut(err) {
		return nil, fmt.Errorf("%w: %w", ErrNobody, err)
	}
	if refused != nil && refused.status == http.StatusNotFound {
		return nil, errors.New("the recorder is of an older version, which cannot replay: replay when " +
			"it has ended")
	}
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// Export writes the lines that the recorder has to w. progress is told how many lines have come, of
// how many in all; -1 if that is not known. The error is ErrNobody before the first line,
// ErrBrokeOff after it, ErrSilent at any time; any other is an error of the query or of w.
func (r Recorder) Export(w io.Writer, query store.Query, progress func(lines, total int64)) (
	exported store.Exported, err error) {
	res, err := r.page(http.MethodGet, ExportPath, formOf(query))
	if err != nil {
		return exported, err
	}
	defer res.Body.Close()
	return lines(res, w, query, progress)
}

// lines copies the lines of an answer to w.
func lines(res *http.Response, w io.Writer, query store.Query, progress func(lines, total int64)) (
	exported store.Exported, err error) {
	if query.NoBodies && res.Header.Get(bodiesField) != noBodies {
		return exported, errors.New("the recorder is of an older version, which cannot leave " +
			"request bodies out: export when it has ended")
	}
	if _, says := res.Trailer[leftField]; query.LeavesOut() && !says {
		return exported, errors.New("the recorder is of an older version, which gives the lines of " +
			"304s and of parts too: export them with --all, or without when it has ended")
	}
	body := lineCounter{r: res.Body, total: -1, progress: progress}
	fmt.Sscan(res.Header.Get(totalField), &body.total)
	switch _, err := io.Copy(w, &body); {
	case body.err != nil && !errors.Is(body.err, ErrSilent):
		return exported, fmt.Errorf("%w: %w", ErrBrokeOff, err)
	case err != nil:
		return exported, err
	}
	fmt.Sscan(res.Trailer.Get(linesField), &exported.Lines)
	fmt.Sscan(res.Trailer.Get(openField), &exported.InOpenFiles)
	fmt.Sscan(res.Trailer.Get(leftField), &exported.LeftOut)
	return exported, nil
}

// Selection asks what is selected of the collection, as form says. The lines that come may take any
// time; those that end too early are for the caller to notice.
func (r Recorder) Selection(form url.Values) (lines io.ReadCloser, err error) {
	res, err := r.page(http.MethodGet, SelectionPath, form)
	refused := (*refusedError)(nil)
	if errors.As(err, &refused) && refused.status == http.StatusNotFound {
		return nil, errors.New("the recorder is of an older version, which knows no selections: do it " +
			"when it has ended")
	}
	if err != nil {
		return nil, err
	}
	return res.Body, nil
}

// Gaps returns the gaps that the recorder has.
func (r Recorder) Gaps() (gaps store.Gaps, err error) {
	res, err := r.page(http.MethodGet, GapsPath, url.Values{})
	if err != nil {
		return gaps, err
	}
	defer res.Body.Close()
	return gaps, json.NewDecoder(res.Body).Decode(&gaps)
}

// Read returns one of the recorder's pages, of which it takes at most 1 MiB.
func (r Recorder) Read(path string) ([]byte, error) { return r.ReadMost(path, 1<<20) }

// State returns the page that tells the state of a recorder, of which it takes at most 1 MiB: also where
// its code says that the state is bad.
func (r Recorder) State(path string) ([]byte, error) {
	query := url.Values{paramPID: {fmt.Sprint(r.PID)}}
	ctx, cancel := context.WithTimeout(context.Background(), r.patience())
	defer cancel()
	res, err := r.send(ctx, http.MethodGet, path, query, r.patience())
	if err != nil {
		return nil, nobody(fmt.Errorf("ask the recorder (process %d): %w", r.PID, err))
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK && res.StatusCode != http.StatusServiceUnavailable {
		return nil, r.refused(http.MethodGet, res)
	}
	return io.ReadAll(io.LimitReader(res.Body, 1<<20))
}

// ReadMost returns one of the recorder's pages, of which it takes at most so many bytes.
func (r Recorder) ReadMost(path string, most int64) ([]byte, error) {
	res, err := r.page(http.MethodGet, path, url.Values{})
	if err != nil {
		return nil, err
	}
	defer res.Body.Close()
	return io.ReadAll(io.LimitReader(res.Body, most))
}

// page asks for one of the recorder's pages. An answer other than 200 is an error.
func (r Recorder) page(method, path string, query url.Values) (*http.Response, error) {
	res, err := r.ask(method, path, query)
	return res, nobody(err)
}

// nobody makes an error of who listens no more ErrNobody.
func nobody(err error) error {
	if errors.Is(err, syscall.ECONNREFUSED) {
		return fmt.Errorf("%w (%w)", ErrNobody, err)
	}
	return err
}

// isCut reports that a POST had no answer from who listened: that one ended, or is no recorder.
func isCut(err error) bool {
	post, dial := (*url.Error)(nil), (*net.OpError)(nil)
	switch {
	case !errors.As(err, &post) || post.Op != "Post", errors.Is(err, ErrSilent):
		return false
	case errors.As(err, &dial) && dial.Op == "dial":
		return errors.Is(err, syscall.ECONNRESET)
	}
	return true
}

// lineCounter counts the lines as they are read, and keeps the read error, as opposed to an error
// of the writer that the lines are copied to.
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
