package store

import (
	"fmt"
	"hash/maphash"
	"slices"
	"time"
)

// Removed are captures that were removed from a collection. Whoever keeps lines by URL key and second
// loses with one of them all others of that second; and a part may be all that is left of a URL whose
// whole was removed. So an Export gives again, with a Since that has them, what is still there of their
// URL keys and seconds, and the parts of their URL keys. The zero value is ready.
type Removed struct {
	seed   maphash.Seed
	hashes []uint64 // of URL keys, and of URL keys and seconds
	sorted bool
}

// maxRemoved is how many captures a Removed takes: 64 MiB.
const maxRemoved = 1 << 22

// Add adds a capture by its URL and time, as one of a GET.
func (r *Removed) Add(url string, at time.Time) error {
	if len(r.hashes) >= 2*maxRemoved {
		return fmt.Errorf("more than %d captures were removed since: begin anew, with an empty token",
			maxRemoved)
	}
	if r.hashes == nil {
		r.seed = maphash.MakeSeed()
	}
	key := []byte(askedOf(url))
	key = key[:min(len(key), maxURLKey)] // as much as an indexKey has of it
	r.hashes = append(r.hashes, r.hash(key, nil), r.hash(key, appendSeconds(nil, FourDigitYear(at))))
	r.sorted = false
	return nil
}

// hash hashes a URL key, which has no space, and a second.
func (r *Removed) hash(urlKey, seconds []byte) uint64 {
	var h maphash.Hash
	h.SetSeed(r.seed)
	h.Write(urlKey)
	h.WriteByte(' ')
	h.Write(seconds)
	return h.Sum64()
}

// sort is called before has.
func (r *Removed) sort() {
	if r != nil && !r.sorted {
		slices.Sort(r.hashes)
		r.sorted = true
	}
}

// has reports whether a capture of that key was removed, and one of that key and second.
func (r *Removed) has(k indexKey) (ofKey, ofSecond bool) {
	if r == nil || len(r.hashes) == 0 || k.cut() {
		return false, false
	}
	if _, ofKey = slices.BinarySearch(r.hashes, r.hash(k.urlKey(), nil)); !ofKey {
		return false, false
	}
	_, ofSecond = slices.BinarySearch(r.hashes, r.hash(k.urlKey(), k.seconds()))
	return true, ofSecond
}
