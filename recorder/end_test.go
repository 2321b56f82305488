package recorder

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestEndBy: when the time is over, what lies in spill/ stays for the next start, without a gap;
// what is in memory alone becomes one.
func TestEndBy(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.get("http://example.com/before")
	eventually(t, "it is recorded", func() bool { return c.Status().Exchanges == 1 })
	c.EndBy(time.Now().Add(-lateAfter))
	<-c.end.hurry
	<-c.end.late
	for _, timer := range c.end.timers { // a slow machine is no disk that does not answer
		timer.Stop()
	}
	var large []string
	for n := range largeAtOnce + 4 {
		url := fmt.Sprintf("http://example.com/large/%02d", n)
		large = append(large, url)
		c.commit(url, exampleRequest, page(200, "text/plain", "br", randomBytes(5<<18)))
	}
	c.get("http://example.com/small")
	if err := c.Close(); err == nil || !strings.Contains(err.Error(), "1 exchanges lost") {
		t.Errorf("Close: %v", err)
	}
	if gaps := gapsOf(t, c.dir); gaps.Counts[GapWrite] != 1 || len(gaps.Latest) != 1 ||
		gaps.Latest[0].URL != "http://example.com/small" {
		t.Errorf("gaps: %v", gaps)
	}
	c = open(t, c.dir, Config{})
	if got := c.urls(); !slices.Equal(got, append([]string{"http://example.com/before"}, large...)) {
		t.Errorf("captures: %v", got)
	}
	c.close()
	checkIndex(t, c.dir, readBack(t, c.dir))
	if gaps := gapsOf(t, c.dir); len(gaps.Latest) != 1 {
		t.Errorf("gaps afterwards: %v", gaps)
	}
}

// TestEndByInTime: a recorder that has time enough writes all.
func TestEndByInTime(t *testing.T) {
	c := open(t, t.TempDir(), Config{})
	c.EndBy(time.Now().Add(time.Hour))
	c.get("http://example.com/small")
	c.commit("http://example.com/large", exampleRequest,
		page(200, "text/plain", "br", randomBytes(5<<18)))
	c.close()
	checkIndex(t, c.dir, readBack(t, c.dir))
	if got := len(captures(t, c.dir)); got != 2 {
		t.Errorf("%d captures", got)
	}
}
