package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"warcorder/canon"
	"warcorder/recorder/record"
	"warcorder/store"
)

type lookupCommand struct {
	collectionFlags
	findFlags
	requestFlags
	AnyBody bool
	URL     string `arg:""`
}

// Run prints the lines of the captures, also of a collection that is being recorded. The exit status
// is 1 if there are none, as grep has it.
func (c *lookupCommand) Run(*commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	query, sought, err := c.query()
	if err != nil {
		return err
	}
	done, err := export(dir, query, os.Stdout)
	if err == nil && done.Lines == 0 {
		if !strings.Contains(c.URL, ":") {
			sought += ": a URL begins with https:// or http://"
		}
		fmt.Fprintln(os.Stderr, "no capture has", sought)
		return exitStatus(1)
	}
	return err
}

// query is what the flags select, and what that is in words.
func (c *lookupCommand) query() (q store.Query, sought string, err error) {
	if c.URL == "" {
		return q, "", errors.New("lookup: the URL is empty")
	}
	if c.AnyBody {
		return c.anyBody()
	}
	key, err := c.find()
	if err != nil {
		return q, "", err
	}
	if key == "" { // which would select everything
		return q, "", noKey("lookup", c.URL, c.Key)
	}
	return store.Query{Key: c.Key, URL: key, All: true}, fmt.Sprintf("the %s key %s", c.Key, key), nil
}

// anyBody is the query of --any-body: what was asked of the URL, whatever was sent.
func (c *lookupCommand) anyBody() (q store.Query, sought string, err error) {
	switch {
	case c.Key != store.URLKey || c.Body != "" || c.ContentType != "":
		return q, "", errors.New("lookup: --any-body finds by the URL, and by --method: leave --key, " +
			"--body and --content-type out")
	case strings.EqualFold(c.Method, "GET"):
		return q, "", errors.New("lookup: --any-body is for what is no GET: a GET is found by its URL")
	}
	url := record.TargetURI(c.URL)
	sought = fmt.Sprintf("the URL %s and %s", url, cmp.Or(c.Method, "a method other than GET"))
	return store.Query{URL: url, Match: store.AnyBody, Method: c.Method, All: true}, sought, nil
}

// find returns the key to find by, which the request would have got if it had been recorded.
func (c *lookupCommand) find() (string, error) {
	request, err := c.request(record.TargetURI(c.URL))
	if err != nil {
		return "", err
	}
	if c.Key == store.URLKey {
		return canon.Pywb.Keys(request).URL, nil
	}
	if c.Key == store.QueryKey {
		return canon.QueryKey(request, canon.Pywb.Query(request)), nil
	}
	key, err := c.of(c.URL)
	if err == nil && c.Key == store.FormKey && len(request.Body) > 0 {
		key = canon.FormKey(string(request.Body))
	}
	return key, err
}
