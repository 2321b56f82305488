// Package outbackcdxtest is what speaks as an OutbackCDX does, for tests: by what its source of July 2026
// says (Webapp.java, Capture.java), since it cannot be had here.
//
// Invariant: what it takes, the other one takes; a request is all or nothing.
package outbackcdxtest

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"

	"warcorder/store/outbackcdx"
)

// Server is an OutbackCDX with one collection.
type Server struct {
	*httptest.Server

	// Version is that of the index; 0 says that of none.
	Version int

	mu    sync.Mutex
	hook  Hook
	posts int
	asked int               // for config.json
	lines map[string]string // by key and second
}

// Hook is called before the n-th POST is looked at, from 1 on. With a status other than 0 that is the
// answer.
type Hook func(n int, r *http.Request) (status int, text string)

// SetHook sets the hook; nil is none.
func (s *Server) SetHook(hook Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.hook = hook
}

// New starts a server.
func New() *Server {
	s := &Server{Version: 3, lines: map[string]string{}}
	s.Server = httptest.NewServer(http.HandlerFunc(s.serve))
	return s
}

// Collection is the address of its collection.
func (s *Server) Collection() string { return s.URL + "/web" }

// Lines are "KEY TS URL STATUS DIGEST OFFSET FILE" of what is kept, sorted.
func (s *Server) Lines() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Values(s.lines))
}

// Reset removes all lines.
func (s *Server) Reset() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.lines)
}

// Posts is how many POSTs have come.
func (s *Server) Posts() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.posts
}

// Asked is how often it was asked for its configuration, as each push does that has something to give.
func (s *Server) Asked() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked
}

func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodGet && r.URL.Path == "/config.json" && s.Version > 0:
		s.mu.Lock()
		s.asked++
		s.mu.Unlock()
		fmt.Fprintf(w, `{"featureFlags":{"pandoraHacks":false,"indexVersion":%d}}`, s.Version)
	case r.Method == http.MethodPost && (r.URL.Path == "/web" || r.URL.Path == "/web/delete"):
		s.post(w, r)
	default:
		http.NotFound(w, r)
	}
}

func (s *Server) post(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.posts++
	n, hook := s.posts, s.hook
	s.mu.Unlock()
	if hook != nil {
		if status, text := hook(n, r); status != 0 {
			w.WriteHeader(status)
			io.WriteString(w, text)
			return
		}
	}
	deletes := strings.HasSuffix(r.URL.Path, "/delete")
	s.mu.Lock()
	defer s.mu.Unlock()
	next, count := maps.Clone(s.lines), 0
	lines := bufio.NewScanner(r.Body)
	lines.Buffer(nil, 8<<20)
	for ; lines.Scan(); count++ {
		key, kept, err := take(lines.Text())
		switch {
		case err != nil:
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, "At line: %s\njava.lang.IllegalArgumentException: %v\n\tat outbackcdx.Capture\n",
				lines.Text(), err)
			return
		case deletes:
			delete(next, key)
		default:
			next[key] = kept
		}
	}
	if lines.Err() != nil {
		return // the client has gone: nothing is committed
	}
	s.lines = next
	fmt.Fprintf(w, "%s %d records\n", map[bool]string{true: "Deleted", false: "Added"}[deletes], count)
}

// take takes a line of CDX with 11 fields apart, as Capture.fromCdxLine does.
func take(line string) (key, kept string, err error) {
	f := strings.Split(line, " ")
	if len(f) != 11 || strings.HasPrefix(f[2], "{") || f[0] != "-" {
		return "", "", fmt.Errorf("%d fields", len(f))
	}
	if _, err := strconv.ParseInt(f[1], 10, 64); err != nil || len(f[1]) != 14 {
		return "", "", fmt.Errorf("timestamp %s", f[1])
	}
	for i, may := range map[int]bool{4: true, 8: true, 9: false} {
		if _, err := strconv.ParseInt(f[i], 10, 64); err != nil && !(may && f[i] == "-") {
			return "", "", err
		}
	}
	surt, sure := outbackcdx.Key(f[2])
	if !sure {
		return "", "", fmt.Errorf("how it keeps %s is not known", f[2])
	}
	key = surt + " " + f[1]
	return key, strings.Join([]string{key, f[2], f[4], f[5], f[9], f[10]}, " "), nil
}
