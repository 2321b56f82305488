package collection

import (
	"path/filepath"
	"slices"
	"strings"

	"warcorder/store/warc"
)

// What follows the name of a WARC file while, or because, recovery or an import works at it. Two
// more are package warc's: OpenSuffix and RemovingSuffix.
const (
	// TornSuffix is of the copy of what recovery has cut.
	TornSuffix = ".torn"

	// RecoveringSuffix is of the file that will take the place of a damaged one.
	RecoveringSuffix = ".recovering"

	// CopyingSuffix is of a copy while it is made.
	CopyingSuffix = ".copying"
)

// State is what a name in archive/ says of its file.
type State int

const (
	Other      State = iota // nothing: it is no file of a collection
	Finished                // a WARC file of any tool
	Open                    // ours, and being written, or left by a crash
	Begun                   // named like an open one, but not as ours are: another tool's
	Torn                    // copy of what was cut
	Recovering              // will take the place of a damaged file
	Copying                 // copy that is being made
	Removing                // about to go
)

// atWork are the states of files that are there only while something is done with another one.
var atWork = [...]struct {
	suffix string
	state  State
}{{RecoveringSuffix, Recovering}, {CopyingSuffix, Copying}, {warc.RemovingSuffix, Removing}}

// StateOf says what a base name in archive/ tells of its file, and of which name the state is: the
// final one of a file that is open, that of the file that a copy is made of. It is "" for Other.
//
// We write no other open files than those with warc.Suffix, so that recovery, which cuts what is
// open, keeps off all others: to it Begun is as good as Other. Whoever only reads, or looks which
// names are taken, takes Begun for a WARC file.
func StateOf(name string) (state State, of string) {
	for _, work := range atWork {
		if of, cut := strings.CutSuffix(name, work.suffix); cut {
			if within, _ := restingState(of); within == Other || within == Begun {
				return Other, ""
			}
			return work.state, of
		}
	}
	return restingState(name)
}

// restingState is StateOf but for the states in which nothing stays.
func restingState(name string) (state State, of string) {
	if of, torn := cutTorn(name); torn {
		if isFinished(of) || isOpen(of) {
			return Torn, of
		}
		return Other, ""
	}
	of = strings.TrimSuffix(name, warc.OpenSuffix)
	switch {
	case !isFinished(of):
		return Other, ""
	case of == name:
		return Finished, name
	case isOpen(name):
		return Open, of
	}
	return Begun, of
}

// cutTorn cuts TornSuffix off a name, or what Numbered makes of it.
func cutTorn(name string) (of string, torn bool) {
	if bare := strings.TrimRight(name, "0123456789"); bare != name {
		name = strings.TrimSuffix(bare, ".")
		if name == bare {
			return "", false
		}
	}
	return strings.CutSuffix(name, TornSuffix)
}

// IsWARC reports whether a name is that of a finished WARC file of any tool.
func IsWARC(name string) bool {
	state, _ := StateOf(name)
	return state == Finished
}

func isFinished(name string) bool {
	return slices.ContainsFunc(warc.Suffixes(),
		func(suffix string) bool { return strings.HasSuffix(name, suffix) })
}

func isOpen(name string) bool { return strings.HasSuffix(name, warc.Suffix+warc.OpenSuffix) }

// Reserved says what of a collection has the name that a path ends with: "a WARC file", "the index
// of a collection", or "" if nothing has. Nothing else should be written there.
func Reserved(path string) string {
	name := filepath.Base(path)
	switch state, _ := StateOf(name); {
	case state == Finished || state == Open || state == Begun:
		return "a WARC file"
	case strings.HasPrefix(name, IndexName): // or one that was set aside
		return "the index of a collection"
	}
	return ""
}
