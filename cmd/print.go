package cmd

import (
	"io"
	"os"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"warcorder/recorder"
)

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return humanize.Comma(int64(n)) + " " + thing + "s"
}

// printable keeps what came from outside from moving the cursor of a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// newBar is a progress bar on a terminal, and nothing elsewhere. total is -1 if it is not known.
func newBar(total int64, what string, more ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(term.IsTerminal(int(os.Stderr.Fd()))),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	}, more...)...)
}

// newProgress is a bar of bytes that appears with the first file.
func newProgress(out io.Writer) recorder.Progress {
	var bar *progressbar.ProgressBar
	return func(file string, done, total int64) {
		if bar == nil || bar.GetMax64() != total {
			bar = newBar(total, file, progressbar.OptionShowBytes(true), progressbar.OptionSetWriter(out))
		}
		bar.Describe(file)
		bar.Set64(done)
		if done == total {
			bar.Finish()
		}
	}
}
