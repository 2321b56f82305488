package cmd

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/recorder/record"
	"warcorder/recorder/recovery"
	"warcorder/store"
	"warcorder/store/collection"
)

// repairFlags say which collection a command works on, and what its index holds.
type repairFlags struct {
	collectionFlags
	Dedup dedupFlags      `embed:""`
	Keys  keysFlags       `embed:"" prefix:"keys-"`
	Mode  collection.Mode `name:"archive-mode" default:"${archive_mode}"`
}

// config is what the flags say.
func (f *repairFlags) config(progress recovery.Progress) recovery.Config {
	return recovery.Config{
		Dedup:    record.DedupConfig(f.Dedup),
		Keys:     store.KeysConfig(f.Keys),
		Mode:     f.Mode,
		Progress: progress,
	}
}

// A repair brings files and index of a collection into agreement.
type repair func(collection.Dir, zerolog.Logger) (recorder.Recovered, error)

// repair runs one, and says what it found. Whatever is missing in the archive makes the exit status
// 1.
func (f *collectionFlags) repair(line *commandLine, run repair) error {
	dir, err := f.dir()
	if err != nil {
		return err
	}
	log := line.repairLog()
	var found recorder.Recovered
	err = whenFree(dir, func() (err error) {
		found, err = run(dir, log)
		return err
	})
	if errors.Is(err, recovery.ErrNoCollection) {
		return noCollection(dir)
	}
	if busy, is := errors.AsType[*recordedError](err); is {
		return fmt.Errorf("collection %s is being recorded by process %d at %s: stop it first (Ctrl-C there, "+
			"or kill -INT %[2]d)", dir, busy.who.PID, strings.Join(busy.who.Addresses, ", "))
	}
	if err != nil {
		return err
	}
	printDone(&found)
	printLost(&found)
	n := len(found.Damaged) + len(found.Missing) + len(found.Short) + len(found.Left)
	n += len(found.Unread) + len(found.Refused)
	if n += found.Spilled.Left + found.Spilled.Broken; n > 0 {
		return fmt.Errorf("the archive is not whole: %s, see above", count(n, "finding"))
	}
	return nil
}

// repairLog makes the log of a command that comes to its end by itself. Where no person is, and
// nobody has asked for a form of the log, it has trouble alone: see remark.
func (line *commandLine) repairLog() zerolog.Logger {
	log, _ := line.logger(os.Stderr)
	if line.Quiet || line.Log == "auto" && !line.Verbose && !atTerminal() {
		return log.Level(zerolog.WarnLevel)
	}
	return log
}

// printDone says what a repair has done.
func printDone(found *recorder.Recovered) {
	fmt.Printf("%s read, %s put into the index\n", count(found.Files, "file"),
		count(found.Captures, "capture"))
	if s := found.Spilled; s != (recorder.Spilled{}) {
		fmt.Printf("%s recorded that lay in spill/, %d of them cut; %d cannot be written now, "+
			"%d cannot be read\n", count(s.Whole+s.Cut, "exchange"), s.Cut, s.Left, s.Broken)
	}
	if found.Replaced != "" {
		fmt.Printf("the old index is now %s\n", found.Replaced)
	}
	if found.Cut > 0 {
		fmt.Printf("%s of no whole exchange were cut off; copies: %s\n", count(int(found.Cut), "byte"),
			strings.Join(found.Torn, ", "))
	}
}

// printLost says what a repair has found to be damaged or missing.
func printLost(found *recorder.Recovered) {
	for _, d := range found.Damaged {
		fmt.Printf("%s: %s at offset %d %s: %v\n", d.File, count(int(d.Bytes), "byte"), d.Offset,
			fate(d), d.Reason)
	}
	remedy := "put it back into archive/, or let warcorder rebuild make an index without it"
	if found.Rebuilt {
		remedy = "the new index is without it; to have it again put it back into archive/ and let " +
			"warcorder recover run"
	}
	for _, name := range found.Missing {
		fmt.Printf("%s is missing: %s\n", name, remedy)
	}
	for _, name := range found.Short {
		fmt.Printf("%s is shorter than the index says: %s\n", name, remedy)
	}
	for _, name := range found.Unread {
		fmt.Printf("%s is away, and its captures are not in the index, since object storage cannot be read: "+
			"let warcorder recover run when it can\n", name)
	}
	for _, object := range found.Refused {
		fmt.Printf("%s: it was not taken\n", object)
	}
	for _, name := range found.Left {
		fmt.Printf("%s has a name that it should not keep, and nothing was removed: see the log, take "+
			"one of the names away, and let warcorder recover run\n", name)
	}
}

// add adds WARC files to the index of a collection.
func (f *repairFlags) add(dir collection.Dir, paths []string, copies bool, log zerolog.Logger,
	progress recovery.Progress) (files []recovery.Added, err error) {
	err = whenFree(dir, func() (err error) {
		files, err = recovery.Add(f.config(progress), dir, paths, copies, log)
		return err
	})
	return files, err
}
