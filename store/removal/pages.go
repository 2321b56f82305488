package removal

import (
	"cmp"
	"context"
	"errors"

	"warcorder/canon"
	"warcorder/store/collection"
	"warcorder/store/pagelist"
	"warcorder/store/pages"
)

// dropPages writes the list of pages that imports have brought without those that go.
func (p *Plan) dropPages(ctx context.Context, mode collection.Mode) (err error) {
	all := pages.New(p.index, p.readers)
	var failed error
	p.Pages, err = pagelist.Prepare(p.dir, mode, func(page *pagelist.Page) bool {
		if failed = cmp.Or(failed, ctx.Err()); failed != nil {
			return false
		}
		goes, err := p.goesPage(all, page)
		failed = err
		return goes
	})
	return errors.Join(failed, err)
}

// goesPage reports whether a page of the list goes: what goes names it, or the capture goes that is
// the page. The time of a list is not that of the capture, nor is its URL to the letter. A page of a
// URL that goes, of which there is no capture, is shown by nothing, and goes as well, unless captures
// alone were chosen.
func (p *Plan) goesPage(all *pages.Pages, page *pagelist.Page) (bool, error) {
	surt, _ := canon.SURT(page.URL)
	named := !p.order.Aged && p.named(page.URL, page.Time)
	if named || !p.gone.surts[hashOf(surt)] {
		return named, nil
	}
	c, found, err := all.CaptureNear(page)
	if err != nil || !found {
		return p.order.Has != nil && !p.order.Aged, err
	}
	file, _ := p.index.File(c.File)
	return p.gone.has(place{file.ID, c.Offset}), nil
}
