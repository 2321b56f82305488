package admin

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/url"
	"syscall"

	"warcorder/proxy/admin/trust"
)

// Authority is what clients have to trust, in the forms in which it is offered for download.
type Authority struct {
	PEM, DER, PKCS12, Mobileconfig []byte

	Name        string // by which a person finds it in a trust store
	Password    string // of PKCS12
	Institution bool   // others made it, and their devices may trust it already
}

// root is what the trust page says of it.
func (a *Authority) root() trust.Root {
	root := trust.RootOf(a.Name, a.DER)
	root.Password, root.Institution = a.Password, a.Institution
	return root
}

// pages are its forms. Safari of iOS knows what to do with a profile, which is no attachment there.
func (a *Authority) pages() (all []Page) {
	for _, form := range []struct {
		name, kind, disposition string
		content                 []byte
	}{
		{"ca.pem", "application/x-pem-file", "attachment", a.PEM},
		{"ca.crt", "application/x-x509-ca-cert", "attachment", a.DER},
		{"ca.p12", "application/x-pkcs12", "attachment", a.PKCS12},
		{"ca.mobileconfig", "application/x-apple-aspen-config", "inline", a.Mobileconfig},
	} {
		all = append(all, Page{"GET /" + form.name, Everybody, false,
			file(form.kind, form.disposition+`; filename="warcorder-`+form.name+`"`, form.content)})
	}
	return all
}

// statusPage is 503 while clients are refused, so that a health check needs to read no JSON.
func statusPage(look func() (state any, serving bool)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		status := http.StatusOK
		state, serving := look()
		if !serving {
			status = http.StatusServiceUnavailable
		}
		writeState(w, status, state)
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

// Switch is a page for Controllers that changes something, and answers with the state after it, as JSON.
func Switch(pattern string, change func() any) Page {
	return Page{pattern, Controllers, true,
		http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			writeState(w, http.StatusOK, change())
		})}
}

// Work is a page for Controllers that has something done, which may take long: until its client has gone, who is
// told by the context. The page answers with what came of it as JSON, or with 503 and the reason.
func Work(pattern string, work func(context.Context) (any, error)) Page {
	return Page{pattern, Controllers, true,
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			done, err := work(r.Context())
			if err != nil {
				(&refusal{http.StatusServiceUnavailable, err.Error()}).writeJSON(w)
				return
			}
			writeState(w, http.StatusOK, done)
		})}
}

// processParam is what our own commands say in the URL of any page: which process they mean.
const processParam = "pid"

// maxForm is how many bytes a form has that says what a page is to do.
const maxForm = 1 << 20

// WorkOn is Work for a page that is told by a form what to do. A form that check refuses is answered
// with 400, and so is whatever stands in the URL: it would say something that nobody heeds.
func WorkOn(pattern string, check func(url.Values) error,
	work func(context.Context, url.Values) (any, error)) Page {
	return workOn(pattern, http.StatusOK, check, work)
}

// Accept is WorkOn for what goes on when the page has answered, whatever becomes of its client: with
// 202, and what start says of it.
func Accept(pattern string, check func(url.Values) error,
	start func(context.Context, url.Values) (any, error)) Page {
	return workOn(pattern, http.StatusAccepted, check, start)
}

func workOn(pattern string, status int, check func(url.Values) error,
	work func(context.Context, url.Values) (any, error)) Page {
	return Page{pattern, Controllers, true,
		http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			form, err := formOf(w, r)
			if err == nil {
				err = check(form)
			}
			if err != nil {
				(&refusal{http.StatusBadRequest, err.Error()}).writeJSON(w)
				return
			}
			done, err := work(context.WithValue(r.Context(), clientKey{}, r.RemoteAddr), form)
			if err != nil {
				(&refusal{http.StatusServiceUnavailable, err.Error()}).writeJSON(w)
				return
			}
			writeState(w, status, done)
		})}
}

// formOf reads a form that is posted.
func formOf(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	r.Body = http.MaxBytesReader(w, r.Body, maxForm)
	err := r.ParseForm()
	for name := range r.URL.Query() {
		if name != processParam {
			err = errors.New("say it in the form that is posted, and not in the URL")
		}
	}
	return r.PostForm, err
}

type clientKey struct{}

// ClientOf is the address of who asks, with the port, in the context that WorkOn and Accept give.
func ClientOf(ctx context.Context) string {
	address, _ := ctx.Value(clientKey{}).(string)
	return address
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

func file(kind, disposition string, content []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("Content-Disposition", disposition)
		w.Write(content)
	})
}
