package recorder

import (
	"bytes"
	"errors"
	"io"
	"time"

	"warcorder/recorder/record"
	"warcorder/recorder/spill"
	"warcorder/store/warc"
)

// largeWorker writes exchanges that lie on disk for their size, one after another: it reads each
// one once for the digests and once more to compress it straight into its file, so that a body of
// any size takes up no memory and holds up only other such bodies.
type largeWorker struct {
	maker
	archive *archive
	health  *health
	closing <-chan struct{}
	room    *spill.Room
	pulse   *pulse
	buf     []byte // that bodies are read through
}

func (w *largeWorker) run(waiting <-chan recordable) {
	for r := range waiting {
		w.pulse.beat()
		clear(w.asked)
		w.guarded(r, w.take)
		w.pulse.rest()
		waitingLarge := &r.way().queue.waitingLarge
		r.release()
		waitingLarge.Add(-1) // with nothing of it in spill/ any more
	}
}

// take writes an exchange, or a record that is none, and hands its capture to the committer.
func (w *largeWorker) take(r recordable) {
	url := r.target()
	w.archive.streams.Store(&url)
	defer w.archive.streams.Store(nil)
	w.pulse.rest() // for the committer, which has a pulse of its own
	w.batches.awaitKeys()
	w.pulse.beat()
	r.appendLarge(w)
}

// appendLarge reads the exchange once for its digests, and puts its records into a file.
func (x *Exchange) appendLarge(w *largeWorker) {
	request, err := w.read(&x.Request, nil)
	var found lookup
	response, err2 := w.read(&x.Response,
		func(response *record.Message) *record.Content { return w.begin(&found, x, &request, response) })
	var err3 error
	request.Asked, err3 = record.AskedOf(&request.Head, w.bodyOf(&x.Request, &request),
		request.Length-int64(request.Size))
	if err := errors.Join(err, err2, err3); err != nil {
		w.lost(lostOf(x), err)
		return
	}
	if found.hashed {
		w.find(&found, x, &request, &response, nil, false)
	}
	if found.to != nil {
		response.Refer(&found.to.Reference, w.style.Digester)
	}
	write := func(out *output) (done, error) { return w.write(out, x, &request, &response, &found) }
	if w.put(x, boundOf(x), write) {
		w.recordChain(x)
	}
}

// appendLarge is appendLarge of an exchange, for one record.
func (e *Extra) appendLarge(w *largeWorker) {
	block, err := w.readBlock(e)
	if err != nil {
		w.lost(lostOf(e), err)
		return
	}
	w.put(e, e.bound(block.Length), func(out *output) (done, error) {
		d := e.done(w.keyer, &block)
		header := e.AppendHeader(nil, w.style, &block, &out.warcinfo)
		if err := e.spill.Note(out.name, out.safe); err != nil {
			return d, err
		}
		offset, err := w.archive.append(out, func(f *warc.Writer) (int64, error) {
			return f.AppendStream(func(t *warc.Tail) (err error) {
				d.capture.Length, err = w.stream(t, header, &block, w.bodyOf(&e.Block, &block))
				return err
			})
		})
		d.capture.Offset = offset
		return d, err
	})
}

// put writes records to a file and hands their capture to the committer. It reports whether it
// could.
//
// A try that fails leaves the file broken; the next one mends it first, and takes the next file if
// that one has been finished. put tries until it succeeds, or until the recorder closes, but for
// three errors that trying again does not mend:
//
//	readError    what was spilled cannot be read
//	unfitError   the file became as long as the file system lets one be, oversizeTries times: the
//	             last time the exchange had the file for itself
//	givenUpError the disk has been full for fullPatience, and what this exchange has spilled is the
//	             room that all others lack
func (w *largeWorker) put(r recordable, bound int64, write func(*output) (done, error)) bool {
	out := w.plan(large, bound)
	var d done
	var hopeless error
	began, oversize := time.Now(), 0
	err := w.health.retry(streaming, w.closing, w.pulse.during(func() error {
		w.room.Copies(r.Sides())
		defer w.room.Copies([2]*spill.Buffer{})
		var err error
		if out, err = w.usable(out, bound); err == nil {
			d, err = write(out)
		}
		if spill.IsOversize(err) {
			oversize++
		}
		switch {
		case errors.As(err, new(*readError)):
			hopeless, err = err, nil
		case oversize == oversizeTries:
			hopeless, err = &unfitError{err}, nil
		case spill.IsFull(err) && time.Since(began) >= fullPatience &&
			w.room.IsBlockedBy(r.way().size()) && !isClosed(w.closing):
			hopeless, err = &givenUpError{err}, nil
		}
		return err
	}))
	if err = errors.Join(err, hopeless); err != nil {
		w.lanes.drop(out, bound)
		w.underway.planned = nil
		w.lost(lostOf(r), err)
		return false
	}
	w.batches.addWritten(out, out.safe, d)
	w.underway = underway{handed: true}
	return true
}

