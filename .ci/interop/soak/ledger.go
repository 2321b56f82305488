package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
)

// What the archive must hold of an exchange.
const (
	whole  = "whole"  // exactly one record, and its facts
	cut    = "cut"    // exactly one record, marked as truncated
	begun  = "begun"  // exactly one record: the client has seen its beginning and left
	failed = "failed" // no answer: it is in the gap list, and at most once in the index
	gone   = "gone"   // the client left before it saw anything: at most one record
	never  = "never"  // nothing
)

// outcome is a line of the ledger: one exchange as its client has seen it.
type outcome struct {
	Kept     string `json:"kept"` // one of the words above
	URL      string `json:"url"`
	Method   string `json:"method,omitempty"`
	Status   int    `json:"status,omitempty"`
	Length   int64  `json:"length,omitempty"`   // of the response's payload, as it is on the wire
	Response string `json:"response,omitempty"` // SHA-1 of it, hexadecimal
	Request  string `json:"request,omitempty"`  // SHA-1 of the request's payload
}

// ledger is the file that the archive is compared with.
type ledger struct {
	mu     sync.Mutex
	file   *os.File
	out    *bufio.Writer
	counts map[string]int
}

func newLedger(path string) (*ledger, error) {
	file, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	return &ledger{file: file, out: bufio.NewWriter(file), counts: map[string]int{}}, nil
}

func (l *ledger) add(o outcome) {
	line, err := json.Marshal(o)
	if err != nil {
		panic(err) // strings and numbers can be written
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.counts[o.Kept]++
	l.out.Write(append(line, '\n'))
}

// close tells whether all lines could be written.
func (l *ledger) close() error {
	if err := l.out.Flush(); err != nil {
		return err
	}
	return l.file.Close()
}

// problems are what should not have happened, by promise.
type problems struct {
	mu    sync.Mutex
	first map[string]error
	count map[string]int
}

func newProblems() *problems { return &problems{first: map[string]error{}, count: map[string]int{}} }

func (p *problems) add(promise string, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.count[promise]++; p.count[promise] == 1 {
		p.first[promise] = err
	}
}

// print writes a line for each promise that was broken.
func (p *problems) print(w io.Writer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	var lines []string
	for promise, err := range p.first {
		lines = append(lines,
			fmt.Sprintf("not ok - %s: %d times not, first: %v\n", promise, p.count[promise], err))
	}
	slices.Sort(lines)
	for _, line := range lines {
		io.WriteString(w, line)
	}
}
