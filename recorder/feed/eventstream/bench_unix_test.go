//go:build unix

package eventstream

import (
	"bufio"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"warcorder/recorder/feed"
)

// BenchmarkViewer is what one who follows costs at 10,000 events a minute: 16 of them in 100 ms, which
// are one batch. The CPU time is that of both ends, this one's reader too.
func BenchmarkViewer(b *testing.B) {
	f := feed.New()
	page := New(f)
	server := httptest.NewServer(page)
	defer server.Close()
	defer page.Close()
	answer, err := http.Get(server.URL + "/events")
	if err != nil {
		b.Fatal(err)
	}
	in := bufio.NewReader(answer.Body)
	e := feed.Event{
		Kind: feed.Capture, URL: "https://www.example.com/static/app.js?v=12345", Method: "GET", Status: 200,
		MIME: "text/javascript", Size: 12345, Stored: "response",
		File: "warcorder-20260501120000000-00001-host.warc.gz",
	}
	const batch = 16
	before := cpuTime(b)
	for b.Loop() {
		for range batch {
			f.Publish(&e)
		}
		for n := 0; n < batch; {
			line, err := in.ReadSlice('\n')
			if err != nil {
				b.Fatal(err)
			}
			if line[0] == 'd' {
				n++
			}
		}
	}
	spent := float64((cpuTime(b) - before).Nanoseconds()) / float64(b.N)
	b.ReportMetric(spent/batch/1e3, "cpu-µs/event")
	b.ReportMetric(100*spent*10_000/batch/60e9, "%-of-a-core")
}

// cpuTime is what the process has used of the processors.
func cpuTime(b *testing.B) time.Duration {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
