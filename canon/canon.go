// Package canon computes the keys under which a capture is found again. Begin
// with Dialect.Keys, which gives all that the index stores of a request; SURT
// alone turns a URL into the index's key (urlkey).
//
// SURT (Sort-friendly URI Reordering Transform) writes the host from its top
// level down, so that a sorted index keeps a site together, and folds spellings
// that archives treat as one resource:
//
//	https://www.Example.com:443/a/../b/?y=2&x=%31#top  ->  com,example)/b?x=1&y=2
//
// What was posted to a URL becomes part of it first: the method as an argument,
// and the body as a query, JSON and forms member by member. How, is a matter of
// the Dialect:
//
//	POST http://example.com/a {"id":1,"tags":["x","y"]}
//	  ->  http://example.com/a?__wb_method=POST&id=1&tags=x&tags.2_=y
//
// In Pywb, the default, the keys are those of pywb, cdxj-indexer and the surt
// library: an index written here can be looked up there.
//
// Beside urlkey there are keys of other kinds, for lookups that shall meet more
// spellings or tell more apart: Profiles writes a path as its site does, WWWOFFLE
// is that proxy's canonical URL, and FormKey is the same for all spellings of an
// urlencoded body. They are never part of urlkey.
//
// Invariant: a key can always be made, and no input panics. For every URL that
// parses, the key is printable ASCII without a space, so that it can begin a
// CDXJ line; the one exception is a filedesc: pseudo URL, which stays as it is.
// Every function is pure: the same input gives the same key, on any machine and
// in any process. Time grows with the input's length alone, and memory by a few
// times that, up to MaxBody for a body.
package canon
