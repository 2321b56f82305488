// Package canon computes the keys under which a capture is found again. Begin with Dialect.Keys,
// which gives all that the index stores of a request; SURT alone turns a URL into the key of the
// index (urlkey).
//
// SURT (Sort-friendly URI Reordering Transform) writes the host from its top level down, so that a
// sorted index keeps a site together, and folds spellings that archives treat as one resource:
//
//	https://www.Example.com:443/a/../b/?y=2&x=%31#top  ->  com,example)/b?x=1&y=2
//
// What was posted to a URL becomes part of it first: the method as an argument, and the body as a
// query, JSON and forms member by member. The Dialect says how:
//
//	POST http://example.com/a {"id":1,"tags":["x","y"]}
//	  ->  http://example.com/a?__wb_method=POST&id=1&tags=x&tags.2_=y
//
// In Pywb, the default, the keys are those of pywb, cdxj-indexer and the surt library: an index
// written here can be looked up there.
//
// Beside urlkey there are keys of other kinds, for lookups that are to find more spellings or to
// tell more apart: Profiles writes a path as its site does, WWWOFFLE is the canonical URL of that
// proxy, FormKey is the same for all spellings of an urlencoded body, and QueryKey has a hash of
// the query that urlkey has cut. They are never part of urlkey.
//
// What is read of a body lies in rooms of its own: json its leaves, amf its text, number how other
// tools print numbers. The documents that are followed are Request Body Canonicalization, URI path
// normalization, README.URL of WWWOFFLE and draft-hoehrmann-urlencoded-01; their examples are in
// testdata, with what pywb, warcio.js and the surt library make of the same input.
//
// Invariant: a key can always be made, and no input panics. For every URL that parses, the key is
// printable ASCII without a space, so that it can begin a CDXJ line; the one exception is a
// filedesc: pseudo URL, which stays as it is. Every function is pure: the same input gives the same
// key, on any machine and in any process. Time and memory are linear, whatever a page may send: the
// keys of a request of n bytes allocate no more than 128 n bytes and 16 MiB in all, most of them a
// tenth of that, and no query is longer than 1 MiB. A body whose values refer to each other, and
// that asks for more, has a budget of steps, not of time; beyond the budget it counts as binary
// (see Dialect.QueryWithin).
//
// Named differences follow from this: a body above MaxBody, or in Spec a body or query above 1 MiB,
// is named by its beginning, and so is the text of a FormKey; a multipart boundary is no regular
// expression, as it is in warcio.js; an AMF body of more than 262,144 values counts as binary; a
// host of more than 1024 bytes has no IDNA form.
package canon
