package cmd

import (
	"errors"
	"fmt"
	"os"

	"warcorder/canon"
	"warcorder/recorder/record"
	"warcorder/store"
)

type lookupCommand struct {
	collectionFlags
	findFlags
	requestFlags
	URL string `arg:""`
}

// Run prints the lines of the captures, also of a collection that is being recorded. The exit status
// is 1 if there are none, as grep has it.
func (c *lookupCommand) Run(*commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if c.URL == "" {
		return errors.New("lookup: the URL is empty")
	}
	key, err := c.find()
	if err != nil {
		return err
	}
	if key == "" { // which would select everything
		return noKey("lookup", c.URL, c.Key)
	}
	done, err := export(dir, store.Query{Key: c.Key, URL: key, All: true}, os.Stdout)
	if err == nil && done.Lines == 0 {
		fmt.Fprintf(os.Stderr, "no capture has the %s key %s\n", c.Key, key)
		return exitStatus(1)
	}
	return err
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
