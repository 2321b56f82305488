package readback

import (
	"bytes"
	"io"

	"warcorder/store/chunks"
)

// body is what follows a head in the block of a record. Its beginning was read with the head.
type body struct {
	record *Record
	rest   []byte // of what was read, in the record's member
}

func (b *body) Read(p []byte) (int, error) {
	if len(b.rest) > 0 && b.record.member != nil {
		n := copy(p, b.rest)
		b.rest = b.rest[n:]
		return n, nil
	}
	return b.record.Block.Read(p)
}

// isFramed reports whether the body of a record has the framing of chunks, as its head says. b is its
// beginning, or all of it. Where the first chunk goes on behind b, the body is read for that once more,
// to the end of that chunk.
func (r *Record) isFramed(b []byte, size int64, cut bool) bool {
	is, sure := framed(b, size, cut)
	if sure {
		return is
	}
	again, err := r.files.Record(r.At)
	if err != nil {
		return false
	}
	defer again.Close()
	if _, err := io.CopyN(io.Discard, again.Block, r.Size-size); err != nil {
		return false
	}
	near := &io.LimitedReader{R: again.Block, N: maxFirstChunk}
	return firstChunk(near, cut) || near.N == 0
}

// maxFirstChunk is how much of a body is read for its first chunk. One that is longer is taken at its
// word: nobody who asks waits for more.
const maxFirstChunk = 16 << 20

// framed reports whether a body of that size, of which b is the beginning, or all, has the framing of
// chunks, and whether that is sure: its first chunk is whole or, if that is longer than b, the line
// with its size ends in CRLF. One that was cut before may be.
func framed(b []byte, size int64, cut bool) (is, sure bool) {
	var coding chunks.Decoder
	all := int64(len(b)) == size
	end := bytes.IndexByte(b, '\n') + 1
	if end == 0 {
		coding.Next(b)
		return all && cut && !coding.Broken(), all || coding.Broken()
	}
	coding.Next(b[:end])
	if coding.Broken() {
		return false, true
	}
	if coding.HasData() {
		return true, true // the last chunk, of an empty body
	}
	if coding.Left() > size-int64(end) {
		return cut || bytes.HasSuffix(b[:end], []byte("\r\n")), true
	}
	data, behind := coding.Next(b[end:])
	if len(behind) == 0 {
		is = len(data) < len(b)-end || bytes.HasSuffix(b[:end], []byte("\r\n")) || all && cut
		return is, is || all
	}
	coding.Next(behind[:min(len(behind), len("\r\n"))])
	return !coding.Broken(), true
}

// firstChunk reports whether a body begins with a whole chunk, or is cut within.
func firstChunk(body io.Reader, cut bool) bool {
	var coding chunks.Decoder
	buf := make([]byte, sampled)
	for began := false; ; {
		n, err := body.Read(buf)
		for rest := buf[:n]; len(rest) > 0; {
			var data []byte
			data, rest = coding.Next(rest)
			if began && len(data) == 0 {
				return !coding.Broken()
			}
			began = began || len(data) > 0
		}
		switch {
		case coding.Broken():
			return false
		case coding.HasData():
			return true
		case err != nil:
			return cut
		}
	}
}

// sizeOf returns the size of what is in the chunks of a body, if all chunks are there.
func sizeOf(body []byte) (size int64, whole bool) {
	var coding chunks.Decoder
	for len(body) > 0 {
		var data []byte
		data, body = coding.Next(body)
		size += int64(len(data))
	}
	return size, coding.HasData()
}

// Entity is Body without its transfer coding. It is read instead of Body. Chunks that break off end
// with io.ErrUnexpectedEOF.
func (r *Response) Entity() io.Reader {
	if r.entity == nil {
		r.entity = r.Body
		if r.Chunked {
			r.entity = chunks.NewReader(r.Body)
		}
	}
	return r.entity
}

// EntitySize returns the size of the entity, if that is known without reading it.
func (r *Response) EntitySize() (size int64, known bool) {
	if !r.Chunked {
		return r.Size, true
	}
	return r.inChunks, r.inChunks >= 0
}
