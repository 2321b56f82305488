package proxy

import (
	"context"
	"io"
)

// Source answers requests in the origins' place: an archive. Its method has standard types only, so
// that what satisfies it need not know the proxy: store/replay, which reads files, and
// cmd/replaying, which asks another process for what that has open. Origins are no Source, and
// cannot be: an exchange is recorded, goes both ways at once, has interim answers and upgrades, and
// its connections are its session's; own pages are for people, and need what the client is known by.
//
// The proxy stays what it is to clients: listener, certificates, passwords, limits, its own pages.
// What a Source returns is passed on as if an origin had sent it (replay.go).
type Source interface {
	// Answer answers one request. url is what a record of it would have: scheme, authority, path and
	// query. head is the request's head as the client sent it, with what it shows the proxy (its
	// password). body is what follows without its transfer coding, nil if nothing does. It may be read
	// until Answer returns; one that breaks off ends with an error that is not io.EOF. What is not read
	// of it the proxy reads. head holds until rest is closed, and answer must as well.
	//
	// answer is the head of the response, from its status line to its empty line, and never that of an
	// interim one (1xx). rest is what follows on the wire, framed as answer says: a chunked body has
	// its chunk framing. The proxy reads it as far as the framing goes, and closes it; nil is nothing.
	// A body that ends before its framing does, or with io.ErrUnexpectedEOF, was cut in the record, and
	// the client sees it broken. A Read that returns 0 and nil says that there is nothing at the
	// moment: what came before goes out, and a shutdown does not wait for more. Else what comes goes
	// out when 32 KiB are there, or all.
	//
	// An error for which errors.Is(err, fs.ErrNotExist) says that there is no answer and the origin may
	// be asked; it is if there is a recorder. Any other says that the archive could not be read, one
	// of whose files has gone, say: the client is told so, and the log.
	//
	// ctx is done when the client has gone, when timeout-total is over, and when the proxy is to end.
	// Answer and rest then end soon. Answer is called by many goroutines at once.
	Answer(ctx context.Context, method, url string, head []byte, body io.Reader) (
		answer []byte, rest io.ReadCloser, err error)
}
