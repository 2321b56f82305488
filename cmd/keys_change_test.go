package cmd

import (
	"fmt"
	"io"
	"net/http"
	"testing"
)

// changeKeys say what of a request does not go out.
func changeKeys() []keyRow {
	return []keyRow{
		{key: "codings", shows: showCodings},
		{key: "anticache", shows: showAnticache},
	}
}

func showCodings(t *testing.T, b *keyBench) {
	echo := keyOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "<%s>", r.Header.Get("Accept-Encoding"))
	})
	for file, want := range map[string]string{
		"": "<gzip, br>", "codings: [br, zstd]": "<br, zstd>", "codings: identity": "<identity>",
		"codings: any": "<gzip, br, zstd, dcb>",
	} {
		r := b.plain
		if file != "" {
			r = b.record(t, file)
		}
		r.fetch(echo.URL, "Accept-Encoding", "gzip, br, zstd, dcb").wants(t, 200, want)
	}
	b.plain.fetch(echo.URL, "Accept-Encoding", "deflate").wants(t, 200, "<deflate>")
}

func showAnticache(t *testing.T, b *keyBench) {
	const date = "Tue, 01 Sep 2026 10:00:00 GMT"
	origin := keyOrigin(t, func(w http.ResponseWriter, r *http.Request) {
		h := r.Header
		w.Header().Set("ETag", `"one"`)
		w.Header().Set("Last-Modified", date)
		w.Header().Set("Conditions", h.Get("If-None-Match")+h.Get("If-Modified-Since"))
		if h.Get("If-None-Match")+h.Get("If-Modified-Since") != "" {
			w.WriteHeader(http.StatusNotModified)
			return
		}
		io.WriteString(w, "anew")
	})
	fields := []string{"If-None-Match", `"one"`, "If-Modified-Since", date}
	for anticache, c := range map[string]struct{ missing, there int }{ // what the collection has
		"":                   {200, 304},
		"anticache: missing": {200, 304},
		"anticache: always":  {200, 200},
		"anticache: never":   {304, 304},
	} {
		r := b.plain
		if anticache != "" {
			r = b.record(t, anticache)
		}
		for _, method := range []string{"HEAD", "GET"} {
			target := origin.URL + "/" + method
			r.ask(method, target, "", fields...).wants(t, c.missing, "")
			r.fetch(target).wants(t, 200, "anew")
			r.settle(t) // it is there
			r.ask(method, target, "", fields...).wants(t, c.there, "")
			for i := range 2 {
				one := fields[2*i : 2*i+2]
				got := r.ask(method, target, "", one...)
				got.wants(t, c.there, "")
				if seen := got.header.Get("Conditions"); (seen == one[1]) != (c.there == 304) {
					t.Errorf("%q, %s: %v", anticache, one[0], got.header)
				}
			}
			r.ask(method, target, "", "If-None-Match", `"two"`).wants(t, c.missing, "")
		}
		r.ask("POST", origin.URL+"/POST", "x", fields...).wants(t, 304, "") // is none of the two
	}
}
