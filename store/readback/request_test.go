package readback

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"warcorder/recorder/recovery/foreign"
	"warcorder/store"
)

// TestRequests finds the request of a response among the next records, or says that there is none.
func TestRequests(t *testing.T) {
	const url, asked = "http://example.com/a", "POST /a HTTP/1.1|Host: example.com|Content-Length: 3||a=b"
	request := func(named string) string {
		return foreign.Record("WARC/1.0\nWARC-Type: request\nWARC-Record-ID: <urn:q>\nWARC-Target-URI: "+
			url+"\nWARC-Date: 2026-11-21T12:00:00Z\n"+named+"X: y", asked)
	}
	other := func(size int) string {
		noise := make([]byte, size)
		rand.NewChaCha8([32]byte{}).Read(noise)
		return foreign.Record("WARC/1.0\nWARC-Type: metadata\nWARC-Record-ID: <urn:m>\nWARC-Target-URI: "+
			url+"\nWARC-Date: 2026-11-21T12:00:00Z\nContent-Type: application/warc-fields",
			string(noise))
	}
	names := "WARC-Concurrent-To: <urn:x>\nWARC-Concurrent-To: <urn:" + url + ":0>\n"
	one := at(0, "response", url, "X: y", foreign.HTML)
	naming := at(0, "response", url, "WARC-Concurrent-To: <urn:q>", foreign.HTML)
	for name, c := range map[string]struct {
		records []string
		found   bool
	}{
		"behind it":             {[]string{one, request(names)}, true},
		"named by it":           {[]string{naming, request("")}, true},
		"behind others":         {[]string{one, other(10), other(10), request(names), other(5)}, true},
		"the second":            {[]string{one, request(""), request(names)}, true},
		"of another response":   {[]string{one, request("WARC-Concurrent-To: <urn:z>\n")}, false},
		"that nobody names":     {[]string{one, request("")}, false},
		"none":                  {[]string{one}, false},
		"none, and others":      {[]string{one, other(10)}, false},
		"before it":             {[]string{request(names), one, other(10)}, true},
		"before it, named by":   {[]string{other(70_000), request(""), naming}, true},
		"before others":         {[]string{request(names), other(10), other(10), one}, true},
		"before much":           {[]string{request(names), other(2 * sizeBefore), one}, false},
		"before it, of another": {[]string{request("WARC-Concurrent-To: <urn:z>\n"), one}, false},
		"before another response": {[]string{request(names),
			at(1, "response", url+"/b", "X: y", foreign.HTML), one}, false},
		"behind much": {[]string{one, other(sizeBeside + 1), request(names)}, false},
		"far behind": {append([]string{one}, append(strings.SplitAfter(strings.Repeat(
			other(1)+"@", mostBeside), "@")[:mostBeside], request(names))...), false},
	} {
		for i := range c.records {
			c.records[i] = strings.TrimSuffix(c.records[i], "@")
		}
		for layout, file := range foreign.Layouts(t, c.records) {
			files, _ := imported(t, map[string][]byte{"a" + layout: file})
			n := 0
			err := files.index.Captures(store.Query{}, func(capture *store.Capture) bool {
				if capture.URL != url {
					return true
				}
				n++
				checkRequest(t, files, name+layout, capture, asked, c.found)
				return true
			})
			if err != nil || n != 1 {
				t.Errorf("%s: %d captures, %v", name, n, err)
			}
		}
	}
}

// checkRequest reads the request of a capture, if there is one.
func checkRequest(t *testing.T, files *Files, name string, c *store.Capture, asked string,
	found bool) {
	t.Helper()
	got, err := files.Request(c)
	if !found {
		if !errors.Is(err, ErrNoRequest) || !strings.Contains(err.Error(), c.File) {
			t.Errorf("%s: %v, %v", name, got, err)
		}
		return
	}
	if err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	defer got.Close()
	if is := string(got.Head) + all(t, got.Body); is != strings.ReplaceAll(asked, "|", "\r\n") ||
		got.Size != 3 {
		t.Errorf("%s: %q", name, is)
	}
}
