package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"warcorder/store/cdxserver"
	"warcorder/store/collection"
)

// besideFlags are those of a command that has something go through a recorder: through the one that
// has the collection open, or else through one of its own, which ends with it. Every setting of
// record counts for that.
type besideFlags struct {
	Listen      string `default:"127.0.0.1:0" placeholder:"HOST:PORT"`
	DebugListen string `name:"debug-listen" placeholder:"HOST:PORT"`
	recordFlags

	opened string // the page that a browser is opened with; "" if that is not to be told
}

// inUse is the recorder that a command uses.
type inUse struct {
	dir     collection.Dir
	address string                 // to set as the proxy: host:port
	ca      []byte                 // PEM of what clients have to trust
	own     bool                   // it ends with the command
	status  func() (status, error) // its state now
	signals <-chan os.Signal       // that would end it
}

// beside does work beside a recorder, and returns when all that was fetched meanwhile is in the
// index. The context of work ends when nothing is recorded any more.
//
//	a recorder has the collection open   its address, its certificate; it goes on, at least until
//	                                     work is done
//	nobody has                           one of our own: work, then the work of others that came
//	                                     beside it and wholes that are still to come, then the end of
//	                                     a recording. A signal cuts the waiting short
//
// If work is well and the recording is not, that is the error.
func (c *besideFlags) beside(line *commandLine, work func(context.Context, *inUse) error) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	for until := time.Now().Add(c.ShutdownTimeout + writingTime + lockPatience); ; {
		err := c.besideOne(line, dir, work)
		if !errors.Is(err, errAnother) || time.Now().After(until) {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// besideOne is beside the recorder that there is now. The error is errAnother, and work has not
// begun, if another process begins or ends one meanwhile.
func (c *besideFlags) besideOne(line *commandLine, dir collection.Dir,
	work func(context.Context, *inUse) error) error {
	running, err := cdxserver.At(dir)
	if err == nil {
		at, leave, err := enter(running, dir)
		if err == nil {
			defer leave()
			return c.besideRunning(running, at, work)
		}
		if !errors.Is(err, cdxserver.ErrNobody) {
			return err
		}
	} else if !errors.Is(err, cdxserver.ErrNobody) {
		return err
	}
	return c.besideOwn(line, dir, work)
}

// besideOwn is beside where nobody has the collection open.
func (c *besideFlags) besideOwn(line *commandLine, dir collection.Dir,
	work func(context.Context, *inUse) error) error {
	c.listenOn(c.Listen)
	c.debug.text = c.DebugListen
	var s *serving
	var worked error
	err := c.record(line, func(ctx context.Context, serving *serving) error {
		s = serving
		_, address := typable(s.address)
		worked = work(ctx, &inUse{
			dir: dir, address: address, ca: s.now().authority.PEM(), own: true,
			status:  func() (status, error) { return s.status(), nil },
			signals: s.signals,
		})
		s.whole(ctx, !c.silent)
		return nil
	})
	if s != nil && !c.silent {
		farewell(os.Stderr, dir, c.opened, status{}, s.status())
	}
	if worked != nil {
		return worked
	}
	return err
}

// toldAfter is how long nothing is said of what is waited for: most of it has come by then.
const toldAfter = time.Second

// tellWholes says how many wholes are still to come.
func (s *serving) tellWholes() {
	now := s.proxy.Completions()
	if n := now.Waiting + now.Running + now.Alone; n > 0 {
		say("waiting for what came in part: %s to come (Ctrl-C ends the recording now)", count(n, "whole"))
	}
}

// wholes waits for the wholes that are still to come; tells is whether it says so once that takes a
// while.
func (s *serving) wholes(ctx context.Context, tells bool) {
	if tells {
		defer time.AfterFunc(toldAfter, s.tellWholes).Stop()
	}
	s.proxy.Whole(ctx)
}

// whole waits for what is still to come, and for guests, or for a signal.
func (s *serving) whole(ctx context.Context, tells bool) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-s.signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	s.wholes(ctx, tells)
	for said := false; ctx.Err() == nil && !s.guests.closeIfNone(); said = true {
		if !said {
			say("another command still goes through this recorder: waiting until it has ended (Ctrl-C " +
				"ends the recording now)")
		}
		s.guests.wait(ctx)
		s.proxy.Whole(ctx)
	}
}

// enter has a recorder go on, until leave is called, and returns it as one that a command uses. The
// error is ErrNobody if it has ended, or ends, or another one listens there by now.
func enter(running cdxserver.Recorder, dir collection.Dir) (at *inUse, leave func(), err error) {
	leave, err = running.Hold()
	if err != nil {
		return nil, nil, err
	}
	_, address := typable(running.Address)
	at = &inUse{dir: dir, address: address,
		status: func() (status, error) { return statusOf(running) }}
	now, err := at.status()
	if err == nil && now.PID != running.PID {
		err = cdxserver.ErrNobody
	}
	if err == nil {
		at.ca, err = running.Read("/ca.pem")
	}
	if err != nil {
		leave()
	}
	return at, leave, err
}

// besideRunning is beside where another process records.
func (c *besideFlags) besideRunning(running cdxserver.Recorder, at *inUse,
	work func(context.Context, *inUse) error) error {
	at.signals = endings()
	before, err := at.status()
	if err != nil {
		return err
	}
	worked := work(context.Background(), at)
	after, err := settled(running, at.signals)
	if !after.At.IsZero() && !c.silent {
		farewell(os.Stderr, at.dir, c.opened, before, after)
	}
	if errors.Is(err, cdxserver.ErrNobody) {
		err = fmt.Errorf("the recorder, process %d, has ended meanwhile: what was asked for after that "+
			"is not recorded", running.PID)
	}
	if worked != nil {
		return worked
	}
	return err
}

// settlePatience is how long a recorder that goes on has for what it has just got: a client of it
// that takes no bytes may be waited for among others.
const settlePatience = 30 * time.Second

// settled asks a recorder for its state when all that clients have got is in the index; a signal
// ends the waiting. Beside an error the state is as it is then.
func settled(running cdxserver.Recorder, signals <-chan os.Signal) (now status, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), settlePatience)
	defer cancel()
	go func() {
		select {
		case <-signals:
			cancel()
		case <-ctx.Done():
		}
	}()
	err = running.Work(ctx, settlePath, &now)
	if err == nil {
		return now, nil
	}
	now, err2 := statusOf(running)
	return now, errors.Join(fmt.Errorf("not all that was recorded is in the index yet: %w", err), err2)
}

// statusOf asks a recorder for its state.
func statusOf(running cdxserver.Recorder) (now status, err error) {
	page, err := running.Read("/status")
	if err == nil {
		err = json.Unmarshal(page, &now)
	}
	if err != nil {
		return now, fmt.Errorf("status: %w", err)
	}
	return now, nil
}
