// Package cdxapi answers what the web archive's tools ask a CDX server, over the index of a
// collection, also while it is being recorded. [Pywb] has the parameters of pywb's API, [Search]
// and [TimeMap] those of the Wayback Machine.
//
// Invariant: an answer that ends as it should is whole: what cannot be gone on with after its first
// bytes breaks it off. No transaction is open while a client reads.
package cdxapi

import (
	"encoding/json"
	"net/http"

	"warcorder/store"
)

// Collection is what is asked about.
type Collection struct {
	Name  string
	Index func() *store.Bolt // the index as it is at present
}

// Pywb answers as the CDX server of pywb does.
func Pywb(c Collection) http.Handler { return notYet() }

// Search answers as the Wayback Machine does at /cdx/search/cdx.
func Search(c Collection) http.Handler { return notYet() }

// TimeMap answers as the Wayback Machine does below /web/timemap/: the path ends with cdx, json or
// link, and the URL behind that, or in the parameter url.
func TimeMap(c Collection) http.Handler { return notYet() }

func notYet() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		refuse(w, http.StatusNotImplemented, "This is not built yet.")
	})
}

// refuse answers with what is wrong, in the members where the clients of pywb and ours look.
func refuse(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": text, "message": text})
}
