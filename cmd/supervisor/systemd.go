package supervisor

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/coreos/go-systemd/v22/activation"
	"github.com/coreos/go-systemd/v22/daemon"
)

// FromSystemd returns systemd, or what speaks as systemd does (podman, for one), if the environment
// says that it waits for word. wrong gets the first error of telling it.
//
// Its watchdog is told that the process is alive four times as often as it wants to hear so, until the
// service has been at one step for half of what the watchdog waits: then systemd hears nothing, and
// ends it. What a slow disk takes now and then is no reason to end.
func FromSystemd(wrong func(error)) *Supervisor {
	if os.Getenv("NOTIFY_SOCKET") == "" {
		return nil
	}
	watchdog, err := daemon.SdWatchdogEnabled(false)
	if err != nil {
		wrong(fmt.Errorf("systemd's watchdog is not told that the process is alive: %w", err))
	}
	tell := func(w word) error {
		text := message(w, watchdog > 0)
		if text == "" {
			return nil
		}
		if _, err := daemon.SdNotify(false, text); err != nil {
			return fmt.Errorf("systemd is not told how it goes: %w", err)
		}
		return nil
	}
	return watch(tell, beat(watchdog), watchdog/2, wrong)
}

// beat is how often a watchdog is told that the process is alive.
func beat(watchdog time.Duration) time.Duration {
	if watchdog == 0 {
		return wordEvery
	}
	return min(wordEvery, max(watchdog/4, time.Millisecond))
}

// message is a word as sd_notify(3) has it; "" if there is nothing to say.
func message(w word, watchdog bool) string {
	var lines []string
	if w.isNew {
		lines = append(lines, begins(w.phase)...)
	}
	if w.status != "" {
		lines = append(lines, "STATUS="+w.status)
	}
	if w.within > 0 {
		lines = append(lines, fmt.Sprintf("EXTEND_TIMEOUT_USEC=%d", w.within.Microseconds()))
	}
	if watchdog && w.alive && w.phase != starting {
		lines = append(lines, daemon.SdNotifyWatchdog)
	}
	return strings.Join(lines, "\n")
}

// begins says that a phase has begun. A service is starting until it says otherwise.
func begins(p phase) []string {
	switch p {
	case ready:
		return []string{daemon.SdNotifyReady}
	case reloading:
		return append([]string{daemon.SdNotifyReloading}, monotonic()...)
	case stopping:
		return []string{daemon.SdNotifyStopping}
	}
	return nil
}

// mostStatus is how many bytes of a status people see.
const mostStatus = 300

// oneLine is a text on a line of its own, so that nothing in it is taken for another word: reasons
// have what a system, a disk or a path says.
func oneLine(text string) string {
	text = strings.ToValidUTF8(text[:min(len(text), 2*mostStatus)], "?")
	text = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, text)
	if len(text) <= mostStatus {
		return text
	}
	end := mostStatus
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end]
}

// Listener returns the socket that systemd listens on for this process; nil if there is none. The
// environment says so no more, so that no child takes it for its own.
func Listener() (net.Listener, error) {
	files := activation.Files(true)
	if len(files) == 0 {
		return nil, nil
	}
	for _, file := range files {
		defer file.Close() // a listener has a descriptor of its own
	}
	if len(files) > 1 {
		return nil, fmt.Errorf("systemd hands on %d sockets: the recorder takes one, so leave one "+
			"ListenStream in the .socket unit", len(files))
	}
	ln, err := net.FileListener(files[0])
	if err != nil {
		return nil, fmt.Errorf("the socket that systemd hands on is none to listen on: write "+
			"ListenStream=HOST:PORT in the .socket unit, and Accept=no: %w", err)
	}
	if _, is := ln.(*net.TCPListener); !is {
		return nil, errors.Join(errors.New("the socket that systemd hands on is not TCP: write "+
			"ListenStream=HOST:PORT in the .socket unit"), ln.Close())
	}
	return ln, nil
}
