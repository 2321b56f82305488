package proxy

// run relays the exchange and records it. It reports whether the client's connection goes on.
//
// Whatever happens, each exchange ends once: with a commit of what has passed, or with a discard
// because nothing has; and e.x is nil from there on.
func (e *exchange) run() (goesOn bool) {
	e.x = e.rec.Begin()
	if e.unrecorded {
		e.x.Passes(e.inPause)
	}
	defer e.depart()
	defer e.rescue(&goesOn)
	e.x.User = e.client.user
	e.x.URL, e.x.Method = e.url, string(e.req.Method)
	e.begin(e.x.Started)
	if c := e.whole.completion; c != nil {
		e.x.Completion = c.after
		e.endBy(e.x.Started.Add(e.cfg.Complete.Timeout))
	}
	res, head, err := e.fetch()
	if err != nil {
		return e.fail(err)
	}
	if res.Status == 101 {
		return e.switchProtocols(head)
	}
	e.noteCoding(&res)
	err = e.relayResponse(&res, head)
	if err != nil && !e.unrecorded {
		if cut := e.x.WasCut(); cut != nil {
			err = &unkeptError{cut}
		}
	}
	return e.finish(&res, err)
}
