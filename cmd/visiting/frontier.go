package visiting

import (
	"net/url"
	"strings"

	"golang.org/x/net/idna"
)

// Frontier is the pages that are still to be visited: those that were given, and behind them what
// these link to, and so on, the nearest first. Each is visited once.
type Frontier struct {
	hosts    map[string]bool // none: all
	depth    int
	room     int             // so many pages may still be added
	seen     map[string]bool // added
	visited  map[string]bool
	next     []Stop
	leftOver bool
}

// Stop is a page, and how many links lead there from one that was given.
type Stop struct {
	URL   string
	Depth int
}

// NewFrontier begins with pages, as ParseURL gives them. Links are followed as far as depth, until
// there are most pages, and to other hosts than those of the pages only if external. A host and the
// same behind www. are one.
func NewFrontier(pages []string, depth, most int, external bool) *Frontier {
	f := &Frontier{depth: depth, room: most, seen: map[string]bool{}, visited: map[string]bool{}}
	if !external {
		f.hosts = map[string]bool{}
		for _, page := range pages {
			f.hosts[hostOf(page)] = true
		}
	}
	for _, page := range pages {
		f.add(withRoute(page), 0)
	}
	return f
}

// Inside reports whether a URL is of the given hosts.
func (f *Frontier) Inside(page string) bool { return f.hosts == nil || f.hosts[hostOf(page)] }

// Next is the page to visit, if there is one left.
func (f *Frontier) Next() (stop Stop, ok bool) {
	for len(f.next) > 0 {
		stop, f.next = f.next[0], f.next[1:]
		if !f.visited[stop.URL] {
			return stop, true
		}
	}
	return Stop{}, false
}

// LeftOver reports that there were links for which there was no room.
func (f *Frontier) LeftOver() bool { return f.leftOver }

// Found adds what a page links to.
func (f *Frontier) Found(at Stop, links []string) {
	if at.Depth >= f.depth {
		return
	}
	for _, link := range links {
		if isFetched(link) && hostOf(link) != "" && f.Inside(link) {
			page, _, _ := strings.Cut(link, "#")
			f.add(page, at.Depth+1)
		}
	}
}

// Visited says under which URL a page was visited, which another one may have led to.
func (f *Frontier) Visited(page string) { f.seen[page], f.visited[page] = true, true }

// withRoute is the URL of a page that was given: without its fragment, unless that is a route, by which
// scripts make pages of one document.
func withRoute(page string) string {
	bare, fragment, _ := strings.Cut(page, "#")
	if strings.HasPrefix(fragment, "/") || strings.HasPrefix(fragment, "!") {
		return page
	}
	return bare
}

// add adds a page.
func (f *Frontier) add(page string, depth int) {
	switch {
	case f.seen[page]:
	case f.room == 0:
		f.leftOver = true
	default:
		f.room--
		f.seen[page] = true
		f.next = append(f.next, Stop{page, depth})
	}
}

// hostOf is the host of a URL, as one spelling of it: in ASCII, without www., port and final dot.
func hostOf(page string) string {
	u, err := url.Parse(page)
	if err != nil {
		return ""
	}
	host := strings.ToLower(u.Hostname())
	if ascii, err := idna.Lookup.ToASCII(host); err == nil {
		host = ascii
	}
	return strings.TrimPrefix(strings.TrimSuffix(host, "."), "www.")
}
