package cmd

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"os/exec"
	"strings"
	"time"

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
var replayLimits = jobs.Limits{Running: 4, Kept: 4, Patience: 8 * time.Second}

// opened is what openPath answers.
type opened struct {
	Started bool   `json:"started"`       // a browser has been started
	Why     string `json:"why,omitempty"` // it has not
	Command string `json:"command"`       // that opens one, where the collection lies
}

func (s *serving) openReplay(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, 4*longestURL)
	err := r.ParseForm()
	var page wanted
	if err == nil {
		page, err = wantedOf(url.Values{"url": {r.PostForm.Get("url")}})
	}
	at := strings.TrimSpace(r.PostForm.Get("ts"))
	if err == nil && at != "" {
		_, err = replaying.ParseMoment(at)
	}
	if err != nil {
		refuse(w, http.StatusBadRequest, err)
		return
	}
	args := []string{}
	if at != "" {
		args = append(args, "--at="+at)
	}
	told := opened{Command: commandFor(s.dir, strings.Join(append([]string{"replay"}, args...), " ")+" "+
		stores.Quoted(page.URL))}
	if err := s.startReplay(r, append(args, "--", page.URL)); err != nil {
		told.Why = err.Error()
	}
	told.Started = told.Why == ""
	answer(w, http.StatusOK, told)
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
	if err != nil {
		return err
	}
	_, err = s.replays.Add(struct{}{}, func(ctx context.Context) *exec.Cmd {
		return s.ourselves(ctx, "replay", args...)
	})
	return err
}
