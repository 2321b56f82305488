package proxy

import (
	"net"
	"net/http"

	"warcorder/recorder"
)

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
