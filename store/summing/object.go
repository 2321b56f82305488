package summing

import (
	"context"
	"errors"
	"io"

	"warcorder/store"
	"warcorder/store/objects"
)

// Object is an object that is read mostly in order, as one stream; what lies elsewhere is read beside
// it. It is for one goroutine.
type Object struct {
	ctx     context.Context
	storage *objects.Storage
	remote  *store.Remote
	beside  *objects.Reader

	stream io.ReadCloser // nil before the first read, and where it has failed
	at     int64         // of the stream's next byte
}

// maxPassed is how many bytes of a stream are read for nothing, rather than to begin another one.
const maxPassed = 4 << 20

// Of returns an object. Nothing is asked before it is read.
func Of(ctx context.Context, storage *objects.Storage, remote *store.Remote) *Object {
	return &Object{ctx: ctx, storage: storage, remote: remote,
		beside: storage.Reader(remote).WithContext(ctx)}
}

// ReadAt reads, as io.ReaderAt does.
func (o *Object) ReadAt(p []byte, offset int64) (n int, err error) {
	switch {
	case offset >= o.remote.Size:
		return 0, io.EOF
	case o.stream != nil && offset < o.at: // what was read before
		return o.beside.ReadAt(p, offset)
	}
	if err := o.goTo(offset); err != nil {
		return 0, err
	}
	n, err = io.ReadFull(o.stream, p[:min(int64(len(p)), o.remote.Size-offset)])
	o.at += int64(n)
	switch {
	case errors.Is(err, io.EOF): // not at the end of the object
		o.Close()
		err = io.ErrUnexpectedEOF
	case err != nil:
		o.Close()
	case n < len(p):
		err = io.EOF
	}
	return n, err
}

// goTo has the stream go on at an offset, which is not before where it is.
func (o *Object) goTo(offset int64) (err error) {
	if o.stream != nil && offset-o.at <= maxPassed {
		n, err := io.CopyN(io.Discard, o.stream, offset-o.at)
		if o.at += n; err != nil {
			o.Close()
		}
		return err
	}
	o.Close()
	o.stream, err = o.storage.Stream(o.ctx, o.remote, offset)
	o.at = offset
	return err
}

// Close ends the stream. The next read begins another one.
func (o *Object) Close() error {
	if o.stream == nil {
		return nil
	}
	err := o.stream.Close()
	o.stream = nil
	return err
}
