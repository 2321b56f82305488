package proxy

import (
	"time"
)

// run relays the exchange and records it. It reports whether the client's connection goes on.
func (e *exchange) run(url string) (goesOn bool) {
	e.url, e.x = url, e.s.p.rec.Begin()
	defer e.rescue(&goesOn)
	e.x.Started = time.Now()
	e.x.URL, e.x.Method = url, string(e.req.Method)
	if total := e.s.p.cfg.Timeout.Total; total > 0 {
		e.until = e.x.Started.Add(total)
	}
	defer e.s.current.Store(nil)
	res, head, err := e.fetch()
	if err != nil {
		return e.fail(err)
	}
	if res.Status == 101 {
		return e.switchProtocols(head)
	}
	err = e.relayResponse(&res, head)
	if err != nil && !e.unrecorded {
		if cut := e.x.WasCut(); cut != nil {
			err = &recordError{cut}
		}
	}
	return e.finish(&res, err)
}
