package replay

import (
	"strings"
	"sync"
	"unicode/utf8"

	"warcorder/store"
)

// The bounds of the list of misses. What is beyond them is counted.
const (
	maxDocuments = 1000
	maxMisses    = 10_000   // that differ
	maxListed    = 16 << 20 // bytes of text
	maxText      = 2048     // bytes of a URL or a key
)

// misses are the requests that were not answered, listed by the documents that asked. The zero
// misses are ready.
type misses struct {
	mu        sync.Mutex
	documents map[string]*document
	inOrder   []*document
	listed    int   // misses that differ
	text      int   // bytes of text of all that is listed
	unlisted  int64 // misses
}

type document struct {
	url    string
	missed int64
	misses map[request]*Miss
	order  []*Miss
}

// request is what misses of one document differ in.
type request struct{ method, url string }

// add counts a miss, and returns it with how often it came; 0 if that is not known, since there is
// no room for it. It is made by make when it is not listed.
func (m *misses) add(by string, r request, make func() (Miss, error)) (Miss, error) {
	if miss, listed := m.again(by, r); listed {
		return miss, nil
	}
	miss, err := make()
	if err != nil {
		return miss, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.put(by, r, miss), nil
}

// again counts a miss that is listed.
func (m *misses) again(by string, r request) (miss Miss, listed bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	d := m.documents[by]
	if d == nil || d.misses[r] == nil {
		return miss, false
	}
	return d.count(d.misses[r]), true
}

func (d *document) count(miss *Miss) Miss {
	d.missed++
	miss.Count++
	return *miss
}

// put lists a miss, if there is room for it.
func (m *misses) put(by string, r request, miss Miss) Miss {
	d := m.document(by)
	if d == nil {
		m.unlisted++
		return miss
	}
	if listed := d.misses[r]; listed != nil { // somebody else was faster
		return d.count(listed)
	}
	size := miss.size()
	if m.listed >= maxMisses || m.text+size > maxListed {
		d.missed++
		m.unlisted++
		return miss
	}
	m.listed, m.text = m.listed+1, m.text+size
	d.misses[r] = &miss
	d.order = append(d.order, &miss)
	return d.count(&miss)
}

// document returns the document of that URL; nil if there is no room for it.
func (m *misses) document(by string) *document {
	if d := m.documents[by]; d != nil {
		return d
	}
	if len(m.inOrder) >= maxDocuments || m.listed >= maxMisses || m.text+len(by) > maxListed {
		return nil
	}
	if m.documents == nil {
		m.documents = make(map[string]*document)
	}
	d := &document{url: by, misses: make(map[request]*Miss)}
	m.documents[by], m.inOrder, m.text = d, append(m.inOrder, d), m.text+len(by)
	return d
}

// list returns what is listed, and how many misses are not.
func (m *misses) list() (all []Document, unlisted int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	all = make([]Document, 0, len(m.inOrder))
	for _, d := range m.inOrder {
		listed := Document{URL: d.url, Missed: d.missed, Misses: make([]Miss, 0, len(d.order))}
		for _, miss := range d.order {
			listed.Misses = append(listed.Misses, *miss)
		}
		all = append(all, listed)
	}
	return all, m.unlisted
}

// size is how much text a miss has.
func (m *Miss) size() int {
	size := len(m.Method) + len(m.URL) + len(m.Why)
	if n := m.Nearest; n != nil {
		size += len(n.URL) + len(n.Method) + len(n.File) + len(n.Key)
	}
	return size
}

// nearestOf tells of a capture in a report.
func nearestOf(c *store.Capture) *Nearest {
	if c == nil {
		return nil
	}
	n := &Nearest{URL: shortened(c.URL), Method: shortened(c.Method), Status: c.Status, Time: c.Time,
		File: c.File, Offset: c.Offset, Key: shortened(c.URLKey)}
	if n.Method == "" {
		n.Method = "GET"
	}
	return n
}

// shortened returns a copy of a text, or of its beginning.
func shortened(s string) string {
	if len(s) <= maxText {
		return strings.Clone(s)
	}
	end := maxText
	for end > maxText-utf8.UTFMax && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}

// referrer returns the document that a request came from.
func (r *asked) referrer() string {
	by, _, _ := strings.Cut(r.head.first("Referer"), "#")
	return shortened(by)
}
