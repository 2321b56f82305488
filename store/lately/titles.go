package lately

import (
	"context"
	"strings"
	"sync"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"warcorder/store/pages"
)

// titles are those of the pages that were asked for lately.
type titles struct {
	mu    *sync.Mutex
	known *simplelru.LRU[string, string] // by ID
}

const (
	mostTitles = 4096
	maxTitle   = 1 << 10 // bytes
)

func newTitles() titles {
	return titles{new(sync.Mutex), newLRU[string, string](mostTitles)}
}

func (t *titles) forget() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.known.Purge()
}

func newLRU[K comparable, V any](size int) *simplelru.LRU[K, V] {
	lru, err := simplelru.NewLRU[K, V](size, nil)
	if err != nil {
		panic(err) // the size is positive
	}
	return lru
}

// title returns the title of a page; "" if it has none, or its record cannot be read.
func (l *Lately) title(ctx context.Context, page pages.Page) (string, error) {
	l.titles.mu.Lock()
	known, found := l.titles.known.Get(page.ID)
	l.titles.mu.Unlock()
	if found {
		return known, nil
	}
	title, err := l.pages.Title(ctx, page)
	if err != nil && !pages.IsOfRecord(err) {
		return "", err
	}
	if len(title) > maxTitle {
		title = title[:maxTitle]
	}
	title = strings.Clone(strings.ToValidUTF8(title, "\uFFFD"))
	l.titles.mu.Lock()
	defer l.titles.mu.Unlock()
	l.titles.known.Add(page.ID, title)
	return title, nil
}
