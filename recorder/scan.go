package recorder

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"warcorder/store"
	"warcorder/store/warc"
)

// scan reads the exchanges of a WARC file back from its records.
type scan struct {
	file     string
	keyer    *Keyer
	captures []store.Capture // of whole exchanges, since they were last put into the index
	keys     int64           // bytes of their keys
	found    int             // captures put into the index
	end      int64           // of the last whole exchange
	damage   error           // why there is no record behind the last one

	response *foundResponse // whose request has not come yet
}

// foundResponse is a response record of which the capture is to be made.
type foundResponse struct {
	id, uri, digest string
	date            time.Time
	head            head
	offset, length  int64
}

// next reads one record. An exchange is whole with its request, which follows the response and names it (or, if there was no response, with the
// metadata record that follows the request), or when the next exchange follows; a metadata record behind it belongs to it.
func (s *scan) next(reader *warc.Reader) error {
	record, err := reader.Next()
	if err != nil {
		return err
	}
	start, kind := record.Offset, record.Type()
	switch kind {
	case "response":
		s.whole(nil, start)
		return s.readResponse(record)
	case "request":
		return s.readRequest(record)
	}
	if err := record.Close(); err != nil {
		return err
	}
	s.whole(nil, start)
	s.end = reader.Offset()
	return nil
}

// whole makes the capture of the response that has come, if one has. Its exchange ends at end.
func (s *scan) whole(request *asked, end int64) {
	s.end = end
	r := s.response
	if r == nil {
		return
	}
	s.response = nil
	if request == nil {
		request = &asked{}
	}
	c := captureOf(s.keyer, r.uri, r.date, request, &r.head, r.digest)
	c.Location = store.Location{File: s.file, Offset: r.offset, Length: r.length}
	s.captures = append(s.captures, c)
	s.keys += keySize(&c)
}

func (s *scan) readResponse(record *warc.Record) error {
	start, err := readStart(record)
	if err != nil {
		return err
	}
	h := record.Header
	date, err := time.Parse(time.RFC3339, h.Get("WARC-Date"))
	if err != nil {
		return &warc.Damage{File: s.file, Offset: record.Offset, Reason: fmt.Errorf("WARC-Date: %w", err)}
	}
	if err := record.Close(); err != nil {
		return err
	}
	s.response = &foundResponse{
		id: h.Get("WARC-Record-ID"), uri: h.Get("WARC-Target-URI"), digest: h.Get("WARC-Payload-Digest"), date: date,
		head: parseHead(start), offset: record.Offset, length: record.Length,
	}
	return nil
}

func (s *scan) readRequest(record *warc.Record) error {
	start, err := readStart(record)
	if err != nil {
		return err
	}
	h := parseHead(start)
	request, err := askedOf(&h, io.MultiReader(bytes.NewReader(start[h.size:]), record.Block), record.Size-int64(h.size))
	if err != nil {
		return err
	}
	if err := record.Close(); err != nil {
		return err
	}
	if s.response == nil || record.Header.Get("WARC-Concurrent-To") != s.response.id {
		s.whole(nil, record.Offset)
		return nil // a metadata record must follow
	}
	s.whole(request, record.Offset+record.Length)
	return nil
}

// readStart reads as much of a record's block as holds its HTTP head.
func readStart(record *warc.Record) ([]byte, error) {
	var start []byte
	for _, size := range []int64{64 << 10, maxHead} {
		more := make([]byte, min(size, record.Size)-int64(len(start)))
		n, err := io.ReadFull(record.Block, more)
		if start = append(start, more[:n]...); err != nil {
			return nil, err
		}
		if h := parseHead(start); h.size < len(start) || int64(len(start)) == record.Size {
			break
		}
	}
	return start, nil
}
