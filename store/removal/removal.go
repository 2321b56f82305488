// Package removal takes captures out of a collection: it says what goes with them, writes the files
// anew without it, and puts these into the places of the old ones. Start with [Make], whose Plan says
// what would go; nothing is changed before [Plan.Write].
//
// With a response or a revisit go its request and its metadata records, and what continues or
// converts it. A record stays that belongs to another capture too; so does damage, of which nobody
// can tell what it is. What a revisit that stays needs of a response that goes is moved into it: the
// first of them, by time, becomes a response, with its own head and the stored body; the others refer
// to that one from then on. The first of those without a head gets the body as well, with the head that
// it showed, and the others without one refer to that. One without a head that names a revisit which
// becomes a response refers to the response whose head it shows. A revisit that answers 304 has no body, and
// becomes a response 304. One that names a capture that goes, and has its body elsewhere, refers to
// that place. What a revisit may need that lies in a file that is missing stays, and so does a response of
// several segments that one needs. A continuation goes with its first segment, in whatever file that is
// searched.
//
//	old file  | warcinfo | response  request | revisit           request | … |
//	                       \______ goes ____/   becomes a response
//	new file  | warcinfo | response           request | … | tombstone |
//
// What is kept is copied byte for byte. A tombstone is a metadata record at the end of the file: see
// tombstone.go. The new file lies beside the old one, as collection.RewrittenSuffix says; who reads
// it before it takes the place is the caller's matter.
//
// Steps of a removal, and what a crash behind each leaves:
//
//	1 X.rewritten is written and synced, for each file    they are swept away: nothing has changed
//	2 the new index is written and synced                 the same
//	3 removal.json, which names both, is written          from here on it goes forward: Resume
//	4 X.rewritten -> X, each                              Resume does the rest
//	5 index.bolt.new -> index.bolt                        Resume does the rest
//	6 removal.json -> removal-rest.json                   Resume does the rest
//	7 exports, former indexes, copies of damage go        Resume does the rest
//	8 removal-rest.json -> removed.json                   nothing to do
//
// Until step 3 an error or a full disk leaves everything as it was, and the old index in use; behind
// it nothing is written any more. An error before the first rename of step 4 takes step 3 back, and
// leaves everything as it was too. A file of step 7 that cannot be removed is told, and left to people.
//
// Invariant: either nothing has changed, or all that was to go is gone; a crash at any point comes to
// one of the two when the collection is opened next. No byte of what stays is made anew, but of the
// revisits that are named above. No file is changed in place: a hard link to it, outside of the
// collection, keeps what it had.
//
// What foreign files say of themselves is not believed: where a gzip member ends is read, or is what the
// index has, which has read it.
//
// Memory: some 300 bytes for each capture that goes, 150 for each revisit that needs one, 56 for
// each response that revisits name and each stretch of records that goes, and some 150 for each
// record of the one file that is looked at. While a tombstone is written, three times the 16 MiB at
// most that its list has; while an earlier one forgets something, three times the 32 MiB that its
// block may have.
package removal

import (
	"errors"
	"fmt"
	"hash/maphash"
	"time"

	"warcorder/store"
)

// Order says what is to go.
type Order struct {
	// Captures calls yield with each capture that is to go, until yield returns false.
	Captures func(yield func(*store.Capture) bool) error

	// Alike, if it is not nil, are URLs that who has chosen may have meant, and that stay. It is
	// called behind Captures.
	Alike func() []string

	// Has, if it is not nil, reports whether a record goes that is no capture and belongs to none: a
	// request without an answer. Every file is searched for such records, if Everywhere says so, and
	// else those that have captures that go.
	Has        func(uri string, at time.Time) bool
	Everywhere bool

	// Page is what the pages were chosen by that go, if they were: the tombstones say it. With Forget
	// earlier ones that say it lose from their lists what Listed says.
	Page   string
	Listed func(uri string, at time.Time) bool

	// In, if it is not nil, says which files Has is for, by their base names. With Files somebody has
	// chosen these: what is of no file, a gap, goes only if a capture of its URL goes.
	In    func(name string) bool
	Files bool

	// Aged says that it is for what is too old of what was recorded here: nobody has named anything. A
	// page of an import goes only with its capture, a copy of damage only if nothing in it is younger,
	// and neither, nor a gap, if nothing goes from the files. A file that cannot be written anew stays, with
	// what it needs: the others do not wait for it. A response stays to which a revisit
	// without a body refers that stays: a 304 that says that it is still as it was.
	Aged bool

	ID     string    // of the tombstones, <urn:uuid:…>
	Time   time.Time // of the tombstones
	Reason string    // the operator's; "" for none
	Forget bool      // the tombstones do not say what was removed
}

