package proxy

import (
	"warcorder/proxy/dns"
	"warcorder/recorder"
)

// recordAnswer writes what a name server answered as a resource record.
func (r *relay) recordAnswer(a dns.Answer) {
	e := r.rec.BeginExtra()
	e.Type, e.ContentType = recorder.Resource, dns.MediaType
	e.URI, e.Date, e.RemoteIP = a.URI, a.Date, a.Server
	e.Block.Write(a.Block) // Commit says if it could not
	if err := e.Commit(); err != nil {
		r.rec.Gap(recorder.GapWrite, a.URI, err.Error())
	}
}

// namesBroke notes a panic in reading what a name server sent.
func (r *relay) namesBroke(value any) { r.broke(value, "dns:") }
