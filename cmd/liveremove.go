package cmd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"warcorder/cmd/removing"
	"warcorder/proxy/admin"
)

// The pages of removals that somebody asks for from the live page. They take as long as files take
// that are written anew, and go on whatever becomes of who has asked:
//
//	POST /live/remove        as /remove: page, …    202 {"job": ID}
//	GET  /live/removals                             {"jobs": [removeJob…]}, the newest first
//	POST /live/remove/stop   job                    the removeJob as it is then
//
// With dry-run=true the open files are finished, and it is looked what would go. What then goes is what
// was shown, if plan says which; all=true is for what there is by then.
const (
	liveRemovePath = "/live/remove"
	removalsPath   = "/live/removals"
	stopRemovePath = "/live/remove/stop"

	paramAll = "all"
)

// removeJob is a removal as the live page is told of it.
type removeJob struct {
	ID     string            `json:"id"`
	Page   string            `json:"page"`   // the ID that was asked for; "" for another selection
	DryRun bool              `json:"dryRun"` // it is only looked
	State  removing.State    `json:"state"`
	Step   string            `json:"step,omitempty"` // finish, plan, write, index
	Read   int64             `json:"read,omitempty"` // bytes of the files that are written anew
	Of     int64             `json:"of,omitempty"`   // that are to be read
	Queued time.Time         `json:"queued"`
	Began  *time.Time        `json:"began"`
	Ended  *time.Time        `json:"ended"`
	Result *removing.Removed `json:"result"` // of one that is done
	Error  string            `json:"error,omitempty"`
}

func removeJobOf(j removing.Job) removeJob {
	told := removeJob{ID: j.ID, Page: j.About, DryRun: j.Looks, State: j.State, Step: j.Step.Step,
		Read: j.Step.Done, Of: j.Step.Of, Queued: j.Queued.UTC(), Began: momentOf(j.Began),
		Ended: momentOf(j.Ended)}
	if j.State == removing.Done {
		told.Result = &j.Result
	}
	if j.Err != nil {
		told.Error = j.Err.Error()
	}
	return told
}

// checkLiveRemoval refuses a form that asks for no removal, or that asks for one of which nobody was
// shown what goes.
func checkLiveRemoval(form url.Values) error {
	all := form[paramAll]
	asked := url.Values{}
	for name, values := range form {
		if name != paramAll {
			asked[name] = values
		}
	}
	if err := checkRemoval(asked); err != nil {
		return err
	}
	ways := 0
	for _, is := range []bool{len(all) == 1 && all[0] == "true", form.Get(paramPlan) != "",
		form.Get(paramDryRun) == "true"} {
		if is {
			ways++
		}
	}
	if len(all) > 1 || ways != 1 {
		return errors.New("say dry-run=true first; and then either plan, with what that has answered, or " +
			"all=true, for all that there is by then")
	}
	_, err := wishOf(context.Background(), asked)
	return err
}

// addRemovals mounts them.
func (c *recordFlags) addRemovals(pages *admin.Admin, s *serving) {
	pages.Add(admin.Accept("POST "+liveRemovePath, checkLiveRemoval,
		func(ctx context.Context, form url.Values) (any, error) {
			id, err := c.removeLater(s, form, admin.ClientOf(ctx))
			return map[string]string{"job": id}, err
		}))
	pages.Add(admin.Page{Pattern: "GET " + removalsPath, JSON: true, Handler: http.HandlerFunc(s.listRemovals)})
	pages.Add(admin.Page{Pattern: "POST " + stopRemovePath, For: admin.Controllers, JSON: true,
		Handler: http.HandlerFunc(s.stopRemoval)})
}

// removeLater has something removed, or looked at, when its turn has come.
func (c *recordFlags) removeLater(s *serving, form url.Values, client string) (id string, err error) {
	looks := form.Get(paramDryRun) == "true"
	return s.removals.Add(form.Get("page"), looks,
		func(ctx context.Context, progress func(removing.Progress)) (done removing.Removed, err error) {
			wish, err := wishOf(ctx, form)
			if err != nil {
				return done, err
			}
			if wish.Progress = progress; looks { // at finished files alone, as a removal does
				progress(removing.Progress{Step: removing.Finishes})
				if _, err := s.rec.Rotate(ctx); err != nil {
					return done, err
				}
			}
			done, err = s.carryOut(ctx, c.Recorder.Mode, wish, client)
			if err != nil && ctx.Err() == nil && !looks {
				s.log.Warn().Err(err).Str("client", client).Msg("what somebody asked to remove was not removed")
			}
			return done, err
		})
}

// listRemovals is removalsPath.
func (s *serving) listRemovals(w http.ResponseWriter, _ *http.Request) {
	all := []removeJob{}
	for _, j := range s.removals.All() {
		all = append(all, removeJobOf(j))
	}
	answer(w, http.StatusOK, map[string]any{"jobs": all})
}

// stopRemoval is stopRemovePath.
func (s *serving) stopRemoval(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, longestURL)
	id := r.FormValue("job")
	if s.removals.Stop(id) {
		for _, j := range s.removals.All() {
			if j.ID == id {
				answer(w, http.StatusOK, removeJobOf(j))
				return
			}
		}
	}
	refuse(w, http.StatusNotFound, fmt.Errorf("there is no such removal (any more): %s lists those that "+
		"there are", removalsPath))
}
