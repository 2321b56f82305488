// Command load sends exchanges through a recorder at a steady rate: each URL is new, hosts, types, sizes
// and statuses vary, and of a few there is no origin, so that gaps come too. It is client and origins at
// once. At its end it prints what came of it, as JSON: {"sent":N,"failed":N,"gaps":N}.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// kinds are what is answered; a path begins with the number of its kind.
var kinds = []struct {
	mime   string
	status int
	bytes  int
}{
	{"text/html; charset=utf-8", 200, 6000},
	{"text/javascript", 200, 9000},
	{"image/png", 200, 4000},
	{"application/json", 200, 900},
	{"text/css", 200, 2500},
	{"text/html", 404, 300},
	{"font/woff2", 200, 12000},
	{"text/plain", 503, 60},
}

const (
	hosts   = 40
	clients = 16
	gapOf   = 200 // one of so many has no origin
	pageOf  = 40  // one of so many is a page; what follows belongs to it
)

func main() {
	proxy := flag.String("proxy", "", "address of the recorder")
	rate := flag.Float64("rate", 10_000.0/60, "exchanges a second")
	length := flag.Duration("duration", time.Minute, "how long; SIGTERM ends it before")
	flag.Parse()
	l, err := newLoad(*proxy)
	if err != nil {
		log.Fatal(err)
	}
	l.run(*rate, *length)
	json.NewEncoder(os.Stdout).Encode(map[string]int64{
		"sent": l.sent.Load(), "failed": l.failed.Load(), "gaps": l.gaps.Load(),
	})
}

type load struct {
	client             *http.Client
	origins            []string
	closed             string // where nobody listens
	page               atomic.Value
	sent, failed, gaps atomic.Int64
	start              int64
}

func newLoad(proxy string) (*load, error) {
	l := &load{start: time.Now().UnixMilli()}
	for n := range hosts {
		ln, err := net.Listen("tcp", fmt.Sprintf("127.3.0.%d:0", n+1))
		if err != nil {
			return nil, err
		}
		l.origins = append(l.origins, "http://"+ln.Addr().String())
		go http.Serve(ln, http.HandlerFunc(answer))
	}
	ln, err := net.Listen("tcp", "127.3.1.1:0")
	if err != nil {
		return nil, err
	}
	l.closed = "http://" + ln.Addr().String()
	l.page.Store(l.origins[0] + "/")
	l.client = &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{
		Proxy:               http.ProxyURL(&url.URL{Scheme: "http", Host: proxy}),
		MaxIdleConnsPerHost: clients, MaxIdleConns: 0,
	}}
	return l, ln.Close()
}

// filler is the rest of every body.
var filler = strings.Repeat("What is said here is of no use to anybody. ", 400)

func answer(w http.ResponseWriter, r *http.Request) {
	kind := kinds[int(r.URL.Path[1]-'a')%len(kinds)]
	body := r.URL.Path + filler[:kind.bytes]
	if kind.mime == "image/png" {
		body = "\x89PNG\r\n\x1a\n" + body
	}
	w.Header().Set("Content-Type", kind.mime)
	w.WriteHeader(kind.status)
	io.WriteString(w, body)
}

// run sends until the time is over.
func (l *load) run(rate float64, length time.Duration) {
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, os.Interrupt)
	numbers := make(chan int64)
	var all sync.WaitGroup
	for range clients {
		all.Go(func() {
			for n := range numbers {
				l.one(n)
			}
		})
	}
	began, end := time.Now(), time.After(length)
	for n := int64(0); ; n++ {
		wait := time.Until(began.Add(time.Duration(float64(n) / rate * float64(time.Second))))
		select {
		case <-stop:
		case <-end:
		case <-time.After(wait):
			numbers <- n
			continue
		}
		break
	}
	close(numbers)
	all.Wait()
}

// one sends one exchange.
func (l *load) one(n int64) {
	at := l.origins[rand.IntN(len(l.origins))]
	isGap := n%gapOf == gapOf-1
	if isGap {
		at = l.closed
	}
	kind := 'a' + rune(rand.IntN(len(kinds)))
	isPage := n%pageOf == 0
	if isPage {
		kind = 'a'
	}
	to := fmt.Sprintf("%s/%c/%d/%d?v=%x", at, kind, l.start, n, rand.Uint64())
	request, err := http.NewRequest(http.MethodGet, to, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("User-Agent", "load")
	if isPage {
		request.Header.Set("Sec-Fetch-Mode", "navigate")
		request.Header.Set("Sec-Fetch-Dest", "document")
		l.page.Store(to)
	} else {
		request.Header.Set("Referer", l.page.Load().(string))
	}
	response, err := l.client.Do(request)
	if err == nil {
		_, err = io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
	switch {
	case err != nil:
		l.failed.Add(1)
	case isGap:
		l.gaps.Add(1)
	default:
		l.sent.Add(1)
	}
}
