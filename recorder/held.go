package recorder

import "warcorder/recorder/record"

// Has reports whether is holds for a version of a page that the collection has, or will have as
// soon as it is written: the whole response 200 to a GET of that URL, or of another one with the
// same key. A revisit is one too, if what it refers to is there. Of each version is gets the
// validators, the latest version first, until it returns true; it must not call the recorder.
//
// At most the latest 16 versions in the index are read, of those among the 1000 latest captures
// with that key: a quarter of a millisecond each, once, and under a millisecond in all to find that
// there is none. What cannot be read does not count, nor does what lies in a file that is missing or
// away, nor what has a key that is longer than the index holds.
//
// A version goes from those in the queue to those that wait for the index, and from there to the
// index: it is looked for in that order, so that none is missed on its way.
func (r *Recorder) Has(url string, is func(record.Validators) bool) bool {
	return r.queue.coming.has(url, is) || r.originals.has(record.TargetURI(url), is)
}

// HasConfirmed reports whether the collection has, as Has says it, every version that a 304 to a
// request for that URL may confirm. request is the head of that request, which has If-None-Match or
// If-Modified-Since.
func (r *Recorder) HasConfirmed(url string, request []byte) bool {
	condition, ok := record.ConditionOf(request)
	return ok && r.Has(url, condition.Covers)
}
