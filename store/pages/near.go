package pages

import (
	"warcorder/store"
	"warcorder/store/pagelist"
)

// CaptureOf returns the capture that is a page of a list: of those of its URL the nearest to its time,
// within an hour, that is no redirect. It is false if there is none.
func (p *Pages) CaptureOf(page *pagelist.Page) (store.Capture, bool, error) {
	return p.captureNear(page)
}
