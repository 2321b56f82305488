package collection

import (
	"path/filepath"
	"regexp"
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

// tornName is TornSuffix, or what Numbered makes of it, at the end of a name.
var tornName = regexp.MustCompile(`\.torn(\.\d+)?$`)

// StateOf says what a base name in archive/ tells of its file, and of which name the state is: the
// final one of a file that is open, that of the file that a copy is made of. It is "" for Other.
//
// We write no other open files than those with warc.Suffix, so that recovery, which cuts what is
// open, keeps off all others: to it Begun is as good as Other. Whoever only reads, or looks which
// names are taken, takes Begun for a WARC file.
func StateOf(name string) (state State, of string) {
	for suffix, state := range map[string]State{
		RecoveringSuffix: Recovering, CopyingSuffix: Copying, warc.RemovingSuffix: Removing,
	} {
		if of, cut := strings.CutSuffix(name, suffix); cut {
			if within, _ := StateOf(of); within != Finished && within != Open && within != Torn {
				return Other, ""
			}
			return state, of
		}
	}
	if suffix := tornName.FindString(name); suffix != "" {
		if of := strings.TrimSuffix(name, suffix); isFinished(of) || isOpen(of) {
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
