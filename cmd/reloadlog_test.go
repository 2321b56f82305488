//go:build unix

package cmd

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// lines are what a process has written, for who reads it meanwhile.
type lines struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// TestReloadLog: quiet, verbose and log-level count for the next line.
func TestReloadLog(t *testing.T) {
	t.Parallel()
	site := newSite(t)
	file, said := configFile(t, ""), new(lines)
	p := recordThroughAs(t, "", func(p *program) { p.cmd.Stderr = said }, "--log", "text", "--config", file)
	n := 0
	for _, c := range []struct{ settings, shows, hides string }{
		{"", "200 ", "offset="},
		{"verbose: true\n", "offset=", ""},
		{"quiet: true\n", "", "200 "},
		{"log-level: error\n", "", "200 "},
		{"log-level: info\n", "200 ", "offset="},
	} {
		p.reload(file, c.settings)
		before := len(said.String())
		n++
		p.fetch(fmt.Sprintf("%s/text/%d/1000", site.plain.URL, n))
		p.settle()
		eventually(t, c.settings, func() bool { return strings.Contains(said.String()[before:], c.shows) })
		if c.hides != "" && strings.Contains(said.String()[before:], c.hides) {
			t.Errorf("%q: %s", c.settings, said.String()[before:])
		}
	}
	p.end(syscall.SIGTERM)
}
