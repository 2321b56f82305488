package cmd

import (
	"cmp"
	"fmt"
	"io"
	"os"

	"warcorder/canon"
	"warcorder/recorder/record"
	"warcorder/store"
)

// findFlags say by which key captures are found.
type findFlags struct {
	Key      store.Key          `name:"key" enum:"url,path,wwwoffle,form,query" default:"url" placeholder:"KEY"`
	Profiles store.ProfileRules `name:"keys-profiles" hidden:"" type:"rules"`
}

// of returns that key of a URL, "" if it has none.
func (f *findFlags) of(url string) (string, error) {
	keyer, err := store.NewKeyer(store.KeysConfig{Profiles: f.Profiles})
	if err != nil {
		return "", err
	}
	return keyer.Of(f.Key, record.TargetURI(url)), nil
}

// noKey is the error of a command that is to find by a key which the URL does not have.
func noKey(command, url string, key store.Key) error {
	if key == store.QueryKey {
		return fmt.Errorf("%s: a URL alone has no key query, which is of what was posted as well: give "+
			"it to lookup with --method, --content-type and --body", command)
	}
	return fmt.Errorf("%s: %s has no key %s", command, url, key)
}

// requestFlags are what a key is made of beside the URL.
type requestFlags struct {
	Method      string `placeholder:"METHOD"`
	ContentType string `placeholder:"TYPE"`
	Body        string `placeholder:"FILE"`
}

// request returns the request that the flags describe.
func (f *requestFlags) request(url string) (*canon.Request, error) {
	r := &canon.Request{URL: url, Method: cmp.Or(f.Method, "GET"), ContentType: f.ContentType}
	var err error
	switch f.Body {
	case "":
	case "-":
		r.Body, err = io.ReadAll(os.Stdin)
	default:
		r.Body, err = os.ReadFile(f.Body)
	}
	return r, err
}
