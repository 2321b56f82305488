package removal

import (
	"cmp"
	"slices"
	"strings"

	"warcorder/canon"
)

// URL is a URL of which captures go.
type URL struct {
	URL      string `json:"url"`
	Captures int64  `json:"captures"` // that go
}

// mostFirst is of how many URLs a Summary has the names.
const mostFirst = 20

// first are the first URLs of those that go, in the order of their keys. What is pushed out by others
// never comes in again, so that the captures of all that are there are counted.
type first struct {
	list []keyedURL
	all  map[hashed]bool // of all
}

type keyedURL struct {
	key string
	URL
}

// add counts a capture.
func (f *first) add(url string) {
	key, _ := canon.SURT(url)
	if f.all == nil {
		f.all = map[hashed]bool{}
	}
	f.all[hashOf(url)] = true
	one := keyedURL{key, URL{url, 1}}
	i, found := slices.BinarySearchFunc(f.list, one, func(a, b keyedURL) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.URL.URL, b.URL.URL))
	})
	if found {
		f.list[i].Captures++
		return
	}
	if i == mostFirst {
		return
	}
	one.key, one.URL.URL = strings.Clone(key), strings.Clone(url)
	f.list = slices.Insert(f.list, i, one)
	f.list = f.list[:min(len(f.list), mostFirst)]
}

// urls returns them.
func (f *first) urls() (urls []URL) {
	for i := range f.list {
		urls = append(urls, f.list[i].URL)
	}
	return urls
}
