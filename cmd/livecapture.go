package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"warcorder/cmd/browser"
	"warcorder/cmd/jobs"
)

// The pages of captures that somebody asks for from the live page:
//
//	POST /live/capture        url, depth    {"job": ID}
//	GET  /live/captures                     {"jobs": [captureJob…], "unprotected"}, the newest first
//	POST /live/capture/stop   job           the captureJob as it is then
//
// unprotected says that their browser has no sandbox. Each is a process of ours, warcorder capture, which
// goes through this recorder as one that a person has typed. They end with the recorder.
const (
	capturePath  = "/live/capture"
	capturesPath = "/live/captures"
	stopPath     = "/live/capture/stop"
)

// The bounds of what is asked for.
var captureLimits = jobs.Limits{Running: 1, Waiting: 20, Kept: 20, Patience: childPatience}

// childPatience is how long a process of ours may take to end, of which its browser has 3 s.
const childPatience = 4 * time.Second

const (
	deepest    = 9       // links of links
	longestURL = 8 << 10 // bytes of a URL, which is an argument of a process
)

// wanted is a capture that was asked for.
type wanted struct {
	URL   string
	Depth int
}

// captureJob is a capture as the live page is told of it.
type captureJob struct {
	ID      string     `json:"id"`
	URL     string     `json:"url"`
	Depth   int        `json:"depth"`
	State   string     `json:"state"` // waiting, running, done (all is whole), failed, stopped
	Exit    *int       `json:"exit"`
	Queued  time.Time  `json:"queued"`
	Began   *time.Time `json:"began"`
	Ended   *time.Time `json:"ended"`
	Lines   []string   `json:"lines"`
	LeftOut int        `json:"leftOut"` // lines before these
}

func captureJobOf(j jobs.Job[wanted]) captureJob {
	told := captureJob{ID: j.ID, URL: j.Subject.URL, Depth: j.Subject.Depth, State: string(j.State),
		Queued: j.Queued.UTC(), Began: momentOf(j.Began), Ended: momentOf(j.Ended), Lines: j.Lines,
		LeftOut: j.LeftOut}
	if told.Ended != nil {
		told.Exit = &j.Exit
	}
	if j.State == jobs.Ended {
		told.State = "done"
		if j.Exit != 0 {
			told.State = "failed"
		}
	}
	return told
}

func momentOf(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// checkWanted refuses a form that asks for no capture. A URL comes with its scheme: without one it might
// be a file of this machine.
func checkWanted(form url.Values) error {
	for name, values := range form {
		if name != "url" && name != "depth" || len(values) > 1 {
			return errors.New("say url, and depth if links are to be followed, each once")
		}
	}
	_, err := wantedOf(form)
	return err
}

func wantedOf(form url.Values) (w wanted, err error) {
	typed := strings.TrimSpace(form.Get("url"))
	scheme, _, _ := strings.Cut(typed, "://")
	switch {
	case !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https"):
		return w, errors.New("give the URL of a page with its scheme: https://example.org/")
	case len(typed) > longestURL:
		return w, fmt.Errorf("the URL is longer than %d bytes", longestURL)
	case strings.ContainsRune(typed, 0):
		return w, errors.New("the URL has a NUL in it")
	}
	if depth := form.Get("depth"); depth != "" {
		if w.Depth, err = strconv.Atoi(depth); err != nil || w.Depth < 0 || w.Depth > deepest {
			return w, fmt.Errorf("depth is %q: say 0 for the page alone, or up to %d", depth, deepest)
		}
	}
	line := captureCommand{URL: []string{typed}, MaxPages: 1, AtMost: 1}
	pages, err := line.pages(nil)
	if err == nil {
		w.URL = pages[0]
	}
	return w, err
}

// captureFor has a page captured, for capturePath.
func (c *recordFlags) captureFor(s *serving, form url.Values) (any, error) {
	w, err := wantedOf(form)
	if err == nil {
		err = errors.Join(pausedError(s.status()), checkDriven())
	}
	if err == nil && !s.now().Proxy.Users.IsEmpty() {
		err = errTyped
	}
	if err != nil {
		return nil, err
	}
	id, err := s.captures.Add(w, func(ctx context.Context) *exec.Cmd {
		return s.ourselves(ctx, "capture", "--depth="+strconv.Itoa(w.Depth), "--", w.URL)
	})
	return map[string]string{"job": id}, err
}

// checkDriven says that there is no browser here that could be driven.
func checkDriven() error {
	program, err := browser.Find("")
	if err == nil {
		err = program.CheckDriven()
	}
	if err != nil {
		err = fmt.Errorf("on the recorder's machine: %w", err)
	}
	return err
}

// ourselves is a process of this program that works on this collection. What stands behind -- is no
// flag, whatever it is.
func (s *serving) ourselves(ctx context.Context, command string, args ...string) *exec.Cmd {
	ours := []string{command, "--collection=" + s.dir.Name(), "--dir=" + filepath.Dir(string(s.dir))}
	if s.config != "" {
		ours = append(ours, "--config="+s.config)
	}
	program, err := os.Executable()
	if err != nil {
		program = os.Args[0]
	}
	return exec.CommandContext(ctx, program, append(ours, args...)...)
}

// listCaptures is capturesPath.
func (s *serving) listCaptures(w http.ResponseWriter, _ *http.Request) {
	all := []captureJob{}
	for _, j := range s.captures.All() {
		all = append(all, captureJobOf(j))
	}
	chromium := browser.Program{Kind: browser.Chromium} // nothing else captures
	answer(w, http.StatusOK, map[string]any{"jobs": all, "unprotected": chromium.IsUnprotected()})
}

// stopCapture is stopPath.
func (s *serving) stopCapture(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, longestURL)
	id := r.FormValue("job")
	if _, known := s.captures.Stop(id); known {
		for _, j := range s.captures.All() {
			if j.ID == id {
				answer(w, http.StatusOK, captureJobOf(j))
				return
			}
		}
	}
	refuse(w, http.StatusNotFound, errors.New("there is no such capture (any more): /live/captures lists "+
		"those that there are"))
}
