package recorder

import (
	"time"

	"warcorder/canon"
	"warcorder/recorder/record"
	"warcorder/recorder/shared"
	"warcorder/store"
)

// What other recorders have, by the server of dedup-shared: package shared. It is looked for behind what
// is here, and before dedup-from. What a worker has in hand is asked for at once, so that one answer is
// waited for where there would be many.

// prepared is an exchange of which the key is made before its turn comes.
type prepared struct {
	request, response record.Message
	found             lookup
	ready             bool
}

// prepare makes the keys of what a worker has in hand, and asks for those that are not here. What has
// to be read from disk, or is asked of other archives too, is looked at in its turn.
func (w *smallWorker) prepare(some []recordable) {
	clear(w.asked)
	clear(w.prepared)
	w.prepared = w.prepared[:0]
	if w.shared == nil || w.outside != nil || len(some) < 2 {
		return
	}
	var keys []store.OriginalKey
	for _, r := range some {
		w.prepared = append(w.prepared, prepared{})
		p := &w.prepared[len(w.prepared)-1]
		if w.prepareOne(r, p); p.ready && p.found.keyed && !w.originals.hasKey(p.found.key) {
			keys = append(keys, p.found.key)
		}
	}
	w.shared.Ask(keys, w.asked, w.hurried())
}

// prepareOne makes the key of one exchange. A panic of it leaves that for its turn, which it is then lost
// in by name.
func (w *smallWorker) prepareOne(r recordable, p *prepared) {
	x, is := r.(*Exchange)
	if !is || x.Request.InFile() || x.Response.InFile() {
		return
	}
	defer func() {
		if recover() != nil {
			*p, w.content = prepared{}, record.Content{}
		}
	}()
	p.request = record.RequestOf(x.Request.Bytes(), w.style.Digester)
	p.response = record.Parse(x.Response.Bytes())
	if content := w.begin(&p.found, x, &p.request, &p.response); content != nil {
		content.Write(p.response.Body)
	}
	w.end(&p.found, &p.response)
	p.ready = true
}

// preparedOf is what was prepared of the exchange at that place of a handful; nil if nothing was.
func (w *smallWorker) preparedOf(i int) *prepared {
	if i >= len(w.prepared) || !w.prepared[i].ready {
		return nil
	}
	return &w.prepared[i]
}

// hasKey reports whether the collection has an original of that key, or will soon, as far as can be told
// without looking at its file.
func (o *originals) hasKey(key store.OriginalKey) bool {
	o.mu.Lock()
	_, waits := o.byKey[key]
	o.mu.Unlock()
	if waits {
		return true
	}
	_, found, err := o.index.Original(key)
	return found && err == nil
}

// findShared looks for what the response can refer to among what other recorders have.
func (m *maker) findShared(l *lookup, x *Exchange, response *record.Message) *referred {
	if m.shared == nil {
		return nil
	}
	if _, known := m.asked[l.key]; !known {
		m.shared.Ask([]store.OriginalKey{l.key}, m.asked, m.hurried())
	}
	o := m.asked[l.key]
	if o == nil {
		return nil
	}
	if !m.mayName(o, l, x, response) {
		m.shared.Forget(l.key)
		return nil
	}
	m.shared.Named()
	return &referred{record.Reference{Original: *o, Outside: true}, nil}
}

// mayName reports whether the response may refer to an original that is said to have its content. One
// whose file is of this collection may not: it would be found here, if it were still there. The digest of
// the payload is held against what is said where it tells the content: whoever may write to the server
// can name another record, but none of other content.
func (m *maker) mayName(o *store.Original, l *lookup, x *Exchange, response *record.Message) bool {
	if !record.IsSound(o, time.Now()) || !l.rules.IsFresh(o.Time, x.Started) {
		return false
	}
	if o.URL != record.TargetURI(o.URL) { // recorders tell of URLs as their records have them
		return false
	}
	if _, own := m.originals.index.File(o.File); own {
		return false
	}
	if surt, _ := canon.SURT(o.URL); l.scope != "" && surt != l.scope {
		return false
	}
	digest, tells := response.PayloadDigest(m.style.Digester)
	return !tells || digest.String() == o.Digest
}

// openShared looks for the server of dedup-shared, if there is one.
func (r *Recorder) openShared(cfg *Config, host string) (err error) {
	r.withdrawn = shared.NewWithdrawn(r.dir)
	if cfg.DedupShared == "" {
		return nil
	}
	if err := r.withdrawn.Begin(cfg.Mode); err != nil {
		return err
	}
	r.shared, err = shared.Open(shared.Config{
		Address: cfg.DedupShared, SHA256: cfg.Digest == "sha256", Entity: cfg.PayloadDigest == "entity",
		Who: host + "/" + r.dir.Name(), Withdrawn: r.withdrawn, Patience: cfg.sharedPatience,
	}, r.log)
	return err
}

// publish tells other recorders of an original that is on disk now.
func (c *committer) publish(d *done) {
	if p := d.original; c.shared != nil && d.captured && p != nil && p.keyed && !p.lost {
		o := p.Original
		o.File = d.capture.File
		c.shared.Publish(&o, c.pace.Load().ttl)
	}
}

// noteGone writes down which originals are gone with a renewal, if others may know of them.
func (r *Recorder) noteGone(renewal *store.Renewal) error {
	if !r.withdrawn.IsBegun() {
		return nil
	}
	var rows []shared.Row
	err := renewal.Gone(func(key store.OriginalKey, id [16]byte) (err error) {
		if rows = append(rows, shared.Row{Key: key, ID: id}); len(rows) == goneAtOnce {
			err, rows = r.withdrawn.Add(rows), rows[:0]
		}
		return err
	})
	if err == nil && len(rows) > 0 {
		err = r.withdrawn.Add(rows)
	}
	return err
}

// goneAtOnce is how many originals are written down at once.
const goneAtOnce = 4096
