package recorder

import (
	"io"
	"sync/atomic"

	"github.com/rs/zerolog"

	"warcorder/recorder/outside"
	"warcorder/recorder/record"
	"warcorder/recorder/shared"
	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

// maker makes records and compresses them. It keeps what can be used again for the next exchange,
// and is not safe for concurrent use.
type maker struct {
	*makers
	random     record.IDSource
	ids        record.IDs // of the records
	compressor *warc.Compressor
	records    record.Records
	parts      [4][]byte
	content    record.Content // of the response
	underway   underway
	asked      map[store.OriginalKey]*store.Original // what shared has said of what is in hand
}

// makers is what makers have in common.
type makers struct {
	log       zerolog.Logger
	style     *record.Style
	keyer     *store.Keyer
	rules     *atomic.Pointer[record.DedupConfig]
	chains    *chains
	lanes     *lanes
	batches   *batches
	originals *originals
	outside   *outside.Archives
	shared    *shared.Originals // nil if there are none
	hurried   func() bool       // nobody is to be waited for
	turns     *turns            // nil if no server is asked
	gaps      *gapList
	panics    *Panics
	lost      func(*done, error) // told of an exchange that cannot be recorded
}

func newMaker(m *makers) maker {
	return maker{
		makers:     m,
		compressor: m.style.Compressor(),
		records:    record.NewRecords(m.keyer, m.style),
		asked:      make(map[store.OriginalKey]*store.Original),
	}
}

// underway is what a worker has begun for an exchange, so that it can be undone.
type underway struct {
	planned *output // in which a place is planned; nil if none is
	bound   int64   // of the place
	key     store.OriginalKey
	claims  bool // others may wait for the original of that key
	handed  bool // the committer has the records
}

// plan is lanes.plan, noted.
func (m *maker) plan(l lane, bound int64) *output {
	out := m.lanes.plan(l, bound)
	m.underway.planned, m.underway.bound = out, bound
	m.compressor.Exchange(out.begins())
	return out
}

// guarded lets take record an exchange. If that panics, the exchange is lost, and the worker goes
// on with the next one as if it were new.
func (m *maker) guarded(r recordable, take func(recordable)) {
	m.underway = underway{}
	defer func() {
		value := recover()
		if value == nil {
			return
		}
		err := m.panics.Caught(value, r.target())
		begun := m.underway
		m.compressor, m.content, m.parts = m.style.Compressor(), record.Content{}, [4][]byte{}
		m.records = record.NewRecords(m.keyer, m.style)
		m.undo(&begun)
		if begun.handed { // what is lost is the record of its certificates
			m.gaps.note(GapWrite, r.target(), err.Error())
			return
		}
		m.lost(lostOf(r), &unfitError{err})
	}()
	take(r)
}

// undo gives back what a worker has begun.
func (m *maker) undo(u *underway) {
	if u.planned != nil {
		m.lanes.drop(u.planned, u.bound)
	}
	if u.claims {
		m.originals.unclaim(u.key)
	}
}

// sizeOfHeaders is more than the WARC headers of an exchange's records take, without what the
// exchange brings along: its URL and its fault.
const sizeOfHeaders = 6 << 10

// boundOf is more than the records of an exchange take in a file, however badly they compress.
func boundOf(x *Exchange) int64 {
	size := x.size()
	return size + size/1024 + sizeOfHeaders + int64(9*len(x.URL)+len(x.Fault)+len(x.Unverified))
}

// make makes the records of an exchange for a file. They hold until the next call.
func (m *maker) make(x *Exchange, request, response *record.Message, out *output) *record.Records {
	if err := fault.At(fault.Record); err != nil {
		panic(err)
	}
	m.ids = record.IDs{
		Warcinfo: out.warcinfo,
		Response: m.random.Next(),
		Request:  m.random.Next(),
		Metadata: m.random.Next(),
	}
	if ids, begun := x.spill.HaveBegun(); begun {
		m.ids.Response, m.ids.Request, m.ids.Metadata = ids.Response, ids.Request, ids.Metadata
	}
	m.records.Make(&x.Facts, request, response, &m.ids)
	if m.records.Beyond {
		m.log.Warn().Str("url", Logged(m.records.URI)).Msg("keyed as binary: " + record.BeyondReason)
	}
	return &m.records
}

// leave hands the files of a recordable over to the committer, and returns their path, "" if there
// are none. They say from now on which WARC file the records go to, so that the next start does not
// write them once more. What cannot be written down does no harm to what is in memory, and
// Memory.failed turns recording off.
func (m *maker) leave(files *spill.Files, out *output) (path string) {
	if _, begun := files.HaveBegun(); begun {
		files.Note(m.lanes.nameOf(out), 0)
	}
	return files.Leave()
}

// append appends the member of a record whose block is in memory.
func (m *maker) append(dst, header []byte, block *record.Message) []byte {
	m.parts = [4][]byte{header, block.Start, block.Body, recordEnd}
	stored := -1
	if !block.Deflate {
		stored = 2
	}
	return m.compressor.Append(dst, m.parts[:], stored)
}

// appendMetadata appends the member of the metadata record, if there is one.
func (m *maker) appendMetadata(dst []byte) []byte {
	if len(m.records.Metadata) == 0 {
		return dst
	}
	m.parts[0], m.parts[1] = m.records.Metadata, recordEnd
	return m.compressor.Append(dst, m.parts[:2], -1)
}

// stream writes the member of a record to the end of a file.
func (m *maker) stream(t *warc.Tail, header []byte, block *record.Message,
	body io.Reader) (length int64, err error) {
	size := block.Length - int64(len(block.Start))
	return m.compressor.Stream(t, t.Offset(), [][]byte{header, block.Start}, body, size,
		!block.Deflate)
}

var recordEnd = []byte(warc.RecordEnd)
