package proxy

import (
	"net"
	"net/http"

	"warcorder/proxy/admin"
)

// guarded is f, which serves conn, with an end for its panics: of what is not the work on one
// exchange, such as a head or a handshake.
func (r *relay) guarded(conn net.Conn, f func()) func() {
	return func() {
		defer func() {
			if value := recover(); value != nil {
				r.broke(value, conn.RemoteAddr().String())
				conn.Close()
			}
		}()
		f()
	}
}

// guardedPages are the proxy's own pages, whose panics count like any other.
func (r *relay) guardedPages(pages http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		defer func() {
			switch value := recover(); value {
			case nil:
			case http.ErrAbortHandler:
				panic(value)
			default:
				r.broke(value, admin.PathOf(req))
				panic(http.ErrAbortHandler) // by which net/http ends the connection and says nothing
			}
		}()
		pages.ServeHTTP(w, req)
	})
}
