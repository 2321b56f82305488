package cmd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"warcorder/cmd/pushing"
	"warcorder/store"
	"warcorder/store/collection"
	"warcorder/store/delta"
)

type pushCommand struct {
	Address string `arg:"" name:"url"`
	collectionFlags
	To            string          `enum:"outbackcdx,parquet" required:"" placeholder:"WHAT"`
	TokenFile     string          `name:"token-file" placeholder:"FILE"`
	Authorization string          `env:"WARCORDER_AUTHORIZATION" placeholder:"TEXT"`
	Mode          collection.Mode `name:"archive-mode" default:"${archive_mode}"`
}

// Run gives others what has come since they were given something.
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
	target, err := pushing.NewTarget(c.To, c.Address, c.Authorization)
	if err == nil {
		err = cmp.Or(checkTarget(&target, dir), c.checkTokenFile())
	}
	if err != nil {
		return fmt.Errorf("push: %w", err)
	}
	work := pushWork{line: line, dir: dir, target: target}
	push := work.push(c)
	release, err := push.Hold()
	if err != nil {
		return fmt.Errorf("push: %w", err)
	}
	defer release()
	if err := push.Run(context.Background()); err != nil {
		return fmt.Errorf("push: %w", err)
	}
	return cmp.Or(work.staleError(), work.done.lacking("push"))
}

// checkTokenFile refuses a token file that cannot be meant, before anything is sent.
func (c *pushCommand) checkTokenFile() error {
	flags := sinceFlags{TokenFile: c.TokenFile}
	return flags.check("cdxj", "-")
}

// checkTarget refuses a table in the collection itself.
func checkTarget(target *pushing.Target, dir collection.Dir) error {
	if target.Directory() == "" {
		return nil
	}
	within, err := isWithin(target.Directory(), string(dir))
	whole, wholeErr := dir.Abs() // of a collection that is not there yet
	if wholeErr == nil && strings.HasPrefix(target.Directory()+sep, string(whole)+sep) {
		within = true
	}
	if err == nil && within {
		err = fmt.Errorf("%s belongs to the collection: name another directory", target.Directory())
	}
	return err
}

const sep = string(filepath.Separator)

// pushWork is a push from the command line.
type pushWork struct {
	line   *commandLine
	dir    collection.Dir
	target pushing.Target
	done   exported // of what the index lacks
	stale  bool     // the server has lines of what is not there any more, as was said
}

// push is what is pushed.
func (p *pushWork) push(c *pushCommand) *pushing.Push {
	return &pushing.Push{
		Target: p.target, Source: p.lines, Mode: c.Mode, Name: p.dir.Name(), Version: version,
		Kept: cmp.Or(c.TokenFile, p.dir.PushToken(p.target.ID())),
		Sent: p.tell, Stale: p.isStale,
	}
}

// lines writes what has come, from the index or from the recorder that has it open.
func (p *pushWork) lines(_ context.Context, w io.Writer, ask delta.Ask, began func(delta.Token)) (
	delta.Done, error) {
	asked := asking{dir: p.dir, ask: &delta.Ask{Since: ask.Since}, until: ask.Until, began: began}
	done, err := asked.export(w)
	p.done.behind = p.done.behind || done.behind
	if errors.Is(err, errRemoved) {
		err = fmt.Errorf("%w: %w", pushing.ErrRemoved, err)
	}
	return done.Done, err
}

// tell says what was given, and what was not.
func (p *pushWork) tell(sent pushing.Sent) {
	if p.target.Kind() == pushing.Parquet {
		p.line.remark("%s of %s written, %s taken away at %s", count(sent.Parts, "part"),
			count(int(sent.Lines), "row"), count(sent.Dropped, "part"), p.target.Address())
		return
	}
	p.line.remark("%s added, %s deleted at %s", count(int(sent.Lines), "line"),
		count(int(sent.Deleted), "line"), p.target.Address())
	for _, reason := range slices.Sorted(maps.Keys(sent.LeftOut)) {
		p.line.remark("%s left out, %s", count(int(sent.LeftOut[reason]), "line"), reason)
	}
	if sent.Before > 0 {
		p.line.remark("%s there before: an earlier push broke off", count(int(sent.Before), "line"))
	}
	if sent.Digests > 0 {
		p.line.remark("%s without a digest: OutbackCDX keeps SHA-1 alone", count(int(sent.Digests), "line"))
	}
}

func (p *pushWork) isStale(why string) {
	p.stale = true
	say("%s has lines of captures that are not there any more, %s", p.target.Address(), why)
}

// staleError is the error of a push after which the server has lines of what is not there any more.
func (p *pushWork) staleError() error {
	if !p.stale {
		return nil
	}
	return fmt.Errorf("push: all that is new is at %s; and it has lines of captures that are not there any "+
		"more, see above. To be rid of them remove the collection there, and the token file here, "+
		"and push again", p.target.Address())
}
