// Package cdxapi answers what the web archive's tools ask a CDX server, over the index of a
// collection, also while it is being recorded. [Pywb] has the parameters of pywb's API, [Search]
// and [TimeMap] those of the Wayback Machine. doc/cdx-server.md has them in a table.
//
// A request's parameters are judged first, and become a question; a run answers it, by a walk of
// package store, line by line.
//
// Invariant: an answer that ends as it should is whole: what cannot be gone on with after its first
// bytes breaks it off. No transaction is open while a client reads, and what one answer may look at
// and hold is bounded: bounds.go.
package cdxapi

import (
	"context"
	"net/http"

	"warcorder/store"
)

// Collection is what is asked about.
type Collection struct {
	Name  string             // the first segment of its paths; "" if it is served without it alone
	Index func() *store.Bolt // the index as it is at present; nil while there is none

	// IndexFor, if it is not nil, is asked in the place of Index: the index needs to be up to date in
	// what the query selects alone, and not at all once the context is done.
	IndexFor func(context.Context, store.Question) *store.Bolt
}

// current returns the index for a query.
func (c *Collection) current(ctx context.Context, q store.Query) *store.Bolt {
	if c.IndexFor != nil {
		return c.IndexFor(ctx, q.Question())
	}
	return c.Index()
}

// handler answers the questions that judge makes of requests.
type handler struct {
	Collection
	bounds bounds
	pages  pages
	judge  judge

	told func(ctx context.Context, looked int) // of each transaction, for tests; nil otherwise
}

// judge reads the parameters of a request about a collection of that name.
type judge func(r *http.Request, name string) (*question, error)

func newHandler(c Collection, b bounds, judge judge) *handler {
	return &handler{Collection: c, bounds: b, judge: judge,
		pages: pages{most: b.places, ranges: map[pagedRange]*ends{}}}
}

// ServeHTTP answers a request.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		refuse(w, http.StatusMethodNotAllowed, "This is asked by GET.", "")
		return
	}
	q, err := h.judge(r, h.Name)
	if err == nil {
		err = q.check()
	}
	if err != nil {
		fail(w, err)
		return
	}
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", q.format.contentType)
		return
	}
	h.handle(w, r, q)
}

// check refuses what the index would.
func (q *question) check() error {
	if q.query.URL == "" {
		return bad("url", "it says which URLs are asked for, and is missing")
	}
	if err := q.query.Check(); err != nil {
		return bad("url", "%v", err)
	}
	return nil
}
