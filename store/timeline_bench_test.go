package store

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"go.etcd.io/bbolt"
)

// visits are captures as a browser makes them: one in thirty is a page, one in three of the others
// comes from another origin, and each is recorded when its body has come, up to seconds later.
func visits(random *rand.Rand, from, n int) []Capture {
	captures := make([]Capture, n)
	for i := range captures {
		c := captureOfSite((from+i)/30%allSites, random, from+i)
		page := HashURL(fmt.Sprintf("https://www.site%d.com/", (from+i)/30%allSites))
		c.Visit = Visit{Dest: DestLeaf, Site: SiteSameOrigin, Traits: Told | Browser | OK, Referer: page}
		switch {
		case i%30 == 0:
			c.Visit = Visit{Dest: DestDocument, Site: SiteNone, Traits: Told | Browser | OK | HTML | Navigates}
		case i%3 == 0:
			c.Visit.Referer, c.Visit.Site = HashURL("https://elsewhere.example/"), SiteCross
		}
		late := time.Duration(random.ExpFloat64() * float64(300*time.Millisecond))
		c.Time = testTime.Add(time.Duration(from+i)*time.Millisecond*2 - late)
		captures[i] = c
	}
	return captures
}

// timelineBytes returns how many bytes of pages the timeline takes.
func timelineBytes(t testing.TB, b *Bolt) (bytes int) {
	t.Helper()
	err := b.writing.db.View(func(tx *bbolt.Tx) error {
		s := tx.Bucket(bucketTimeline).Stats()
		bytes = s.LeafAlloc + s.BranchAlloc
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return bytes
}

// TestTimelineSize: a capture takes less than 64 bytes in the timeline, in transactions of any size.
func TestTimelineSize(t *testing.T) {
	const n = 20_000
	for _, size := range []int{20, 250, 4096} {
		b := newIndex(t)
		b.writing.db.NoSync = true
		addFile(t, b, benchFile)
		for some := range slices.Chunk(visits(rand.New(rand.NewPCG(1, 2)), 0, n), size) {
			commit(t, b, some)
		}
		got := float64(timelineBytes(t, b)) / n
		t.Logf("transactions of %d: %.1f bytes a capture", size, got)
		if got > 64 {
			t.Errorf("transactions of %d: %.1f bytes a capture", size, got)
		}
	}
}
