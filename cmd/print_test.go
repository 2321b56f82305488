package cmd

import (
	"io"
	"sync"
	"testing"
)

// TestByteBarTogether: findings are printed beside workers that show how far they are. The race
// detector sees whether one draws while another clears.
func TestByteBarTogether(t *testing.T) {
	bar := byteBar{out: io.Discard}
	var working sync.WaitGroup
	for range 4 {
		working.Go(func() {
			for done := range int64(200) {
				bar.show("a.warc.gz", done, 200)
			}
		})
	}
	printed := 0
	for range 200 {
		bar.above(func() { printed++ })
	}
	working.Wait()
	bar.finish()
	if printed != 200 {
		t.Errorf("%d lines printed, want 200", printed)
	}
}
