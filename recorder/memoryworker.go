package recorder

// memoryWorker makes and compresses the records of exchanges that are in memory, several workers at once.
type memoryWorker struct {
	maker
	files   *files
	members []byte // of one exchange
}

func (w *memoryWorker) run(exchanges <-chan *Exchange) {
	for x := range exchanges {
		w.record(x)
	}
}

// record hands the records of an exchange to the committer.
func (w *memoryWorker) record(x *Exchange) {
	bound := boundOf(x)
	s := w.files.plan(fromMemory, bound)
	request, response := messageOf(x.Request.bytes()), messageOf(x.Response.bytes())
	r := w.make(x, &request, &response, s)
	d := doneOf(x, r)
	w.members = w.members[:0]
	if len(r.response) > 0 {
		w.members = w.append(w.members, r.response, &response)
		d.capture.Length = int64(len(w.members))
	}
	if len(r.request) > 0 {
		w.members = w.append(w.members, r.request, &request)
	}
	w.members = w.appendMetadata(w.members)
	w.files.add(s, bound, w.members, d)
	x.release()
}

// doneOf is what the committer must know of an exchange.
func doneOf(x *Exchange, r *records) done {
	return done{url: r.uri, captured: r.captured, capture: r.capture, took: x.took(), size: x.size(), queued: x.queued}
}
