package cmd

import (
	"net"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"warcorder/proxy/unused"
)

// logKeys say what is said, and how it ends.
func logKeys() []keyRow {
	return []keyRow{
		{key: "log", shows: showLog},
		{key: "log-level", shows: showLogLevel},
		{key: "verbose", shows: showVerbose},
		{key: "quiet", shows: showQuiet},
		{key: "shutdown-timeout", shows: showShutdownTimeout},
	}
}

// logOf is the log of a recorder with that file, by which a page and what gives no answer were asked
// for.
func (b *keyBench) logOf(t *testing.T, file string) string {
	t.Helper()
	r := recordAtHome(t, file+"\nlisten: 127.0.0.1:0\nca-dir: "+b.ca, "collections/default")
	client := keyClient(r.address, nil)
	askBy(client, "GET", b.pages.URL+"/seen", "").wants(t, 200, "page /seen")
	askBy(client, "GET", "http://"+unused.Address(t)+"/silent", "").wants(t, 502, "")
	return r.stop()
}

// isJSON reports whether all lines are JSON, and not whether any is.
func isJSON(log string) bool {
	for line := range strings.Lines(log) {
		if !strings.HasPrefix(line, "{") {
			return false
		}
	}
	return log != ""
}

func showLog(t *testing.T, b *keyBench) {
	for file, json := range map[string]bool{"": true, "log: auto": true, "log: json": true,
		"log: text": false} {
		log := b.logOf(t, file)
		if isJSON(log) != json || !strings.Contains(log, b.pages.URL+"/seen") {
			t.Errorf("%q: %s", file, log)
		}
	}
	showLogAtTerminal(t, b)
}

func showLogLevel(t *testing.T, b *keyBench) {
	for file, c := range map[string]struct{ capture, warning bool }{
		"": {true, true}, "log-level: info": {true, true}, "log-level: warn": {false, true},
		"log-level: error": {false, false},
	} {
		log := b.logOf(t, file)
		if strings.Contains(log, "/seen") != c.capture || strings.Contains(log, "/silent") != c.warning ||
			!strings.Contains(log, `"message":"recording"`) || !strings.Contains(log, `"message":"ended"`) {
			t.Errorf("%q: %s", file, log)
		}
	}
}

func showVerbose(t *testing.T, b *keyBench) {
	for verbose, whole := range map[string]bool{"verbose: true": true, "": false} {
		log := b.logOf(t, "log: text\n"+verbose)
		line := ""
		for one := range strings.Lines(log) {
			if strings.Contains(one, "/seen") {
				line = one
				break
			}
		}
		has := regexp.MustCompile(`\d\d:\d\d:\d\d.* .*warcorder-20.*\.warc\.gz.*offset=\d`).MatchString(line)
		if has != whole {
			t.Errorf("%q: %s", verbose, line)
		}
	}
}

func showQuiet(t *testing.T, b *keyBench) {
	for file, says := range map[string]bool{"quiet: true": false, "log: text\nquiet: true": false,
		"": true, "log: text": true} {
		log := b.logOf(t, file)
		if strings.Contains(log, "/seen") != says || !strings.Contains(log, "/silent") {
			t.Errorf("%q: %s", file, log)
		}
	}
}

func showShutdownTimeout(t *testing.T, b *keyBench) {
	for file, c := range map[string]struct {
		signal syscall.Signal
		waits  bool
	}{
		"shutdown-timeout: 100ms": {syscall.SIGTERM, false},
		"shutdown-timeout: 10m":   {syscall.SIGINT, true},
		"":                        {syscall.SIGTERM, true}, // ten seconds
	} {
		r := b.record(t, file)
		origin, asked, release := heldOrigin(t, "at last")
		got := make(chan came, 1)
		go func() { got <- r.fetch(origin + "/held") }()
		await(t, asked, "the origin is asked")
		r.cmd.Process.Signal(c.signal)
		if c.waits {
			eventually(t, "it takes no clients any more", func() bool {
				conn, err := net.Dial("tcp", r.address)
				if err == nil {
					conn.Close()
				}
				return err != nil
			})
			release()
			await(t, got, "an answer").wants(t, 200, "at last")
		}
		r.wait()
		lines, err := b.exportOf(r)
		if err != nil || strings.Contains(lines, "/held") != c.waits {
			t.Errorf("%q: %v: %s", file, err, lines)
		}
	}
}

// exportOf are the lines of a collection that is at rest.
func (b *keyBench) exportOf(r *keyed) (string, error) {
	cmd := homeCommand(filepath.Dir(r.dir), "export", "--all", "-o", "-", "--dir", filepath.Dir(r.dir))
	lines, err := cmd.Output()
	return string(lines), err
}
