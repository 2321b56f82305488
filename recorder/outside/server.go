package outside

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store"
)

const (
	// patience is how long a server has for an answer, all of it.
	patience = 500 * time.Millisecond

	// maxAnswer is how many bytes of an answer are read. What comes behind is as if it were not there.
	maxAnswer = 256 << 10
	// maxRefusal is the same of an answer that refuses, of which only the status counts.
	maxRefusal = 16 << 10

	// mostCaptures is how many captures of a URL a server is asked for, the last ones, and how many are
	// kept.
	mostCaptures = 50

	// mostURLs is for how many URLs the answer is kept, and keptFor how long.
	mostURLs = 2000
	keptFor  = 5 * time.Minute

	// longestURL is how many bytes a URL may have that a server is asked for. Many servers take no longer
	// line of a request, and each that fails lets them be left alone; and it is kept.
	longestURL = 4 << 10
)

// server is a CDX server.
type server struct {
	ask    func(url string) string // the URL of a question
	client *http.Client

	mu    sync.Mutex
	known *simplelru.LRU[string, answer] // by URL
}

// answer is what a server has said of a URL.
type answer struct {
	captures []capture // the last one first
	at       time.Time
}

// isURL reports whether a name is a URL, and no directory.
func isURL(text string) bool { return strings.Contains(text, "://") }

// HasServer reports whether one of the names is that of a server.
func HasServer(names []string) bool { return slices.ContainsFunc(names, isURL) }

// bare is a URL without what may be secret: its password and its query.
func bare(text string) string {
	u, err := url.Parse(strings.ReplaceAll(text, "{url}", ""))
	if err != nil {
		return "a URL"
	}
	return (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
}

// Address is the host and the port that a name leads to; ok is false of a directory.
func Address(text string) (host, port string, ok bool) {
	u, err := url.Parse(strings.ReplaceAll(text, "{url}", "x"))
	if !isURL(text) || err != nil {
		return "", "", false
	}
	if port = u.Port(); port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	return strings.ToLower(u.Hostname()), port, true
}

// waybackPaths are the ends of the paths at which a server takes the parameters of the Wayback
// Machine's CDX server.
var waybackPaths = []string{"/web/timemap/cdx", "/timemap/cdx", "/cdx/search/cdx"}

// parseServer returns what makes the questions to the server of that URL:
//
//	{url} in it          the URL that is asked for is put there
//	a path of the above  the parameters of the Wayback Machine
//	else                 those of pywb
func parseServer(text string) (ask func(string) string, err error) {
	at, err := url.Parse(strings.ReplaceAll(text, "{url}", "x"))
	if err != nil {
		return nil, errors.New("it is no URL")
	}
	if at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "" || at.Fragment != "" {
		return nil, errors.New("write the whole address of a CDX server, such as http://127.0.0.1:8080/cdx")
	}
	if strings.Contains(text, "{url}") {
		return func(of string) string {
			return strings.ReplaceAll(text, "{url}", url.QueryEscape(of))
		}, nil
	}
	form := url.Values{"sort": {"reverse"}, "limit": {strconv.Itoa(mostCaptures)},
		"filter": {"!mime:warc/revisit"}, "output": {"cdxj"}}
	for _, end := range waybackPaths {
		if strings.HasSuffix(strings.TrimSuffix(at.Path, "/"), end) {
			form = url.Values{"limit": {strconv.Itoa(-mostCaptures)}, "filter": {"!mimetype:warc/revisit"},
				"fl": {"urlkey,timestamp,original,mimetype,statuscode,digest"}}
		}
	}
	form.Set("matchType", "exact") // else a URL may end in *, and mean others
	return func(of string) string {
		to, all := *at, at.Query()
		for name, values := range form {
			all[name] = values
		}
		all.Set("url", of)
		to.RawQuery = all.Encode()
		return to.String()
	}, nil
}

// newServer returns the server of that URL. It is asked directly, through no other proxy.
func newServer(text string) (*server, error) {
	ask, err := parseServer(text)
	if err != nil {
		return nil, err
	}
	known, err := simplelru.NewLRU[string, answer](mostURLs, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return &server{ask: ask, known: known, client: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: Workers, IdleConnTimeout: time.Minute,
			MaxResponseHeaderBytes: 64 << 10},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Workers is how many responses may wait for servers at the same time, beside those that the
// processors are at work on.
const Workers = 8

// serves: of parts a line says too little.
func (s *server) serves(w *Want) bool {
	return w.Status != http.StatusPartialContent && len(w.URL) <= longestURL
}

func (s *server) isSlow() bool { return true }

// recall looks through what the server has answered lately.
func (s *server) recall(w *Want) (*store.Original, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, known := s.known.Get(w.URL)
	if !known || time.Since(a.at) >= keptFor {
		return nil, false
	}
	return a.find(w), true
}

// refusal is the status of an answer that says something of the URL, and not of the server or of us:
// there is nothing for it, or the server takes no such URL. It is an answer, for the URL.
type refusal int

func (r refusal) Error() string { return fmt.Sprintf("it answers %d, and not 200", int(r)) }

// isOfURL reports whether a status is such a refusal. 401, 403, 407 and 429, among others, are not: what is
// asked next fares no better.
func isOfURL(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusNotFound, http.StatusGone, http.StatusRequestURITooLong,
		http.StatusUnprocessableEntity, http.StatusRequestHeaderFieldsTooLarge,
		http.StatusUnavailableForLegalReasons:
		return true
	}
	return false
}

// find asks the server. A refusal is kept as an answer without captures.
func (s *server) find(w *Want) (*store.Original, error) {
	captures, err := s.capturesOf(w.URL)
	if refused := refusal(0); err != nil && !errors.As(err, &refused) {
		return nil, err
	}
	a := answer{captures, time.Now()}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known.Add(w.URL, a)
	return a.find(w), err
}

// find returns the last capture that a response may refer to; nil if there is none.
func (a *answer) find(w *Want) *store.Original {
	for i := range a.captures {
		c := &a.captures[i]
		o := c.original(w.URL)
		if c.sha1 == w.SHA1 && c.status == w.Status && !c.time.After(time.Now()) && w.accepts(&o) {
			return &o
		}
	}
	return nil
}

// capturesOf asks the server.
func (s *server) capturesOf(of string) ([]capture, error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.ask(of), nil)
	if err != nil {
		return nil, errors.New("the URL of the question is none") // it may hold a password
	}
	request.Header.Set("User-Agent", "warcorder")
	response, err := s.client.Do(request)
	if err != nil {
		return nil, reasonOf(err)
	}
	defer response.Body.Close()
	if isOfURL(response.StatusCode) {
		io.Copy(io.Discard, io.LimitReader(response.Body, maxRefusal)) // else the connection is not used again
		return nil, refusal(response.StatusCode)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("it answers %d, and not 200: is there a CDX server at this address?",
			response.StatusCode)
	}
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	if err != nil {
		return nil, reasonOf(err)
	}
	return parseAnswer(text, len(text) == maxAnswer, of)
}

// reasonOf is an error of a request without its URL, which may hold a password and is long.
func reasonOf(err error) error {
	if whole := (*url.Error)(nil); errors.As(err, &whole) {
		err = whole.Err
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer in %s", patience)
	}
	return err
}

// Close closes the connections.
func (s *server) Close() error {
	s.client.CloseIdleConnections()
	return nil
}
