package proxy

import "context"

// origins are where the answers to one session's requests come from, unless a Source answers. An
// exchange asks those of its session (fetch.go) and does not know which connections are kept, nor
// for whom.
//
// A connection is anybody's: one that a client has left serves the next client. Only a bound one is
// its session's own. Either the origin has authenticated the connection as a whole, so that another
// client's requests on it would be made in the first client's name; or the origin may take the end
// of a request for another place than we do, and what it then takes for the next request must be
// the same client's.
type origins struct {
	pool *upstreams
	own  *upstream // bound, and waiting for the session's next request
}

// kept returns a connection to an origin that has been used before and lives, or nil. A bound one
// to another origin is closed: a client that goes elsewhere will not need it soon.
func (o *origins) kept(to origin) *upstream {
	if up := o.own; up != nil {
		o.own = nil
		if up.origin == to && up.alive() {
			return up
		}
		up.close()
	}
	return o.pool.get(to)
}

// dial opens a connection to an origin.
func (o *origins) dial(ctx context.Context, to origin) (*upstream, error) {
	return o.pool.dial(ctx, to)
}

// keep takes back a connection for the next request: of anybody, or of this session if it is bound
// or has ever been.
func (o *origins) keep(up *upstream, bound bool) {
	up.bound = up.bound || bound
	if !up.bound {
		o.pool.put(up)
		return
	}
	up.rest()
	up.used++
	o.own = up
}

// close ends the session's own connection.
func (o *origins) close() {
	if o.own != nil {
		o.own.close()
		o.own = nil
	}
}
