package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/signal"

	"warcorder/proxy/admin"
	"warcorder/recorder"
)

// runCommand runs a command whose programs are led through a recorder.
type runCommand struct {
	besideFlags
	Command []string `arg:"" optional:"" passthrough:"partial" placeholder:"CMD"`
}

// Run runs the command, and returns its exit status as an error when all is in the index.
func (c *runCommand) Run(line *commandLine) error {
	command := c.Command
	if len(command) > 0 && command[0] == "--" {
		command = command[1:]
	}
	if len(command) == 0 {
		return errors.New("run needs a command: warcorder run -- curl https://example.org/")
	}
	if !c.Proxy.Users.IsEmpty() {
		return errPasswords
	}
	if _, err := findCommand(command[0], os.Environ()); err != nil {
		return err
	}
	c.silent, line.Quiet = line.Quiet, !line.Verbose
	background := signal.Ignored(os.Interrupt) // by the shell that has started us
	var at *inUse
	var before status
	var ended exitStatus
	err := c.beside(line, func(ctx context.Context, used *inUse) (err error) {
		if !used.own && wantsPassword(used.address) {
			c.silent = true
			return errPasswords
		}
		at = used
		if background {
			signal.Ignore(os.Interrupt) // so that the command ignores it too
		}
		if before, err = at.status(); err == nil {
			ended, err = runLed(ctx, command, at)
		}
		return err
	})
	if at != nil {
		explainRun(at, before, ended)
	}
	return ended.beside(err)
}

var errPasswords = errors.New("run does not work with proxy-users: the programs of a command have " +
	"no name and password to show. Record into another --collection, without proxy-users")

// wantsPassword reports whether a recorder asks for a password, by its own page.
func wantsPassword(address string) bool {
	client := http.Client{Timeout: lockPatience, Transport: &http.Transport{
		Proxy:             http.ProxyURL(&url.URL{Scheme: "http", Host: address}),
		DisableKeepAlives: true,
	}}
	res, err := client.Head("http://" + admin.Name + "/")
	if err != nil {
		return false
	}
	res.Body.Close()
	return res.StatusCode == http.StatusProxyAuthRequired
}

// beside is an exit status and what is wrong with the recording, as one error: the status of the
// command is passed on, whatever became of its captures.
func (e exitStatus) beside(err error) error {
	if e == 0 {
		return err
	}
	if err != nil && !errors.Is(err, errSaid) {
		fmt.Fprintln(os.Stderr, "warcorder:", err)
	}
	return e
}

// explainRun says what the farewell does not: that what was refused may be programs that do not trust
// the recorder, and, if nothing came, that the command may have gone past it.
func explainRun(at *inUse, before status, ended exitStatus) {
	after, err := at.status()
	if err != nil {
		return
	}
	switch {
	case after.Gaps[recorder.GapRefused] > before.Gaps[recorder.GapRefused]:
		fmt.Fprintln(os.Stderr, "warcorder: programs that do not trust the recorder's certificate are "+
			"refused; doc/crawlers.md says for many how they are told")
	case after.Exchanges == before.Exchanges && ended == 0 && sum(after.Gaps) == sum(before.Gaps):
		fmt.Fprintln(os.Stderr, "warcorder: the command asked for nothing, or it went past the recorder, "+
			"with no proxy from its environment: doc/crawlers.md")
	}
}
