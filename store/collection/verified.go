package collection

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"
)

// Verified is what verified.json says of the last time that all of a collection was verified. It is
// of that moment: what has become of the files since then it does not know.
//
//	{"verified":1, …}   the members below; another number is of another program, and is not read
type Verified struct {
	Format   int       `json:"verified"` // verifiedFormat
	Version  string    `json:"version"`  // of the program that verified
	Started  time.Time `json:"started"`
	Ended    time.Time `json:"ended"`
	Files    int       `json:"files"` // that were read
	Bytes    int64     `json:"bytes"`
	Captures int64     `json:"captures"` // of the index, that were compared
	Indexed  bool      `json:"indexed"`  // there was an index, and nobody had it open
	Findings int64     `json:"findings"` // of what is wrong
	Notes    int64     `json:"notes"`    // of what is odd
	First    string    `json:"first"`    // where the first finding is, and its code; "" if there is none
	Remote   bool      `json:"remote"`   // object storage was read, too
	Away     int       `json:"away"`     // files that were away, read or not
}

const (
	verifiedFormat = 1
	maxVerified    = 64 << 10 // more bytes than a verified.json of ours has
	maxFirst       = 1000     // bytes of Verified.First
)

// NotVerifiedError says that verified.json has other content than verify leaves, as opposed to a read
// error: nothing of it is to be believed.
type NotVerifiedError struct{ err error }

func (e *NotVerifiedError) Error() string {
	return fmt.Sprintf("%s is not what verify leaves (%v): verify replaces it", verifiedName, e.err)
}

func (e *NotVerifiedError) Unwrap() error { return e.err }

// Verified reads verified.json. The error wraps fs.ErrNotExist if the collection was never verified,
// and is a NotVerifiedError if the file is none of ours.
func (d Dir) Verified() (v Verified, err error) {
	file, err := OpenRegular(d.verified())
	if errors.Is(err, errNotRegular) {
		err = &NotVerifiedError{err}
	}
	if err != nil {
		return v, err
	}
	defer file.Close()
	b, err := io.ReadAll(io.LimitReader(file, maxVerified+1))
	if err != nil {
		return v, err
	}
	if len(b) > maxVerified {
		return v, &NotVerifiedError{errors.New("it is too long")}
	}
	if err := json.Unmarshal(b, &v); err != nil {
		return Verified{}, &NotVerifiedError{err}
	}
	if err := v.check(); err != nil {
		return Verified{}, &NotVerifiedError{err}
	}
	return v, nil
}

// check refuses what cannot have been found.
func (v *Verified) check() error {
	switch {
	case v.Format != verifiedFormat:
		return fmt.Errorf("its format is %d, and not %d", v.Format, verifiedFormat)
	case v.Started.IsZero() || v.Ended.Before(v.Started):
		return errors.New("its times are none of a work")
	case min(int64(v.Files), v.Bytes, v.Captures, v.Findings, v.Notes, int64(v.Away)) < 0:
		return errors.New("it counts less than nothing")
	case len(v.First) > maxFirst:
		return errors.New("its first finding is too long")
	}
	return nil
}

// SetVerified writes verified.json, durably, in the place of what was there. Nobody needs the lock for
// it: the last one who verified is right.
func (d Dir) SetVerified(v Verified, mode Mode) error {
	v.Format = verifiedFormat
	v.First = strings.ToValidUTF8(v.First, "?")
	if len(v.First) > maxFirst {
		v.First = strings.ToValidUTF8(v.First[:maxFirst-len("…")], "") + "…"
	}
	b, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	err = Write(d.verified(), mode, func(w io.Writer) error {
		_, err := w.Write(append(b, '\n'))
		return err
	})
	if err != nil {
		return err
	}
	return d.Sync()
}
