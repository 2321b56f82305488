// Package outbackcdx feeds OutbackCDX (nla/outbackcdx), an index server that many collections share.
// Start with [Feed], which takes the lines of a delta (package delta) and has a [Server] keep what they
// say.
//
//	POST /COLLECTION         lines of CDX with 11 fields   200 "Added N records"
//	POST /COLLECTION/delete  the same                      200 "Deleted N records"
//	GET  /config.json        {"featureFlags": {"indexVersion": 3}}
//
// A request is all or nothing there. OutbackCDX looks at no key of a line: it makes its own of the URL,
// and up to version 3 of its index keeps one line of each key and second, so that the same line sent
// twice is there once. A line that it would find under another key than ours is left out, since nobody
// who asks by our keys would find it: what is no GET, and URLs of which [Key] says so or does not know.
// So are digests that it cannot keep: it takes base32 apart, and has nothing but SHA-1 back as it was.
//
// Invariant: when Feed.Close has returned nil, the server has answered for every line that was taken and
// not left out; a line that is void is deleted there, unless another one has its key and second. Memory
// is that of one batch, and of the lines of one key and second, 1,000 of them at most.
package outbackcdx

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The bounds of what is sent at once.
const (
	batchBytes = 1 << 20
	batchLines = 5000
	groupLines = 1000 // of one key and second
)

// Done is what a Feed has done.
type Done struct {
	Added, Deleted int64
	LeftOut        map[Reason]int64
	Digests        int64 // lines that were sent without their digest
	Stale          int64 // void lines that cannot be deleted: see Feed.KeepsAll
	Before         int64 // lines that the server had before: see Feed.Behind
}

// Reasons returns why lines were left out, in the order of the texts.
func (d *Done) Reasons() []Reason { return slices.Sorted(maps.Keys(d.LeftOut)) }

// Feed takes the lines of a delta, in any pieces, and sends what they say.
type Feed struct {
	// KeepsAll says that the server does not keep one line of each key and second. Then nothing is
	// deleted: the place that the line had would be needed for that.
	KeepsAll bool

	// Behind is the key and second up to which the server has all of these lines already, which are sorted:
	// they are not sent.
	Behind string

	// Sends, if it is not nil, is called once, before the first line is sent.
	Sends func() error

	// Confirmed, if it is not nil, is told of such a key and second whenever the server has answered.
	Confirmed func(behind string) error

	Done   Done
	server *Server
	err    error // the first one
	ctx    context.Context

	part          []byte // the beginning of a line whose end has not come
	group         string // key and second of the lines that are held
	ended         string // those of the lines before, all of which are in the batches or sent
	isBehind      bool   // lines behind Behind have come
	puts, deletes []string
	added         batch
	deleted       batch
}

// batch are lines that wait to be sent.
type batch struct {
	text  bytes.Buffer
	lines int
}

func (b *batch) add(line string) {
	b.text.WriteString(line)
	b.text.WriteByte('\n')
	b.lines++
}

func (b *batch) isFull() bool { return b.text.Len() >= batchBytes || b.lines >= batchLines }

// NewFeed returns a Feed of a server. What it sends ends with ctx.
func NewFeed(ctx context.Context, server *Server) *Feed {
	return &Feed{server: server, ctx: ctx, Done: Done{LeftOut: map[Reason]int64{}}}
}

// Write takes lines, or parts of lines.
func (f *Feed) Write(p []byte) (int, error) {
	if f.err != nil {
		return 0, f.err
	}
	n := len(p)
	for {
		line, rest, whole := bytes.Cut(p, []byte("\n"))
		if !whole {
			f.part = append(f.part, p...)
			return n, nil
		}
		if len(f.part) > 0 {
			line = append(f.part, line...)
			f.part = nil
		}
		if f.err = f.take(string(line)); f.err != nil {
			return 0, f.err
		}
		p = rest
	}
}

// take takes one line.
func (f *Feed) take(line string) error {
	c, err := parse(line)
	if err != nil {
		return err
	}
	if c.isFile {
		return nil
	}
	if group := c.key + " " + c.seconds; group != f.group {
		f.ended, f.isBehind = f.group, f.isBehind || group > f.Behind
		if err := f.endGroup(); err != nil {
			return err
		}
		f.group = group
	}
	if reason := c.judge(); reason != "" {
		if c.Removed == "" {
			f.Done.LeftOut[reason]++
		}
		return nil
	}
	switch {
	case c.Removed != "" && f.KeepsAll:
		f.Done.Stale++
		return nil
	case !f.isBehind:
		f.Done.Before++
		return nil
	case c.Removed != "":
		f.deletes = append(f.deletes[:0], c.text()) // all of a group delete the same
		return nil
	}
	if c.digest() == "-" && c.Digest != "" {
		f.Done.Digests++
	}
	if len(f.puts) == groupLines && f.KeepsAll {
		if err := f.endGroup(); err != nil {
			return err
		}
	} else if len(f.puts) == groupLines {
		f.puts = slices.Delete(f.puts, 0, groupLines/2)
	}
	f.puts = append(f.puts, c.text())
	return nil
}

// endGroup puts the lines of one key and second into the batches. A line that is there takes the place
// of a void one.
func (f *Feed) endGroup() error {
	for _, line := range f.puts {
		f.added.add(line)
	}
	if len(f.puts) == 0 {
		for _, line := range f.deletes {
			f.deleted.add(line)
		}
	}
	f.puts, f.deletes = f.puts[:0], f.deletes[:0]
	if f.added.isFull() || f.deleted.isFull() {
		return f.send()
	}
	return nil
}

// send sends what waits.
func (f *Feed) send() error {
	if sends := f.Sends; sends != nil && f.deleted.lines+f.added.lines > 0 {
		f.Sends = nil
		if err := sends(); err != nil {
			return err
		}
	}
	if err := f.server.send(f.ctx, "/delete", "Deleted", &f.deleted, &f.Done.Deleted); err != nil {
		return fmt.Errorf("delete lines: %w", err)
	}
	if err := f.server.send(f.ctx, "", "Added", &f.added, &f.Done.Added); err != nil {
		return fmt.Errorf("add lines: %w", err)
	}
	if f.Confirmed == nil || !f.isBehind || f.ended == "" {
		return nil
	}
	return f.Confirmed(f.ended)
}

// Err is the error of a line that could not be taken or sent; nil if there is none.
func (f *Feed) Err() error { return f.err }

// Close sends what is left.
func (f *Feed) Close() error {
	if f.err != nil {
		return f.err
	}
	if len(f.part) > 0 {
		return fmt.Errorf("the last line has no end: %.100s", strings.ToValidUTF8(string(f.part), "?"))
	}
	if err := f.endGroup(); err != nil {
		return err
	}
	return f.send()
}
