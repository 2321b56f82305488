package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"warcorder/store/collection"
	"warcorder/store/delta"
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
	for {
		at, err := pushedAt(kept)
		if err != nil {
			return fmt.Errorf("push: %w", err)
		}
		done, feed, err := c.push(dir, server, at, kept)
		if err == nil {
			err = (&pushed{since: done.token}).keep(kept, c.Mode)
		}
		if err != nil {
			return fmt.Errorf("push: %w", err)
		}
		c.tell(line, server, feed)
		err = cmp.Or(stale(server, &done.Done, feed), done.lacking("push"))
		if err != nil || at.until == nil {
			return err
		}
		// what an earlier push has begun is there: now what has come since
	}
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

// push sends the lines. The server has them when there is no error.
func (c *pushCommand) push(dir collection.Dir, server *outbackcdx.Server, at pushed, kept string) (
	exported, *outbackcdx.Feed, error) {
	ctx := context.Background()
	one, err := server.KeepsOne(ctx)
	if err != nil {
		return exported{}, nil, err
	}
	asked := asking{dir: dir, ask: &delta.Ask{Since: at.since}, until: at.until}
	asked.began = func(until delta.Token) { at.until = &until }
	feed := outbackcdx.NewFeed(ctx, server)
	feed.KeepsAll, feed.Behind = !one, at.behind
	feed.Confirmed = func(behind string) error {
		at.behind = behind
		return at.keep(kept, c.Mode)
	}
	done, err := asked.export(feed)
	if sent := feed.Err(); sent != nil {
		return done, feed, sent // whatever the reading has made of it
	}
	if err == nil {
		err = feed.Close()
	} else if asked.until != nil { // a removal has come in between, perhaps: what was begun is no more
		return c.push(dir, server, pushed{since: at.since}, kept)
	}
	return done, feed, err
}

// tell says what was sent, and what was not.
func (c *pushCommand) tell(line *commandLine, server *outbackcdx.Server, feed *outbackcdx.Feed) {
	done := &feed.Done
	line.remark("%s added, %s deleted at %s", count(int(done.Added), "line"), count(int(done.Deleted), "line"),
		server)
	for _, reason := range done.Reasons() {
		line.remark("%s left out, %s", count(int(done.LeftOut[reason]), "line"), reason)
	}
	if done.Before > 0 {
		line.remark("%s there before: an earlier push broke off", count(int(done.Before), "line"))
	}
	if done.Digests > 0 {
		line.remark("%s without a digest: OutbackCDX keeps SHA-1 alone", count(int(done.Digests), "line"))
	}
}

// stale is the error of a push after which the server has lines of what is not there any more.
func stale(server *outbackcdx.Server, done *delta.Done, feed *outbackcdx.Feed) error {
	n, why := done.Unlisted, "they were removed to be forgotten, so that nothing says which they are"
	switch {
	case feed.KeepsAll && done.Rewritten > 0:
		n, why = max(1, n+done.Removed), "files were written anew since, and the version of its index keeps "+
			"lines by their places, which are others now"
	case done.Gone > 0:
		n, why = max(1, n), count(done.Gone, "file")+" gone, and nothing says what was there"
	case feed.Done.Stale > 0:
		n, why = feed.Done.Stale, "the version of its index deletes lines by their places alone"
	}
	if n == 0 {
		return nil
	}
	return fmt.Errorf("push: all that is new is at %s; and it has lines of captures that are not there any "+
		"more, %d or more: %s. To be rid of them remove the collection there, and the token file here, "+
		"and push again", server, n, why)
}
