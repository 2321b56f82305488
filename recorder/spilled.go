package recorder

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"warcorder/recorder/record"
	"warcorder/recorder/recovery"
	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/fault"
)

// spillRecovery records what a recorder has left in spill/ before it ended, before the first
// exchange of the next one. It can be interrupted anywhere and begun again: what it has recorded it
// finds in the WARC file by the IDs of its records.
type spillRecovery struct {
	*Recorder
	worker   *largeWorker
	progress recovery.Progress
	total    int64 // bytes that lie there
	done     int64
	failed   error // why the last exchange could not be written
	told     chan outcome
	written  int // exchanges that told will be told of
	Spilled
}

// Spilled is what has been done with exchanges that lay in spill/.
type Spilled struct {
	Whole  int // recorded as they were
	Cut    int // recorded as truncated: they were in flight, or damaged
	Left   int // still there: they cannot be written at present
	Broken int // cannot be read, and are set aside
}

// recoverSpilled records what lies in spill/.
func (r *Recorder) recoverSpilled(cfg *Config) (Spilled, error) {
	left, err := spill.Leftovers(r.dir)
	if err != nil || len(left) == 0 {
		return Spilled{}, err
	}
	s := r.newSpillRecovery(cfg, len(left))
	for _, l := range left {
		s.total += l.Size
	}
	for _, l := range left {
		if err := s.take(l); err != nil {
			return s.Spilled, fmt.Errorf("record what %s has: %w", l.Path, err)
		}
		s.done += l.Size
		if s.progress != nil {
			s.progress(collection.SpillName, s.done, s.total)
		}
	}
	s.await()
	r.log.Info().Int("whole", s.Whole).Int("cut", s.Cut).Int("left", s.Left).
		Int("unreadable", s.Broken).
		Msg("recorded what the last recorder had left in spill/")
	return s.Spilled, r.gaps.flush()
}

// newSpillRecovery returns one for n exchanges. Its worker tries each of them once.
func (r *Recorder) newSpillRecovery(cfg *Config, n int) *spillRecovery {
	s := &spillRecovery{Recorder: r, progress: cfg.Progress, told: make(chan outcome, n)}
	once := make(chan struct{})
	close(once)
	s.worker = r.newLargeWorker(newHealth(r.panics.stop, zerolog.Nop()), once)
	s.worker.lost = func(d *done, err error) { s.failed = err }
	return s
}

// await waits until all that was written is in the index, and its files have their final names,
// unless nothing can be written at present.
func (s *spillRecovery) await() {
	s.lanes.retireAll()
	s.committer.settle(context.Background()) // rather than when it is time for the index
	for (s.written > 0 || len(s.archive.openFiles()) > 0) && s.health.fault(committing) == nil {
		select {
		case <-s.told:
			s.written--
		case <-time.After(sealPatience): // to look again
		}
	}
	s.committer.settle(context.Background())
}

const sealPatience = 5 * time.Millisecond

// errNoSidecar says that nobody knows what the bytes are.
var errNoSidecar = errors.New("the file with its facts (" + spill.SidecarSuffix + ") is not there")

// take deals with one exchange. An error is one of the machine, and ends the recovery; what is
// wrong with the exchange sets it aside.
//
//	found in spill/                                  becomes
//	no sidecar, and Remove was at it, or no bytes    nothing: its files go
//	no sidecar, or none that can be read             set aside
//	its records are in the WARC file that it names   nothing, but for a metadata record that lacks
//	the index has it, though it names no such file   nothing: a backup of spill/ was put back
//	a record that was still coming                   nothing: nobody was told that it is kept
//	whole                                            recorded as it was
//	still coming, or damaged                         recorded as truncated, with a gap
func (s *spillRecovery) take(l spill.Leftover) error {
	if err := fault.At(fault.RecoverSpill); err != nil {
		return err
	}
	if !l.HasFacts && (l.Going || l.Size == 0) {
		s.log.Info().Str("file", l.Path).
			Msg("removed the rest of an exchange that is recorded, or was forgotten")
		return spill.Remove(l.Path)
	}
	if !l.HasFacts {
		return s.setAside(l, "", errNoSidecar)
	}
	line, err := spill.ReadSidecar(l.Path + spill.SidecarSuffix)
	if err != nil {
		if l.Size == 0 && !errors.As(err, new(*fs.PathError)) { // killed before it had any bytes
			return spill.Remove(l.Path)
		}
		return s.setAside(l, "", err)
	}
	if err := line.Check(); err != nil {
		return s.setAside(l, "", err)
	}
	found, err := s.archive.isRecorded(line)
	if err != nil {
		return err
	}
	if !found.message {
		if back, err := s.archive.cameBack(line); errors.Is(err, errCutBefore) {
			return s.setAside(l, line.URL, err)
		} else if err != nil {
			return err
		} else if back {
			s.log.Warn().Str("url", Logged(line.URL)).Str("file", l.Path).
				Msg("removed an exchange that had come back to spill/: the archive has it")
			return spill.Remove(l.Path)
		}
	}
	if line.Extra != nil && !line.Done {
		s.log.Warn().Str("uri", Logged(line.URL)).
			Msg("a record that was being sent when the recorder ended: nobody was told that it is kept")
		return spill.Remove(l.Path)
	}
	r, damage, err := s.restore(l, line)
	if err != nil {
		return s.setAside(l, line.URL, err)
	}
	return s.record(l, r, line, damage, found)
}

