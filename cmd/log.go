package cmd

import (
	"bytes"
	"io"
	"os"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/term"

	"warcorder/cmd/logqueue"
)

const (
	// bytes of lines that wait for a slow reader; a URL may be as long as a head
	logWaiting  = 4 << 20
	logPatience = 2 * time.Second // for the last lines
)

// volume is how much of the log is written. It may change while others log, and all loggers that were
// made with it follow. The zero value is what somebody has who sets nothing.
type volume struct{ now atomic.Pointer[loudness] }

// loudness is what log-level, quiet and verbose say.
type loudness struct {
	least          zerolog.Level // what is below it is not written
	quiet, verbose bool
}

// set changes all three at once.
func (v *volume) set(level string, quiet, verbose bool) {
	v.now.Store(&loudness{levelOf(level), quiet, verbose})
}

func (v *volume) get() loudness {
	if now := v.now.Load(); now != nil {
		return *now
	}
	return loudness{}
}

// Sample reports whether a line of that level is written: zerolog asks before it makes one, so that a
// line which is not wanted costs nothing.
func (v *volume) Sample(level zerolog.Level) bool { return level >= v.get().least }

// levelOf is the level that log-level names.
func levelOf(text string) zerolog.Level {
	switch text {
	case "error":
		return zerolog.ErrorLevel
	case "warn":
		return zerolog.WarnLevel
	}
	return zerolog.InfoLevel
}

// always is the logger for the lines that log-level does not leave out: the first and the last one of
// a run, by which a program that reads the log learns the address, and that the end was in peace, and
// those that say what the log itself lacks.
func always(log zerolog.Logger) zerolog.Logger { return log.Sample(nil) }

// logger makes the logger; person says whether a human reads it.
func (line *commandLine) logger(out io.Writer) (log zerolog.Logger, person bool) {
	zerolog.TimeFieldFormat = time.RFC3339Nano
	line.volume.set(line.Level, line.Quiet, line.Verbose)
	person = line.Log == "text" || line.Log == "auto" && term.IsTerminal(int(os.Stderr.Fd()))
	forWhom := func(out io.Writer) io.Writer {
		if person {
			out = newTextLog(out, &line.volume)
		}
		return quiet{out, &line.volume}
	}
	if queue, ok := out.(*logqueue.Queue); ok {
		out = leveled{forWhom(queue), forWhom(queue.Urgent())}
	} else {
		out = forWhom(out)
	}
	return zerolog.New(out).Sample(&line.volume).With().Timestamp().Logger(), person
}

// quiet leaves out the lines of captures, where that is wanted.
type quiet struct {
	out    io.Writer
	volume *volume
}

func (q quiet) Write(p []byte) (int, error) {
	if q.volume.get().quiet && isOfCapture(p) {
		return len(p), nil
	}
	return q.out.Write(p)
}

// isOfCapture reports the line of a capture, or of what a replay has answered.
func isOfCapture(p []byte) bool {
	return bytes.HasSuffix(p, captureEnd) || bytes.HasSuffix(p, replayedEnd)
}

// leveled keeps room for warnings and errors when nobody reads the lines of captures.
type leveled struct{ info, urgent io.Writer }

func (l leveled) Write(p []byte) (int, error) { return l.info.Write(p) }

func (l leveled) WriteLevel(level zerolog.Level, p []byte) (int, error) {
	if level >= zerolog.WarnLevel {
		return l.urgent.Write(p)
	}
	return l.info.Write(p)
}

// queue makes the queue between the log and standard error.
func (line *commandLine) queue() *logqueue.Queue {
	var text bytes.Buffer
	log, _ := line.logger(&text)
	log = always(log) // an error may be among what was dropped
	return logqueue.New(os.Stderr, logWaiting, func(dropped int64) []byte {
		text.Reset()
		log.Warn().Int64("lines", dropped).
			Msg("lines of this log were dropped: nobody read it, or it could not be written")
		return text.Bytes()
	})
}
