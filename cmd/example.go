package cmd

import (
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"time"

	"warcorder/certs/stores"
	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/pages"
)

const (
	mostExamples = 256 // captures that are looked at to find one that is a page
	longExample  = 40  // columns, of one that stands in a text
	longestShown = 200 // bytes, of one that stands on a line of its own
)

// exampleIn returns the URL of a page in the index that a person may try, and that fits; "" if none is
// found soon.
func exampleIn(index *store.Bolt, fits func(url string) bool) (url string) {
	index.Under("", mostExamples, func(c *store.Capture) bool {
		if c.Status == http.StatusOK && c.Method == "" && c.MIME == "text/html" && fits(c.URL) {
			url = c.URL
		}
		return url == ""
	})
	return url
}

// isForCurl reports that curl needs neither a certificate nor quotes for a URL.
func isForCurl(url string) bool {
	return stores.Quoted(url) == url && len(url) <= longExample && strings.HasPrefix(url, "http://")
}

// isForBrowser reports that a browser may be opened on a URL that a person is shown.
func isForBrowser(url string) bool { return len(url) <= longestShown && ascii(url) == url }

// errFound ends a search.
var errFound = errors.New("found")

// exampleOf returns the URL of a page of a collection, one since then if a recorder has it open; "" if
// there is none, or nobody says so in time.
func exampleOf(dir collection.Dir, since time.Time) string {
	found := make(chan string, 1)
	go func() {
		index, err := store.OpenReadOnly(dir.Index())
		if err != nil {
			found <- exampleBeside(dir, since)
			return
		}
		url := exampleIn(index, isForBrowser)
		index.Close()
		found <- url
	}()
	select {
	case url := <-found:
		return url
	case <-time.After(gapsPatience):
		return ""
	}
}

// exampleBeside asks the recorder.
func exampleBeside(dir collection.Dir, since time.Time) (url string) {
	running, err := cdxserver.At(dir)
	if err != nil {
		return ""
	}
	running.Pages(since.UTC().Format(bySecond), "", func(line []byte) error {
		var p pages.Line
		if json.Unmarshal(line, &p) != nil || !isForBrowser(p.URL) {
			return nil
		}
		url = p.URL
		return errFound
	})
	return url
}
