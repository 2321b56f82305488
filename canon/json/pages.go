package json

// pages is a list that may become long. To grow it is not copied, which would take more than twice
// its room.
type pages[T any] struct {
	pages  [][]T
	length int
}

// pageLength is how many values are on a page.
const pageLength = 1 << 12

func (p *pages[T]) add(value T) {
	page := p.length / pageLength
	if page == len(p.pages) {
		p.pages = append(p.pages, nil)
		if page > 0 { // the first page begins small
			p.pages[page] = make([]T, 0, pageLength)
		}
	}
	p.pages[page] = append(p.pages[page][:p.length%pageLength], value)
	p.length++
}

// at returns a value, which may be elsewhere once another has been added.
func (p *pages[T]) at(i int) *T { return &p.pages[i/pageLength][i%pageLength] }

// last returns the last value, likewise.
func (p *pages[T]) last() *T { return p.at(p.length - 1) }

// cut leaves the first n values. The pages of the others stay for those that come.
func (p *pages[T]) cut(n int) { p.length = n }
