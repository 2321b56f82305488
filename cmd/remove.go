package cmd

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/rs/zerolog"
	"golang.org/x/term"

	"warcorder/cmd/removing"
	"warcorder/recorder"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/removal"
)

// removeCommand takes captures out of a collection, at rest or from its recorder. At rest it is a
// recovery first, which writes what a crash has left in spill/ as a recording would; a dry run only reads.
type removeCommand struct {
	collectionFlags
	selectionFlags
	Recorder recorderFlags `embed:""`
	DryRun   bool          `name:"dry-run"`
	Yes      bool          `name:"yes" short:"y"`
	Forget   bool          `name:"forget"`
	Reason   string        `name:"reason" placeholder:"TEXT"`
}

// Run shows what goes, asks, and removes it.
func (c *removeCommand) Run(line *commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if err := c.check(dir); err != nil {
		return err
	}
	ctx, end := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer end()
	done, err := c.remove(ctx, dir, line.repairLog())
	if err != nil {
		return err
	}
	if c.DryRun && !isNothing(&done) {
		tell(os.Stdout, &done.Summary)
		return nil
	}
	return c.told(&done, dir)
}

// check refuses what cannot be meant.
func (c *removeCommand) check(dir collection.Dir) error {
	sel := c.Selection()
	switch {
	case sel.IsAll():
		return errors.New("remove: say what is to go, with --url, --from, --to, --page or --file")
	case !dir.Exists():
		return noCollection(dir)
	case !c.Yes && !c.DryRun && !term.IsTerminal(int(os.Stdin.Fd())):
		return errors.New("remove: nobody can be asked, since standard input is no terminal: look with " +
			"--dry-run, and say --yes")
	}
	return sel.Check()
}

// remove removes at rest, or has the recorder do it.
func (c *removeCommand) remove(ctx context.Context, dir collection.Dir, log zerolog.Logger) (
	done removing.Removed, err error) {
	for until := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		done, err = c.atRest(ctx, dir, log)
		if errors.Is(err, collection.ErrLocked) {
			done, err = c.live(ctx, dir)
		}
		switch {
		case errors.Is(err, recovery.ErrNoCollection):
			return done, noCollection(dir)
		case !errors.Is(err, cdxserver.ErrNobody):
			return done, err
		case time.Now().After(until):
			return done, unanswered(dir)
		}
	}
}

// atRest removes from a collection that nobody records.
func (c *removeCommand) atRest(ctx context.Context, dir collection.Dir, log zerolog.Logger) (
	done removing.Removed, err error) {
	wish := removing.Wish{
		Choose: removing.Chosen(ctx, c.Selection()), Reason: c.Reason, Forget: c.Forget,
		Confirm: func(s *removal.Summary) (bool, error) { return c.confirm(ctx, s) },
	}
	if c.DryRun {
		return lookAtRest(ctx, dir, wish)
	}
	cfg := c.Recorder.config()
	cfg.Progress = newProgress(os.Stderr)
	err = recorder.AtRest(cfg, dir, log, func(rec *recorder.Recorder) error {
		done, err = removing.Remove(ctx, rec, dir, cfg.Mode, wish)
		return err
	})
	return done, err
}

// lookAtRest says what would go from a collection that nobody records, as its index knows it, and
// writes nothing.
func lookAtRest(ctx context.Context, dir collection.Dir, wish removing.Wish) (
	done removing.Removed, err error) {
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		return done, explainRead(err, dir)
	}
	defer index.Close()
	if _, err := tellLacking(dir, index); err != nil {
		return done, err
	}
	return removing.Look(ctx, index, dir, wish)
}

// live has the recorder of a collection remove.
func (c *removeCommand) live(ctx context.Context, dir collection.Dir) (done removing.Removed, err error) {
	running, err := cdxserver.At(dir)
	if err != nil {
		return done, err
	}
	form := c.Selection().Values()
	form.Set(paramReason, c.Reason)
	form.Set(paramForget, fmt.Sprint(c.Forget))
	if !c.Yes && !c.DryRun { // what is asked about is what lies in finished files
		if err := running.Work(ctx, rotatePath, new(rotated)); err != nil {
			return done, err
		}
	}
	if !c.Yes || c.DryRun {
		form.Set(paramDryRun, "true")
		err := running.WorkOn(ctx, removePath, form, &done)
		if err != nil || c.DryRun || done.IsEmpty() {
			return done, err
		}
		form.Del(paramDryRun)
	}
	return c.asked(ctx, running, form, done)
}

