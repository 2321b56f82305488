package recorder

import (
	"cmp"
	"errors"
	"io"
	"strings"
	"time"

	"warcorder/recorder/record"
)

// Exchange is one request and its response as they crossed the wire, with the facts that no byte of
// them tells. It comes from [Recorder.Begin] and ends with exactly one of Commit and Discard, after
// which it must not be touched.
//
// An Exchange is not safe for concurrent use, but its two buffers are independent: one goroutine
// may write the request while another writes the response, as long as both have ended before
// Commit.
type Exchange struct {
	record.Facts

	// Conn is the connection to the origin, while bytes may come of it. The recorder closes it, from
	// another goroutine, when the exchange has the room on disk that others need and next to nothing
	// comes.
	Conn io.Closer

	// Chain is the certificates that the origin sent; nil without TLS.
	Chain *Chain

	// Request and Response are the raw bytes: the request as it was sent to the origin, the response
	// as the origin sent it. Heads of 1xx responses before the final one do not belong in it.
	Request, Response Buffer

	queued    int64          // what it takes of the queue
	withFiles bool           // it has a place among Recorder.withFiles
	extra     *Extra         // what it stands for instead of an exchange; its block is Response
	told      chan<- outcome // is told what became of it, unless it is nil
	recorder  *Recorder
	spill     spill // what it has on disk
}

// begin makes an empty exchange one whose buffers share memory.
func (x *Exchange) begin(m *memory) {
	x.spill.x = x
	x.Request.memory, x.Response.memory = m, m
	x.Request.spill, x.Response.spill = &x.spill, &x.spill
}

// WasCut is why the recorder has closed Conn; nil if it has not.
func (x *Exchange) WasCut() error {
	return errors.Join(x.Request.wasCut(), x.Response.wasCut())
}

// Flush makes sure that the exchange outlives the process, if it is large or has left memory for
// another reason. Whoever passes on the last byte of a response calls it before, and does not pass
// it on after an error: what the client has whole is recorded whole, whatever becomes of the
// recorder.
func (x *Exchange) Flush() error {
	return errors.Join(x.about("", 0), x.Request.unsaved(), x.Response.unsaved())
}

// about notes where its records are about to go: there the next start looks for them.
func (x *Exchange) about(file string, at int64) error {
	err := x.spill.note(file, at)
	if err != nil {
		x.spill.failed(err)
	}
	return err
}

// Commit hands the exchange to the recorder, which writes it to a WARC file and to the index. It
// blocks while more bytes wait than Config.QueueSize allows.
func (x *Exchange) Commit() {
	x.Ended = time.Now()
	x.recorder.commit(x)
}

// Discard forgets the exchange: nothing of it is recorded.
func (x *Exchange) Discard() {
	x.release()
}

// release gives back what the exchange holds, itself included. Its files go, if nobody has taken
// them.
func (x *Exchange) release() {
	x.Request.Reset()
	x.Response.Reset()
	r := x.recorder
	if x.withFiles {
		<-r.withFiles
	}
	r.unspill(x.spill.leave())
	*x = Exchange{}
	r.pool.Put(x)
}

// keepSpilled lets all that has spilled be on disk, and the memory that held the last of it go.
func (x *Exchange) keepSpilled() {
	x.about("", 0) // what it could not write down is in memory, and is told to all by failed
	for _, b := range []*Buffer{&x.Request, &x.Response} {
		if b.file != nil && b.spilled == b.size {
			b.drop()
		}
	}
}

// noteUnkept marks the exchange as truncated if its buffers could not keep all of it.
func (x *Exchange) noteUnkept() {
	err := errors.Join(x.Request.lacks(), x.Response.lacks())
	if err == nil {
		return
	}
	if isOwnLength(err) {
		x.Truncated = "length"
	}
	x.Truncated = cmp.Or(x.Truncated, "unspecified")
	x.Fault = strings.TrimPrefix(x.Fault+"; not all could be kept: "+err.Error(), "; ")
}

// large says whether a side of the exchange is larger than any chunk of memory.
func (x *Exchange) large() bool { return max(x.Request.Len(), x.Response.Len()) > maxChunk }

// size is the number of bytes that crossed the wire.
func (x *Exchange) size() int64 { return x.Request.Len() + x.Response.Len() }
