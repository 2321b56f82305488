package cmd

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"warcorder/canon"
	"warcorder/recorder"
	"warcorder/store"
)

type exportCommand struct {
	collectionFlags
	Profiles recorder.ProfileRules `name:"keys-profiles" help:"Path profiles, from the configuration file." hidden:"" type:"rules"`
	URL      string                `name:"url" help:"Only captures of this URL." placeholder:"URL"`
	Match    string                `help:"What --url selects: exact, prefix, host, domain." enum:"exact,prefix,host,domain" default:"exact"`
	From     string                `help:"Only captures at or after this time, YYYY to YYYYMMDDhhmmss (UTC)." placeholder:"TS"`
	To       string                `help:"Only captures until the end of this time." placeholder:"TS"`
	By       store.Key             `name:"key" help:"Key that the lines begin with, are sorted by and --url is found by: url, path, wwwoffle, form." enum:"url,path,wwwoffle,form" default:"url"`
	As       canon.Dialect         `name:"dialect" help:"Dialect of the keys and request bodies: pywb, spec, warciojs." default:"pywb"`
	Format   string                `help:"cdxj: a line for each capture. warc-0.9: the WARC files of the collection as files of the draft WARC 0.9, into the directory that -o names." enum:"cdxj,warc-0.9" default:"cdxj"`
	FileSize int64                 `name:"file-size" help:"Size of the files of --format warc-0.9; longer records are cut into segments." default:"500MB" type:"size"`
	NoBodies bool                  `name:"no-request-bodies" help:"Leave request bodies out, which may hold passwords: lines have no requestBody, and their keys say the method alone, so that what was posted cannot be found by what was posted. What stands in a URL stays."`
	Mode     recorder.Mode         `name:"archive-mode" help:"Who may read and write the file; octal." default:"0600"`
	Out      string                `name:"out" short:"o" help:"File to write, - for standard output. Default: indexes/index.cdxj of the collection." placeholder:"FILE"`
}

// Run writes the lines, all of them or none.
func (c *exportCommand) Run(*commandLine) error {
	dir, err := c.path()
	if err != nil {
		return err
	}
	if _, err := os.Stat(dir); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("there is no collection %s: name one with --collection and --dir", dir)
	}
	if c.Format == "warc-0.9" {
		return c.exportOld(dir)
	}
	query := store.Query{
		URL:      c.URL,
		Match:    store.Match(c.Match),
		From:     c.From,
		To:       c.To,
		Key:      c.By,
		Dialect:  c.As,
		NoBodies: c.NoBodies,
	}
	if c.URL != "" && c.By != store.URLKey {
		keyer, err := recorder.NewKeyer(recorder.KeysConfig{Profiles: c.Profiles})
		if err != nil {
			return err
		}
		if query.URL = keyer.Of(c.By, c.URL); query.URL == "" {
			return fmt.Errorf("export: %s has no key %s", c.URL, c.By)
		}
	}
	var exported store.Exported
	write := func(w io.Writer) (err error) {
		exported, err = export(dir, query, w)
		return err
	}
	switch c.Out {
	case "-":
		err = write(os.Stdout)
	case "":
		c.Out = filepath.Join(dir, "indexes", "index.cdxj")
		fallthrough
	default:
		err = writeAtomically(c.Out, os.FileMode(c.Mode), write)
	}
	if err != nil {
		return fmt.Errorf("export: %w", err)
	}
	if exported.InOpenFiles > 0 {
		fmt.Fprintf(os.Stderr,
			"%d of %d captures lie in a file that is not finished; until it is its name ends in .open\n",
			exported.InOpenFiles, exported.Lines)
	}
	return nil
}
