package pushing

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"warcorder/store/outbackcdx"
)

// The kinds of targets.
const (
	OutbackCDX = "outbackcdx"
	Parquet    = "parquet"
)

// Target is who is given what is new.
type Target struct {
	kind   string
	text   string             // all of it, with what is secret
	at     string             // without what is secret
	server *outbackcdx.Server // of an OutbackCDX
	shelf  shelf              // of a table
}

// errTarget says what a target is.
var errTarget = errors.New("write outbackcdx=http://HOST:PORT/COLLECTION, parquet=s3://BUCKET/PREFIX or " +
	"parquet=DIRECTORY")

// ParseTarget reads a target as the setting push has it, KIND=ADDRESS. The error names nothing that is
// secret.
func ParseTarget(text string) (Target, error) {
	kind, address, found := strings.Cut(text, "=")
	if !found || kind != OutbackCDX && kind != Parquet {
		return Target{}, fmt.Errorf("this is no feed: %w", errTarget)
	}
	return NewTarget(kind, address, "")
}

// NewTarget returns the target of a kind at an address. What an OutbackCDX is shown as the field
// Authorization is authorization, if it is not "".
func NewTarget(kind, address, authorization string) (t Target, err error) {
	t.kind, t.text = kind, kind+"="+address+" "+authorization
	switch {
	case kind == OutbackCDX:
		if t.server, err = outbackcdx.NewServer(address, authorization); err == nil {
			t.at = t.server.String()
		}
	case address == "":
		err = fmt.Errorf("a table has no place: %w", errTarget)
	case strings.Contains(address, "://"):
		t.shelf, err = bucketAt(address)
	default:
		t.shelf, err = directoryAt(address)
	}
	if t.shelf != nil {
		t.at = t.shelf.String()
	}
	return t, err
}

// String is the target as the setting has it, without what is secret.
func (t *Target) String() string { return t.kind + "=" + t.at }

// key is what tells one feed from another: another password is another one.
func (t *Target) key() string { return t.text }

// Kind is OutbackCDX or Parquet.
func (t *Target) Kind() string { return t.kind }

// Address is the address without what is secret.
func (t *Target) Address() string { return t.at }

// Directory is where a table is, if that is a directory; else "".
func (t *Target) Directory() string {
	if d, is := t.shelf.(directory); is {
		return string(d)
	}
	return ""
}

// ID is what tells one target from another, for the name of a token file.
func (t *Target) ID() string {
	if t.kind == OutbackCDX {
		return t.at // as it was before there were tables
	}
	return t.String()
}

// directoryAt returns the shelf in a directory.
func directoryAt(path string) (shelf, error) {
	whole, err := filepath.Abs(path)
	return directory(whole), err
}
