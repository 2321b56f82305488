package proxy

import (
	"fmt"
	"os"
	"runtime/pprof"
	"strings"
	"sync"
	"testing"
)

// TestManyClients: 64 at once, on both schemes, every body its own; every exchange is recorded, and
// afterwards no goroutine and no descriptor is left.
func TestManyClients(t *testing.T) {
	descriptors := openDescriptors(t)
	h := newHouse(t, config())
	const clients, each = 64, 10
	answer := func(path string) string {
		body := strings.Repeat(path, 1+len(path)*40)
		return text("HTTP/1.1 200 OK", "Content-Type: text/plain",
			fmt.Sprintf("Content-Length: %d", len(body))) + body
	}
	script := func(o *peer) {
		for {
			head := o.readHead()
			if head == "" {
				return
			}
			o.send(answer(strings.Fields(head)[1]))
		}
	}
	origins := map[bool]*originServer{
		false: newOrigin(t, false, script),
		true:  newOrigin(t, true, script),
	}
	var running sync.WaitGroup
	for i := range clients {
		secure := i%2 == 0
		client, prefix := h.to(origins[secure], secure)
		running.Go(func() {
			for n := range each {
				path := fmt.Sprintf("/%d/%d", i, n)
				client.send(text("GET "+prefix+path+" HTTP/1.1", "Host: a"))
				if got := client.readN(len(answer(path))); got != answer(path) {
					t.Errorf("%s: %.100q", path, got)
				}
			}
			client.conn.Close()
		})
	}
	running.Wait()
	all := h.records()
	if r, q := len(of(all, "response")), len(of(all, "request")); r != clients*each ||
		q != clients*each {
		t.Errorf("%d responses and %d requests are recorded, want %d", r, q, clients*each)
	}
	for _, o := range origins {
		o.close()
	}
	wantNothingLeft(t)
	if left := openDescriptors(t); left > descriptors {
		t.Errorf("%d descriptors are open, %d were before", left, descriptors)
	}
}

// wantNothingLeft wants no goroutines of the proxy or the recorder, but for one that has done its
// work and is about to end; the test's own are passed over.
func wantNothingLeft(t *testing.T) {
	t.Helper()
	until(t, "no goroutine is left", func() bool {
		stacks := goroutinesLeft()
		if len(stacks) > 0 {
			t.Logf("left as yet:\n%s", strings.Join(stacks, "\n\n"))
		}
		return len(stacks) == 0
	})
}

func goroutinesLeft() (left []string) {
	var stacks strings.Builder
	pprof.Lookup("goroutine").WriteTo(&stacks, 2)
	for stack := range strings.SplitSeq(stacks.String(), "\n\n") {
		if strings.Contains(stack, "_test.go") {
			continue
		}
		if strings.Contains(stack, "warcorder/proxy.") || strings.Contains(stack, "warcorder/recorder.") {
			left = append(left, stack)
		}
	}
	return left
}

func openDescriptors(t *testing.T) int {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc here: ", err)
	}
	return len(entries)
}
