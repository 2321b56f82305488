package spill

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/netip"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"warcorder/recorder/record"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// Holder is whatever has bytes that may spill: an exchange, or a record that is none.
type Holder interface {
	// Sides are the bytes: of an exchange its request and its response.
	Sides() [2]*Buffer

	// Source brings the bytes; nil if nobody does.
	Source() io.Closer

	// Describe writes down what is known beside the bytes: all of it when nothing more comes.
	Describe(line *Sidecar, whole bool)
}

// files are what an exchange has on disk before its records are, from when one of its sides leaves
// memory until they are in a WARC file:
//
//	spill/NAME.jsonl     the sidecar: facts of the exchange, a line whenever there are new ones
//	spill/NAME.request   the bytes of a side, as they crossed the wire
//	spill/NAME.response
//
// Each line of the sidecar holds all facts by itself, with the bytes of a side that is in memory,
// and the last one counts. It is there before a side, and goes before it, by way of NAME.removing.
// One with done means that the client may have had the whole answer: all of it is in the files
// then, in the system's hands. Nothing is forced to disk: a process that is killed loses nothing of
// what is there, and for a machine that loses power the checksums tell what is good.
type Files struct {
	of    Holder
	begun atomic.Bool // its files are there

	mu   sync.Mutex // held while the sidecar is written
	path string     // of the files, without their endings
	last *Sidecar   // as it was found at the start; nil if the exchange is of this run
	ids  record.IDs // of the records, by which the next start knows whether they are in a WARC file
}

// The endings of the files' names.
const (
	SidecarSuffix  = ".jsonl"
	requestSuffix  = ".request"
	ResponseSuffix = ".response"

	comingSuffix = ".new"      // of what is about to be the sidecar
	goingSuffix  = ".removing" // of the sidecar while the rest goes
)

// Suffixes are all of them, in the order in which they go.
var Suffixes = []string{SidecarSuffix, comingSuffix, requestSuffix, ResponseSuffix, goingSuffix}

// Sidecar is a line of it.
type Sidecar struct {
	Format     int           `json:"format"` // 1
	Done       bool          `json:"done"`   // nothing more comes; else it broke off with the recorder
	URL        string        `json:"url"`
	Method     string        `json:"method,omitempty"`
	Started    time.Time     `json:"started"`
	Ended      time.Time     `json:"ended,omitzero"`
	RemoteIP   netip.Addr    `json:"ip,omitzero"`
	TLS        uint16        `json:"tls,omitempty"`
	Cipher     uint16        `json:"cipher,omitempty"`
	Unverified string        `json:"unverified,omitempty"`
	Truncated  string        `json:"truncated,omitempty"`
	Fault      string        `json:"fault,omitempty"`
	Chain      [][]byte      `json:"chain,omitempty"` // DER
	IDs        IDs           `json:"ids"`
	Request    *side         `json:"request,omitempty"`
	Response   *side         `json:"response,omitempty"`
	Extra      *record.Extra `json:"extra,omitempty"` // if it is no exchange
	Into       string        `json:"into,omitempty"`  // WARC file that its records are about to go to,
	At         int64         `json:"at,omitempty"`    // behind this offset
}

// IDs are the IDs of the records, <urn:uuid:…>.
type IDs struct {
	Response string `json:"response"`
	Request  string `json:"request"`
	Metadata string `json:"metadata"`
}

// side is one side of an exchange: how much of it is in its file, or, if it has none, its bytes.
type side struct {
	Length int64  `json:"length"`
	CRC32  uint32 `json:"crc32"`
	Bytes  []byte `json:"bytes,omitempty"`
}

const (
	sidecarFormat = 1

	// MaxChainKept is how many bytes of certificates a sidecar has.
	MaxChainKept = 64 << 10
)

// Begin makes an empty holder one whose buffers share memory.
func (s *Files) Begin(of Holder, m *Memory) {
	s.of = of
	for _, b := range of.Sides() {
		b.memory, b.spill = m, s
	}
}

// Resume makes the files those that lie at path, with the line that tells of them.
func (s *Files) Resume(path string, line *Sidecar) (err error) {
	s.ids, err = parseIDs(&line.IDs)
	if err != nil {
		return err
	}
	s.path, s.last = path, line
	s.begun.Store(true)
	sides := s.of.Sides()
	return errors.Join(sides[0].restore(line.Request, line.Done),
		sides[1].restore(line.Response, line.Done))
}

// HaveBegun reports whether something has spilled. Then the records have the IDs that are returned.
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
	// someone has tidied up
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
// to have it whole. All that came is brought to the files before. into is where its records go
// next, if that is known.
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

func writeLine(path string, flag int, line *Sidecar) error {
	if err := fault.At(fault.SpillNote); err != nil {
		return err
	}
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|flag, 0o600)
	if err != nil {
		return err
	}
	_, err = file.Write(append(text, '\n'))
	return errors.Join(err, file.Close())
}

// fileOf is the path of a side's file.
func (s *Files) fileOf(b *Buffer) string {
	if b == s.of.Sides()[0] {
		return s.path + requestSuffix
	}
	return s.path + ResponseSuffix
}

// Leave makes the files outlive the exchange: it returns their path, "" if there are none.
func (s *Files) Leave() (path string) {
	if !s.begun.Swap(false) {
		return ""
	}
	return s.path
}

// Remove removes the files of an exchange that is recorded or forgotten, which must be
// closed. Until they are gone a name tells why they have no sidecar: those that merely lack one are
// set aside. A sidecar that cannot be removed keeps its sides.
func Remove(path string) error {
	err := os.Rename(path+SidecarSuffix, path+goingSuffix)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, suffix := range Suffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