// record records an exchange as it is found, unless it is recorded already, and removes its files.
func (s *spillRecovery) record(l spill.Leftover, r recordable, line *spill.Sidecar, damage string,
	found inFile) error {
	if written, err := s.write(l, r, line, found); !written || err != nil {
		r.way().spill.Leave()
		r.release()
		return err
	}
	if damage == "" {
		s.Whole++
	} else {
		s.Cut++
		if err := s.noteCut(line.URL, damage, line.Started, found.message); err != nil {
			return err
		}
	}
	if err := fault.At(fault.RecoverSpilled); err != nil {
		return err
	}
	r.release()
	return nil
}

// write writes of an exchange what is in no WARC file. It is false if that cannot be, now or ever.
func (s *spillRecovery) write(l spill.Leftover, r recordable, line *spill.Sidecar,
	found inFile) (bool, error) {
	s.failed = nil
	switch x, ok := r.(*Exchange); {
	case ok && found.message && !found.metadata && x.isFaulty():
		s.addFacts(x, line)
	case !found.message && r.way().size() > 0:
		s.worker.guarded(r, s.worker.take)
		s.written++
	}
	switch {
	case s.failed == nil:
		return true, nil
	case isHopeless(s.failed):
		s.written--
		return false, s.setAside(l, line.URL, s.failed)
	}
	s.written--
	s.Left++
	s.log.Error().Err(s.failed).Str("url", Logged(line.URL)).
		Msg("an exchange that lies in spill/ cannot be written: the next start tries again")
	return false, nil
}

// noteCut notes the gap that a truncated exchange leaves, once.
func (s *spillRecovery) noteCut(url, damage string, at time.Time, again bool) error {
	g := store.Gap{Time: at, Reason: GapCut, URL: url, Detail: damage}
	g = g.Cut()
	if again {
		known, err := s.index.Gaps(0)
		same := func(k store.Gap) bool {
			return k.Reason == g.Reason && k.URL == g.URL && k.Time.UnixMicro() == at.UnixMicro()
		}
		if err != nil || slices.ContainsFunc(known.Latest, same) {
			return err
		}
	}
	s.gaps.add(g)
	return s.gaps.flush()
}

// isFaulty reports whether the exchange has a metadata record.
func (x *Exchange) isFaulty() bool {
	return x.Truncated != "" || x.Fault != "" || x.Unverified != "" || x.Completion != "" ||
		x.Via != ""
}

// addFacts writes the metadata record of an exchange whose recorder was killed just before it.
func (s *spillRecovery) addFacts(x *Exchange, line *spill.Sidecar) {
	ids, _ := x.spill.HaveBegun()
	response := record.Message{Length: x.Response.Len()}
	e := Extra{Extra: record.Extra{
		Type: record.Metadata, URI: line.URL, ContentType: record.FieldsType,
		Date: s.archive.style.Date(x.Started), ConcurrentTo: line.IDs.Response, ID: ids.Metadata,
	}}
	if response.Length < record.MinBlock {
		e.ConcurrentTo = line.IDs.Request
	}
	told := make(chan outcome, 1)
	e.told = told
	s.worker.addExtra(&e, record.AppendFacts(nil, &x.Facts, &response, false))
	s.written++
	for {
		select {
		case o := <-told:
			s.told <- o
			s.failed = o.err
			return
		case <-time.After(sealPatience):
			if s.failed = s.health.fault(committing); s.failed != nil {
				return
			}
		}
	}
}

// restore makes the exchange, or the record, that a line tells of, with what its files have. damage
// says in words why it is not whole; "" if it is.
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
	s.queue.exits(&x.transit) // its client has long gone
	x.URL, x.Method, x.RemoteIP = line.URL, line.Method, line.RemoteIP
	x.Started, x.Ended = line.Started, cmp.Or(line.Ended, line.Started)
	x.TLS, x.Cipher, x.Unverified = line.TLS, line.Cipher, line.Unverified
	x.Completion, x.Via = line.Completion, line.Via
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
	e.ID, _ = record.ParseID(line.IDs.Response) // Files.Resume, which comes next, refuses a wrong one
	e.started, e.ended = line.Started, cmp.Or(line.Ended, line.Started)
	return e
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
