package cmd

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"warcorder/store/collection"
	"warcorder/store/verify"
)

// leave leaves in the collection what was found in it. Where that cannot be written, what was found is
// as true as else.
func (c *verifyCommand) leave(line *commandLine, dir collection.Dir, began time.Time,
	found *verify.Summary, first string) {
	err := dir.SetVerified(collection.Verified{
		Version: version, Started: began, Ended: time.Now(), Files: found.Files, Bytes: found.Bytes,
		Captures: found.Captures, Indexed: found.Indexed, Findings: found.Findings, Notes: found.Notes,
		First: first, Remote: found.Remote, Away: found.Away,
	}, collection.DefaultMode)
	switch {
	case err == nil:
	case errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS):
		line.remark("status will not tell of this: the collection cannot be written to")
	default:
		fmt.Fprintf(os.Stderr, "status will not tell of this: %v\n", err)
	}
}

// lastVerify is what is told of the last verify of a collection.
type lastVerify struct {
	Time     time.Time `json:"ts,omitzero"` // when it ended
	OK       bool      `json:"ok"`
	Files    int       `json:"files"`
	Bytes    int64     `json:"bytes"`
	Captures int64     `json:"captures"` // of the index, that were compared
	Indexed  bool      `json:"indexed"`
	Problems int64     `json:"problems"`
	Notes    int64     `json:"notes"`
	First    string    `json:"first,omitempty"` // the first problem
	Remote   bool      `json:"remote"`          // object storage was read
	Away     int       `json:"away"`            // files that were away, read or not
	Words    string    `json:"words"`
}

// lastVerifyOf reads what the last verify has left; nil if there was none. What cannot be believed
// is told, and is no verify that was well.
func lastVerifyOf(dir collection.Dir) *lastVerify {
	v, err := dir.Verified()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return &lastVerify{Words: "what the last verify found is not known: " + err.Error()}
	}
	last := lastVerify{Time: v.Ended, OK: v.Findings == 0, Files: v.Files, Bytes: v.Bytes,
		Captures: v.Captures, Indexed: v.Indexed, Problems: v.Findings, Notes: v.Notes, First: v.First,
		Remote: v.Remote, Away: v.Away}
	last.Words = count(int(v.Findings), "finding") + " in " + count(v.Files, "file")
	if v.Findings == 0 {
		last.Words = fmt.Sprintf("nothing wrong in %s, %s", count(v.Files, "file"), bytesText(v.Bytes))
	}
	if !v.Indexed {
		last.Words += "; the index was not compared"
	}
	if v.Away > 0 && !v.Remote {
		last.Words += fmt.Sprintf("; not read in object storage: %s", count(v.Away, "file"))
	}
	return &last
}

// text is what a person reads of it.
func (v *lastVerify) text() string {
	switch {
	case v == nil:
		return "never"
	case v.Time.IsZero():
		return printable(v.Words)
	}
	return moment(v.Time) + ": " + v.Words
}

// lastVerifies looks at the last verify of a collection. Who asks for the state of a recorder does
// not wait for a disk.
func lastVerifies(dir collection.Dir) *lookout[*lastVerify] {
	return &lookout[*lastVerify]{
		look:     func() *lastVerify { return lastVerifyOf(dir) },
		interval: time.Second / 2,
		patience: time.Second / 4,
	}
}
