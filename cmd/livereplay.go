package cmd

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os/exec"
	"strings"

	"warcorder/certs/stores"
	"warcorder/cmd/browser"
	"warcorder/cmd/jobs"
	"warcorder/cmd/replaying"
	"warcorder/proxy/admin"
)

// openPath is where the live page has a page shown as it was recorded. The form has its url and, as
// ts, its time. For who is on the recorder's machine a browser opens there, with a window, whose only
// way is a replay: a process of ours, warcorder replay. Nothing recorded runs on an origin of ours.
const openPath = "/live/replay"

// replayLimits bound the browsers that are open at once; they end with the recorder.
var replayLimits = jobs.Limits{Running: 4, Kept: 4, Patience: childPatience}

// opened is what openPath answers.
type opened struct {
	Started bool   `json:"started"`       // a browser has been started
	Why     string `json:"why,omitempty"` // it has not
	Command string `json:"command"`       // that opens one, where the collection lies
}

func (s *serving) openReplay(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4*longestURL)
	err := r.ParseForm()
	var args []string
	if err == nil {
		args, err = replayOf(r.PostForm)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	told := opened{Command: s.typed(args)}
	if err := s.startReplay(r, args); err != nil {
		told.Why = err.Error()
	}
	told.Started = told.Why == ""
	answer(w, http.StatusOK, told)
}

// replayCommand is openPath for who may only read: nothing is opened.
func (s *serving) replayCommand(w http.ResponseWriter, r *http.Request) {
	args, err := replayOf(r.URL.Query())
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	answer(w, http.StatusOK, opened{Command: s.typed(args),
		Why: "the recorder opens one only for who may press its buttons"})
}

// replayOf are the arguments of replay that a form asks for; the last one is the URL.
func replayOf(form url.Values) (args []string, err error) {
	page, err := wantedOf(url.Values{"url": {form.Get("url")}})
	if at := strings.TrimSpace(form.Get("ts")); err == nil && at != "" {
		_, err = replaying.ParseMoment(at)
		args = append(args, "--at="+at)
	}
	return append(args, "--", page.URL), err
}

// typed is the command that a person types for them.
func (s *serving) typed(args []string) string {
	flags := append([]string{"replay"}, args[:len(args)-2]...)
	return commandFor(s.dir, strings.Join(flags, " ")+" "+stores.Quoted(args[len(args)-1]))
}

// startReplay opens a browser, or says why none can be seen by who asks.
func (s *serving) startReplay(r *http.Request, args []string) error {
	if !admin.IsLocal(r) {
		return errors.New("a browser would open on the recorder's machine, and you are on another one")
	}
	program, err := browser.Find("")
	if err == nil {
		err = program.Check(false)
	}
	if errors.Is(err, browser.ErrNoDisplay) {
		return browser.ErrNoDisplay // without the flag that a command line would have for it
	}
	if err != nil {
		return err
	}
	_, err = s.replays.Add(struct{}{}, func(ctx context.Context) *exec.Cmd {
		return s.ourselves(ctx, "replay", args...)
	})
	return err
}
