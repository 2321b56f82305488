package supervisor

import (
	"testing"
	"time"

	"golang.org/x/sys/windows/svc"
	"golang.org/x/sys/windows/svc/eventlog"
)

// TestStatus: what the manager of services hears of each word.
func TestStatus(t *testing.T) {
	const hint = 30000
	var teller statusTeller
	for _, c := range []struct {
		name string
		word word
		want svc.Status
		is   bool
	}{
		{"a start", word{within: time.Minute}, svc.Status{State: svc.StartPending, CheckPoint: 1, WaitHint: hint}, true},
		{"it gets on", word{within: time.Minute}, svc.Status{State: svc.StartPending, CheckPoint: 2, WaitHint: hint}, true},
		{"it is stuck", word{}, svc.Status{}, false},
		{"ready", word{phase: ready, isNew: true}, svc.Status{State: svc.Running, Accepts: accepted}, true},
		{"nothing new", word{phase: ready}, svc.Status{}, false},
		{"a reload", word{phase: reloading, isNew: true}, svc.Status{}, false},
		{"the end", word{phase: stopping, isNew: true, within: time.Minute},
			svc.Status{State: svc.StopPending, CheckPoint: 1, WaitHint: hint}, true},
		{"an end that takes too long", word{phase: stopping}, svc.Status{}, false},
	} {
		if got, is := teller.status(c.word); got != c.want || is != c.is {
			t.Errorf("%s: %+v, %t", c.name, got, is)
		}
	}
}

// TestKindOf: a line of the log is an event of its level; captures are none.
func TestKindOf(t *testing.T) {
	for line, want := range map[string]uint32{
		"": 0,
		`{"level":"info","url":"http://a/","message":"capture"}`:             0,
		`{"level":"info","message":"recording"}`:                             eventlog.Info,
		`{"level":"warn","url":"\"message\":\"capture\"}","message":"slow"}`: eventlog.Warning,
		`{"level":"error","message":"recording is off"}`:                     eventlog.Error,
		"warcorder: --listen needs a port":                                   eventlog.Error,
	} {
		if got := kindOf(line); got != want {
			t.Errorf("%s: %d, want %d", line, got, want)
		}
	}
}
