package recovery

import (
	"strings"
	"time"

	"warcorder/recorder/record"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/warc"
)

// scanWhole finds the whole exchanges behind file.Committed in a damaged file at path. It reads the
// file twice if revisits there refer to what is lost: the second time without those revisits.
func (r *recovery) scanWhole(path string, file store.File) (*scan, error) {
	s, err := r.scanTail(path, file, nil)
	if err != nil {
		return nil, err
	}
	orphans, err := r.orphans(s.tail)
	if err != nil || len(orphans) == 0 {
		return s, err
	}
	r.log.Warn().Str("file", file.Name).Int("revisits", len(orphans)).
		Msg("what revisits refer to is lost: they are cut, too")
	return r.scanTail(path, file, orphans)
}

// scanTail finds the whole exchanges behind file.Committed, but for the orphans, and what they
// refer to.
func (r *recovery) scanTail(path string, file store.File,
	orphans map[record.ID]bool) (*scan, error) {
	s := &scan{
		findings: findings{file: file.Name, keyer: r.keyer},
		dedup:    &record.DedupConfig{Dedup: record.DedupOff},
		end:      file.Committed,
	}
	s.tail = &tail{
		responses: make(map[record.ID]bool),
		revisits:  make(map[record.ID]referral),
		orphans:   orphans,
	}
	in, err := openSource(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	return s, s.readAll(in, true, func(s *scan, _ int64) error {
		s.forget()
		return nil
	})
}

// orphans returns the IDs of the revisits in t whose original is not in t, nor in the index, nor in
// a file that is not in the index yet.
func (r *recovery) orphans(t *tail) (map[record.ID]bool, error) {
	orphans := make(map[record.ID]bool)
	if t.full || r.isBlind() {
		return orphans, nil
	}
	for id, refers := range t.revisits {
		if t.responses[refers.id] {
			continue
		}
		known, err := r.isIndexed(refers)
		if err != nil {
			return nil, err
		}
		if !known {
			orphans[id] = true
		}
	}
	for _, f := range r.later {
		if len(orphans) == 0 {
			break
		}
		if err := r.dropKept(f, t, orphans); err != nil {
			return nil, err
		}
	}
	return orphans, nil
}

// isIndexed reports whether the index has the response that a revisit refers to. A response whose
// file is missing counts: whoever has taken the file away may put it back.
func (r *recovery) isIndexed(refers referral) (found bool, err error) {
	date, err := time.Parse(time.RFC3339, refers.date)
	if err != nil || refers.uri == "" {
		return false, nil
	}
	precision := time.Microsecond
	if !strings.Contains(refers.date, ".") {
		precision = time.Second
	}
	date = date.UTC().Truncate(precision)
	second := date.Format("20060102150405")
	err = r.index.Captures(
		store.Query{URL: refers.uri, From: second, To: second},
		func(c *store.Capture) bool {
			found = c.MIME != record.RevisitMIME && c.Time.Truncate(precision).Equal(date)
			return !found
		},
	)
	return found, err
}

// dropKept takes out of orphans the revisits whose original will be kept in f, which is recovered
// later. A file of another program, or one that is away, is not searched: it counts as if it had every
// original.
func (r *recovery) dropKept(f warcFile, t *tail, orphans map[record.ID]bool) error {
	path := r.path(f.Name)
	switch {
	case f.open < 0 && f.final < 0 && r.copyOf(f.File) != nil:
		clear(orphans)
		return nil
	case f.open < 0 && f.final < 0:
		return nil
	case f.open >= 0:
		path += warc.OpenSuffix
	default:
		if own, err := collection.IsOwn(path); err != nil || !own {
			clear(orphans)
			return err
		}
	}
	s, err := r.scanTail(path, f.File, nil)
	if err != nil {
		return err
	}
	if s.tail.full {
		clear(orphans)
	}
	for id := range orphans {
		if s.tail.responses[t.revisits[id].id] {
			delete(orphans, id)
		}
	}
	return nil
}
