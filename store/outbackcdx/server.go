package outbackcdx

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// Server is a collection of an OutbackCDX.
type Server struct {
	// Wait is how long the first of a row of tries that fail is followed by nothing; each other one
	// twice as long. 0 is a second.
	Wait time.Duration

	url           url.URL
	authorization string
	client        http.Client
}

const (
	// patience is how long one request may take. OutbackCDX takes a batch in well under a second.
	patience = 2 * time.Minute

	tries = 5

	// maxAnswer is how much of an answer is read, in bytes: an error is followed by a stack trace.
	maxAnswer = 64 << 10
)

// NewServer returns the collection at an address, http://HOST:PORT/COLLECTION. A user and a password in
// it are shown to the server, and stand in no error; authorization, if it is not "", is what the field of
// that name says instead.
func NewServer(address, authorization string) (*Server, error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, errors.New("the address of OutbackCDX is no URL: give http://HOST:PORT/COLLECTION")
	}
	s := &Server{authorization: authorization}
	if u.User != nil && authorization == "" {
		password, _ := u.User.Password()
		s.authorization = "Basic " +
			base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
	}
	u.User, u.Path = nil, strings.TrimSuffix(u.Path, "/")
	if u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || len(u.Path) < 2 || u.RawQuery != "" ||
		u.Fragment != "" {
		return nil, fmt.Errorf("%s is no collection of an OutbackCDX: give http://HOST:PORT/COLLECTION", u)
	}
	s.url = *u
	s.client = http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	return s, nil
}

// String is the address, without what is secret.
func (s *Server) String() string { return s.url.String() }

// KeepsOne reports whether the server keeps one line of each key and second, as it does up to version 3
// of its index, the default: then a line takes the place of an earlier one, and can be deleted without
// its offset.
func (s *Server) KeepsOne(ctx context.Context) (bool, error) {
	at := s.url
	at.Path = path.Join(path.Dir(at.Path), "config.json")
	status, text, err := s.ask(ctx, http.MethodGet, at.String(), nil)
	if err != nil {
		return false, err
	}
	config := struct {
		FeatureFlags struct{ IndexVersion int }
	}{}
	if status == http.StatusNotFound {
		return true, nil // of a version that has no other
	}
	if err := json.Unmarshal(text, &config); err != nil {
		return false, fmt.Errorf("%s answered %s: is that an OutbackCDX?", at.String(), quote(text))
	}
	return config.FeatureFlags.IndexVersion <= 3, nil
}

// send sends a batch, and counts its lines when the server has answered for all of them.
func (s *Server) send(ctx context.Context, to, verb string, b *batch, count *int64) error {
	if b.lines == 0 {
		return nil
	}
	at := s.url
	at.Path += to
	text, err := s.post(ctx, at.String(), b.text.Bytes())
	if err != nil {
		return err
	}
	if n, is := answered(text, verb); !is || n != b.lines {
		return fmt.Errorf("%s was sent %d lines, and answered %s: is that an OutbackCDX?", s, b.lines, quote(text))
	}
	*count += int64(b.lines)
	b.text.Reset()
	b.lines = 0
	return nil
}

// answered reads "Added N records".
func answered(text []byte, verb string) (n int, is bool) {
	words := strings.Fields(string(text))
	if len(words) != 3 || words[0] != verb || words[2] != "records" {
		return 0, false
	}
	n, err := strconv.Atoi(words[1])
	return n, err == nil
}

// post sends lines, and returns what a 200 says.
func (s *Server) post(ctx context.Context, at string, lines []byte) ([]byte, error) {
	status, text, err := s.ask(ctx, http.MethodPost, at, lines)
	if err == nil && status != http.StatusOK {
		err = s.refused(status, text)
	}
	return text, err
}

// refused is the error that an answer is.
func (s *Server) refused(status int, text []byte) error {
	return fmt.Errorf("%s answered %d: %s", s, status, quote(text))
}

// ask sends a request, again if the server cannot be reached or is not well. It returns what a 200 or a
// 404 says.
func (s *Server) ask(ctx context.Context, method, at string, body []byte) (status int, text []byte, err error) {
	wait := s.Wait
	if wait == 0 {
		wait = time.Second
	}
	for try := range tries {
		if try > 0 {
			select {
			case <-ctx.Done():
				return 0, nil, errors.Join(ctx.Err(), err)
			case <-time.After(wait):
			}
			wait *= 2
		}
		status, text, err = s.once(ctx, method, at, body)
		switch {
		case err == nil && (status == http.StatusOK || status == http.StatusNotFound):
			return status, text, nil
		case err == nil:
			if err = s.refused(status, text); !passes(status) {
				return 0, nil, err
			}
		case ctx.Err() != nil:
			return 0, nil, err
		}
	}
	return 0, nil, fmt.Errorf("%w (tried %d times)", err, tries)
}

// passes reports whether a status may be another one soon.
func passes(status int) bool {
	return status >= 500 || status == http.StatusTooManyRequests || status == http.StatusRequestTimeout
}

// once sends one request.
func (s *Server) once(ctx context.Context, method, at string, body []byte) (status int, text []byte,
	err error) {
	r, err := http.NewRequestWithContext(ctx, method, at, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	if s.authorization != "" {
		r.Header.Set("Authorization", s.authorization)
	}
	if body != nil {
		r.Header.Set("Content-Type", "text/plain")
	}
	res, err := s.client.Do(r)
	if err != nil {
		return 0, nil, err
	}
	defer res.Body.Close()
	text, err = io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil && res.StatusCode == http.StatusOK {
		return 0, nil, err
	}
	io.Copy(io.Discard, io.LimitReader(res.Body, 1<<20)) // so that the connection can serve again
	return res.StatusCode, text, nil
}

// quote is the beginning of an answer, for people: the first line of a stack trace, at most.
func quote(text []byte) string {
	lines := strings.SplitN(strings.TrimSpace(string(text)), "\n", 3)
	return strconv.QuoteToASCII(strings.Join(lines[:min(2, len(lines))], " "))
}
