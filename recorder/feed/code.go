package feed

import (
	"encoding/binary"
	"net"
	"strings"
)

// Event is something that happened. Which fields it has its kind tells.
type Event struct {
	Kind Kind
	Time int64 // microseconds since 1970: when it began, of a capture its WARC-Date

	URL    string // of a capture and of a gap: as recorded, of any length
	Method string // of a capture, as sent
	Status int
	MIME   string // of what came, without parameters; of a revisit too
	Size   int64  // bytes of the body as it came
	Length int64  // bytes of the gzip member; of a file its bytes
	Offset int64  // of that member
	MS     int64  // how long the exchange lasted

	// Stored is the type of a capture's record: response, revisit, resource, metadata …
	Stored     string
	Truncated  bool
	Completion string // part or cut, if no client asked: record.Facts.Completion

	File  string // base name
	State string // of a file

	Reason, Detail string // of a gap; of Removed the Detail is as renew.go says
	Count          int64  // of gaps of which no more is known, or of events that are missed
}

// Host is that of the URL, in lower case and without its port; "" if it has none.
func (e *Event) Host() string {
	if host := HostOf(e.URL); host != "" || e.Kind != Gap {
		return strings.ToLower(host)
	}
	host, _, err := net.SplitHostPort(e.URL) // of a connection
	if err != nil {
		return ""
	}
	return strings.ToLower(host)
}

// HostOf is the host of a URI, without its port; "" if it has none.
func HostOf(uri string) string {
	_, host, _ := strings.Cut(uri, "://")
	if end := strings.IndexAny(host, "/?"); end >= 0 {
		host = host[:end]
	}
	if port := strings.LastIndexByte(host, ':'); port > strings.LastIndexByte(host, ']') {
		host = host[:port]
	}
	return host
}

// Kind is what has happened.
type Kind byte

const (
	Forgotten Kind = iota // what was told there has gone since; nothing of it is told any more
	Capture               // something is on disk that has a line in the index
	Gap                   // something is not, or not wholly, in the archive
	Files                 // a WARC file was opened, or finished
	Paused                // what begins from now on passes unrecorded
	Resumed               // what begins from now on is recorded
	Note                  // a record that is no exchange is on disk, and has no line
	Removed               // what is in the archive went, or lies elsewhere since
	Missed                // events that are not held any more: what readers are told, and is never published
)

// Kinds are the names of the kinds.
var Kinds = [...]string{
	Capture: "capture", Gap: "gap", Files: "files", Paused: "paused", Resumed: "resumed", Note: "note",
	Removed: "removed", Missed: "missed",
}

// String is the name of a kind.
func (k Kind) String() string { return Kinds[k] }

// An event in a segment:
//
//	kind(1) truncated(1) time(8)
//	status, size, length, offset, ms, count    as varints
//	lengths of the texts                       as uvarints
//	texts, in the order of texts
func (e *Event) append(b []byte) []byte {
	truncated := byte(0)
	if e.Truncated {
		truncated = 1
	}
	b = append(b, byte(e.Kind), truncated)
	b = binary.LittleEndian.AppendUint64(b, uint64(e.Time))
	for _, n := range e.numbers() {
		b = binary.AppendVarint(b, n)
	}
	texts := e.texts()
	for _, text := range texts {
		b = binary.AppendUvarint(b, uint64(len(*text)))
	}
	for _, text := range texts {
		b = append(b, *text...)
	}
	return b
}

// numbers are those that an event in a segment has.
func (e *Event) numbers() [6]int64 {
	return [...]int64{int64(e.Status), e.Size, e.Length, e.Offset, e.MS, e.Count}
}

// texts are those that an event in a segment has.
func (e *Event) texts() [9]*string {
	return [...]*string{&e.URL, &e.Method, &e.MIME, &e.Stored, &e.Completion, &e.File, &e.State,
		&e.Reason, &e.Detail}
}

// size is at least what append appends.
func (e *Event) size() int {
	n := 2 + 8 + (6+9)*binary.MaxVarintLen64
	for _, text := range e.texts() {
		n += len(*text)
	}
	return n
}

// head is an event without its texts, which lie in rest, one behind another.
type head struct {
	Event
	lengths [9]int // as texts has them
	rest    []byte
}

// fileText is the number of File in texts.
const fileText = 5

// headOf takes apart what append has made, but for the texts; ok is false for no bytes.
func headOf(b []byte) (h head, ok bool) {
	if len(b) == 0 {
		return h, false
	}
	h.Kind, h.Truncated = Kind(b[0]), b[1] == 1
	h.Time = int64(binary.LittleEndian.Uint64(b[2:]))
	b = b[10:]
	var numbers [6]int64
	for i := range numbers {
		n, size := binary.Varint(b)
		numbers[i], b = n, b[size:]
	}
	h.Status, h.Size, h.Length = int(numbers[0]), numbers[1], numbers[2]
	h.Offset, h.MS, h.Count = numbers[3], numbers[4], numbers[5]
	for i := range h.lengths {
		n, size := binary.Uvarint(b)
		h.lengths[i], b = int(n), b[size:]
	}
	h.rest = b
	return h, true
}

// file is the File of the event.
func (h *head) file() []byte {
	from := 0
	for _, n := range h.lengths[:fileText] {
		from += n
	}
	return h.rest[from : from+h.lengths[fileText]]
}

// eventOf takes apart what append has made. All texts share one piece of memory.
func eventOf(b []byte) (e Event) {
	h, _ := headOf(b)
	all := string(h.rest)
	e = h.Event
	for i, text := range e.texts() {
		*text, all = all[:h.lengths[i]], all[h.lengths[i]:]
	}
	return e
}
