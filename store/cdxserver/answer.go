package cdxserver

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"
)

// ErrSilent says that the recorder takes connections and does not answer: it hangs, or was stopped.
var ErrSilent = errors.New("the recorder does not answer")

// Recorder is a running recorder, as its clients see it.
type Recorder struct {
	PID     int
	Address string // that it listens on, host:port

	Token     string // shows the recorder that we may read and change
	tokenless error  // why there is none

	// Patience is how long it may be silent; 0 is 30 s.
	Patience time.Duration
}

// ask asks for one of the recorder's pages. An answer other than 200 is an error.
func (r Recorder) ask(method, path string, query url.Values) (*http.Response, error) {
	ctx, cancel := context.WithCancel(context.Background())
	res, err := r.askOnce(ctx, method, path, query, r.patience())
	if err != nil {
		cancel()
		return nil, err
	}
	body := &answer{body: res.Body, recorder: r, cancel: cancel}
	body.timer = time.AfterFunc(r.patience(), body.look)
	body.timer.Stop()
	res.Body = body
	return res, nil
}

// askOnce asks for a page, whose answer may take any time once it has begun, and must begin within
// a time, unless that is 0. An answer other than 200 is an error.
func (r Recorder) askOnce(ctx context.Context, method, path string, query url.Values,
	within time.Duration) (*http.Response, error) {
	query.Set(paramPID, fmt.Sprint(r.PID))
	res, err := r.send(ctx, method, path, query, within)
	if err != nil {
		return nil, fmt.Errorf("ask the recorder (process %d): %w", r.PID, err)
	}
	if res.StatusCode == http.StatusOK {
		return res, nil
	}
	defer res.Body.Close()
	return nil, r.refused(method, res)
}

func (r Recorder) patience() time.Duration { return cmp.Or(r.Patience, 30*time.Second) }

// watch cancels what the recorder has been asked for when it is silent altogether.
func (r Recorder) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	look := time.NewTicker(r.patience())
	defer look.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			if !r.answers() {
				cancel(ErrSilent)
				return
			}
		}
	}
}

// maxRefusal is how many bytes of a refusal are read: a reload names all keys that nobody knows.
const maxRefusal = 64 << 10

// refused is the error of an answer other than 200. What the recorder says of its token is for
// programs that are no command of ours: that is told what to do.
func (r Recorder) refused(method string, res *http.Response) error {
	if res.StatusCode == http.StatusUnauthorized && r.tokenless != nil {
		orRead := ""
		if method == http.MethodGet {
			orRead = ", or let the operator add this machine's address to readers"
		}
		return fmt.Errorf("the recorder asks for its token, and there is none to show it (%w): run this "+
			"as the user who records%s", r.tokenless, orRead)
	}
	text, _ := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	said := struct{ Error string }{strings.TrimSpace(string(text))}
	json.Unmarshal(text, &said) // what is no JSON is said as it is
	if res.StatusCode == http.StatusUnprocessableEntity {
		return &refusedError{res.StatusCode, said.Error} // it was understood: its text says all
	}
	return &refusedError{res.StatusCode, fmt.Sprintf("the recorder answered %s: %s", res.Status, said.Error)}
}

// refusedError is an answer other than 200.
type refusedError struct {
	status int
	text   string
}

func (e *refusedError) Error() string { return e.text }

// send asks, and waits until the answer begins. What a POST asks for is a form, which may be longer
// than a head.
func (r Recorder) send(ctx context.Context, method, path string, query url.Values,
	within time.Duration) (*http.Response, error) {
	page := url.URL{Scheme: "http", Host: reachable(r.Address), Path: path, RawQuery: query.Encode()}
	form := ""
	if method == http.MethodPost {
		page.RawQuery = url.Values{paramPID: query[paramPID]}.Encode()
		query = maps.Clone(query)
		query.Del(paramPID)
		form = query.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, method, page.String(), strings.NewReader(form))
	if err != nil {
		return nil, err
	}
	if form != "" {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	return r.do(request, within)
}

// do sends a request with the token, past any proxy, and waits until the answer begins.
func (r Recorder) do(request *http.Request, within time.Duration) (*http.Response, error) {
	if r.Token != "" {
		request.Header.Set("Authorization", "Bearer "+r.Token)
	}
	dialer := net.Dialer{Timeout: r.patience()}
	client := http.Client{
		Transport: &http.Transport{
			Proxy: nil, DisableKeepAlives: true,
			DialContext: dialer.DialContext, ResponseHeaderTimeout: within,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	res, err := client.Do(request)
	timeout := interface{ Timeout() bool }(nil)
	if errors.As(err, &timeout) && timeout.Timeout() {
		return nil, fmt.Errorf("%w: %w", ErrSilent, err)
	}
	return res, err
}

// answers reports whether the recorder answers anything.
func (r Recorder) answers() bool {
	res, err := r.send(context.Background(), http.MethodGet, "/status",
		url.Values{paramPID: {fmt.Sprint(r.PID)}}, r.patience())
	if err != nil {
		return false
	}
	res.Body.Close()
	return true
}

// answer is the body of an answer.
type answer struct {
	body     io.ReadCloser
	recorder Recorder
	timer    *time.Timer // runs while somebody waits for the next bytes
	silent   atomic.Bool
	cancel   func()
}

func (a *answer) Read(p []byte) (int, error) {
	a.timer.Reset(a.recorder.patience())
	n, err := a.body.Read(p)
	a.timer.Stop()
	if err != nil && err != io.EOF && a.silent.Load() {
		err = ErrSilent
	}
	return n, err
}

// look ends the answer if the recorder is silent altogether.
func (a *answer) look() {
	if a.recorder.answers() {
		a.timer.Reset(a.recorder.patience())
		return
	}
	a.silent.Store(true)
	a.cancel()
}

func (a *answer) Close() error {
	a.timer.Stop()
	a.cancel()
	return a.body.Close()
}

// reachable turns an address that is listened on into one that can be connected to. Who listens on
// all addresses is reached by IPv4, also on [::], which takes both: a machine whose kernel knows IPv6
// may have no address of it.
func reachable(address string) string {
	host, port, err := net.SplitHostPort(address)
	if ip := net.ParseIP(host); err == nil && ip != nil && ip.IsUnspecified() {
		return net.JoinHostPort("127.0.0.1", port)
	}
	return address
}
