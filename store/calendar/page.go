package calendar

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"warcorder/store"
)

// atOnce is how many answers are counted at the same time; others wait for that.
const atOnce = 4

// Page answers with the calendar of url and matchType, between from and to. indexFor returns the index,
// which has what a question may find.
func Page(indexFor func(context.Context, store.Question) *store.Bolt) http.Handler {
	counting := make(chan struct{}, atOnce)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q, err := queryOf(r.URL.Query())
		if err != nil {
			answer(w, http.StatusBadRequest, map[string]string{"error": strings.ToValidUTF8(err.Error(), "\uFFFD")})
			return
		}
		select {
		case counting <- struct{}{}:
			defer func() { <-counting }()
		case <-r.Context().Done():
			return
		}
		found, err := Of(r.Context(), indexFor(r.Context(), q.Question()), q)
		switch {
		case r.Context().Err() != nil:
		case errors.Is(err, store.ErrReplaced):
			answer(w, http.StatusServiceUnavailable,
				map[string]string{"error": "something was removed meanwhile: ask again"})
		case err != nil:
			answer(w, http.StatusInternalServerError, map[string]string{"error": err.Error()})
		default:
			answer(w, http.StatusOK, found)
		}
	})
}

// queryOf takes the parameters of a request apart.
func queryOf(values url.Values) (q store.Query, err error) {
	for name, all := range values {
		switch name {
		case "url", "matchType", "from", "to":
		default:
			return q, fmt.Errorf("%q is nothing that a calendar heeds", name)
		}
		if len(all) > 1 {
			return q, fmt.Errorf("%s is given %d times: say it once", name, len(all))
		}
	}
	q = store.Query{URL: values.Get("url"), Match: store.Match(values.Get("matchType")),
		From: values.Get("from"), To: values.Get("to"), All: true}
	switch q.Match {
	case "", store.Exact, store.Prefix, store.Host, store.Domain, store.Ports:
	default:
		return q, fmt.Errorf("matchType is %q: say exact, prefix, host, domain or ports", string(q.Match))
	}
	if q.URL == "" {
		return q, errors.New("say whose captures are counted: url is missing")
	}
	if err := store.CheckPeriod(q.From, q.To); err != nil {
		return q, err
	}
	return q, q.Check()
}

func answer(w http.ResponseWriter, code int, what any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(what)
}
