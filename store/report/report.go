// Package report says of each page what of it is not in the archive, or cannot be shown again: what
// broke off or came in parts, what no origin answered, what was refused on either side, what others
// cannot read, what is gone. Start with [New] and [Reports.Each]; [Report] is what comes.
//
// What is wrong is found in three places: the index knows what is truncated and what is a part
// (store.Bolt.Replayable leaves out those whose whole is there); the heads of the records tell of
// refusals and codings; and the gap list has what left no record. A capture has a page by the
// timeline (package pages), and so has a gap.
//
// Invariant: each capture is looked at once, in the order in which it lies in the files, and of its
// record no more is read than the head. However many captures and pages there are, no more than a
// page and its first findings are in memory; the rest is sorted in temporary files.
package report

import (
	"context"
	"errors"
	"fmt"
	"time"

	"warcorder/store"
	"warcorder/store/pages"
	"warcorder/store/readback"
)

// Kind is a way in which something is wrong.
type Kind string

// The kinds, in the order in which they are told.
const (
	Failed     Kind = "failed"     // the origin gave no answer, or it could not be written
	Cut        Kind = "cut"        // what broke off, and whose whole is not there
	Part       Kind = "part"       // status 206, and the whole is not there
	Refused    Kind = "refused"    // the recorder turned the request away
	Unrecorded Kind = "unrecorded" // passed on without being read

	Forbidden   Kind = "forbidden"   // 403, or a firewall has blocked the request
	TooMany     Kind = "tooMany"     // 429
	Unavailable Kind = "unavailable" // 503
	Challenge   Kind = "challenge"   // a page that asks for a browser, or a human

	Coding  Kind = "coding"  // a content coding that other readers of archives do not know
	Missing Kind = "missing" // it was recorded, and cannot be read any more
	Crash   Kind = "crash"   // a recorder did not come to its end
	Outside Kind = "outside" // a revisit whose body is in another archive (dedup-from): nothing is wrong
)

// Kinds are all of them, in their order.
var Kinds = []Kind{Failed, Cut, Part, Refused, Unrecorded, Forbidden, TooMany, Unavailable, Challenge,
	Coding, Missing, Crash, Outside}

// Finding is what is wrong with one URL.
type Finding struct {
	Kind   Kind   `json:"kind"`
	URL    string `json:"url"` // of an exchange; the name of a file that is missing; else ""
	Time   string `json:"ts"`  // of the first time; RFC 3339, in UTC
	Times  int    `json:"times"`
	Status int    `json:"status,omitempty"`
	Detail string `json:"detail,omitempty"` // what happened, in words

	// Received is how many bytes came of the body of what broke off, and Expected how many its head
	// told of; both are 0 where it told none. Of several answers that is the one that got furthest.
	Received int64 `json:"received,omitempty"`
	Expected int64 `json:"expected,omitempty"`

	// Needs is the record in another archive without which it shows nothing; of Outside.
	Needs *readback.Outside `json:"needs,omitempty"`
}

// Wrong is what is wrong with a page, or with what belongs to none.
type Wrong struct {
	Counts   map[Kind]int `json:"wrong"`    // URLs, by kind
	Findings []Finding    `json:"findings"` // by kind and URL, no more than MostFindings
}

// IsWrong reports whether anything is. What is outside is where the operator wants it to be.
func (w *Wrong) IsWrong() bool {
	for kind, n := range w.Counts {
		if n > 0 && kind != Outside {
			return true
		}
	}
	return false
}

// MostFindings is how many findings of a page are told one by one. The others are counted.
const MostFindings = 100

// Report is what is wrong with a page.
type Report struct {
	ID        string `json:"id"`
	URL       string `json:"url"`
	Time      string `json:"ts"` // RFC 3339, in UTC
	Resources int    `json:"resources"`
	Whole     bool   `json:"whole"` // nothing is wrong; what is outside is not
	Wrong
}

// Total is what is said when all pages have been.
type Total struct {
	Pages int `json:"pages"`
	Whole int `json:"whole"` // how many of them are

	// Elsewhere is what belongs to no page; nil where one page was asked for.
	Elsewhere *Wrong `json:"elsewhere,omitempty"`

	// Unrecorded is how many exchanges passed unrecorded since the index was made, as the operator
	// wished. They are only counted.
	Unrecorded int64 `json:"unrecorded"`

	Untimed int64 `json:"untimed"` // captures of older versions, whose pages are not known
}

// Selection selects pages.
type Selection struct {
	Page     string // an ID, or a URL; "" is all
	From, To string // as store.CheckPeriod takes them
}

// ErrNoPage says that there is no such page.
var ErrNoPage = errors.New("there is no such page: warcorder pages lists all")

// Check returns an error unless pages can be selected so.
func (s Selection) Check() error {
	if s.Page != "" && s.From+s.To != "" {
		return errors.New("a page has its time: leave out from and to")
	}
	return store.CheckPeriod(s.From, s.To)
}

// Reports are those of the pages of one collection.
type Reports struct {
	TempDir string // where what does not fit into memory is sorted; "" is os.TempDir

	// Gaps returns the newest gaps, as Bolt.Gaps does: a recorder knows some before its index.
	Gaps func(limit int) (store.Gaps, error)

	index  *store.Bolt
	files  *readback.Files
	pages  *pages.Pages
	memory int // of each of the sorters; 0 is their default
}

// New returns the reports of a collection with that index, of whose files it reads heads.
func New(index *store.Bolt, files *readback.Files) *Reports {
	return &Reports{Gaps: index.Gaps, index: index, files: files, pages: pages.New(index, files)}
}

// Each gives the report of each page that is selected, in the order of time. If something is removed
// from the collection before the first one, the error is store.ErrReplaced: places that were found
// before are none any more, and what lies there would be told as missing.
func (r *Reports) Each(ctx context.Context, s Selection, each func(*Report) error) (total Total, err error) {
	if err := s.Check(); err != nil {
		return total, err
	}
	reading := r.files.Dir().Reading()
	w := work{Reports: r, selection: s}
	w.places.Dir, w.places.Memory = r.TempDir, r.memory
	w.found.Dir, w.found.Memory = r.TempDir, r.memory
	w.told.Dir, w.told.Memory = r.TempDir, r.memory
	defer func() { err = errors.Join(err, w.places.Close(), w.found.Close(), w.told.Close()) }()
	err = w.find(ctx, &total)
	if !reading.IsSame() {
		err = store.ErrReplaced
	}
	if err != nil {
		return total, err
	}
	return total, w.tell(ctx, each)
}

// find finds all that there is to tell.
func (w *work) find(ctx context.Context, total *Total) (err error) {
	if err := w.selectPages(ctx); err != nil {
		return fmt.Errorf("pages: %w", err)
	}
	if err := w.placeAll(ctx); err != nil {
		return fmt.Errorf("captures: %w", err)
	}
	if err := w.judgeAll(ctx); err != nil {
		return err
	}
	if total.Untimed, err = w.index.Untimed(); err != nil {
		return err
	}
	total.Unrecorded = w.unrecorded
	return w.collect(ctx, total)
}

// second is a time as a store.Query takes it.
func second(t time.Time) string { return t.UTC().Format("20060102150405") }

// stamp is a time as it is told.
func stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }
