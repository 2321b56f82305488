package recorder

import (
	"net/http"
	"time"

	"warcorder/canon"
	"warcorder/recorder/outside"
	"warcorder/recorder/record"
	"warcorder/store"
)

// findOutside looks for what the response can refer to in other archives, once it has a key, and the
// collection has no original.
//
// Nothing of what is found is kept as an original: the next response of that content is looked for
// anew, here first, so that it refers to what still is where it was.
func (m *maker) findOutside(l *lookup, x *Exchange, response *record.Message) *referred {
	if m.outside == nil {
		return nil
	}
	w := outside.Want{
		URL: l.uri, Status: response.Status(), Keys: []store.OriginalKey{l.key}, Hurry: m.hurried(),
		Fresh: func(original time.Time) bool { return l.rules.IsFresh(original, x.Started) },
	}
	if l.rules.Dedup == record.DedupURL {
		w.Scope = l.scope
	}
	if m.outside.Collections() && response.Status() != http.StatusPartialContent {
		w.Keys = append(w.Keys, m.content.Under(l.otherScope()))
	}
	if m.outside.Servers() {
		w.SHA1 = m.content.SHA1()
	}
	found := m.outside.Find(&w)
	if found == nil {
		return nil
	}
	return &referred{record.Reference{Original: *found, Outside: true}, nil}
}

// otherScope is the scope of a collection's keys that was recorded with the other setting of dedup.
func (l *lookup) otherScope() string {
	if l.rules.Dedup == record.DedupURL {
		return ""
	}
	surt, _ := canon.SURT(l.uri)
	return surt
}

// unclaim gives up the key that was claimed if there is an original elsewhere, for the response becomes
// none.
func (m *maker) unclaim(l *lookup, claims bool) {
	if claims && l.to != nil {
		m.originals.unclaim(l.key)
		m.underway.claims = false
	}
}
