package admin

import (
	"encoding/json"
	"html/template"
	"net/http"
	"strings"
)

// refusal is an answer that says why there is no other.
type refusal struct {
	status int
	why    string
}

// write answers a request: people get HTML, programs JSON from the pages that have JSON for them,
// and plain text from the others.
func (f *refusal) write(w http.ResponseWriter, r *http.Request, asJSON bool) {
	if f.status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="warcorder"`)
	}
	switch {
	case isForPerson(r):
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.WriteHeader(f.status)
		refusalPage.Execute(w, f.why)
	case asJSON:
		f.writeJSON(w)
	default:
		http.Error(w, f.why, f.status)
	}
}

// writeJSON answers a program.
func (f *refusal) writeJSON(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(f.status)
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.Encode(map[string]string{"error": f.why})
}

// isForPerson reports a request whose answer a browser shows.
func isForPerson(r *http.Request) bool {
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) &&
		strings.Contains(r.Header.Get("Accept"), "text/html")
}

var refusalPage = template.Must(template.New("refusal").Parse(`<!DOCTYPE html>
<html lang="en"><meta charset="utf-8"><title>warcorder</title>
<h1>warcorder</h1>
<p>{{.}}</p>
<p><a href="/">Front page</a></p>
</html>
`))
