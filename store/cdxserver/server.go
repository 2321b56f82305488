package cdxserver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"strconv"
	"strings"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/delta"
)

// ExportPage streams the lines of the index of a collection, as it is when it is asked; index is it,
// with all that a question may find. ends are those that were read for others. An error in the middle
// breaks the answer off.
func ExportPage(dir collection.Dir, ends *delta.Ends,
	index func(context.Context, store.Question) *store.Bolt) http.Handler {
	return forProcess(func(w http.ResponseWriter, r *http.Request) {
		form := r.URL.Query()
		query := queryOf(form)
		err := query.Check()
		switch {
		case err == nil && form.Has(paramSince):
			query.Context = r.Context()
			err = exportSince(w, form, query, dir, ends, index(r.Context(), query.Question()))
		case err == nil:
			export(w, query, index(r.Context(), query.Question()))
		}
		if err != nil {
			http.Error(w, err.Error(), statusOf(err))
		}
	}, http.Error)
}

func export(w http.ResponseWriter, query store.Query, index *store.Bolt) {
	if query.SelectsAll() {
		if total, err := index.Count(); err == nil {
			w.Header().Set(totalField, fmt.Sprint(total))
		}
	}
	beginLines(w, query, linesField, openField, leftField)
	exported, err := index.Export(w, query, nil)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	endLines(w, exported)
}

// beginLines begins an answer, at whose end these trailers come.
func beginLines(w http.ResponseWriter, query store.Query, trailers ...string) {
	if query.NoBodies {
		w.Header().Set(bodiesField, noBodies)
	}
	w.Header().Set("Content-Type", "text/x-cdxj")
	w.Header().Set("Trailer", strings.Join(trailers, ", "))
	http.NewResponseController(w).Flush() // lines that must be sorted first may take a while
}

func endLines(w http.ResponseWriter, exported store.Exported) {
	w.Header().Set(linesField, fmt.Sprint(exported.Lines))
	w.Header().Set(openField, fmt.Sprint(exported.InOpenFiles))
	w.Header().Set(leftField, fmt.Sprint(exported.LeftOut))
}

// GapsPage answers with gaps, the newest as many as are asked for; 0 is all.
func GapsPage(newest func(limit int) (store.Gaps, error)) http.Handler {
	return forProcess(func(w http.ResponseWriter, r *http.Request) {
		limit, err := strconv.Atoi(cmp.Or(r.URL.Query().Get(paramLimit), "0"))
		if err != nil || limit < 0 {
			jsonError(w, "limit is not a number.", http.StatusBadRequest)
			return
		}
		gaps, err := newest(limit)
		if err != nil {
			jsonError(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		out := json.NewEncoder(w)
		out.SetIndent("", "  ")
		out.Encode(gaps)
	}, jsonError)
}

// jsonError is http.Error for a page that answers in JSON.
func jsonError(w http.ResponseWriter, text string, status int) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": text})
}

// forProcess answers those who mean this process, or do not say which one; refuse tells the others.
func forProcess(page http.HandlerFunc,
	refuse func(w http.ResponseWriter, text string, status int)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if meant := r.URL.Query().Get(paramPID); meant != "" && meant != fmt.Sprint(os.Getpid()) {
			refuse(w, "This is the recorder of another collection.", http.StatusConflict)
			return
		}
		page(w, r)
	})
}

// ReplayPage is where ReplayPath leads: replay goes on until its client goes, and answers as
// Recorder.Replay reads it; or it answers nothing and says why, with a status.
func ReplayPage(replay func(w http.ResponseWriter, r *http.Request) (status int, err error)) http.Handler {
	return forProcess(func(w http.ResponseWriter, r *http.Request) {
		if status, err := replay(w, r); err != nil {
			jsonError(w, err.Error(), status)
		}
	}, jsonError)
}

// SelectionPage is where SelectionPath leads: answer writes lines as whoever reads them by
// Recorder.Selection understands them; or nothing, and says why, with a status.
func SelectionPage(answer func(w http.ResponseWriter, r *http.Request) (status int, err error)) http.Handler {
	return ReplayPage(answer)
}
