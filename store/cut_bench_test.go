package store

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warcorder/canon"
)

// BenchmarkNearestCut looks for one upload of 50 KB among a thousand of the same URL that begin as it
// does.
func BenchmarkNearestCut(b *testing.B) {
	index := newIndex(b)
	file := addFile(b, index, "w.warc.gz")
	var all []Capture
	for i := range 1000 {
		body := "__VIEWSTATE=" + strings.Repeat("dDwtMTM3OTg4Nzs7Pg", 50_000/18) + fmt.Sprintf("&n=%d", i)
		c := Capture{URL: "http://example.com/form.aspx", Method: "POST", Status: 200,
			Time:     testTime.Add(time.Duration(i) * time.Second),
			Location: Location{File: file.Name, Offset: int64(i), Length: 1}}
		new(Keyer).Fill(&c, canon.Request{ContentType: "application/x-www-form-urlencoded",
			Body: []byte(body), BodyLen: int64(len(body))})
		all = append(all, c)
	}
	commit(b, index, all)
	for _, name := range []Key{URLKey, QueryKey} {
		b.Run(string(name), func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				c := &all[i*389%len(all)]
				found := 0
				err := index.Nearest(name, *c.key(name), time.Time{}, 2000, func(*Capture) bool {
					found++
					return true
				})
				if err != nil || found < 1 {
					b.Fatal(found, err)
				}
			}
		})
	}
}
