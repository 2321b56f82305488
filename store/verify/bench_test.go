package verify_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/store/verify"
)

// BenchmarkFiles reads 200 MB: half of it bodies that do not shrink, half text that does.
func BenchmarkFiles(b *testing.B) {
	dir := b.TempDir()
	var exchanges []exchange
	text := strings.Repeat("All work and no play makes Jack a dull boy. ", 400)
	for i := range 2000 {
		exchanges = append(exchanges, exchange{
			url:      fmt.Sprintf("http://example.com/%d", i),
			request:  get,
			response: page(randomBytes(50<<10 + i)),
		}, exchange{
			url:      fmt.Sprintf("http://example.com/text/%d", i),
			request:  get,
			response: page(randomBytes(20<<10+i) + text),
		})
	}
	record(b, recorder.Config{Sync: "none", WARCMaxSize: 60e6}, dir, exchanges)
	paths := archive(b, dir)
	var size int64
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			b.Fatal(err)
		}
		size += info.Size()
	}
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		if found, err := new(verify.Checker).Files(paths); err != nil || found.Findings+found.Notes > 0 ||
			found.Bytes != size {
			b.Fatal(found, err)
		}
	}
}
