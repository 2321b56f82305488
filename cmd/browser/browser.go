// Package browser starts a browser that somebody has installed, with a profile of its own that is
// thrown away, so that all it fetches goes through a proxy, whose certificate it trusts.
//
//	find.go, kind.go        which browser: Find
//	profile.go              the throw-away profile, and those that dead processes have left
//	chromium.go             how Chromium, Chrome, Edge and Brave are told of the proxy
//	firefox.go              how Firefox is
//	nss.go, sqlite.go       the certificate that Firefox trusts
//	process.go              starting it, and ending it with all its children
//	pipes.go                how it is driven, if it is; devtools/ speaks over that
//	quiet.go                when a page that nobody looks at is there
//
// Invariant: nothing of the system is changed, and of no other profile. What was started and written
// is gone when End returns; what a killed process has left, the next Start removes.
package browser

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"time"

	"warcorder/certs"
)

// Options are how a browser is started.
type Options struct {
	URL      string // what it opens
	Proxy    string // host:port, for all that it fetches
	CA       []byte // PEM of the one certificate that it has to trust beside those it knows
	Headless bool   // without a window
	Driven   bool   // it takes commands: Pipes
}

// Browser is a browser that runs, or has run.
type Browser struct {
	process *process
	profile *profile
	pipes   *pipes // nil unless it is driven
	started time.Time
}

// Start starts a browser. Profiles that dead processes have left are removed first.
func Start(p Program, o Options) (*Browser, error) {
	place, err := p.place()
	if err != nil {
		return nil, err
	}
	profile, err := newProfile(place)
	if err != nil {
		return nil, err
	}
	b := &Browser{profile: profile, started: time.Now()}
	cmd, err := p.command(o, profile)
	if err == nil && o.Driven {
		b.pipes, err = newPipes()
	}
	if err == nil {
		b.process, err = start(cmd, profile.Mark(), b.pipes)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", p.Name, err), profile.remove())
	}
	return b, nil
}

// ErrNoDisplay is why no window can open.
var ErrNoDisplay = errors.New("there is no display here for a window (neither DISPLAY nor " +
	"WAYLAND_DISPLAY is set)")

// Check refuses what could not work, before anything is begun.
func (p Program) Check(headless bool) error {
	if !headless && !hasDisplay() {
		return fmt.Errorf("%w: give --headless, and a URL", ErrNoDisplay)
	}
	return nil
}

func hasDisplay() bool {
	switch runtime.GOOS {
	case "windows", "darwin":
		return true
	}
	return os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}

// command is the program with its arguments and its environment. What the browser reads is in the
// profile then.
func (p Program) command(o Options, profile *profile) (*exec.Cmd, error) {
	chain, err := certs.Parse(o.CA)
	if err != nil {
		return nil, fmt.Errorf("the certificate of the proxy %w", err)
	}
	data, err := profile.data()
	if err != nil {
		return nil, err
	}
	family := chromium
	if p.Kind == Firefox {
		family = firefox
	}
	cmd, err := family(p, o, chain[0], data)
	if err != nil {
		return nil, err
	}
	if p.box.kind == "" { // a box sets these by itself
		variables, err := profile.environment()
		if err != nil {
			return nil, err
		}
		cmd.Env = append(cmd.Env, variables...)
	}
	return cmd, nil
}

// IsUnprotected reports that the browser's sandbox is off: it cannot be had as root on Linux.
func (p Program) IsUnprotected() bool {
	return p.Kind == Chromium && runtime.GOOS == "linux" && os.Geteuid() == 0
}

// Done is closed when the browser has ended.
func (b *Browser) Done() <-chan struct{} { return b.process.done }

// Err is why the browser ended other than well, with the last that it said; nil where nothing is
// wrong. It may be asked for once Done is closed.
func (b *Browser) Err() error {
	if b.process.err == nil {
		return nil
	}
	return fmt.Errorf("the browser ended after %s: %w%s",
		time.Since(b.started).Round(time.Second/10), b.process.err, b.process.tail.said())
}

// Said are the last lines of what the browser has said on its standard error.
func (b *Browser) Said() string { return b.process.tail.said() }

// Downloads is a directory in the profile, which goes with that.
func (b *Browser) Downloads() string { return filepath.Join(b.profile.Path, "downloads") }

// End ends the browser and all its children, waits until they are gone, and removes the profile.
func (b *Browser) End() error {
	b.process.end()
	if b.pipes != nil {
		b.pipes.close()
	}
	return b.profile.remove()
}
