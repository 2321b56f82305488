package metrics

import (
	"strings"
	"time"

	"warcorder/proxy"
	"warcorder/recorder"
	"warcorder/recorder/outside"
)

// Facts are what is told of a recorder, all of one moment.
type Facts struct {
	Recorder recorder.Measures
	Proxy    proxy.Measures

	Recording bool // new exchanges are recorded: nothing keeps them from it, and nobody has paused it
	Paused    bool
	Ready     bool // clients are served

	Leaves     int64     // certificates that were signed
	LeavesKept int       // those of them that are in memory
	RootEnds   time.Time // when the first certificate of the authority expires

	Viewers    int // who follow /events
	LogDropped int64
	Jobs       []Jobs

	Feeds []Feed // who are given the index, in their order

	Upload *Upload // nil: nothing is uploaded

	Verified *Verified // the last verify of the collection; nil: there was none, or it is not known
}

// Jobs are what people have asked a recorder to do, of one kind.
type Jobs struct {
	Kind             string
	Waiting, Running int
}

// Feed is how it goes with one who is given the index.
type Feed struct {
	Lag             float64 // how long ago it had all that there was, in seconds
	Lines, Failures int64
	Up              bool
}

// Upload is how it goes with files and object storage.
type Upload struct {
	Finished, Stored, Away, Stale         int64 // files, by state
	FinishedBytes, StoredBytes, AwayBytes int64
	Lag                                   float64 // how long ago the oldest was finished that waits, in seconds
	Sent, Failures                        int64
	Up                                    bool
}

// Verified is what a verify has found.
type Verified struct {
	OK bool
	At time.Time // zero if that is not known
}

// archives are the archives of dedup-from, one for each name. A name that is given twice has the sums:
// a series must not come twice.
func (f *Facts) archives() (all []outside.Status) {
	at := map[string]int{}
	for _, one := range f.Recorder.DedupFrom {
		one.Archive = strings.ToValidUTF8(one.Archive, "?")
		i, known := at[one.Archive]
		if !known {
			at[one.Archive] = len(all)
			all = append(all, one)
			continue
		}
		sum := &all[i]
		sum.Found, sum.Asked, sum.Failed = sum.Found+one.Found, sum.Asked+one.Asked, sum.Failed+one.Failed
		sum.Refused, sum.Passed = sum.Refused+one.Refused, sum.Passed+one.Passed
		if sum.Reason == "" {
			sum.Reason = one.Reason
		}
	}
	return all
}

// otherReason is what stands for reasons of gaps that this program does not know: of a collection in
// which another version has recorded.
const otherReason = "other"

// byReason tells how many gaps there are, of each reason; zeros too, so that an increase from none is
// seen.
func byReason(gaps map[string]int64, out func(float64, ...string)) {
	var known, all int64
	for _, reason := range recorder.GapReasons {
		out(float64(gaps[reason]), reason)
		known += gaps[reason]
	}
	for _, n := range gaps {
		all += n
	}
	out(float64(all-known), otherReason)
}
