package cmd

import (
	"cmp"
	"errors"
	"fmt"

	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/outbackcdx"
)

type pushCommand struct {
	URL string `arg:"" name:"url"`
	collectionFlags
	To            string          `enum:"outbackcdx" required:"" placeholder:"SERVER"`
	TokenFile     string          `name:"token-file" placeholder:"FILE"`
	Authorization string          `env:"WARCORDER_AUTHORIZATION" placeholder:"TEXT"`
	Mode          collection.Mode `name:"archive-mode" default:"${archive_mode}"`
}

// Run gives a server what has come since it was given something.
func (c *pushCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if !dir.Exists() {
		return noCollection(dir)
	}
	if err := store.CheckFormat(dir.Index()); err != nil { // before the server is asked
		return err
	}
	server, err := outbackcdx.NewServer(c.URL, c.Authorization)
	if err != nil {
		return fmt.Errorf("push: %w", err)
	}
	kept := cmp.Or(c.TokenFile, dir.PushToken(server.String()))
	release, err := onlyPush(kept)
	if err != nil {
		return fmt.Errorf("push: %w", err)
	}
	defer release()
	work := pushing{pushCommand: c, line: line, dir: dir, server: server, kept: kept}
	done, err := work.all()
	if err != nil {
		return fmt.Errorf("push: %w", err)
	}
	return cmp.Or(work.staleError(), done.lacking("push"))
}

// onlyPush lets one push at a time have a token file: of two, the older one might add what the other has
// deleted already.
func onlyPush(path string) (release func() error, err error) {
	release, err = collection.Hold(path + ".lock")
	if errors.Is(err, collection.ErrLocked) {
		err = fmt.Errorf("another push is at work with %s: run this again when it has ended", path)
	}
	return release, err
}
