package recorder

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"
)

// TestPanicsWithinAMinute: five panics within a minute break the recorder, once; five that are
// further apart do not.
func TestPanicsWithinAMinute(t *testing.T) {
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		name string
		at   []time.Duration
		told int
	}{
		{"four at once", make([]time.Duration, 4), 0},
		{"five at once", make([]time.Duration, 5), 1},
		{"ten at once", make([]time.Duration, 10), 1},
		{"five in 59 s", []time.Duration{0, 1e9, 2e9, 3e9, 59e9}, 1},
		{"five in 60 s", []time.Duration{0, 1e9, 2e9, 3e9, 60e9}, 0},
		{"the last five of nine",
			[]time.Duration{0, 50e9, 100e9, 150e9, 200e9, 205e9, 210e9, 215e9, 220e9}, 1},
		{"one each 20 s", []time.Duration{0, 20e9, 40e9, 60e9, 80e9, 100e9, 120e9}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			told := 0
			p := Panics{tell: func(error) { told++ }}
			for _, at := range c.at {
				p.add(start.Add(at))
			}
			if told != c.told {
				t.Errorf("told %d times, want %d", told, c.told)
			}
		})
	}
}

// TestPanicked: a panic is logged with the stack of where it happened, and whoever asks late hears
// of a recorder that is broken.
func TestPanicked(t *testing.T) {
	var log bytes.Buffer
	r := &Recorder{panics: NewPanics(zerolog.New(&log))}
	for range panicsAtMost {
		if err := workThatPanics(r); err == nil || !strings.Contains(err.Error(), "out of range") {
			t.Fatalf("the error is %v", err)
		}
	}
	if !strings.Contains(log.String(), "workThatPanics") ||
		!strings.Contains(log.String(), "http://example.org/a") {
		t.Errorf("the log names neither place nor URL: %s", log.String())
	}
	var told error
	r.Panics().OnBroken(func(err error) { told = err })
	if told == nil {
		t.Error("whoever asks after the fifth panic is not told")
	}
}

// TestCatch: a panic is an error, with its stack in the log; what does not panic keeps its own error.
func TestCatch(t *testing.T) {
	var log bytes.Buffer
	panics := NewPanics(zerolog.New(&log))
	do := func(work func() error) (err error) {
		defer panics.Catch(&err)
		return work()
	}
	if err := do(func() error { return errNoWork }); err != errNoWork || log.Len() > 0 {
		t.Errorf("%v, %s", err, log.String())
	}
	err := do(workWithoutEnd)
	if err == nil || !strings.Contains(err.Error(), "no end") || !strings.Contains(log.String(), "workWithoutEnd") {
		t.Errorf("%v, %s", err, log.String())
	}
}

var errNoWork = errors.New("no work")

func workWithoutEnd() error { panic("no end") }

func workThatPanics(r *Recorder) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = r.Panics().Caught(value, "http://example.org/a")
		}
	}()
	var none []error
	return none[len(none)]
}