// asked has a recorder remove what somebody has confirmed who was shown shown. What would go beyond
// that by then is asked about again.
func (c *removeCommand) asked(ctx context.Context, running cdxserver.Recorder, form url.Values,
	shown removing.Removed) (done removing.Removed, err error) {
	for {
		if !c.Yes {
			if yes, err := c.confirm(ctx, &shown.Summary); err != nil || !yes {
				return shown, err
			}
			form.Set(paramPlan, shown.Fingerprint)
		}
		done = removing.Removed{}
		if err := running.WorkOn(ctx, removePath, form, &done); err != nil || !done.Changed {
			return done, err
		}
		shown = done
	}
}

// confirm shows what goes, and asks whether it may. A signal is a no.
func (c *removeCommand) confirm(ctx context.Context, s *removal.Summary) (yes bool, err error) {
	if c.Yes {
		return true, nil
	}
	tell(os.Stderr, s)
	fmt.Fprint(os.Stderr, "Remove it? It cannot be had back. [y/N] ")
	read := make(chan error, 1)
	answer := ""
	go func() { // which waits on, after a signal, until the command ends
		line, err := bufio.NewReader(os.Stdin).ReadString('\n')
		answer = strings.ToLower(strings.TrimSpace(line))
		read <- err
	}()
	select {
	case <-ctx.Done():
		fmt.Fprintln(os.Stderr)
		return false, nil
	case err := <-read:
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		return answer == "y" || answer == "yes", nil
	}
}

// isNothing reports whether nothing was chosen.
func isNothing(done *removing.Removed) bool {
	return done.IsEmpty() && done.Away+done.Needed+done.Waiting == 0
}

// told says what was done.
func (c *removeCommand) told(done *removing.Removed, dir collection.Dir) error {
	switch {
	case isNothing(done):
		tellAlike(os.Stdout, &done.Summary)
		return nothingOf("remove", dir, c.Files)
	case done.IsEmpty():
		tell(os.Stderr, &done.Summary)
		return errNotAll
	case !done.Done:
		return errors.New("remove: nothing was removed")
	}
	tell(os.Stdout, &done.Summary)
	for _, path := range done.Left {
		fmt.Printf("%s could not be removed, and may have what was to go: remove it yourself\n",
			printable(path))
	}
	if done.Files > 0 {
		fmt.Printf("removed from %s; the tombstones have the ID %s\n", dir, done.ID)
	}
	fmt.Println("Not reached: backups, what was handed on, logs, and copies that the file system keeps.")
	if done.Away+done.Needed > 0 {
		return errNotAll
	}
	return nil
}

// errNotAll says that some of what was chosen is still there.
var errNotAll = errors.New("remove: some of it stays, since files are missing, or revisits need it: see above")

// tell says what goes, or went.
func tell(w io.Writer, s *removal.Summary) {
	fmt.Fprintf(w, "%s, %s of %s, in %s\n", count(int(s.Captures), "capture"), count(int(s.Records), "record"),
		humanize.Bytes(uint64(s.Bytes)), count(s.Files, "file"))
	for _, of := range s.First {
		fmt.Fprintf(w, "  %s (%s)\n", printable(of.URL), count(int(of.Captures), "capture"))
	}
	if more := s.URLs - len(s.First); more > 0 {
		fmt.Fprintf(w, "  and %s\n", count(more, "more URL"))
	}
	for _, one := range []struct {
		what string
		n    int64
	}{
		{"of these files, without any capture from then on", int64(s.Emptied)},
		{"revisits that stay, with the body of a response that goes", s.Moved},
		{"revisits that stay, and refer to one of these from then on", s.Redirected},
		{"revisits without a body (304) that stay, and refer to nothing from then on", s.Bodiless},
		{"captures in files that are being written: the recorder finishes these first, and they go too",
			int64(s.Waiting)},
		{"captures that stay, in files that are missing: put these back, and remove again", int64(s.Away)},
		{"captures that stay, since revisits in files that are missing may need them (put these files back, " +
			"and remove again), or others do and they are segmented (select these revisits too)",
			int64(s.Needed)},
		{"gaps that name it, and go", s.Gaps},
		{"pages of imports that are it, and go", int64(s.Pages)},
		{"bytes of damage in these files, which stay: nobody can tell what they are", s.Damaged},
	} {
		if one.n > 0 {
			fmt.Fprintf(w, "%s: %s\n", one.what, humanize.Comma(one.n))
		}
	}
	for _, path := range s.Rest {
		fmt.Fprintf(w, "%s goes as a whole\n", printable(path))
	}
	for _, name := range s.Linked {
		fmt.Fprintf(w, "%s has another name elsewhere: the file there stays as it is\n", printable(name))
	}
	for _, name := range s.Unread {
		fmt.Fprintf(w, "%s is not searched, and stays: look whether it may\n", printable(name))
	}
	tellAlike(w, s)
}

// tellAlike names what has the same key as what was named.
func tellAlike(w io.Writer, s *removal.Summary) {
	for _, url := range s.Alike {
		fmt.Fprintf(w, "%s is another URL, and stays: remove it too if it is meant\n", printable(url))
	}
}
