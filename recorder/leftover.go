package recorder

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"warcorder/recorder/record"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// maxSidecar is more than a sidecar has: four lines, each with the bytes of a side in memory.
const maxSidecar = 64 << 20

// readSidecar returns the last whole line of a sidecar.
func readSidecar(path string) (*sidecar, error) {
	file, err := collection.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxSidecar))
	if err != nil {
		return nil, err
	}
	for text = text[:bytes.LastIndexByte(text, '\n')+1]; len(text) > 0; {
		text = text[:len(text)-1]
		from := bytes.LastIndexByte(text, '\n') + 1
		line := new(sidecar)
		if json.Unmarshal(text[from:], line) == nil && line.Format == sidecarFormat {
			return line, nil
		}
		text = text[:from]
	}
	return nil, errors.New("it has no whole line")
}

// restore makes what a line tells of, with what its files have. damage says in words why it is not
// whole.
func (s *spillRecovery) restore(l leftover, line *sidecar) (r recordable, damage string,
	err error) {
	ids, err := parseIDs(&line.IDs)
	if err != nil {
		return nil, "", err
	}
	if line.Extra != nil {
		r = s.restoreExtra(line, ids.Response)
	} else {
		r = s.restoreExchange(line)
	}
	t := r.way()
	t.told, t.spill.path, t.spill.last, t.spill.ids = s.told, l.path, line, ids
	t.spill.begun.Store(true)
	sides, truncated := r.sides(), ""
	err = errors.Join(sides[0].restore(line.Request, line.Done),
		sides[1].restore(line.Response, line.Done))
	switch unsound := (*unsoundError)(nil); {
	case errors.As(err, &unsound):
		damage, truncated = unsound.Error(), "unspecified"
	case err != nil:
		t.spill.leave()
		r.release()
		return nil, "", err
	case !line.Done:
		damage, truncated = "the recorder ended before the exchange had", "disconnect"
	}
	if x, ok := r.(*Exchange); ok && damage != "" {
		x.Truncated = cmp.Or(x.Truncated, truncated)
		x.Fault = strings.TrimPrefix(x.Fault+"; "+damage, "; ")
	}
	return r, damage, nil
}

// restoreExchange makes the exchange that a line tells of, without its bytes.
func (s *spillRecovery) restoreExchange(line *sidecar) *Exchange {
	x := s.Begin()
	x.URL, x.Method, x.RemoteIP = line.URL, line.Method, line.RemoteIP
	x.Started, x.Ended = line.Started, cmp.Or(line.Ended, line.Started)
	x.TLS, x.Cipher, x.Unverified = line.TLS, line.Cipher, line.Unverified
	x.Truncated, x.Fault = line.Truncated, line.Fault
	if len(line.Chain) > 0 {
		x.Chain = NewChain(line.Chain)
	}
	return x
}

// restoreExtra makes the record that a line tells of, without its block.
func (s *spillRecovery) restoreExtra(line *sidecar, id record.ID) *Extra {
	e := s.BeginExtra()
	e.Extra, e.ID = *line.Extra, id
	e.started, e.ended = line.Started, cmp.Or(line.Ended, line.Started)
	return e
}

// unsoundError is a file that does not hold what was written to it.
type unsoundError struct{ name string }

func (e *unsoundError) Error() string {
	return "not all of what was received was on disk when the machine ended (" + e.name + ")"
}

// restore makes the buffer what it was: from its file, or from the bytes that were in memory. What
// was done must be all there; of what was not it is what has come to be there.
func (b *Buffer) restore(s *side, done bool) error {
	path := b.spill.fileOf(b)
	file, err := collection.OpenRegular(path)
	var size int64
	if err == nil {
		var info fs.FileInfo
		if info, err = file.Stat(); err != nil {
			return errors.Join(err, file.Close())
		}
		size = info.Size()
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if s != nil && (file == nil || int64(len(s.Bytes)) > size || done && len(s.Bytes) > 0) {
		if file != nil {
			file.Close()
		}
		_, err := b.Write(s.Bytes)
		if err == nil && done && s.Length != b.Len() {
			err = &unsoundError{filepath.Base(path)}
		}
		return err
	}
	if file == nil {
		return nil
	}
	b.file, b.spilled, b.size = file, size, size
	if !done || s == nil {
		return nil
	}
	sum := crc32.NewIEEE()
	n, err := io.Copy(sum, io.NewSectionReader(file, 0, s.Length))
	if err == nil && (n != s.Length || sum.Sum32() != s.CRC32) {
		err = &unsoundError{filepath.Base(path)}
	}
	return err
}

// inFile is what is in a WARC file of an exchange: the metadata record is the last one of it.
type inFile struct{ message, metadata bool }

// isRecorded reports whether the records of an exchange are in the file that they were about to go
// to.
func (s *spillRecovery) isRecorded(line *sidecar) (found inFile, err error) {
	if line.Into != filepath.Base(line.Into) || !collection.IsWARC(line.Into) {
		return found, nil
	}
	for _, from := range []int64{max(line.At, 0), 0} { // a file that was mended may have moved
		found, err = s.holds(s.archive.dir.WARC(line.Into), from, &line.IDs)
		if found.message || err != nil {
			return found, err
		}
	}
	return found, nil
}

// holds looks for the records in a finished file, from an offset on.
func (s *spillRecovery) holds(path string, from int64, ids *spilledIDs) (found inFile, err error) {
	err = eachRecord(path, from, func(rec *warc.Record) (more bool) {
		switch rec.Header.Get("WARC-Record-ID") {
		case ids.Response, ids.Request:
			found.message = true
		case ids.Metadata:
			found.metadata = true
		}
		return true
	})
	return found, err
}

// parseIDs reads the IDs.
func parseIDs(from *spilledIDs) (ids record.IDs, err error) {
	var ok [3]bool
	ids.Response, ok[0] = record.ParseID(from.Response)
	ids.Request, ok[1] = record.ParseID(from.Request)
	ids.Metadata, ok[2] = record.ParseID(from.Metadata)
	if ok != [3]bool{true, true, true} {
		return ids, fmt.Errorf("%v are no record IDs", *from)
	}
	return ids, nil
}
