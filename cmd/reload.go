package cmd

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"

	"warcorder/proxy/admin"
	"warcorder/store/cdxserver"
)

// reloadCommand has a recorder read its settings anew.
type reloadCommand struct{ collectionFlags }

// reloadPath is where a recorder does that.
const reloadPath = "/reload"

// Run has the settings read, and prints what changed. It is an error if they were not taken.
func (c *reloadCommand) Run(*commandLine) error {
	dir, err := c.dir()
	if err != nil {
		return err
	}
	running, err := cdxserver.At(dir)
	var done reloaded
	if err == nil {
		err = running.Switch(reloadPath, &done)
	}
	if errors.Is(err, cdxserver.ErrNobody) {
		return nobodyRecords("reload", dir)
	}
	if err != nil {
		return fmt.Errorf("reload: %w", err)
	}
	return done.print(os.Stdout)
}

// print tells a person of a reload.
func (r *reloaded) print(out io.Writer) error {
	for _, one := range r.Changed {
		fmt.Fprintf(out, "%s: %s, was %s\n", one.Key, spelled(one.To), spelled(one.From))
	}
	for _, one := range r.Restart {
		fmt.Fprintf(out, "%s: %s counts only after a restart, since %s; it is %s\n", one.Key,
			spelled(one.To), one.Why, spelled(one.From))
	}
	if len(r.Changed)+len(r.Restart) == 0 {
		_, err := fmt.Fprintln(out, "no setting has changed")
		return err
	}
	return nil
}

// spelled is a value as a person reads it: an empty one is not left out.
func spelled(value string) string { return cmp.Or(printable(value), `""`) }

// reloadPage is reloadPath. It is for the token alone: what it reads are the settings of who started
// the recorder, and no page is to have it looked for them.
func (s *serving) reloadPage() admin.Page {
	return admin.Page{Pattern: "POST " + reloadPath, For: admin.TokenHolder, JSON: true,
		Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			done, err := s.reload(r.RemoteAddr)
			switch {
			case errors.Is(err, errEnding), errors.Is(err, errNoReload), errors.Is(err, errReloads):
				refuse(w, http.StatusServiceUnavailable, err)
			case err != nil:
				refuse(w, http.StatusUnprocessableEntity, fmt.Errorf("no setting was changed: %w", err))
			default:
				answer(w, http.StatusOK, done)
			}
		})}
}
