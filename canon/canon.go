// Package canon computes the keys under which a capture is found again. Begin
// with SURT, which turns a URL into the index's key (urlkey), and with
// WithMethod, which first marks a URL with the request's method.
//
// SURT (Sort-friendly URI Reordering Transform) writes the host from its top
// level down, so that a sorted index keeps a site together, and folds spellings
// that archives treat as one resource:
//
//	https://www.Example.com:443/a/../b/?y=2&x=%31#top  ->  com,example)/b?x=1&y=2
//
// The keys are those of pywb, cdxj-indexer and the surt library: an index
// written here can be looked up there.
//
// Invariant: a key can always be made, and no input panics. For every URL that
// parses, the key is printable ASCII without a space, so that it can begin a
// CDXJ line; the one exception is a filedesc: pseudo URL, which stays as it is.
// Every function is pure: the same input gives the same key, on any machine and
// in any process.
package canon
