package proxy

import (
	"context"
	"errors"
	"net"
	"os"

	"warcorder/proxy/http1"
)

// The kinds of error that the tables of verdicts tell apart, beside those of the network and of
// package http1. One that is not in a table is an error of the origin's that nobody foresaw.

// Limits of ours.
var (
	errHeadTooLarge   = errors.New("the head is too large")
	errCrowdedHeads   = errors.New("too many large heads are being read")
	errEndlessInterim = errors.New("more than 1000 interim responses")
	errSelf           = errors.New("the target is the proxy itself")
	errNeverWhole     = errors.New("the body is larger than complete-max")
	errTrace          = errors.New("a TRACE would be answered with what a proxy on the way is told")
)

// Ends that are made.
var (
	errStopping   = errors.New("the recorder is being stopped")
	errClientGone = errors.New("the client went away")
	errStopped    = errors.New("the upload was stopped: the answer was complete")
)

// errNotProxied ends a session whose next request is not in absolute form: a CONNECT, or one to the
// proxy itself.
var errNotProxied = errors.New("not a proxy request")

// notReady is why nothing can be recorded at the moment.
type notReady struct{ err error }

func (e *notReady) Error() string { return e.err.Error() }

// unkeptError is an exchange that could not be kept: it must not pass.
type unkeptError struct{ err error }

func (e *unkeptError) Error() string { return "record: " + e.err.Error() }
func (e *unkeptError) Unwrap() error { return e.err }

// isUnkept reports an exchange that could not be kept.
func isUnkept(err error) bool {
	var unkept *unkeptError
	return errors.As(err, &unkept)
}

// overtimeError is a timeout that is the doing of a setting for the whole exchange.
type overtimeError struct {
	err     error
	setting string
}

func (e *overtimeError) Error() string { return e.err.Error() }
func (e *overtimeError) Unwrap() error { return e.err }

// dialError is a connection that could not be made, with the step at which it failed.
type dialError struct {
	step string // "connect" or "tls"
	err  error
}

func (e *dialError) Error() string { return e.step + ": " + e.err.Error() }
func (e *dialError) Unwrap() error { return e.err }

// isAmbiguous reports a message that http1 has refused.
func isAmbiguous(err error) bool {
	var refused *http1.Error
	return errors.As(err, &refused)
}

// isTimeout reports an error by which a deadline or a context says that time is over.
func isTimeout(err error) bool {
	var n net.Error
	return errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, context.DeadlineExceeded) ||
		errors.As(err, &n) && n.Timeout()
}
