package cmd

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"warcorder/cmd/packing"
	"warcorder/store/collection"
	"warcorder/store/selection"
)

type waczCommand struct {
	collectionFlags
	selectionFlags
	Out     string          `name:"out" short:"o" required:"" placeholder:"FILE"`
	Title   string          `placeholder:"TEXT"`
	Text    bool            `name:"text"`
	Sign    bool            `name:"sign"`
	Split   int64           `placeholder:"SIZE" type:"size"`
	Cookies bool            `name:"cookies"`
	Mode    collection.Mode `name:"archive-mode" default:"${archive_mode}"`
	Rules   replayRules     `name:"replay-rules" hidden:"" type:"replay-rules"`
}

// leastSplit is how small parts may be, in bytes.
const leastSplit = 1_000_000

// Run packs what is selected, all of it or nothing.
func (c *waczCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err == nil && !dir.Exists() {
		err = noCollection(dir)
	}
	if err == nil {
		err = errors.Join(c.Selection().Check(), c.check())
	}
	if err != nil {
		return err
	}
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	var report packing.Report
	isBehind := error(nil)
	err = withSource(dir, func(source *selection.Source) (err error) {
		report, err = c.pack(ctx, source)
		isBehind = behind("wacz", source)
		return err
	})
	switch {
	case ctx.Err() != nil:
		return errors.New("wacz: ended before all was packed: no file was written")
	case errors.Is(err, packing.ErrNothing):
		return nothingOf("wacz", dir, c.Files)
	case err != nil:
		return fmt.Errorf("wacz: %w", err)
	}
	c.tell(line, &report)
	return errors.Join(missesAny(&report), isBehind)
}

// check refuses what cannot be meant.
func (c *waczCommand) check() error {
	switch info, err := os.Stat(c.Out); {
	case c.Split != 0 && c.Split < leastSplit:
		return fmt.Errorf("--split %s: a part has at least 1MB", bytesText(c.Split))
	case c.Split != 0 && c.isStream():
		return errors.New("--split needs a file: -o names the others after it")
	case c.Out == "-" && term.IsTerminal(int(os.Stdout.Fd())):
		return errors.New("-o - is for a pipe, and this is a terminal: name a file")
	case c.Out == "-" || err == nil && !info.Mode().IsRegular() && !info.IsDir():
	case err == nil && info.IsDir():
		return fmt.Errorf("-o %s: it is a directory: name a file in it", c.Out)
	case !strings.HasSuffix(strings.ToLower(c.Out), packing.Suffix):
		return fmt.Errorf("-o %s: the name of a WACZ ends in .wacz", c.Out)
	default:
		return checkOutFile(c.Out)
	}
	return nil
}

// isStream reports whether what is written goes to a pipe or a device.
func (c *waczCommand) isStream() bool {
	info, err := os.Stat(c.Out)
	return c.Out == "-" || err == nil && !info.Mode().IsRegular()
}

// pack packs what is selected to where --out says.
func (c *waczCommand) pack(ctx context.Context, source *selection.Source) (report packing.Report,
	err error) {
	rules, err := c.Rules.json()
	if err != nil {
		return report, err
	}
	defer debug.SetGCPercent(debug.SetGCPercent(25)) // most of it reads and writes: memory is worth more
	bars := stepBars{}
	defer bars.finish()
	p := packing.Package{
		Source:    source,
		Selection: c.Selection(),
		Title:     c.Title,
		Software:  "warcorder " + version,
		Created:   time.Now(),
		Text:      c.Text,
		Sign:      c.Sign,
		Cookies:   c.Cookies,
		Split:     c.Split,
		Rules:     rules,
		OneWay:    c.isStream(),
		Progress:  bars.show,
	}
	if !c.isStream() {
		p.TempDir = filepath.Dir(c.Out) // there is room for the whole
		source.TempDir = p.TempDir
		return p.Files(ctx, c.Out, c.Mode)
	}
	out := os.Stdout
	if c.Out != "-" {
		if out, err = os.OpenFile(c.Out, os.O_WRONLY, 0); err != nil {
			return report, err
		}
		defer out.Close()
	}
	err = toStream(out, func(w io.Writer) (err error) {
		report, err = p.Write(ctx, w, "selection")
		return err
	})
	return report, err
}

// tell says what was packed, and what is not as it might be.
func (c *waczCommand) tell(line *commandLine, report *packing.Report) {
	size := int64(0)
	for _, part := range report.Parts {
		size += part.Bytes
	}
	where := c.Out
	if report.List != "" {
		where = fmt.Sprintf("%s, which %s lists", count(len(report.Parts), "part"), report.List)
	}
	line.remark("%s and %s in %s (%s)", count(int(report.Captures), "capture"),
		count(int(report.Pages), "page"), where, bytesText(size))
	if report.Pages == 0 {
		fmt.Fprintln(os.Stderr, "the WACZ names no page: whoever opens it has to type a URL")
	}
	if report.List != "" {
		c.tellStale(len(report.Parts))
	}
	if report.LeftOut > 0 {
		line.remark("%s without a line in the index: a 304 would be shown as an empty page, and a part, or "+
			"what was cut, for the whole that is there", count(int(report.LeftOut), "capture"))
	}
	if report.Textless > 0 {
		line.remark("%s without text: their part would be longer than --split",
			count(int(report.Textless), "page"))
	}
	if n := report.Orphans.Number; n > 0 {
		fmt.Fprintf(os.Stderr, "%s without an original, which shows nothing: %v\n",
			count(int(n), "revisit"), report.Orphans.First)
	}
	tellDamage(report.Damaged)
	if report.TooLong > 0 {
		fmt.Fprintf(os.Stderr, "%s longer than --split: what was captured in one second stays together\n",
			count(report.TooLong, "part"))
	}
}

// tellStale names the first part behind so many: it is left of an earlier package.
func (c *waczCommand) tellStale(parts int) {
	path := packing.PartPath(strings.TrimSuffix(c.Out, packing.Suffix), parts+1)
	if _, err := os.Stat(path); err == nil {
		fmt.Fprintf(os.Stderr, "%s, and parts behind it, are of an earlier package: they are not in this list\n",
			path)
	}
}

// missesAny is the error of a package that lacks what is selected.
func missesAny(report *packing.Report) error {
	if report.Away.Number == 0 {
		return nil
	}
	return fmt.Errorf("wacz: %s not in it, since the files are not in the collection any more: %w",
		count(int(report.Away.Number), "capture"), report.Away.First)
}

// stepBars shows a bar for each step of a work, one after another.
type stepBars struct {
	what string
	bar  *progressbar.ProgressBar
}

// show shows how far a step has come; a total of -1 is not known, and not in bytes.
func (b *stepBars) show(what string, done, total int64) {
	if b.bar == nil || what != b.what {
		b.finish()
		b.what, b.bar = what, newBar(total, what, progressbar.OptionShowBytes(total >= 0))
	}
	b.bar.Set64(done)
}

func (b *stepBars) finish() {
	if b.bar != nil {
		b.bar.Finish()
	}
}
