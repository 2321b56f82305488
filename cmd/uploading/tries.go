package uploading

import "time"

// tries are the files that have failed, by name: they are tried again later and later, so that one that
// never succeeds costs little.
type tries map[string]try

type try struct {
	times  int
	why    string
	next   time.Time
	silent bool // the storage has not answered, or refused: not the file may be at fault
}

const (
	firstTry = time.Minute
	lastTry  = time.Hour

	// mostTries is of how many files it is known that they have failed.
	mostTries = 10_000
)

// failed notes that a file has failed, and reports whether that is news. silent is whether the storage has
// not answered, or refused.
func (t tries) failed(file, why string, silent bool, now time.Time) (news bool) {
	last := t[file]
	pause := min(firstTry<<min(last.times, 10), lastTry)
	if len(t) < mostTries || last.times > 0 {
		t[file] = try{last.times + 1, why, now.Add(pause), silent}
	}
	return last.why != why
}

// waits reports whether a file is to be left alone for now.
func (t tries) waits(file string, now time.Time) bool {
	last, failed := t[file]
	return failed && now.Before(last.next)
}

// good forgets that a file has failed.
func (t tries) good(file string) { delete(t, file) }

// again lets what the storage has not answered, or refused, be tried in the next round: it was the storage.
func (t tries) again() {
	for file, last := range t {
		if last.silent {
			last.next = time.Time{}
			t[file] = last
		}
	}
}
