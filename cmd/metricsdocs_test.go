package cmd

import (
	"maps"
	"net/http/httptest"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/proxy/admin/metrics"
	"warcorder/recorder/outside"
)

// families is what a recorder's /metrics can have: of each family its labels, and of each label the
// values.
type families map[string]map[string][]string

// allFamilies are those of a recorder of which everything is known.
func allFamilies(t *testing.T) families {
	t.Helper()
	facts := &metrics.Facts{Verified: &metrics.Verified{At: time.Now()}}
	facts.Jobs = []metrics.Jobs{{Kind: "capture"}, {Kind: "removal"}, {Kind: "replay"}}
	known := int64(1)
	facts.Recorder.Totals.Revisits, facts.Recorder.Disk.Free = &known, &known
	facts.Recorder.DedupFrom = []outside.Status{{Archive: "/a"}}
	answer := httptest.NewRecorder()
	metrics.New(metrics.Config{Facts: func() *metrics.Facts { return facts }}).ServeHTTP(answer,
		httptest.NewRequest("GET", metrics.Path, nil))
	m, all := parseMetrics(t, answer.Body.String()), families{}
	for name, kind := range m.types {
		all[name] = map[string][]string{}
		if kind == "histogram" {
			all[name]["le"] = nil
		}
	}
	for series := range m.values {
		name, labels, _ := strings.Cut(strings.TrimSuffix(series, "}"), "{")
		for _, label := range matcher.FindAllStringSubmatch(labels, -1) {
			labels := all[all.of(name)]
			labels[label[1]] = append(labels[label[1]], label[3])
		}
	}
	return all
}

var (
	matcher  = regexp.MustCompile(`([a-z_]+)(=~?)"([^"]*)"`)
	ofMetric = regexp.MustCompile("(?m)^\\| `(warcorder_[a-z_]+)(?:\\{([a-z_,]+)\\})?` \\|")
)

// of is the family of a series: parts of a histogram have names of their own.
func (f families) of(name string) string {
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		short := strings.TrimSuffix(name, part)
		if _, isHistogram := f[short]["le"]; isHistogram {
			return short
		}
	}
	return name
}

// TestDocsMetrics: the table of doc/operating.md has each metric of ours with its labels, and none more.
func TestDocsMetrics(t *testing.T) {
	told, have := map[string]string{}, map[string]string{}
	for _, row := range ofMetric.FindAllStringSubmatch(pageOf(t, "doc/operating.md").text, -1) {
		labels := strings.Split(row[2], ",")
		slices.Sort(labels)
		told[row[1]] = strings.Join(labels, ",")
	}
	for name, labels := range allFamilies(t) {
		if delete(labels, "le"); strings.HasPrefix(name, "warcorder_") {
			have[name] = strings.Join(slices.Sorted(maps.Keys(labels)), ",")
		}
	}
	for name, labels := range have {
		if is, there := told[name]; !there || is != labels {
			t.Errorf("doc/operating.md has %s with the labels %q (there: %v), it has %q", name, is, there, labels)
		}
	}
	for name := range told {
		if _, there := have[name]; !there {
			t.Errorf("doc/operating.md has %s, and there is none", name)
		}
	}
}
