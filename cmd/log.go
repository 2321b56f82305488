package cmd

import (
	"bytes"
	"io"
	"os"
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

// logger makes the logger; person says whether a human reads it.
func (line *commandLine) logger(out io.Writer) (log zerolog.Logger, person bool) {
	zerolog.TimeFieldFormat = time.RFC3339Nano
	person = line.Log == "text" || line.Log == "auto" && term.IsTerminal(int(os.Stderr.Fd()))
	forWhom := func(out io.Writer) io.Writer {
		if person {
			out = newTextLog(out, line.Verbose)
		}
		if line.Quiet {
			out = quiet{out}
		}
		return out
	}
	if queue, ok := out.(*logqueue.Queue); ok {
		out = leveled{forWhom(queue), forWhom(queue.Urgent())}
	} else {
		out = forWhom(out)
	}
	return zerolog.New(out).With().Timestamp().Logger(), person
}

// quiet leaves out the lines of captures.
type quiet struct{ out io.Writer }

func (q quiet) Write(p []byte) (int, error) {
	if bytes.HasSuffix(p, captureEnd) || bytes.HasSuffix(p, replayedEnd) {
		return len(p), nil
	}
	return q.out.Write(p)
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
	return logqueue.New(os.Stderr, logWaiting, func(dropped int64) []byte {
		text.Reset()
		log.Warn().Int64("lines", dropped).
			Msg("lines of this log were dropped: nobody read it, or it could not be written")
		return text.Bytes()
	})
}