// oversizeTries is how often a file is found to be as long as the file system lets one be before
// that is the doing of the exchange: after two failures it has a file of its own.
const oversizeTries = 3

// usable is a file that takes records: out, or the next one if a write to that went wrong.
func (w *largeWorker) usable(out *output, bound int64) (*output, error) {
	if out.broken != nil {
		if err := w.archive.mend(out); err != nil {
			return out, err
		}
	}
	if !out.finished {
		return out, nil
	}
	next := w.plan(large, bound)
	w.lanes.drop(out, bound)
	return next, nil
}

// write appends the records of an exchange to a file.
func (w *largeWorker) write(out *output, x *Exchange, request, response *record.Message,
	found *lookup) (done, error) {
	r := w.make(x, request, response, out)
	w.note(found, r, response, out)
	d := doneOf(x, r, response, found)
	if err := x.spill.Note(out.name, out.safe); err != nil { // else a crash could bring it twice
		return d, err
	}
	offset, err := w.archive.append(out, func(f *warc.Writer) (int64, error) {
		return f.AppendStream(func(t *warc.Tail) (err error) {
			if len(r.Response) > 0 {
				d.capture.Length, err = w.stream(t, r.Response, response, w.bodyOf(&x.Response, response))
			}
			if err == nil && len(r.Request) > 0 {
				_, err = w.stream(t, r.Request, request, w.bodyOf(&x.Request, request))
			}
			if err == nil {
				_, err = t.Write(w.appendMetadata(nil))
			}
			return err
		})
	})
	d.capture.Offset = offset
	return d, err
}

// read is record.MessageOf for a message that may be on disk. What contentOf returns for its head,
// if it is not nil, gets its body.
func (w *largeWorker) read(b *spill.Buffer,
	contentOf func(*record.Message) *record.Content) (record.Message, error) {
	if !b.InFile() {
		return record.MessageOf(b.Bytes(), w.style.Digester), nil
	}
	start, err := w.readHead(b)
	if err != nil {
		return record.Message{}, err
	}
	m := record.Message{Head: record.ParseHead(start), Length: b.Len()}
	m.Start = start[:m.Size]
	sample := make([]byte, record.SampleSize)
	body := m.Length - int64(m.Size)
	n, err := b.ReadAt(sample, int64(m.Size)+max(0, (body-record.SampleSize)/2))
	if err != nil && err != io.EOF {
		return record.Message{}, err
	}
	m.Deflate = record.Deflates(&m.Head, sample[:n])
	if w.buf == nil {
		w.buf = make([]byte, 256<<10)
	}
	var content *record.Content
	if contentOf != nil {
		content = contentOf(&m)
	}
	m.Block, m.Payload, err = w.style.SumReader(pulseReader{b.Reader(), w.pulse}, &m.Head, w.buf, content)
	return m, err
}

// readBlock is record.BlockOf for a block that is on disk.
func (w *largeWorker) readBlock(e *Extra) (record.Message, error) {
	m := record.Message{Head: record.Head{ContentType: []byte(e.ContentType)}, Length: e.Block.Len()}
	sample := make([]byte, record.SampleSize)
	n, err := e.Block.ReadAt(sample, (m.Length-record.SampleSize)/2)
	if err != nil && err != io.EOF {
		return record.Message{}, err
	}
	m.Deflate = record.Deflates(&m.Head, sample[:n])
	if w.buf == nil {
		w.buf = make([]byte, 256<<10)
	}
	m.Block, _, err = w.style.SumReader(pulseReader{e.Block.Reader(), w.pulse}, &m.Head, w.buf, nil)
	m.Payload = m.Block
	return m, err
}

// readHead reads as much of a message as holds its head: little, as a rule.
func (w *largeWorker) readHead(b *spill.Buffer) ([]byte, error) {
	for size := int64(64 << 10); ; size = record.MaxHead {
		start := make([]byte, min(size, b.Len()))
		if _, err := b.ReadAt(start, 0); err != nil && err != io.EOF {
			return nil, err
		}
		if h := record.ParseHead(start); h.Size < len(start) || size == record.MaxHead {
			return start, nil
		}
	}
}

// bodyOf reads what follows the head of a message in its record.
func (w *largeWorker) bodyOf(b *spill.Buffer, m *record.Message) io.Reader {
	if !b.InFile() || m.Refers != nil {
		return bytes.NewReader(m.Body)
	}
	body := io.NewSectionReader(b, int64(m.Size), m.Length-int64(m.Size))
	return &spillReader{pulseReader{body, w.pulse}, w.room}
}

// spillReader marks errors of a spill file, which are not those of the WARC file.
type spillReader struct {
	r    io.Reader
	room *spill.Room
}

func (s *spillReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	s.room.Copied(int64(n))
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}
