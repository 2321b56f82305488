package cmd

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"

	"warcorder/canon"
	"warcorder/store"
)

// The trailer fields of /export say what Exported says.
const (
	totalField = "Warcorder-Captures" // in the header: how many there are at most, for a progress bar
	linesField = "Warcorder-Lines"
	openField  = "Warcorder-In-Open-Files"

	bodiesField = "Warcorder-Request-Bodies" // in the header: noBodies when they are left out
	noBodies    = "none"
)

// forProcess answers those who mean this process, or do not say which one: after a crash
// recorder.json can name an address that is another recorder's now.
func forProcess(pid int, page http.HandlerFunc) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if meant := r.URL.Query().Get("pid"); meant != "" && meant != fmt.Sprint(pid) {
			http.Error(w, "This is the recorder of another collection.", http.StatusConflict)
			return
		}
		page(w, r)
	})
}

// exportPage streams the lines of a running recorder's index. An error in the middle breaks the
// answer off, so that nobody takes a part for the whole.
func exportPage(indexOf func() *store.Bolt) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		form := r.URL.Query()
		query := store.Query{
			URL:      form.Get("url"),
			Match:    store.Match(form.Get("match")),
			From:     form.Get("from"),
			To:       form.Get("to"),
			Key:      store.Key(form.Get("key")),
			Dialect:  canon.Dialect(form.Get("dialect")),
			NoBodies: form.Get("bodies") == noBodies,
		}
		if err := query.Check(); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		index := indexOf()
		if query.SelectsAll() {
			if total, err := index.Count(); err == nil {
				w.Header().Set(totalField, fmt.Sprint(total))
			}
		}
		if query.NoBodies {
			w.Header().Set(bodiesField, noBodies)
		}
		w.Header().Set("Content-Type", "text/x-cdxj")
		w.Header().Set("Trailer", linesField+", "+openField)
		http.NewResponseController(w).Flush() // lines that must be sorted first may take a while
		exported, err := index.Export(w, query, nil)
		if err != nil {
			panic(http.ErrAbortHandler)
		}
		w.Header().Set(linesField, fmt.Sprint(exported.Lines))
		w.Header().Set(openField, fmt.Sprint(exported.InOpenFiles))
	}
}

// gapsPage is the gap list of a running recorder; limit=N gives only the newest.
func gapsPage(newest func(limit int) (store.Gaps, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		limit, err := strconv.Atoi(cmp.Or(r.URL.Query().Get("limit"), "0"))
		if err != nil || limit < 0 {
			http.Error(w, "limit is not a number.", http.StatusBadRequest)
			return
		}
		gaps, err := newest(limit)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.Encode(gaps)
	}
}
