package cmd

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"warcorder/recorder"
	"warcorder/store"
	"warcorder/store/cdxserver"
	"warcorder/store/collection"
	"warcorder/store/report"
	"warcorder/store/selection"
)

// TestBegunAnew: a recorder that says that something was removed meanwhile, or is being removed, is
// asked again.
func TestBegunAnew(t *testing.T) {
	dir := collection.Dir(t.TempDir())
	cfg := recorder.Default()
	cfg.MinFreeSpace = 0
	rec, err := recorder.Open(cfg, dir, zerolog.Nop())
	if err != nil {
		t.Fatal(err)
	}
	defer rec.Close()
	replaced := 0 // answers that say so, until one does not
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case replaced > 0:
			replaced--
			fmt.Fprintf(w, "{\"error\":%q}\n", store.ErrReplaced.Error())
		case r.URL.Path == cdxserver.ReportPath:
			fmt.Fprintln(w, `{"total":{"pages":0}}`)
		default:
			fmt.Fprintln(w, `{"end":{}}`)
		}
	}))
	defer server.Close()
	err = dir.Announce(collection.Running{
		PID: os.Getpid(), Addresses: []string{strings.TrimPrefix(server.URL, "http://")},
	}, cfg.Mode)
	if err != nil {
		t.Fatal(err)
	}
	replaced = 2
	lines := 0
	_, err = readReport(dir, report.Selection{}, func([]byte) error { lines++; return nil })
	if err != nil || lines != 1 || replaced != 0 {
		t.Errorf("report: %d lines, %d left, %v", lines, replaced, err)
	}
	replaced = 2
	began := 0
	err = withSource(dir, func(source *selection.Source) error {
		if began++; began == 1 {
			replaced = 1
		}
		for _, err := range source.Captures(t.Context(), selection.Selection{}) {
			return err
		}
		return nil
	})
	if err != nil || began != 2 || replaced != 0 {
		t.Errorf("begun %d times, %d left, %v", began, replaced, err)
	}
}
