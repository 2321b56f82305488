package main

import (
	"encoding/base32"
	"encoding/binary"
	"errors"
	"fmt"
	"log"
	"time"

	"warcorder/canon"
	"warcorder/store"
)

const (
	batchSize = 10_000
	perSite   = 400           // pages of an ordinary site, which are captured one after another
	perFront  = 5             // captures of a site, of which one is of its front page
	visits    = 3             // how often each site is come to
	bigHosts  = 50            // of the domain big.example
	bigShare  = 500           // one of so many captures is below it
	perFile   = 3 * batchSize // captures in a WARC file, about 1 GB
	length    = 30_000        // bytes of one, with its request
)

var (
	began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	kinds = [...]string{"text/html", "image/jpeg", "application/javascript", "text/css", "image/png"}
)

// each is how far the captures lie apart in time.
const each = 200 * time.Millisecond

// archive is what an index of captures would be of.
type archive struct {
	captures int // in all
	same     int // of these, of one URL
}

// oneURL is what is captured again and again.
const oneURL = "https://www.news.example/"

// isSame reports whether the n-th capture is one of that URL: they are spread evenly.
func (a archive) isSame(n int) bool {
	return (n+1)*a.same/a.captures > n*a.same/a.captures
}

// url is that of the n-th capture: site after site, as a crawl goes, each site several times.
func (a archive) url(n int) string {
	switch {
	case a.isSame(n):
		return oneURL
	case n%bigShare == 0:
		return fmt.Sprintf("https://host-%d.big.example/articles/%d/%x.html", n/bigShare%bigHosts,
			2000+n%27, n)
	}
	sites := max(a.captures/perSite/visits, 1)
	site := scatter(uint64(n / perSite % sites))
	page := scatter(site + uint64(n%perSite))
	switch n % perFront {
	case 0:
		return fmt.Sprintf("https://www.site-%x.com/", site>>36)
	case 1, 2:
		return fmt.Sprintf("https://static.site-%x.com/assets/%x/image-%d.jpg", site>>36, page>>40, n%perSite)
	}
	return fmt.Sprintf("https://www.site-%x.com/stories/%d/%x/a-title-of-some-words-%d.html?ref=%x&v=%d",
		site>>36, 2000+page%27, page>>32, n%perSite, page&0xfff, n%3)
}

// capture is the n-th.
func (a archive) capture(n int) store.Capture {
	url := a.url(n)
	key, _ := canon.SURT(url)
	c := store.Capture{
		URLKey: key,
		URL:    url,
		Time:   began.Add(time.Duration(n) * each),
		MIME:   kinds[n%len(kinds)],
		Status: 200,
		Location: store.Location{
			File:   fileName(n / perFile),
			Offset: int64(n%perFile) * length,
			Length: length - 1000,
		},
	}
	var sum [24]byte
	for i := range 3 {
		binary.BigEndian.PutUint64(sum[8*i:], scatter(uint64(3*n+i)))
	}
	c.Digest = "sha1:" + base32.StdEncoding.EncodeToString(sum[:20])
	original := &store.Original{Time: c.Time, Digest: c.Digest, URL: url, File: c.File}
	binary.BigEndian.PutUint64(original.Key[:], uint64(n)) // in order: a hash, at random, takes hours
	copy(original.Key[8:], sum[:])
	copy(original.RecordID[:], sum[4:])
	c.Original = original
	return c
}

func fileName(number int) string {
	at := began.Add(time.Duration(number*perFile) * each)
	return fmt.Sprintf("w-%s000-%05d-scale.warc.gz", at.Format("20060102150405"), number)
}

// scatter spreads numbers (the finalizer of SplitMix64).
func scatter(n uint64) uint64 {
	n += 0x9e3779b97f4a7c15
	n = (n ^ n>>30) * 0xbf58476d1ce4e5b9
	n = (n ^ n>>27) * 0x94d049bb133111eb
	return n ^ n>>31
}

// make makes the index at path.
func (a archive) make(path string) (err error) {
	index, err := store.Open(path, store.Options{NoSync: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, index.Close()) }()
	started := time.Now()
	batch := make([]store.Capture, 0, batchSize)
	var file store.File
	for n := range a.captures {
		if n%perFile == 0 {
			if file, err = index.AddFile(fileName(n / perFile)); err != nil {
				return err
			}
		}
		batch = append(batch, a.capture(n))
		if len(batch) < batchSize && n+1 < a.captures {
			continue
		}
		file.Committed = int64(n%perFile+1) * length
		file.Sealed = n%perFile+1 == perFile || n+1 == a.captures
		if err := index.Commit(batch, []store.File{file}); err != nil {
			return err
		}
		if batch = batch[:0]; (n+1)%(100*batchSize) == 0 {
			log.Printf("%d captures, %.0f a second", n+1, float64(n+1)/time.Since(started).Seconds())
		}
	}
	return nil
}
