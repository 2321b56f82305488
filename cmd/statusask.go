package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// The bounds of what a recorder at an address may answer: who listens there may be anybody.
const (
	askPatience = 5 * time.Second // for all that one is asked
	askedPage   = 1 << 20         // bytes of a page
	askedHead   = 64 << 10
)

// distant is a recorder that is asked over the network, by its address.
type distant struct {
	site   url.URL // http or https, and HOST:PORT
	token  string  // "" is none
	client http.Client
}

// siteOf reads the address of a recorder: HOST:PORT, or a URL of that alone.
func siteOf(text string) (site url.URL, err error) {
	whole := text
	if !strings.Contains(text, "://") {
		whole = "http://" + text
	}
	at, err := url.Parse(whole)
	switch {
	case err != nil || at.Hostname() == "" || at.User != nil || strings.Trim(at.Path, "/") != "" ||
		at.RawQuery != "" || at.Fragment != "" || at.Scheme != "http" && at.Scheme != "https":
		return site, errors.New("--of takes addresses such as 192.0.2.7:8080 or https://recorder.example, with " +
			"commas between; no user, path or token belongs into one")
	case at.Port() == "" && whole != text:
		return site, fmt.Errorf("--of: %s has no port: write %[1]s:8080", ascii(at.Hostname()))
	}
	return url.URL{Scheme: at.Scheme, Host: at.Host}, nil
}

// askOne asks a recorder for its state, within askPatience.
func askOne(ctx context.Context, site url.URL, token string) askedOne {
	ctx, cancel := context.WithTimeout(ctx, askPatience)
	defer cancel()
	a, err := reach(ctx, site, token)
	if err != nil {
		return askedOne{Error: whyNot(ctx, err)}
	}
	defer a.client.CloseIdleConnections()
	now, err := a.status(ctx)
	if err != nil {
		return askedOne{Error: whyNot(ctx, err)}
	}
	one := askedOne{Status: now}
	if page, _, err := a.page(ctx, "/metrics"); err == nil { // an older one has none
		one.Shared = sharedOf(page)
	}
	return one
}

// reach connects to a recorder. Over plain HTTP it is asked by the address that its name leads to: a
// recorder takes no other name than its machine's.
func reach(ctx context.Context, site url.URL, token string) (*distant, error) {
	transport := &http.Transport{DisableCompression: true, MaxResponseHeaderBytes: askedHead,
		MaxConnsPerHost: 1}
	if site.Scheme == "http" {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", withPort(site))
		if err != nil {
			return nil, err
		}
		site.Host = conn.RemoteAddr().String()
		transport.DialContext = first(conn)
	}
	return &distant{site: site, token: token, client: http.Client{Transport: transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, nil
}

// withPort is the host of a site with its port, said or not.
func withPort(site url.URL) string {
	if site.Port() == "" {
		return net.JoinHostPort(site.Hostname(), "80")
	}
	return site.Host
}

// first gives a connection that is there, and dials only then.
func first(conn net.Conn) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		if there := conn; there != nil {
			conn = nil
			return &questioned{Conn: there, asked: make(chan struct{})}, nil
		}
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}

// questioned is a connection from which nothing is read before something is written: what speaks unasked is
// found in its answer, and net/http does not tell standard error of it.
type questioned struct {
	net.Conn
	asked chan struct{}
	once  sync.Once
}

func (q *questioned) Read(p []byte) (int, error) {
	<-q.asked
	return q.Conn.Read(p)
}

func (q *questioned) Write(p []byte) (int, error) {
	q.once.Do(func() { close(q.asked) })
	return q.Conn.Write(p)
}

// Close lets who waits to read go on.
func (q *questioned) Close() error {
	err := q.Conn.Close()
	q.once.Do(func() { close(q.asked) })
	return err
}

// page is one of the recorder's pages, and the status of the answer. 503 is no error: it is of a page
// that tells what is wrong.
func (a *distant) page(ctx context.Context, path string) (body []byte, status int, err error) {
	site := a.site
	site.Path = path
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, site.String(), nil)
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("User-Agent", "warcorder/"+version)
	if a.token != "" {
		request.Header.Set("Authorization", "Bearer "+a.token)
	}
	res, err := a.client.Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, askedPage+1))
	switch {
	case err != nil:
		return nil, res.StatusCode, err
	case len(body) > askedPage:
		return nil, res.StatusCode, errors.New("answers more than 1 MiB: no recorder does")
	case res.StatusCode != http.StatusOK && res.StatusCode != http.StatusServiceUnavailable:
		return nil, res.StatusCode, a.refused(res.StatusCode)
	}
	return body, res.StatusCode, nil
}

// refused says what to do about a status that is no answer.
func (a *distant) refused(status int) error {
	switch {
	case status == http.StatusUnauthorized && a.token == "":
		return errors.New("asks for its token: set WARCORDER_API_TOKEN or --token-file")
	case status == http.StatusUnauthorized:
		return errors.New("refuses the token: it has another api-token")
	case status == http.StatusMisdirectedRequest:
		return errors.New("does not know itself by that name: give its address")
	}
	return fmt.Errorf("answers %d to /status: it is no recorder", status)
}

// status is the state of the recorder.
func (a *distant) status(ctx context.Context) (*status, error) {
	page, _, err := a.page(ctx, "/status")
	if err != nil {
		return nil, err
	}
	var is struct {
		Mode      string `json:"mode"`
		Recording *bool  `json:"recording"`
	}
	if json.Unmarshal(page, &is) == nil && is.Mode != "" {
		return nil, fmt.Errorf("is no recorder: it is a warcorder %s", cut(ascii(is.Mode), 20))
	}
	now := new(status)
	if err := json.Unmarshal(page, now); err != nil || is.Recording == nil || now.Version == "" ||
		now.Started.IsZero() {
		return nil, errors.New("answers what no recorder would: something else listens there")
	}
	return now, nil
}

// whyNot is why a recorder has not told its state, in a line without its address.
func whyNot(ctx context.Context, err error) string {
	var timeout net.Error
	if errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.As(err, &timeout) && timeout.Timeout() {
		return "does not answer within " + lasting(askPatience)
	}
	if asking := (*url.Error)(nil); errors.As(err, &asking) {
		err = asking.Err
	}
	if dialing := (*net.OpError)(nil); errors.As(err, &dialing) {
		err = dialing.Err
	}
	return cut(ascii(err.Error()), mostReason)
}

// mostReason is how many characters the reason has at most that somebody else has worded.
const mostReason = 200
