package cmd

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dustin/go-humanize"
	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"warcorder/recorder/recovery"
)

// count writes a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return humanize.Comma(int64(n)) + " " + thing + "s"
}

// printable replaces what would move the cursor of a terminal: the text came from outside.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return '\uFFFD'
		}
		return r
	}, text)
}

// ascii is text from outside of which each byte that is no character of ASCII stands as %XX, as in a
// URL: nothing is then wider than it seems, runs from right to left, or lies on something else.
func ascii(text string) string {
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; c >= ' ' && c <= '~' {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// cut cuts text of one column a character to so many columns.
func cut(text string, columns int) string {
	if utf8.RuneCountInString(text) <= columns {
		return text
	}
	return string([]rune(text)[:columns-1]) + "…"
}

// bytesText is a number of bytes as people read it.
func bytesText(n int64) string { return humanize.Bytes(uint64(max(0, n))) }

// atTerminal reports whether a person sees what goes to standard error.
func atTerminal() bool { return term.IsTerminal(int(os.Stderr.Fd())) }

// remark tells a person what is no trouble, and whoever asks for it by --verbose. Elsewhere standard
// error has trouble alone: what cron finds there becomes a letter.
func (line *commandLine) remark(format string, args ...any) {
	if !line.Quiet && (line.Verbose || atTerminal()) {
		fmt.Fprintf(os.Stderr, format+"\n", args...)
	}
}

// newBar returns a progress bar, which is visible on a terminal alone. total is -1 if it is not
// known.
func newBar(total int64, what string, more ...progressbar.Option) *progressbar.ProgressBar {
	return progressbar.NewOptions64(total, append([]progressbar.Option{
		progressbar.OptionSetDescription(what),
		progressbar.OptionSetWriter(os.Stderr),
		progressbar.OptionSetVisibility(atTerminal()),
		progressbar.OptionThrottle(100 * time.Millisecond),
		progressbar.OptionShowCount(),
		progressbar.OptionClearOnFinish(),
	}, more...)...)
}

// byteBar is a bar of bytes that appears with the first file, and anew when their sum changes. Any
// number of goroutines may use it.
type byteBar struct {
	out io.Writer

	mu  sync.Mutex // the bar's own lock leaves Clear out
	bar *progressbar.ProgressBar
}

// show is a recovery.Progress.
func (b *byteBar) show(file string, done, total int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar == nil || b.bar.GetMax64() != total {
		b.bar = newBar(total, file, progressbar.OptionShowBytes(true),
			progressbar.OptionSetWriter(b.out))
	}
	b.bar.Describe(file)
	b.bar.Set64(done)
	if done == total {
		b.bar.Finish()
	}
}

// above prints where the bar is, which moves on with the next progress.
func (b *byteBar) above(print func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		b.bar.Clear()
	}
	print()
}

func (b *byteBar) finish() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.bar != nil {
		b.bar.Finish()
	}
}

// newProgress shows on out how far a recovery has come.
func newProgress(out io.Writer) recovery.Progress { return (&byteBar{out: out}).show }
