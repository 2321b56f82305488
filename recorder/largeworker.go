package recorder

import (
	"bytes"
	"errors"
	"io"

	"warcorder/store/warc"
)

// largeWorker writes exchanges that lie on disk for their size, one after another: it reads each one once for the digests and once more to compress
// it straight into its file, so that a body of any size takes up no memory and holds up only other such bodies.
type largeWorker struct {
	maker
	files   *files
	health  *health
	closing <-chan struct{}
	lost    func(*done, error)
	buf     []byte // that bodies are read through
}

func (w *largeWorker) run(exchanges <-chan *Exchange) {
	for x := range exchanges {
		w.record(x)
		x.recorder.waitingLarge.Add(-1)
		x.release()
	}
}

// record writes an exchange and hands its capture to the committer.
func (w *largeWorker) record(x *Exchange) {
	w.files.awaitKeys()
	request, err := w.read(&x.Request)
	response, err2 := w.read(&x.Response)
	var err3 error
	request.asked, err3 = askedOf(&request.head, bodyOf(&x.Request, &request), request.length-int64(request.size))
	if err := errors.Join(err, err2, err3); err != nil {
		w.lost(&done{url: x.URL, queued: x.queued}, err)
		return
	}
	bound := boundOf(x)
	s := w.files.plan(large, bound)
	var d done
	var unreadable error
	err = w.health.retry(streaming, w.closing, func() error {
		var err error
		if s, err = w.usable(s, bound); err != nil {
			return err
		}
		d, err = w.write(s, x, &request, &response)
		if errors.As(err, new(*readError)) {
			unreadable, err = err, nil
		}
		return err
	})
	if err = errors.Join(err, unreadable); err != nil {
		w.files.drop(s, bound)
		w.lost(&done{url: x.URL, queued: x.queued}, err)
		return
	}
	w.files.addWritten(s, s.safe, d)
}

// usable is a file that takes records: s, or the next one if a write to s went wrong.
func (w *largeWorker) usable(s *segment, bound int64) (*segment, error) {
	if s.broken != nil {
		if err := w.files.mend(s); err != nil {
			return s, err
		}
	}
	if !s.finished {
		return s, nil
	}
	next := w.files.plan(large, bound)
	w.files.drop(s, bound)
	return next, nil
}

// write appends the records of an exchange to a file.
func (w *largeWorker) write(s *segment, x *Exchange, request, response *message) (done, error) {
	r := w.make(x, request, response, s)
	d := doneOf(x, r)
	offset, err := w.files.append(s, func(f *warc.Writer) (int64, error) {
		return f.AppendStream(func(t *warc.Tail) (err error) {
			if len(r.response) > 0 {
				d.capture.Length, err = w.stream(t, r.response, response, bodyOf(&x.Response, response))
			}
			if err == nil && len(r.request) > 0 {
				_, err = w.stream(t, r.request, request, bodyOf(&x.Request, request))
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

// read is messageOf for a message that may be on disk.
func (w *largeWorker) read(b *Buffer) (message, error) {
	if b.file == nil {
		return messageOf(b.bytes()), nil
	}
	start, err := w.readHead(b)
	if err != nil {
		return message{}, err
	}
	m := message{head: parseHead(start), length: b.Len()}
	m.start = start[:m.size]
	sample := make([]byte, sampleSize)
	body := m.length - int64(m.size)
	n, err := b.ReadAt(sample, int64(m.size)+max(0, (body-sampleSize)/2))
	if err != nil && err != io.EOF {
		return message{}, err
	}
	m.deflate = deflates(&m.head, sample[:n])
	if w.buf == nil {
		w.buf = make([]byte, 256<<10)
	}
	m.block, m.payload, err = sumReader(b.reader(), int64(m.size), w.buf)
	return m, err
}

// readHead reads as much of a message as holds its head: little, as a rule.
func (w *largeWorker) readHead(b *Buffer) ([]byte, error) {
	for size := int64(64 << 10); ; size = maxHead {
		start := make([]byte, min(size, b.Len()))
		if _, err := b.ReadAt(start, 0); err != nil && err != io.EOF {
			return nil, err
		}
		if h := parseHead(start); h.size < len(start) || size == maxHead {
			return start, nil
		}
	}
}

// bodyOf reads what follows the head of a message.
func bodyOf(b *Buffer, m *message) io.Reader {
	if b.file == nil {
		return bytes.NewReader(m.body)
	}
	return &spillReader{io.NewSectionReader(b.file, int64(m.size), m.length-int64(m.size))}
}

// spillReader marks errors of a spill file, which are not those of the WARC file.
type spillReader struct{ r io.Reader }

func (s *spillReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if err != nil && err != io.EOF {
		err = &readError{err}
	}
	return n, err
}

type readError struct{ err error }

func (e *readError) Error() string { return "read what was spilled: " + e.err.Error() }
func (e *readError) Unwrap() error { return e.err }
