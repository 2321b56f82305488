package recorder

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"warcorder/recorder/record"
	"warcorder/recorder/spill"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// restore makes what a line tells of, with what its files have. damage says in words why it is not
// whole.
func (s *spillRecovery) restore(l spill.Leftover, line *spill.Sidecar) (r recordable, damage string,
	err error) {
	if line.Extra != nil {
		r = s.restoreExtra(line)
	} else {
		r = s.restoreExchange(line)
	}
	t := r.way()
	t.told = s.told
	truncated := ""
	err = t.spill.Resume(l.Path, line)
	switch unsound := (*spill.UnsoundError)(nil); {
	case errors.As(err, &unsound):
		damage, truncated = unsound.Error(), "unspecified"
	case err != nil:
		t.spill.Leave()
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
func (s *spillRecovery) restoreExchange(line *spill.Sidecar) *Exchange {
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
func (s *spillRecovery) restoreExtra(line *spill.Sidecar) *Extra {
	e := s.BeginExtra()
	e.Extra = *line.Extra
	e.ID, _ = record.ParseID(line.IDs.Response) // the files have the same look at it
	e.started, e.ended = line.Started, cmp.Or(line.Ended, line.Started)
	return e
}

// inFile is what is in a WARC file of an exchange: the metadata record is the last one of it.
type inFile struct{ message, metadata bool }

// isRecorded reports whether the records of an exchange are in the file that they were about to go
// to.
func (s *spillRecovery) isRecorded(line *spill.Sidecar) (found inFile, err error) {
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
func (s *spillRecovery) holds(path string, from int64, ids *spill.IDs) (found inFile, err error) {
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

// setAside deals with files that cannot be recorded.
func (s *spillRecovery) setAside(l spill.Leftover, url string, why error) error {
	s.Broken++
	suffix, err := spill.SetAside(l.Path)
	s.log.Error().Err(why).Str("file", l.Path+".*"+suffix).Int64("bytes", l.Size).
		Msg("an exchange lost: what it had spilled cannot be recorded, and is set aside")
	s.Gap(GapWrite, url, fmt.Sprintf("%s cannot be recorded: %v", filepath.Base(l.Path), why))
	return err
}
