package recorder

import (
	"context"
	"io"
	"time"

	"warcorder/recorder/record"
	"warcorder/recorder/spill"
	"warcorder/store"
)

// Extra is a record that is no exchange. It comes from [Recorder.BeginExtra] and ends with exactly
// one of Commit, Write and Discard, after which it must not be touched. On its way to disk it is
// treated like an exchange; in the index it is found by its URI, if it is one that cdxj-indexer
// writes a line for.
type Extra struct {
	record.Extra

	// Block is the content. When it cannot be written to, the record cannot be kept: Discard it.
	Block spill.Buffer

	transit
	none           spill.Buffer // which stays empty
	started, ended time.Time    // of Commit; zero before it

	style *record.Style // whose dates its own is one of
	// waits until what is on disk is in the index
	settle func(context.Context) error
}

// Resource is the type of a record of something that was had without HTTP.
const Resource = record.Resource

// Written is where a record is.
type Written struct {
	RecordID string // <urn:uuid:…>
	Date     time.Time
	store.Location
}

// Commit hands the record to the recorder, as [Exchange.Commit] does. The error is that of Check,
// or of its Block; the record is then discarded.
func (e *Extra) Commit() error {
	err := e.Check()
	if err == nil {
		err = e.Block.Lacks()
	}
	if err != nil {
		e.Discard()
		return err
	}
	if record.IsHTTP(e.URI) {
		e.URI = record.TargetURI(e.URI)
	}
	e.started = time.Now()
	if e.Date.IsZero() {
		e.Date = e.started
	}
	e.Date = e.style.Date(e.Date)
	e.ended = e.started
	e.queue.commit(e, e.ended)
	return nil
}

// Write is Commit, and waits until the record is on disk and, unless that cannot be written at
// present, in the index. When ctx ends before, the record may still be written.
func (e *Extra) Write(ctx context.Context) (Written, error) {
	told := make(chan outcome, 1)
	e.told = told
	if err := e.Commit(); err != nil {
		return Written{}, err
	}
	select {
	case o := <-told:
		if o.err == nil {
			e.settle(ctx) // what cannot be written at present is on disk all the same
		}
		return Written{e.ID.String(), e.Date, o.Location}, o.err
	case <-ctx.Done():
		return Written{}, ctx.Err()
	}
}

// Discard forgets the record.
func (e *Extra) Discard() { e.release() } // which has joined no cohort

func (e *Extra) target() string          { return e.URI }
func (e *Extra) Sides() [2]*spill.Buffer { return [2]*spill.Buffer{&e.none, &e.Block} }
func (e *Extra) Source() io.Closer       { return nil }
func (e *Extra) release()                { e.free() }

func (e *Extra) Describe(line *spill.Sidecar, whole bool) {
	line.Extra, line.URL, line.IDs.Response = &e.Extra, e.URI, e.ID.String()
	line.Started = store.FourDigitYear(e.started)
	if whole {
		line.Ended = e.ended
	}
}

// bound is more than the record takes in a file, with a block of that size.
func (e *Extra) bound(size int64) int64 {
	return size + size/1024 + sizeOfHeaders + int64(e.TextSize())
}

// done is what the committer must know of the record.
func (e *Extra) done(keyer *store.Keyer, block *record.Message) done {
	d := done{
		url: e.URI, extra: true, kind: e.Type, mime: e.ContentType,
		size: block.Length, body: block.Length, wait: e.told, queued: e.queued,
		cohort: e.cohort,
		took:   e.ended.Sub(e.started),
	}
	if d.captured = record.IsIndexed(e.Type, e.ContentType); d.captured {
		d.capture = record.ExtraCapture(keyer, e.URI, e.ContentType, e.Date, block.Block.String())
		d.mime = d.capture.MIME // without parameters
	}
	return d
}

// appendSmall hands the record to the committer.
func (e *Extra) appendSmall(w *smallWorker) { w.addExtra(e, w.bytes(1, &e.Block)) }

// addExtra hands a record whose block is in memory to the committer.
func (m *maker) addExtra(e *Extra, block []byte) {
	body := record.BlockOf(block, e.ContentType, m.style.Digester)
	bound := e.bound(body.Length)
	out := m.plan(small, bound)
	member := m.append(nil, e.AppendHeader(nil, m.style, &body, &out.warcinfo), &body)
	d := e.done(m.keyer, &body)
	d.capture.Length = int64(len(member))
	d.spill = m.leave(&e.spill, out)
	m.batches.add(out, bound, member, d)
	m.underway = underway{handed: true}
}

// recordChain hands the certificates of an exchange that has just been recorded to the committer,
// if the collection does not have them.
func (m *maker) recordChain(x *Exchange) {
	if x.Chain == nil || len(x.Chain.der) == 0 || m.chains.isKnown(x.Chain) {
		return
	}
	block := x.Chain.pem()
	digest := m.style.SumBytes(block)
	if !m.chains.isNew(x.Chain, digest.String()) {
		return
	}
	e := Extra{Extra: record.Extra{
		Type:        record.Resource,
		URI:         x.Chain.uri(),
		ContentType: chainType,
		Date:        m.style.Date(x.Started),
		RemoteIP:    x.RemoteIP,
		ID:          m.random.Next(),
	}}
	if id := m.records.ConcurrentTo(&m.ids); id != nil {
		e.ConcurrentTo = id.String()
	}
	m.addExtra(&e, block)
}
