package removing

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/selection"
)

// BenchmarkRemove removes one capture, and then most of them, from a collection of REMOVE_CAPTURES,
// 5000 by default, while it is recorded. stall-ms is the longest time in which nothing that was
// recorded could be read.
func BenchmarkRemove(b *testing.B) {
	number, _ := strconv.Atoi(os.Getenv("REMOVE_CAPTURES"))
	number = max(number, 5000)
	for b.Loop() {
		b.StopTimer()
		r := start(b, nil)
		for i := range number {
			r.quick(fmt.Sprintf("https://example.com/%d/%d", i%10, i), page(text(fmt.Sprint(i/2))))
		}
		r.rotate()
		for _, sel := range []selection.Selection{
			{URL: "https://example.com/0/500"},
			{URL: "https://example.com/", Match: store.Host, To: "2027"},
		} {
			stop, stalled := make(chan struct{}), make(chan time.Duration)
			go r.load(stop, stalled)
			b.StartTimer()
			began := time.Now()
			done := r.remove(sel, nil)
			took := time.Since(began)
			b.StopTimer()
			close(stop)
			b.Logf("%d of %d captures: %v, %d files, %d moved, %d redirected; stalled for %v", done.Captures,
				number, took.Round(time.Millisecond), done.Files, done.Moved, done.Redirected,
				(<-stalled).Round(time.Millisecond))
		}
		b.StartTimer()
	}
}

// quick records the answer to a GET, and does not wait for it.
func (r *recording) quick(url, response string) {
	x := r.Begin()
	r.now = r.now.Add(time.Millisecond)
	x.URL, x.Method, x.Started = url, "GET", r.now
	io.WriteString(&x.Request, "GET / HTTP/1.1\r\nHost: example.com\r\n\r\n")
	io.WriteString(&x.Response, response)
	x.Commit()
}

// load records until stop is closed, and gives the longest time that one exchange took until it could
// be read.
func (r *recording) load(stop <-chan struct{}, stalled chan<- time.Duration) {
	longest := time.Duration(0)
	for i := 0; ; i++ {
		select {
		case <-stop:
			stalled <- longest
			return
		default:
		}
		began := time.Now()
		x := r.Begin()
		x.URL, x.Method, x.Started = fmt.Sprintf("https://other.example/%d", i), "GET", time.Now()
		io.WriteString(&x.Request, "GET / HTTP/1.1\r\nHost: other.example\r\n\r\n")
		io.WriteString(&x.Response, page(fmt.Sprint(i)))
		x.Commit()
		if err := r.Settle(r.t.Context()); err != nil {
			r.t.Error(err)
		}
		longest = max(longest, time.Since(began))
		time.Sleep(time.Millisecond)
	}
}
