package cmd

import (
	"context"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// endings gives the signals that end a recording.
func endings() <-chan os.Signal { return endingsOr(nil) }

// endingsOr is endings for a recorder that takes its SIGHUPs otherwise, if hangups is not nil. What
// SIGHUP is for:
//
//	the parent process has it ignored, as nohup does    nothing: it goes on being ignored
//	a terminal controls the process                     an end: the terminal has gone away
//	none does, as under systemd or in a container       a reload, of a recorder that can (hangups)
func endingsOr(hangups <-chan os.Signal) <-chan os.Signal {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if hangups == nil && !signal.Ignored(syscall.SIGHUP) {
		signal.Notify(signals, syscall.SIGHUP)
	}
	return signals
}

// hangups gives the SIGHUPs that have the settings of a recorder read anew; nil if they are for
// something else. A terminal that has gone away can no longer be asked for: so that is done at the
// start, and before anything that takes long, as a SIGHUP that nobody expects ends the process.
func (c *recordFlags) hangups() <-chan os.Signal {
	if !c.reloads || signal.Ignored(syscall.SIGHUP) || hasTerminal() {
		return nil
	}
	hangups := make(chan os.Signal, 1)
	signal.Notify(hangups, syscall.SIGHUP)
	return hangups
}

// hasTerminal reports whether a terminal controls the process. On Windows, which sends no SIGHUP,
// there is no such file.
func hasTerminal() bool {
	terminal, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		return false
	}
	terminal.Close()
	return true
}

// untilSignal returns when a signal asks for the end.
func (c *recordFlags) untilSignal(ctx context.Context, s *serving) error {
	select {
	case got := <-s.signals:
		s.log.Info().Str("signal", got.String()).Dur("at_most_ms", s.now().ShutdownTimeout).
			Msg("finishing what is in flight; a second signal ends at once")
	case <-ctx.Done():
	}
	return nil
}

// sameSignal is how soon a signal after the first one is the same: timeout(1) sends one to the
// process and one to its group, and a terminal's Ctrl-C may come beside that of who started us.
const sameSignal = 200 * time.Millisecond

// endChildren ends the captures and replays that the live page has begun, all at once, and returns when
// none is left, or after some time.
func (s *serving) endChildren(patience time.Duration) {
	ended := make(chan struct{})
	go func() {
		var all sync.WaitGroup
		all.Go(s.replays.Close)
		all.Go(s.captures.Close)
		all.Wait()
		close(ended)
	}()
	select {
	case <-ended:
	case <-time.After(patience):
	}
}

// watchSignals ends the process at a second signal.
func (s *serving) watchSignals() {
	same := time.Now().Add(sameSignal)
	go func() {
		for <-s.signals; time.Now().Before(same); <-s.signals {
		}
		s.log.Warn().Msg("second signal: ended at once")
		s.endChildren(time.Second) // which are told, so that their browsers end too
		s.out.Close(logPatience)
		os.Exit(1)
	}()
}
