package cmd

import (
	"os"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rs/zerolog"

	"warcorder/cmd/supervisor"
	"warcorder/recorder/recovery"
)

const (
	// removalTime is what a removal that is decided may take at the end, which goes on to its own.
	removalTime = 15 * time.Minute
	// lastTime is what an end takes at most behind shutdown-timeout and writingTime: a disk that does
	// not answer is waited for, then the log.
	lastTime = 10 * time.Second
)

// supervisedBy is what looks after this process: the service control manager, systemd, or nobody.
func (c *recordFlags) supervisedBy(line *commandLine, log zerolog.Logger) *supervisor.Supervisor {
	switch {
	case !c.served:
		return nil
	case line.service != nil:
		return line.service
	}
	return supervisor.FromSystemd(func(err error) {
		log.Warn().Err(err).Msg("who has started this process may take it for stuck, and end it")
	})
}

// takeSocket has the proxy listen on the socket that systemd hands on, if it does. The address of that
// one is judged like one of listen, which does not count then.
func (c *recordFlags) takeSocket() error {
	socket, err := supervisor.Listener()
	if err != nil || socket == nil {
		return err
	}
	c.front = listening{flag: "ListenStream", text: socket.Addr().String(), socket: socket}
	return nil
}

// tellProgress has the supervisor know of the progress of a recovery, so that it is waited for.
func (c *recordFlags) tellProgress(show recovery.Progress) recovery.Progress {
	return func(file string, done, total int64) {
		c.supervisor.Progress(file, done, total)
		show(file, done, total)
	}
}

// signals gives what ends a recording, and what has its settings read anew: that of the system, which
// hangups are of, and that of a supervisor.
func (c *recordFlags) signals(hangups <-chan os.Signal) (ends, reloads <-chan os.Signal) {
	ends = endingsOr(hangups)
	if asked := c.supervisor.Signals(); asked != nil {
		return sorted(ends, hangups, asked)
	}
	return ends, hangups
}

// sorted passes on what is asked for to where it belongs, beside what comes there by itself. One reload
// that waits stands for all that were asked for since.
func sorted(ends, hangups, asked <-chan os.Signal) (allEnds, reloads <-chan os.Signal) {
	toEnd, toReload := make(chan os.Signal, 2), make(chan os.Signal, 1)
	pass := func(got os.Signal) {
		if got != syscall.SIGHUP {
			toEnd <- got
			return
		}
		select {
		case toReload <- got:
		default:
		}
	}
	go func() {
		for {
			select {
			case got := <-ends:
				toEnd <- got
			case got := <-hangups:
				pass(got)
			case got := <-asked:
				pass(got)
			}
		}
	}()
	return toEnd, toReload
}

// look is how a supervisor sees that recording goes on.
func (s *serving) look() supervisor.Look {
	return supervisor.Look{
		Status:  func() string { return s.status().line() },
		Stalled: s.rec.Stalled,
	}
}

// line is the state in one line.
func (s status) line() string {
	does := "recording"
	switch {
	case s.Paused:
		does = "paused, nothing is recorded"
	case !s.Recording:
		does = "cannot record, clients are refused: " + s.Reason
	}
	return does + "; " + count(int(s.Exchanges), "exchange") + ", " + count(int(sum(s.Gaps)), "gap") +
		", " + humanize.Comma(s.InFlight) + " in flight"
}
