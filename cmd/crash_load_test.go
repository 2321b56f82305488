//go:build faults

package cmd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"warcorder/store/collection"
)

// untilStruck loads the recorder until it ends itself; if it does not, it may still do so while it
// is stopped.
func (c *crash) untilStruck(r *recording) {
	c.t.Helper()
	c.load(r, 400)
	if !r.hasEnded() {
		r.stop()
	}
	if r.cmd.ProcessState.ExitCode() != 0 && !r.killed() {
		c.t.Errorf("%v: %s", r.cmd.ProcessState, r.tail())
	}
}

// untilKilled ends the recorder after some number of exchanges. In half of the rounds it first
// waits until the log names a number of them, and then nothing but those may be missing that came
// later.
func (c *crash) untilKilled(r *recording) {
	c.t.Helper()
	if c.chance(2) {
		c.load(r, 1+c.random.IntN(100))
		eventually(c.t, "all that clients got is in the log", func() bool {
			c.note(r)
			return r.hasEnded() || c.allCaptured()
		})
	}
	c.load(r, c.random.IntN(200))
	if r.hasEnded() {
		c.t.Errorf("it ended by itself: %v: %s", r.cmd.ProcessState, r.tail())
	}
	r.kill()
	c.byKill++
}

func (c *crash) allCaptured() bool {
	c.got.mu.Lock()
	defer c.got.mu.Unlock()
	for url := range c.got.got {
		if !c.captured[url] && c.indexed[url] == nil {
			return false
		}
	}
	return true
}

// rotating has the files of a recorder finished again and again, until the function that it returns
// is called.
func (c *crash) rotating(r *recording) (stop func()) {
	ctx, cancel := context.WithCancel(c.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for ctx.Err() == nil && !r.hasEnded() {
			var done rotated
			err := workOf(ctx, collection.Dir(c.dir), rotatePath, &done)
			for _, name := range done.Files {
				_, open := os.Stat(collection.Dir(c.dir).OpenWARC(name))
				if err == nil && !errors.Is(open, fs.ErrNotExist) {
					c.t.Errorf("%s was finished, and is open: %v", name, open)
				}
			}
		}
	}()
	return func() { cancel(); <-ended }
}

// load lets eight clients ask until so many more exchanges have ended.
func (c *crash) load(r *recording, exchanges int) {
	if c.chance(3) {
		defer c.rotating(r)()
	}
	before := c.got.len()
	l := &load{
		r:      r,
		site:   c.site,
		trust:  trustOf(c.t, c.ca),
		got:    c.got,
		kind:   mixed,
		serial: &c.serial,
	}
	l.run(8, func() bool { return c.got.len()-before >= exchanges })
	c.refused += l.refused.Load()
}

// mixed is a mixture of requests: most are small, some so large that they are written by
// themselves.
func mixed(n int64) (method, path string, body []byte) {
	kind := [2]string{"text", "bytes"}[n%2]
	pathOf := func(size int64) string { return fmt.Sprintf("/%s/%d/%d", kind, n, size) }
	switch {
	case n%25 == 7:
		return "GET", pathOf(2<<20 + n*7919%(1<<20)), nil
	case n%101 == 9:
		return "POST", pathOf(10), content(fmt.Sprintf("/text/%d/%d", n, 1300<<10))
	case n%4 == 1:
		return "POST", pathOf(n * 31 % 3000), content(fmt.Sprintf("/bytes/%d/%d", n, n*17%2000))
	}
	return "GET", pathOf(n * 7919 % 20000), nil
}
