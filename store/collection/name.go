package collection

import (
	"path/filepath"
	"slices"
	"strings"

	"warcorder/store/warc"
)

// These suffixes follow the name of a WARC file. Two more are in package warc, which writes under
// them: OpenSuffix and RemovingSuffix.
const (
	TornSuffix       = ".torn"       // copy of what recovery has cut
	RecoveringSuffix = ".recovering" // takes the place of a damaged file when it is whole
	CopyingSuffix    = ".copying"    // a copy while it is made
	RewrittenSuffix  = ".rewritten"  // takes the place of a file of which records are removed
)

// UnreadableSuffix is behind the names of files in spill/ that cannot be recorded.
const UnreadableSuffix = ".unreadable"

// State is what a name in archive/ says of its file.
type State int

const (
	Other      State = iota // the file is none of a collection's
	Finished                // a WARC file of any tool
	Open                    // a WARC file of ours: it is being written, or a crash has left it
	Begun                   // a WARC file that another tool has not finished
	Torn                    // a copy of what recovery has cut
	Recovering              // takes the place of a damaged file when it is whole
	Copying                 // a copy while it is made
	Removing                // about to be removed
	Rewritten               // takes the place of a file of which records are removed
)

// atWork are the states that end with the work of which they are a part.
var atWork = [...]struct {
	suffix string
	state  State
}{{RecoveringSuffix, Recovering}, {CopyingSuffix, Copying}, {warc.RemovingSuffix, Removing},
	{RewrittenSuffix, Rewritten}}

// StateOf returns the state that a base name in archive/ tells, and the name without what tells it:
// of an open file the final name, of a copy the name of the original. Of Other that is "".
//
// Begun differs from Open since our own open files all end in warc.Suffix and warc.OpenSuffix.
// Recovery cuts open files, so it must leave those of other tools alone. Verify, which only reads,
// takes files in both states.
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

// restingState is StateOf without the states of atWork.
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

// cutTorn cuts TornSuffix off a name, with the number that Numbered may have put behind it.
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

// Reserved returns what a collection keeps under a name like the last one of path: "a WARC file" or
// "the index of a collection". It returns "" for a path to which anything may be written.
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
