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
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"warcorder/store"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

// spillRecovery records what a recorder has left in spill/ before it ended, before the first exchange
// of the next one. It can be interrupted anywhere and begun again: what it has recorded it finds in the
// WARC file by the IDs of its records.
type spillRecovery struct {
	*Recorder
	worker   *largeWorker
	progress Progress
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

// leftover is an exchange that lies there.
type leftover struct {
	path  string // of its files, without their endings
	size  int64
	facts bool // it has a sidecar
}

// spilledName is what their names begin with: others are not ours.
var spilledName = regexp.MustCompile(`^\d{14}\.\d{3}-[0-9a-f]{12}$`)

// asideSuffix is behind the names of files that cannot be read.
const asideSuffix = ".unreadable"

// recoverSpilled records what lies in spill/.
func (r *Recorder) recoverSpilled(cfg *Config) (Spilled, error) {
	left, err := leftovers(r.memory.dir)
	if err != nil || len(left) == 0 {
		return Spilled{}, err
	}
	s := &spillRecovery{Recorder: r, progress: cfg.Progress, told: make(chan outcome, len(left))}
	once := make(chan struct{})
	close(once)
	s.worker = r.newLargeWorker(cfg, &health{log: zerolog.Nop()}, once)
	s.worker.lost = func(d *done, err error) { s.failed = err }
	for _, l := range left {
		s.total += l.size
	}
	for _, l := range left {
		if err := s.take(l); err != nil {
			return s.Spilled, fmt.Errorf("record what %s has: %w", l.path, err)
		}
		s.done += l.size
		if s.progress != nil {
			s.progress(spillFolder, s.done, s.total)
		}
	}
	s.await()
	r.log.Info().Int("whole", s.Whole).Int("cut", s.Cut).Int("left", s.Left).Int("unreadable", s.Broken).
		Msg("recorded what the last recorder had left in spill/")
	return s.Spilled, r.gaps.flush()
}

// await waits until all that was written is in the index, and its files have their final names, unless
// nothing can be written at present.
func (s *spillRecovery) await() {
	s.files.retireAll()
	for (s.written > 0 || s.files.openFiles() > 0) && s.health.fault(committing) == nil {
		select {
		case <-s.told:
			s.written--
		case <-time.After(sealPatience): // to look again
		}
	}
	s.committer.settle()
}

const sealPatience = 5 * time.Millisecond

// leftovers lists what lies in a folder, the oldest first.
func leftovers(dir string) ([]leftover, error) {
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var left []leftover
	for _, entry := range entries {
		suffix := filepath.Ext(entry.Name())
		name := strings.TrimSuffix(entry.Name(), suffix)
		if !spilledName.MatchString(name) || !slices.Contains(spillSuffixes, suffix) {
			continue
		}
		path := filepath.Join(dir, name)
		if n := len(left); n == 0 || left[n-1].path != path {
			left = append(left, leftover{path: path})
		}
		l := &left[len(left)-1]
		if suffix == sidecarSuffix {
			l.facts = true
		} else if info, err := entry.Info(); err == nil {
			l.size += info.Size()
		}
	}
	return left, nil
}

// take deals with one exchange. An error is one of the machine.
func (s *spillRecovery) take(l leftover) error {
	if err := fault.At(fault.RecoverSpill); err != nil {
		return err
	}
	if !l.facts { // the sidecar goes first
		s.log.Info().Str("file", l.path).Msg("removed the rest of an exchange that is recorded, or was forgotten")
		return removeSpilled(l.path)
	}
	line, err := readSidecar(l.path + sidecarSuffix)
	if err != nil {
		if l.size == 0 && !errors.As(err, new(*fs.PathError)) { // killed before it had any bytes
			return removeSpilled(l.path)
		}
		return s.setAside(l, "", err)
	}
	recorded, err := s.isRecorded(line)
	if err != nil {
		return err
	}
	if line.Extra != nil && !line.Done {
		s.log.Warn().Str("uri", line.URL).Msg("a record that was being sent when the recorder ended: nobody was told that it is kept")
		return removeSpilled(l.path)
	}
	x, damage, err := s.restore(l, line)
	if err != nil {
		return s.setAside(l, line.URL, err)
	}
	return s.record(l, x, line, damage, recorded)
}

// record records an exchange as it is found, unless it is recorded already, and removes its files.
func (s *spillRecovery) record(l leftover, x *Exchange, line *sidecar, damage string, recorded bool) error {
	if damage != "" {
		x.Fault = strings.TrimPrefix(x.Fault+"; "+damage, "; ")
	}
	url, at := line.URL, x.Started
	if !recorded && x.size() > 0 {
		s.failed = nil
		s.worker.guarded(x, &s.files, unfit(s.worker.lost), s.worker.record)
		if s.failed != nil && isHopeless(s.failed) {
			x.spill.leave()
			x.release()
			return s.setAside(l, url, s.failed)
		}
		if s.failed != nil {
			s.Left++
			s.log.Error().Err(s.failed).Str("url", url).
				Msg("an exchange that lies in spill/ cannot be written: the next start tries again")
			x.spill.leave()
			x.release()
			return nil
		}
		s.written++
	}
	if damage != "" {
		s.Cut++
		if err := s.noteCut(url, damage, at, recorded); err != nil {
			return err
		}
	} else {
		s.Whole++
	}
	if err := fault.At(fault.RecoverSpilled); err != nil {
		return err
	}
	x.release()
	return nil
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

// setAside deals with files that cannot be read.
func (s *spillRecovery) setAside(l leftover, url string, why error) error {
	s.Broken++
	s.log.Error().Err(why).Str("file", l.path+sidecarSuffix+asideSuffix).Int64("bytes", l.size).
		Msg("an exchange lost: what it had spilled cannot be recorded, and is set aside")
	s.Gap(GapWrite, url, fmt.Sprintf("%s cannot be recorded: %v", filepath.Base(l.path), why))
	return setAside(l.path)
}

// setAside gives the files of an exchange names under which nobody looks for them again.
func setAside(path string) (err error) {
	for _, suffix := range spillSuffixes {
		if failed := os.Rename(path+suffix, path+suffix+asideSuffix); !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
		}
	}
	return err
}

// maxSidecar is more than a sidecar has: four lines, each with the bytes of a side in memory.
const maxSidecar = 64 << 20

// readSidecar returns the last whole line of a sidecar.
func readSidecar(path string) (*sidecar, error) {
	file, err := os.Open(path)
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

// restore makes the exchange that a line tells of. damage says in words why it is not whole.
func (s *spillRecovery) restore(l leftover, line *sidecar) (x *Exchange, damage string, err error) {
	x = s.Begin()
	x.URL, x.Method, x.Started, x.ended = line.URL, line.Method, line.Started, cmp.Or(line.Ended, line.Started)
	x.RemoteIP, x.TLS, x.Cipher, x.Unverified = line.RemoteIP, line.TLS, line.Cipher, line.Unverified
	x.Truncated, x.Fault = line.Truncated, line.Fault
	x.told = s.told
	if len(line.Chain) > 0 {
		x.Chain = NewChain(line.Chain)
	}
	x.spill.path, x.spill.last = l.path, line
	x.spill.begun.Store(true)
	if err := x.spill.ids.parse(&line.IDs); err != nil {
		x.spill.leave()
		x.release()
		return nil, "", err
	}
	if line.Extra != nil {
		x.extra = line.Extra
		x.extra.Block, x.extra.x, x.extra.id, x.extra.wait = &x.Response, x, x.spill.ids.response, s.told
	}
	err = errors.Join(x.Request.restore(line.Request, line.Done), x.Response.restore(line.Response, line.Done))
	switch unsound := (*unsoundError)(nil); {
	case errors.As(err, &unsound):
		damage, x.Truncated, err = unsound.Error(), cmp.Or(x.Truncated, "unspecified"), nil
	case err != nil:
		x.spill.leave()
		x.release()
		return nil, "", err
	case !line.Done:
		damage, x.Truncated = "the recorder ended before the exchange had", cmp.Or(x.Truncated, "disconnect")
	}
	return x, damage, nil
}

// unsoundError is a file that does not hold what was written to it.
type unsoundError struct{ name string }

func (e *unsoundError) Error() string {
	return "not all of what was received was on disk when the machine ended (" + e.name + ")"
}

// restore makes the buffer what it was: from its file, or from the bytes that were in memory. What was
// done must be all there; of what was not it is what has come to be there.
func (b *Buffer) restore(s *side, done bool) error {
	path := b.spill.fileOf(b)
	file, err := os.Open(path)
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

// isRecorded reports whether the records of an exchange are in the file that they were about to go to.
func (s *spillRecovery) isRecorded(line *sidecar) (bool, error) {
	if line.Into == "" || line.Into != filepath.Base(line.Into) {
		return false, nil
	}
	for _, from := range []int64{line.At, 0} { // a file that was mended may have moved
		found, err := s.holds(filepath.Join(s.files.dir, line.Into), from, &line.IDs)
		if found || err != nil {
			return found, err
		}
	}
	return false, nil
}

// holds looks for one of the records in a finished file, from an offset on.
func (s *spillRecovery) holds(path string, from int64, ids *spilledIDs) (bool, error) {
	reader, err := warc.Open(path, from)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	defer reader.Close()
	for {
		record, err := reader.Next()
		switch {
		case errors.Is(err, io.EOF) || errors.As(err, new(*warc.Damage)):
			return false, nil
		case err != nil:
			return false, err
		}
		if id := record.Header.Get("WARC-Record-ID"); id == ids.Response || id == ids.Request {
			return true, nil
		}
	}
}

// parse reads the IDs.
func (ids *ids) parse(from *spilledIDs) error {
	var ok [3]bool
	ids.response, ok[0] = parseRecordID(from.Response)
	ids.request, ok[1] = parseRecordID(from.Request)
	ids.metadata, ok[2] = parseRecordID(from.Metadata)
	if ok != [3]bool{true, true, true} {
		return fmt.Errorf("%v are no record IDs", *from)
	}
	return nil
}
