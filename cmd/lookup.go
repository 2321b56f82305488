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
	Profiles record.ProfileRules `name:"keys-profiles" hidden:"" type:"rules"`
	By       store.Key           `name:"key" enum:"url,path,wwwoffle,form" default:"url"`
	requestFlags
	URL string `arg:""`
}

// Run prints the lines of the captures, also of a collection that is being recorded.
func (c *lookupCommand) Run(*commandLine) error {
	dir, err := c.path()
	if err != nil {
		return err
	}
	if c.URL == "" {
		return errors.New("lookup: the URL is empty")
	}
	request, err := c.request(record.TargetURI(c.URL)) // as it would have been recorded
	if err != nil {
		return err
	}
	query := store.Query{Key: c.By, URL: canon.Pywb.Keys(request).URL}
	if c.By != store.URLKey {
		keyer, err := record.NewKeyer(record.KeysConfig{Profiles: c.Profiles})
		if err != nil {
			return err
		}
		query.URL = keyer.Of(c.By, c.URL)
		if c.By == store.FormKey && len(request.Body) > 0 {
			query.URL = canon.FormKey(string(request.Body))
		}
	}
	if query.URL == "" { // which would select everything
		return fmt.Errorf("lookup: %s has no key %s", c.URL, c.By)
	}
	exported, err := export(dir, query, os.Stdout)
	if err == nil && exported.Lines == 0 {
		fmt.Fprintf(os.Stderr, "no capture has the %s key %s\n", c.By, query.URL)
	}
	return err
}
