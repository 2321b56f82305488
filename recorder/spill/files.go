package spill

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"warcorder/recorder/record"
	"warcorder/store/collection"
)

// Holder is whatever has bytes that may spill: an exchange, or a record that is no exchange.
type Holder interface {
	// Sides are the buffers of the bytes: of an exchange request and response. They are the same two
	// at each call.
	Sides() [2]*Buffer

	// Source brings the bytes, and is closed when the room on disk goes to others; nil if nobody
	// brings them. It is called from the goroutine that writes a side.
	Source() io.Closer

	// Describe fills in what is known beside the bytes: with whole all of it, since nothing more
	// comes; else what does not change any more, for the other side may still be written to.
	Describe(line *Sidecar, whole bool)
}

// Files are what an exchange has on disk before its records are, from when one of its sides leaves
// memory until they are in a WARC file:
//
//	spill/NAME.jsonl     the sidecar: facts of the exchange, a line whenever there are new ones
//	spill/NAME.request   the bytes of a side, as they crossed the wire
//	spill/NAME.response
//
// NAME is the moment at which the exchange began, and the beginning of its record's ID:
// 20060102150405.000-0123456789ab. The states of the files, and what the next start does with what
// it finds in them:
//
//	call               the folder then has                       the next start
//	Begin              nothing                                   -
//	Buffer leaves      NAME.jsonl with a line, then a side       records it as truncated
//	Note("", 0)        a line with done, all bytes in the files  records it as a whole
//	Note(warc, offset) a line that names the WARC file too       looks there for its records first
//	Leave              the same; the caller has the path         -
//	Remove             NAME.removing, then nothing               removes the rest
//	SetAside           the files, with .unreadable behind them   leaves them alone
//
// Each line of the sidecar holds all facts by itself, with the bytes of a side that is in memory,
// and the last whole line counts. The sidecar is there before a side, and goes before it, by way of
// NAME.removing. A line with done means that the client may have had the whole answer: all of it is
// in the files then, in the system's hands. Nothing is forced to disk: a process that is killed
// loses nothing of what is there, and for a machine that loses power the checksums tell what is
// good.
//
// The zero Files has nothing on disk. Each side may be written by a goroutine of its own; all else
// is for the owner of the exchange.
type Files struct {
	of    Holder
	begun atomic.Bool // its files are there

	mu   sync.Mutex // held while the sidecar is written
	path string     // of the files, without their endings
	last *Sidecar   // the line found at the start; nil if the exchange is of this run
	ids  record.IDs // of the records, by which the next start knows whether they are in a WARC file
}

// The endings of the files' names. Callers need those that the log names, or that tests look for.
const (
	SidecarSuffix  = ".jsonl"
	requestSuffix  = ".request"
	ResponseSuffix = ".response"

	comingSuffix = ".new"      // of what is about to be the sidecar
	goingSuffix  = ".removing" // of the sidecar while the rest goes
)

// suffixes are all endings, in the order in which Remove takes the files away.
var suffixes = []string{SidecarSuffix, comingSuffix, requestSuffix, ResponseSuffix, goingSuffix}

// Begin makes the files those of a holder whose buffers are empty, and lets the buffers draw from
// m. Nothing is on disk yet.
func (s *Files) Begin(of Holder, m *Memory) {
	s.of = of
	for _, b := range of.Sides() {
		b.memory, b.spill = m, s
	}
}

// HaveBegun reports whether something has spilled: there is a sidecar then. The records of the
// exchange must get the IDs that it returns, by which the next start finds them.
func (s *Files) HaveBegun() (record.IDs, bool) { return s.ids, s.begun.Load() }

// start makes the sidecar when the first side is about to leave memory. What the other one has is
// written down with it.
func (s *Files) start(leaving *Buffer) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.begun.Load() {
		return nil
	}
	var random record.IDSource
	s.ids = record.IDs{Response: random.Next(), Request: random.Next(), Metadata: random.Next()}
	line := s.facts(false)
	name := fmt.Sprintf("%s-%x", line.Started.UTC().Format("20060102150405.000"), s.ids.Response[:6])
	s.path = filepath.Join(leaving.memory.dir, name)
	for _, b := range s.of.Sides() {
		if b != leaving {
			*line.side(s, b) = b.snapshot()
		}
	}
	err := s.append(line)
	// somebody has removed the folder
	if errors.Is(err, fs.ErrNotExist) && collection.MakeDir(leaving.memory.dir, 0o700) == nil {
		err = s.append(line)
	}
	s.begun.Store(err == nil)
	return err
}

