package recorder

import (
	"fmt"
	"maps"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
)

// TestStatusTotals: the totals outlive the recorder, what is of a run does not, and an index that
// is made anew has the same.
func TestStatusTotals(t *testing.T) {
	dir := t.TempDir()
	cfg := Config{}
	for run := range int64(2) {
		c := open(t, dir, cfg)
		for i := range 5 {
			c.commit(fmt.Sprintf("http://example.com/%d/%d", run, i), exampleRequest,
				answerOf(200, "", body2K))
		}
		c.Gap(GapCut, "http://example.com/", "of a test")
		c.settle()
		s := c.Status()
		if s.Exchanges != 5 || s.Captures != 5 || s.Revisits != 4+run || s.Gaps[GapCut] != 1 {
			t.Errorf("the run %d: %+v", run, s)
		}
		if s.Totals.Captures != 5*(run+1) || *s.Totals.Revisits != 4+5*run ||
			s.Totals.Gaps[GapCut] != run+1 || s.Totals.Files != int(run)+1 {
			t.Errorf("all by run %d: %+v", run, s.Totals)
		}
		c.close()
		if after := c.Status().Totals; after.Captures != s.Totals.Captures ||
			*after.Revisits != *s.Totals.Revisits || after.Bytes < s.Totals.Bytes {
			t.Errorf("after the end: %+v", after)
		}
	}
	before := totalsOf(t, dir, cfg)
	if _, err := rebuilt(cfg, dir, zerolog.Nop(), nil); err != nil {
		t.Fatal(err)
	}
	after := totalsOf(t, dir, cfg)
	if after.Captures != before.Captures || *after.Revisits != *before.Revisits ||
		after.Bytes != before.Bytes || after.Files != before.Files ||
		!maps.Equal(after.Gaps, before.Gaps) {
		t.Errorf("made anew %+v, it was %+v", after, before)
	}
}

// totalsOf are those that a recorder has at its start.
func totalsOf(t *testing.T, dir string, cfg Config) Totals {
	t.Helper()
	c := open(t, dir, cfg)
	defer c.close()
	return c.Status().Totals
}

// TestStatusRates: the rates are looked at every second, and the disk is full when no more than the
// floor is free.
func TestStatusRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := open(t, t.TempDir(), Config{MinFreeSpace: 1 << 20, WARCIdle: time.Hour})
		if s := c.Status(); s.Disk.UntilFull != nil || s.Disk.Free == nil || *s.Disk.Free < 1<<20 {
			t.Errorf("at the beginning: %+v", s.Disk)
		}
		for i := range 100 {
			c.get(fmt.Sprint("http://example.com/", i))
			time.Sleep(time.Second)
		}
		s := c.Status()
		for _, rate := range []Rate{s.Rates.Minute, s.Rates.Minutes5, s.Rates.Minutes15} {
			if rate.Exchanges < 0.97 || rate.Exchanges > 1.03 || rate.Bytes < 100 {
				t.Errorf("%+v", s.Rates)
			}
		}
		perDay := float64(s.Bytes) / 100
		left := float64(*s.Disk.Free-1<<20) / perDay
		if until := float64(*s.Disk.UntilFull); until < left*0.9 || until > left*1.1 {
			t.Errorf("full in %v s, not in %v", until, left)
		}
		c.close()
	})
}