// forgets reports what is taken from the lists of earlier tombstones; nil if nothing is.
func (o *Order) forgets() func(uri string, at time.Time) bool {
	switch {
	case !o.Forget:
		return nil
	case o.Page != "":
		return o.Listed
	}
	return o.Has
}

// MaxReason is how many bytes a reason may have.
const MaxReason = 1 << 10

// Summary is what a Plan does.
type Summary struct {
	Fingerprint string `json:"plan"` // the same for plans that change and take away the same

	Captures int64 `json:"captures"` // that go
	Records  int64 `json:"records"`  // that go: of the captures, their requests, and others
	Bytes    int64 `json:"bytes"`    // of these records as they are stored

	Files   int `json:"files"`   // that are written anew
	Emptied int `json:"emptied"` // of them, those of which no capture is left

	Moved      int64 `json:"moved"`      // revisits that become responses, with the body of one that goes
	Redirected int64 `json:"redirected"` // revisits that refer to one of these from then on
	Bodiless   int64 `json:"bodiless"`   // revisits without a body that become responses 304

	// In object storage.
	Copies       int   `json:"copies,omitempty"`       // of these files that have a copy there, with what goes
	Fetched      int   `json:"fetched,omitempty"`      // of these files that are brought back first
	FetchedBytes int64 `json:"fetchedBytes,omitempty"` // of those

	// What is left behind that nobody can look into, or that we do not reach.
	Damaged int64    `json:"damaged,omitempty"`  // bytes of damage in the files that are written anew
	Linked  []string `json:"linked,omitempty"`   // base names of these files that have other names elsewhere
	Unread  []string `json:"unread,omitempty"`   // paths in the collection that were not searched
	LeftOut []string `json:"left_out,omitempty"` // by age: files that cannot be written anew, and why
	Waiting int      `json:"waiting,omitempty"`  // captures in files that are not finished: they stay

	// Captures that were chosen, and stay.
	Away      int `json:"away,omitempty"`      // they lie in files that are missing
	Needed    int `json:"needed,omitempty"`    // files that are missing may need them, or they are segmented
	Confirmed int `json:"confirmed,omitempty"` // 304s that stay confirm them

	First []URL `json:"first,omitempty"` // that go or wait, the first 20 by key
	URLs  int   `json:"urls,omitempty"`  // how many there are

	Alike []string `json:"alike,omitempty"` // URLs that stay, and may have been meant

	Gaps  int64 `json:"gaps,omitempty"`  // of the gap list, that name what goes
	Pages int   `json:"pages,omitempty"` // of the list that imports have brought

	Rest []string `json:"rest,omitempty"` // paths in the collection that go: exports, old indexes, …
}

// IsEmpty reports whether nothing goes.
func (s *Summary) IsEmpty() bool {
	return s.Files == 0 && s.Gaps == 0 && s.Pages == 0 && len(s.Rest) == 0
}

// ErrAgain says that a file has changed since it was looked at: who tries again plans anew.
var ErrAgain = errors.New("the collection has changed meanwhile")

// The errors of a plan that cannot be made.
var (
	errNoRecord = errors.New("the index has a capture here, and no record begins here: let warcorder " +
		"rebuild run, and remove then")
	errNoOriginal = errors.New("the response that revisits need cannot be read, so that it cannot be " +
		"moved into them: select these revisits too, or put the file right")
	errSegmented = errors.New("it is the first segment of several")
)

// seed hashes what comes from files, so that nobody can make two of them the same.
var seed = maphash.MakeSeed()

// hashed is what stands for a text, such as the ID of a record.
type hashed uint64

func hashOf(text string) hashed {
	if text == "" {
		return 0
	}
	return hashed(maphash.String(seed, text)) | 1
}

// sourceKey is what stands for a response by its URL and time, as a revisit names it.
func sourceKey(url string, t time.Time) hashed {
	return hashOf(fmt.Sprintf("%d %s", t.UnixMicro(), url))
}
