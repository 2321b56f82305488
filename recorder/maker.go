package recorder

import (
	"io"

	"github.com/rs/zerolog"

	"warcorder/store/fault"
	"warcorder/store/warc"
)

// maker makes records and compresses them. It keeps what can be used again for the next exchange,
// and is not safe for concurrent use.
type maker struct {
	log        zerolog.Logger
	random     idSource
	ids        ids // of the records
	compressor *warc.Compressor
	records    records
	parts      [4][]byte
	chains     *chains
	style      *style
	dedup      *DedupConfig
	content    content // of the response
	underway   underway
	caught     func(value any, url string) error // told of a panic
	late       <-chan struct{}                   // closed when nothing is recorded any more
	gap        func(reason, url, detail string)
}

func newMaker(log zerolog.Logger, keyer *Keyer, chains *chains, style *style,
	dedup *DedupConfig) maker {
	return maker{
		log:        log,
		compressor: style.compressor(),
		records:    records{keyer: keyer, style: style},
		chains:     chains,
		style:      style,
		dedup:      dedup,
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
func (m *maker) make(x *Exchange, request, response *message, s *segment) *records {
	if err := fault.At(fault.Record); err != nil {
		panic(err)
	}
	m.ids = ids{
		warcinfo: s.warcinfo,
		response: m.random.next(),
		request:  m.random.next(),
		metadata: m.random.next(),
	}
	if x.spill.begun.Load() {
		m.ids.response, m.ids.request, m.ids.metadata = x.spill.ids.response, x.spill.ids.request, x.spill.ids.metadata
	}
	m.records.make(x, request, response, &m.ids)
	if m.records.beyond {
		m.log.Warn().Str("url", Logged(m.records.uri)).Msg("keyed as binary: " + beyondReason)
	}
	return &m.records
}

// append appends the member of a record whose block is in memory.
func (m *maker) append(dst, header []byte, block *message) []byte {
	m.parts = [4][]byte{header, block.start, block.body, recordEnd}
	stored := -1
	if !block.deflate {
		stored = 2
	}
	return m.compressor.Append(dst, m.parts[:], stored)
}

// appendMetadata appends the member of the metadata record, if there is one.
func (m *maker) appendMetadata(dst []byte) []byte {
	if len(m.records.metadata) == 0 {
		return dst
	}
	m.parts[0], m.parts[1] = m.records.metadata, recordEnd
	return m.compressor.Append(dst, m.parts[:2], -1)
}

// stream writes the member of a record to the end of a file.
func (m *maker) stream(t *warc.Tail, header []byte, block *message,
	body io.Reader) (length int64, err error) {
	size := block.length - int64(len(block.start))
	return m.compressor.Stream(t, t.Offset(), [][]byte{header, block.start}, body, size,
		!block.deflate)
}

var recordEnd = []byte(warc.RecordEnd)
