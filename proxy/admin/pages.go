package admin

import (
	"context"
	"encoding/json"
	"errors"
	"html/template"
	"io"
	"net/http"
	"syscall"
)

// Authority is the root certificate as it is offered for download.
type Authority struct{ PEM, DER []byte }

var frontPage = template.Must(template.New("front").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>warcorder</title>
<h1>warcorder, a recording proxy</h1>
<p>Set <code>{{.}}</code> as the proxy of your browser for HTTP and HTTPS, and trust its root certificate:
<a href="/ca.pem">PEM</a>, <a href="/ca.crt">DER</a>.</p>
<p><a href="/status">Status</a> · <a href="/gaps">Gaps</a> · <a href="/export">CDXJ of all captures</a></p>
</html>
`))

func front(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	frontPage.Execute(w, r.Host)
}

// statusPage is 503 while clients are refused, so that a health check needs to read no JSON.
func statusPage(state func() any, ready func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		status := http.StatusOK
		if ready() != nil {
			status = http.StatusServiceUnavailable
		}
		writeState(w, status, state())
	})
}

// writeState answers with a state as JSON.
func writeState(w http.ResponseWriter, status int, state any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	out := json.NewEncoder(w)
	out.SetIndent("", "  ")
	out.Encode(state)
}

// Switch is a page that changes something, and answers with the state after it, as JSON.
func Switch(pattern string, change func() any) Page {
	return Page{pattern, TokenHolder, true,
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			writeState(w, http.StatusOK, change())
		})}
}

// Work is a page that has something done, which may take long: until its client has gone, who is
// told by the context. The page answers with what came of it as JSON, or with 503 and the reason.
func Work(pattern string, work func(context.Context) (any, error)) Page {
	return Page{pattern, TokenHolder, true,
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			done, err := work(r.Context())
			if err != nil {
				(&refusal{http.StatusServiceUnavailable, err.Error()}).writeJSON(w)
				return
			}
			writeState(w, http.StatusOK, done)
		})}
}

// The pages that machines look at.
const (
	healthPath = "/healthz"
	readyPath  = "/readyz"
)

// healthy answers for as long as the process serves.
func healthy(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	io.WriteString(w, "ok\n")
}

// readyPage is 503 while clients are refused. Everybody may see it, so that it tells no paths.
func readyPage(ready func() error) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := ready()
		if err == nil {
			healthy(w, r)
			return
		}
		why := "the log and /status say why"
		if errno := syscall.Errno(0); errors.As(err, &errno) {
			why = errno.Error()
		}
		http.Error(w, "nothing can be recorded: "+why, http.StatusServiceUnavailable)
	})
}

func file(kind, name string, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Disposition", `attachment; filename="`+name+`"`)
		w.Write(content)
	})
}
