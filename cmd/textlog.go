package cmd

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rs/zerolog"
	"golang.org/x/term"
)

// textLog writes the log as people read it. Its writers get lines of JSON.
//
//	200 html     12.3 kB https://example.org/      a capture: status, media type, bytes in its file
//	200 =revisit   812 B https://example.org/      its body was there already
//	200 +mp4     48.1 MB https://example.org/a.mp4 asked for by the recorder: a part was seen
//	200 replayed   812 B https://example.org/      answered by a replay; in verbose lines alone
//	! 16:03:12 a warning, with its facts           !! is an error
//
// A line of a capture has no more columns than the terminal, and 80 at most; verbose ones are
// whole, and have time, file and offset. What others have chosen is in ASCII alone.
type textLog struct {
	out     io.Writer
	rest    zerolog.ConsoleWriter // for what is no capture
	volume  *volume
	color   bool
	columns int
}

// newTextLog returns one that writes to out.
func newTextLog(out io.Writer, volume *volume) *textLog {
	t := &textLog{out: out, volume: volume, columns: screen}
	if width, _, err := term.GetSize(int(os.Stderr.Fd())); err == nil {
		t.columns = columnsOf(width)
		t.color = os.Getenv("NO_COLOR") == ""
	}
	t.rest = zerolog.ConsoleWriter{
		Out: out, TimeFormat: time.TimeOnly, NoColor: !t.color, FormatLevel: t.level,
		PartsOrder: []string{zerolog.LevelFieldName, zerolog.TimestampFieldName,
			zerolog.MessageFieldName},
		FieldsOrder:   []string{"host", "url", zerolog.ErrorFieldName}, // what it is about comes first
		FieldsExclude: []string{"signal", "at_most_ms"},                // who has pressed Ctrl-C knows
	}
	return t
}

// leastColumns is what a line takes on the narrowest of terminals.
const leastColumns = 40

// columnsOf is how many columns a line takes on a terminal of that width. The terminals of some
// containers and serial lines do not know theirs, and say 0.
func columnsOf(width int) int {
	if width == 0 {
		return screen
	}
	return max(min(width, screen), leastColumns)
}

// captureEnd is how the line of a capture ends, and no other; replayedEnd that of what a replay has
// answered.
var (
	captureEnd  = []byte(`"message":"capture"}` + "\n")
	replayedEnd = []byte(`"message":"replayed"}` + "\n")
)

// replayedType stands where the line of a capture has its type.
const replayedType = "replayed"

// Write writes a line.
func (t *textLog) Write(p []byte) (int, error) {
	isReplayed := bytes.HasSuffix(p, replayedEnd)
	switch {
	case isReplayed && !t.volume.get().verbose: // what is missing is told
		return len(p), nil
	case !isReplayed && !bytes.HasSuffix(p, captureEnd):
		return t.rest.Write(p)
	}
	var c captureLine
	if err := json.Unmarshal(p, &c); err != nil {
		return t.rest.Write(p)
	}
	if isReplayed {
		c.Type = replayedType
	}
	if _, err := io.WriteString(t.out, t.capture(&c)); err != nil {
		return 0, err
	}
	return len(p), nil
}

// captureLine is what the log says of a capture.
type captureLine struct {
	URL, Type, File, User, Completion string
	Status                            int
	Offset, Length, MS                int64
	Time                              time.Time
}

// capture is the line of a capture.
func (t *textLog) capture(c *captureLine) string {
	status, verbose := "  -", t.volume.get().verbose
	if c.Status != 0 {
		status = fmt.Sprintf("%3d", c.Status%1000)
	}
	facts := fmt.Sprintf("%-8s %7s ", typeText(c), bytesText(c.Length))
	url := ascii(c.URL)
	if !verbose {
		url = cutMiddle(url, t.columns-len(status)-1-utf8.RuneCountInString(facts))
	}
	if t.color && c.Status >= 400 {
		status = yellow + status + uncolored
	}
	line := status + " " + facts + url
	if !verbose {
		return line + "\n"
	}
	line = c.Time.Local().Format(time.TimeOnly) + " " + line
	if c.File != "" {
		line += fmt.Sprintf(" %s offset=%d", c.File, c.Offset)
	}
	line += fmt.Sprintf(" ms=%d", c.MS)
	if c.User != "" {
		line += " user=" + ascii(c.User)
	}
	if c.Completion != "" {
		line += " completion=" + ascii(c.Completion)
	}
	return line + "\n"
}

const (
	yellow    = "\x1b[33m"
	red       = "\x1b[1;31m"
	uncolored = "\x1b[0m"
)

// level marks a line of that level.
func (t *textLog) level(level any) string {
	mark, color := "", ""
	switch level {
	case zerolog.LevelWarnValue:
		mark, color = "!", yellow
	case zerolog.LevelErrorValue, zerolog.LevelFatalValue, zerolog.LevelPanicValue:
		mark, color = "!!", red
	}
	if t.color && mark != "" {
		return color + mark + uncolored
	}
	return mark
}

// shortTypes are media types whose second half says too much or too little.
var shortTypes = map[string]string{
	"javascript": "js", "octet-stream": "bytes", "pem-certificate-chain": "cert",
	"svg+xml": "svg", "plain": "text", "x-www-form-urlencoded": "form",
}

// typeText is a media type in 8 columns, with the mark of a revisit or of a completion.
func typeText(c *captureLine) string {
	mark, kind := "", c.Type
	if _, half, found := strings.Cut(kind, "/"); found {
		kind = half
	}
	switch {
	case c.Type == "warc/revisit":
		mark = "="
	case c.Completion != "":
		mark = "+"
	}
	kind = strings.TrimPrefix(kind, "x-")
	if short, known := shortTypes[kind]; known {
		kind = short
	}
	if kind == "" {
		kind = "-"
	}
	return cut(ascii(mark+kind), 8)
}

// cutMiddle cuts ASCII to so many columns, and leaves its beginning and its end.
func cutMiddle(text string, columns int) string {
	if len(text) <= columns {
		return text
	}
	end := columns / 3
	return text[:columns-end-1] + "…" + text[len(text)-end:]
}