// snapshot is what a side has in memory, if it has not spilled.
func (b *Buffer) snapshot() *side {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file != nil || b.chunk == nil {
		return nil
	}
	return b.inMemory()
}

// inMemory is a side that has not spilled. The bytes are copies: while they are written down, more
// may come, and what is in memory move to another place.
func (b *Buffer) inMemory() *side {
	return &side{Length: b.size, Bytes: bytes.Clone(b.Bytes())}
}

// Note writes down how the exchange stands, when nothing more comes, or has to come for its client
// to have it whole. All that came is brought to the files before. into is the final base name of
// the WARC file to which its records go next, behind the offset at, in bytes; "" and 0 if that is
// not known. Files that have not begun need no note. The error is one of the disk, and turns
// recording off; the bytes that could not be brought there are still in memory.
func (s *Files) Note(into string, at int64) error {
	if !s.begun.Load() {
		return nil
	}
	err := s.noteDown(into, at)
	if err != nil {
		s.of.Sides()[0].memory.failed(fmt.Errorf("spill: %w", err))
	}
	return err
}

// noteDown is Note of files that have begun. Of an exchange that was found at the start only the
// place of its records is new.
func (s *Files) noteDown(into string, at int64) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.last != nil {
		line := *s.last
		line.Into, line.At = into, at
		return s.replace(&line)
	}
	line := s.facts(true)
	line.Done, line.Into, line.At = true, into, at
	if line.Ended.IsZero() {
		line.Ended = time.Now()
	}
	for _, b := range s.of.Sides() {
		var whole bool
		if *line.side(s, b), whole = b.saved(); !whole {
			line.Done = false
		}
	}
	return s.append(line)
}

// saved brings a side to its file, and says what is there; of one in memory it is the bytes. It is
// not whole if a part of what came could not be brought there.
func (b *Buffer) saved() (s *side, whole bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.file == nil {
		return b.inMemory(), true
	}
	_ = b.flushAll() // who writes next, or commits, is told
	return &side{Length: b.spilled, CRC32: b.crc}, b.spilled == b.size
}

// facts begins a line with what is known beside the bytes; if whole, nothing more will be.
func (s *Files) facts(whole bool) *Sidecar {
	line := &Sidecar{
		Format: sidecarFormat,
		IDs:    IDs{s.ids.Response.String(), s.ids.Request.String(), s.ids.Metadata.String()},
	}
	s.of.Describe(line, whole)
	return line
}

// side is where a side's state stands in a line.
func (line *Sidecar) side(s *Files, b *Buffer) **side {
	if b == s.of.Sides()[0] {
		return &line.Request
	}
	return &line.Response
}

// append appends a line.
func (s *Files) append(line *Sidecar) error {
	return writeLine(s.path+SidecarSuffix, os.O_APPEND, line)
}

// replace makes a line the only one of a sidecar that was found at the start. That file is not
// written to: in a copy of the collection it may be a link to what another recorder has.
func (s *Files) replace(line *Sidecar) error {
	made := s.path + comingSuffix
	if err := os.Remove(made); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeLine(made, os.O_EXCL, line); err != nil {
		return err
	}
	return os.Rename(made, s.path+SidecarSuffix)
}

// fileOf is the path of a side's file.
func (s *Files) fileOf(b *Buffer) string {
	if b == s.of.Sides()[0] {
		return s.path + requestSuffix
	}
	return s.path + ResponseSuffix
}

// Leave makes the files outlive the exchange, which has none from then on. It returns their path,
// without the endings of their names, for Remove or SetAside; "" if there are none.
func (s *Files) Leave() (path string) {
	if !s.begun.Swap(false) {
		return ""
	}
	return s.path
}

// Remove removes the files of an exchange that is recorded or forgotten; path is what Leave has
// returned. The files must be closed. Until they are gone the name NAME.removing tells why they
// have no sidecar: files that merely lack one are set aside by the next start. If the sidecar
// cannot be renamed, the sides stay, and the error says why. Files that are not there are no error.
func Remove(path string) error {
	err := os.Rename(path+SidecarSuffix, path+goingSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, suffix := range suffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
