package recorder

import (
	"io"

	"warcorder/recorder/record"
	"warcorder/recorder/spill"
	"warcorder/store"
)

// smallWorker makes and compresses the records of exchanges that have room in memory, several
// workers at once.
type smallWorker struct {
	maker
	late      <-chan struct{} // closed when nothing is recorded any more
	members   []byte          // of one exchange
	unspilled [2][]byte       // what an exchange has spilled
	prepared  []prepared      // of what is in hand; shorter if there is nothing to prepare for
	now       *prepared       // of the exchange whose turn it is; nil if nothing was
}

func (w *smallWorker) run(waiting <-chan []recordable) {
	for some, ok := w.turns.next(waiting); ok; some, ok = w.turns.next(waiting) {
		w.prepare(some)
		for i, r := range some {
			w.now = w.preparedOf(i)
			w.guarded(r, w.take)
			w.turns.end(r)
			r.release()
		}
	}
}

// take hands the records of an exchange, or a record that is none, to the committer.
func (w *smallWorker) take(r recordable) {
	if isClosed(w.late) {
		w.lost(lostOf(r), spill.ErrNoTime)
		return
	}
	w.batches.awaitKeys()
	if err := w.unspill(r.Sides()); err != nil {
		w.lost(lostOf(r), err)
		return
	}
	r.appendSmall(w)
}

// appendSmall makes the records of the exchange in memory, and hands them to the committer. Its
// response is summed only if it is stored in full: a reference brings its digest along.
func (x *Exchange) appendSmall(w *smallWorker) {
	bound := boundOf(x)
	out := w.plan(small, bound)
	request, response, found := w.lookAt(x, out)
	if found.to != nil {
		response.Refer(&found.to.Reference, w.style.Digester)
	} else {
		response.Sum(w.bytes(1, &x.Response), w.style.Digester)
	}
	r := w.make(x, &request, &response, out)
	w.note(&found, r, &response, out)
	d := doneOf(x, r, &response, &found)
	w.members = w.members[:0]
	if len(r.Response) > 0 {
		w.members = w.append(w.members, r.Response, &response)
		d.capture.Length = int64(len(w.members))
	}
	if len(r.Request) > 0 {
		w.members = w.append(w.members, r.Request, &request)
	}
	w.members = w.appendMetadata(w.members)
	d.spill = w.leave(&x.spill, out)
	w.batches.add(out, bound, w.members, d)
	w.underway = underway{handed: true}
	w.recordChain(x)
}

// lookAt takes the exchange apart, and looks for what it can refer to.
func (w *smallWorker) lookAt(x *Exchange, out *output) (request, response record.Message, found lookup) {
	if p := w.now; p != nil {
		w.find(&p.found, x, &p.request, &p.response, out, true)
		return p.request, p.response, p.found
	}
	request = record.RequestOf(w.bytes(0, &x.Request), w.style.Digester)
	response = record.Parse(w.bytes(1, &x.Response))
	return request, response, w.look(x, &request, &response, out)
}

// unspill reads back what has been spilled for want of memory, and not for its size.
func (w *smallWorker) unspill(sides [2]*spill.Buffer) error {
	for i, b := range sides {
		if !b.InFile() {
			continue
		}
		if w.unspilled[i] == nil {
			w.unspilled[i] = make([]byte, spill.MaxChunk)
		}
		if _, err := io.ReadFull(b.Reader(), w.unspilled[i][:b.Len()]); err != nil {
			return &readError{err}
		}
	}
	return nil
}

// bytes are those of a side of the exchange.
func (w *smallWorker) bytes(side int, b *spill.Buffer) []byte {
	if b.InFile() {
		return w.unspilled[side][:b.Len()]
	}
	return b.Bytes()
}

// doneOf is what the committer must know of an exchange.
func doneOf(x *Exchange, r *record.Records, response *record.Message, found *lookup) done {
	d := done{
		url:      r.URI,
		captured: r.Captured,
		capture:  r.Capture,
		took:     x.Took(),
		user:     x.User,
		follows:  x.Completion,
		mime:     r.MIME,
		body:     x.Response.Len() - int64(response.Size),
		size:     x.size(),
		queued:   x.queued,
		handed:   x.handed,
		cohort:   x.cohort,
		original: found.original,
		refused:  refusedIn(x, r.URI, response),
		wait:     x.told,
	}
	if found.to != nil {
		d.refers = found.to.pending
	}
	r.Capture = store.Capture{} // which may hold keys of many MB
	return d
}
