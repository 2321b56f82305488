package proxy

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"runtime/debug"

	"warcorder/recorder"
)

// carried is a panic of a goroutine that works for a session, on its way to the session's own.
type carried struct {
	value any
	stack []byte
}

func (c *carried) String() string { return fmt.Sprintf("%v\n%s", c.value, c.stack) }

// carry is deferred by such a goroutine: its panic is kept in to, and ends the session where that
// learns how the goroutine has ended (rethrow).
func carry(to **carried) {
	if value := recover(); value != nil {
		*to = &carried{value, debug.Stack()}
	}
}

// rethrow goes on with a panic that was carried.
func rethrow(from **carried) {
	if c := *from; c != nil {
		*from = nil
		panic(c)
	}
}

// rescue is deferred by run: a panic in the work on one exchange ends that exchange and its
// connections. What has come of it is recorded as cut; it may be all that there will ever be.
func (e *exchange) rescue(goesOn *bool) {
	value := recover()
	if value == nil {
		return
	}
	*goesOn = false
	err := e.s.p.rec.Panicked(value, e.url)
	e.s.raw.Close()
	e.endHelpers()
	if !e.unrecorded {
		e.s.p.rec.Gap(recorder.GapWrite, e.url, err.Error())
	}
	switch {
	case e.x == nil: // settled before
	case e.x.Request.Len() == 0 || e.unrecorded:
		e.discard()
	default:
		e.x.Truncated, e.x.Fault = "unspecified", err.Error()
		e.commit()
	}
	e.drop()
}

// endHelpers waits for the goroutines that work for the exchange, whose client's connection is
// closed: none may touch the exchange behind its end.
func (e *exchange) endHelpers() {
	if e.up != nil {
		e.up.raw.Close()
	}
	if e.upload != nil {
		e.upload.stopped.Store(true)
		<-e.upload.done
	}
	if watching := e.s.in.watching; watching != nil {
		<-watching
	}
}

// guarded is f, which serves conn, with an end for its panics: of what is not the work on one
// exchange, such as a head or a handshake.
func (p *Proxy) guarded(conn net.Conn, f func()) func() {
	return func() {
		defer func() {
			if value := recover(); value != nil {
				p.broke(value, conn.RemoteAddr().String())
				conn.Close()
			}
		}()
		f()
	}
}

// guardedPages are the proxy's own pages, whose panics count like any other.
func (p *Proxy) guardedPages(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			switch value := recover(); value {
			case nil:
			case http.ErrAbortHandler:
				panic(value)
			default:
				p.broke(value, r.URL.Path)
				panic(http.ErrAbortHandler) // by which net/http ends the connection and says nothing
			}
		}()
		pages.ServeHTTP(w, r)
	})
}

// broke notes a panic on a connection.
func (p *Proxy) broke(value any, place string) {
	err := p.rec.Panicked(value, place)
	p.rec.Gap(recorder.GapWrite, place, err.Error())
}

// stopBroken makes Serve return err.
func (p *Proxy) stopBroken(err error) {
	p.broken.CompareAndSwap(nil, &err)
	p.ln.Close()
}

// isBroken is why Serve must end, if it must.
func (p *Proxy) isBroken() error {
	if err := p.broken.Load(); err != nil {
		return *err
	}
	return nil
}

var errPanic = errors.New("warcorder broke")
