package cmd

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"warcorder/recorder"
	"warcorder/recorder/spill"
	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
)

// statusCommand says how a collection is, for a person; or how several recorders are.
type statusCommand struct {
	collectionFlags
	fleetFlags
	JSON  bool `name:"json"`
	Check bool `name:"check"`
}

// resting is the state of a collection that nobody records.
type resting struct {
	Recording  bool            `json:"recording"` // it is false
	Version    string          `json:"version"`   // of the program that tells this
	Collection string          `json:"collection"`
	Dir        collection.Dir  `json:"dir"`
	Totals     recorder.Totals `json:"totals"`
	Last       *lastRecording  `json:"lastRecording,omitempty"` // nil if the index knows of none
	// bytes of WARC files that are not in the index, and exchanges that are in no WARC file
	Unindexed int64    `json:"unindexed"`
	Spilled   int      `json:"spilled"`
	OpenFiles []string `json:"openFiles"` // that nobody finishes; final names
	Free      *int64   `json:"free,omitempty"`

	LastVerify *lastVerify `json:"lastVerify,omitempty"` // nil: never

	example string // the URL of a page; "" if none is found
}

// lastRecording is how the last recording ended.
type lastRecording struct {
	Started time.Time `json:"started"`
	Ended   time.Time `json:"ended"` // its last trace, if it did not come to its end
	Clean   bool      `json:"clean"`
}

// Run prints the state, of the recorder that has the collection open, or of the files; or of the
// recorders of --of.
func (c *statusCommand) Run(*commandLine) error {
	if c.Of != "" {
		return c.sumUp()
	}
	if c.TokenFile != "" {
		return errors.New("--token-file is for --of: without that the recorder of the collection is asked")
	}
	dir, err := c.dir()
	if err != nil {
		return err
	}
	if c.Check {
		return c.check(dir)
	}
	for until := time.Now().Add(lockPatience); ; time.Sleep(50 * time.Millisecond) {
		rest, err := restingOf(dir)
		var now status
		if errors.Is(err, collection.ErrLocked) {
			if now, err = statusNow(dir); err == nil {
				return c.print(now, now.text)
			}
		}
		switch {
		case err == nil:
			return c.print(rest, rest.text)
		case !errors.Is(err, cdxserver.ErrNobody):
			return err
		case time.Now().After(until):
			return unanswered(dir)
		}
	}
}

// check prints one line, and fails unless a recorder has the collection open and takes what clients
// ask for; or lets it pass, as it was told to. It is for who looks often, and so asks no disk.
func (c *statusCommand) check(dir collection.Dir) error {
	var page []byte
	var now status
	running, err := cdxserver.At(dir)
	if err == nil {
		running.Patience = checkPatience
		page, err = running.State("/status")
	}
	if err == nil {
		err = json.Unmarshal(page, &now)
	}
	switch {
	case errors.Is(err, cdxserver.ErrNobody):
		return fmt.Errorf("nobody records %s", dir)
	case err != nil:
		return fmt.Errorf("status: %w", err)
	case !now.Recording && !now.Paused:
		return errors.New(now.line())
	}
	_, err = fmt.Println(now.line())
	return err
}

// checkPatience is how long a recorder may take to answer who looks whether it records.
const checkPatience = 5 * time.Second

// print prints a state, as JSON or as its text.
func (c *statusCommand) print(state any, text func() string) error {
	if !c.JSON {
		_, err := os.Stdout.WriteString(text())
		return err
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(state)
}

// lastMoment is how long what has just been recorded may take to be among the totals.
const lastMoment = 500 * time.Millisecond

// statusNow asks the recorder of a collection for its state, with what clients have by now if that
// is to be had soon.
func statusNow(dir collection.Dir) (now status, err error) {
	running, err := cdxserver.At(dir)
	if err != nil {
		return now, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lastMoment)
	defer cancel()
	if err := running.Work(ctx, settlePath, &now); err == nil {
		return now, nil
	}
	return statusOf(running)
}

// restingOf reads the state of a collection that nobody records.
func restingOf(dir collection.Dir) (r resting, err error) {
	index, err := store.OpenReadOnly(dir.Index())
	if err != nil {
		return r, explainRead(err, dir)
	}
	defer index.Close()
	r = resting{
		Version: version, Collection: dir.Name(), Dir: dir, Spilled: spill.Left(dir),
		OpenFiles: leftOpen(dir), LastVerify: lastVerifyOf(dir),
	}
	if free, err := collection.FreeSpace(string(dir)); err == nil {
		r.Free = &free
	}
	r.example = exampleIn(index, isForBrowser)
	gaps, err := index.Gaps(1)
	if err == nil {
		r.Totals.Gaps = gaps.Counts
		r.Totals.Totals, err = index.Totals()
	}
	if err == nil {
		r.Unindexed, err = unindexed(dir, index)
	}
	last, err2 := index.Session()
	if !last.Started.IsZero() {
		r.Last = &lastRecording{last.Started, last.Last, !last.Open}
	}
	return r, explainRead(errors.Join(err, err2), dir)
}
