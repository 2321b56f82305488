package removal

import (
	"strings"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

// DropsGap is GoesGap for a gap that is dropped: Took knows it from then on.
func (p *Plan) DropsGap(g *store.Gap) bool {
	goes := p.GoesGap(g)
	if goes {
		surt, _ := canon.SURT(g.URL)
		p.gaps[hashOf(surt)], p.gaps[hostKey(surt)] = true, true
	}
	return goes
}

// Took reports whether the removal takes anything of a URL, for who names it without a time: a capture or
// a gap with its key, or whatever there is of it at any time. Something of it may be left all the same, of
// other times or in other files. Of a URL that is cut only the beginning is known: then it is told whether
// anything of its host goes.
func (p *Plan) Took(url string, cut bool) bool {
	surt, _ := canon.SURT(url)
	key, captures := hashOf(surt), p.gone.surts
	if cut {
		key, captures = hostKey(surt), p.gone.hosts
	}
	return captures[key] || p.gaps[key] || p.named(url, time.Time{}) && p.named(url, lastTime)
}

// hostKey is what stands for the host of a SURT, at whatever port.
func hostKey(surt string) hashed {
	host, _, _ := strings.Cut(surt, ")")
	if i := strings.LastIndexByte(host, ':'); i > strings.LastIndexByte(host, ']') {
		host = host[:i]
	}
	return hashOf(host)
}
