package recorder

import (
	"bytes"
	"cmp"
	"errors"
	"io"
	"strings"
	"sync"
	"time"

	"warcorder/recorder/record"
	"warcorder/recorder/spill"
	"warcorder/store"
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

	// User is who asked, for the log; "" if that is not known. No record has it.
	User string

	// Request and Response are the raw bytes: the request as it was sent to the origin, the response
	// as the origin sent it. Heads of 1xx responses before the final one do not belong in it.
	Request, Response spill.Buffer

	transit
	pool *sync.Pool // where it comes from
}

// WasCut is why the recorder has closed Conn; nil if it has not.
func (x *Exchange) WasCut() error {
	return errors.Join(x.Request.WasCut(), x.Response.WasCut())
}

// Ending says that the client is about to have all that it will get: who asks Settle from now on
// waits for the exchange. Flush says so too.
func (x *Exchange) Ending() { x.queue.cohorts.join(&x.transit) }

// Flush makes sure that the exchange outlives the process, if it is large or has left memory for
// another reason. Whoever passes on the last byte of a response calls it before, and does not pass
// it on after an error: what the client has whole is recorded whole, whatever becomes of the
// recorder.
func (x *Exchange) Flush() error {
	x.Ending()
	return x.flush()
}

// Commit hands the exchange to the recorder, which writes it to a WARC file and to the index. It
// blocks while more bytes wait than Config.QueueSize allows.
func (x *Exchange) Commit() {
	x.Ended = time.Now()
	x.noteUnkept()
	x.Started = store.FourDigitYear(x.Started) // a clock may say anything
	x.queue.exits(&x.transit)
	x.queue.coming.add(x)
	x.queue.commit(x, x.Ended)
}

// Discard forgets the exchange: nothing of it is recorded.
func (x *Exchange) Discard() {
	x.queue.exits(&x.transit)
	x.queue.cohorts.discard(&x.transit)
	x.release()
}

func (x *Exchange) target() string          { return x.URL }
func (x *Exchange) Sides() [2]*spill.Buffer { return [2]*spill.Buffer{&x.Request, &x.Response} }
func (x *Exchange) Source() io.Closer       { return x.Conn }

func (x *Exchange) release() {
	x.free()
	pool := x.pool
	*x = Exchange{}
	pool.Put(x)
}

func (x *Exchange) Describe(line *spill.Sidecar, whole bool) {
	line.URL, line.Method, line.RemoteIP = record.TargetURI(x.URL), x.Method, x.RemoteIP
	line.Started = store.FourDigitYear(x.Started)
	line.TLS, line.Cipher, line.Unverified = x.TLS, x.Cipher, x.Unverified
	line.Completion, line.Via = x.Completion, x.Via
	if x.Chain != nil && len(bytes.Join(x.Chain.der, nil)) <= spill.MaxChainKept {
		line.Chain = x.Chain.der
	}
	if whole {
		line.Ended, line.Truncated, line.Fault = x.Ended, x.Truncated, x.Fault
	}
}

// noteUnkept marks the exchange as truncated if its buffers could not keep all of it.
func (x *Exchange) noteUnkept() {
	err := errors.Join(x.Request.Lacks(), x.Response.Lacks())
	if err == nil {
		return
	}
	if spill.IsOwnLength(err) {
		x.Truncated = "length"
	}
	x.Truncated = cmp.Or(x.Truncated, "unspecified")
	x.Fault = strings.TrimPrefix(x.Fault+"; not all could be kept: "+err.Error(), "; ")
}
