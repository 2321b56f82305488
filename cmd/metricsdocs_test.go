package cmd

import (
	"encoding/json"
	"maps"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"

	"warcorder/proxy/admin/metrics"
	"warcorder/recorder/outside"
	sharing "warcorder/recorder/shared"
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
	facts.Feeds, facts.Upload = []metrics.Feed{{}}, new(metrics.Upload)
	facts.Recorder.DedupFrom = []outside.Status{{Archive: "/a"}}
	facts.Recorder.DedupShared = new(sharing.Status)
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
	selector = regexp.MustCompile(`\b((?:warcorder|go|process)_[a-z0-9_]+)(?:\{([^}]*)\})?`)
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

// wrong says what of an expression names no metric, label or value that there is.
func (f families) wrong(expr string) (all []string) {
	for _, found := range selector.FindAllStringSubmatch(expr, -1) {
		labels, there := f[f.of(found[1])]
		if !there {
			all = append(all, found[1])
			continue
		}
		for _, label := range matcher.FindAllStringSubmatch(found[2], -1) {
			values, there := labels[label[1]]
			if slices.Contains([]string{"job", "instance", "le"}, label[1]) {
				continue
			}
			for value := range strings.SplitSeq(label[3], "|") {
				if !there || !slices.Contains(values, value) {
					all = append(all, found[1]+"{"+label[0]+"}")
				}
			}
		}
	}
	return all
}

// TestWrongExpressions: the test of expressions can fail.
func TestWrongExpressions(t *testing.T) {
	f := families{"warcorder_x_total": {"kind": {"a", "b"}}, "warcorder_y_seconds": {"le": {"1"}}}
	for expr, want := range map[string]int{
		`rate(warcorder_x_total{kind="a",job=~"$job"}[5m]) / warcorder_y_seconds_count`: 0,
		`warcorder_x_total{kind=~"a|b"}`:                                                0,
		`warcorder_x_total{kind=~"a|c"}`:                                                1,
		`warcorder_x_total{reason="a"}`:                                                 1,
		`sum(warcorder_z)`:                                                              1,
		`histogram_quantile(0.9, sum by (le) (rate(warcorder_y_seconds_bucket[1m])))`:   0,
		`warcorder_x_total_bucket`:                                                      1,
	} {
		if got := f.wrong(expr); len(got) != want {
			t.Errorf("%s: %q", expr, got)
		}
	}
}

// deployed reads a file of doc/deploy/.
func deployed(t *testing.T, name ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(append([]string{top, "doc", "deploy"}, name...)...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// onlyOnLinux: elsewhere the collector of the process has other metrics.
func onlyOnLinux(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("the metrics of the process are Linux's")
	}
}

// TestDashboard: each query of the dashboard names metrics, labels and values that there are, each panel
// has one, an ID of its own and a place of its own, and each metric of ours is shown.
func TestDashboard(t *testing.T) {
	onlyOnLinux(t)
	type place struct{ X, Y, W, H int }
	var d struct {
		SchemaVersion int
		UID           string
		Panels        []struct {
			ID          int
			Type, Title string
			GridPos     place
			Targets     []struct{ RefID, Expr string }
		}
	}
	if err := json.Unmarshal(deployed(t, "grafana", "warcorder.json"), &d); err != nil {
		t.Fatal(err)
	}
	all := allFamilies(t)
	shown, ids, taken := map[string]bool{}, map[int]bool{}, map[[2]int]string{}
	for _, panel := range d.Panels {
		if ids[panel.ID] || panel.Type != "row" && len(panel.Targets) == 0 || panel.Title == "" {
			t.Errorf("the panel %d, %q", panel.ID, panel.Title)
		}
		ids[panel.ID] = true
		for x := range panel.GridPos.W {
			for y := range panel.GridPos.H {
				at := [2]int{panel.GridPos.X + x, panel.GridPos.Y + y}
				if other := taken[at]; other != "" || at[0] >= 24 {
					t.Fatalf("%q and %q are in one place, or beyond the edge", panel.Title, other)
				}
				taken[at] = panel.Title
			}
		}
		for _, target := range panel.Targets {
			if wrong := all.wrong(target.Expr); len(wrong) > 0 || target.RefID == "" {
				t.Errorf("%q: there is no %q: %s", panel.Title, wrong, target.Expr)
			}
			for _, found := range selector.FindAllStringSubmatch(target.Expr, -1) {
				shown[all.of(found[1])] = true
			}
		}
	}
	unshown := []string{"warcorder_client_connections_limit", "warcorder_client_connections_taken_total",
		"warcorder_collection_revisits", "warcorder_dedup_from_passed_total",
		"warcorder_dedup_from_refused_total"}
	for name := range all {
		if strings.HasPrefix(name, "warcorder_") && shown[name] == slices.Contains(unshown, name) {
			t.Errorf("%s is shown: %v", name, shown[name])
		}
	}
	if d.SchemaVersion < 36 || d.UID == "" || len(shown) < 40 {
		t.Errorf("version %d, %d metrics", d.SchemaVersion, len(shown))
	}
}

// TestAlerts: each alert names metrics, labels and values that there are, says what has happened and what
// to do, and has a test that promtool runs (.ci/interop/metrics.sh).
func TestAlerts(t *testing.T) {
	onlyOnLinux(t)
	var rules struct {
		Groups []struct {
			Rules []struct {
				Alert, Expr, For    string
				Labels, Annotations map[string]string
			}
		}
	}
	if err := yaml.Unmarshal(deployed(t, "prometheus", "alerts.yml"), &rules); err != nil {
		t.Fatal(err)
	}
	all, tests := allFamilies(t), string(deployed(t, "prometheus", "alerts_test.yml"))
	if wrong := all.wrong(tests); len(wrong) > 0 {
		t.Errorf("alerts_test.yml: there is no %q", wrong)
	}
	for _, r := range rules.Groups[0].Rules {
		if wrong := all.wrong(r.Expr); len(wrong) > 0 {
			t.Errorf("%s: there is no %q", r.Alert, wrong)
		}
		if !strings.Contains(tests, `{alertname="`+r.Alert+`"}`) {
			t.Errorf("%s: no test", r.Alert)
		}
		if severity := r.Labels["severity"]; severity != "page" && severity != "ticket" ||
			r.Annotations["summary"] == "" || r.Annotations["description"] == "" {
			t.Errorf("%s: %v %v", r.Alert, r.Labels, r.Annotations)
		}
	}
	if len(rules.Groups[0].Rules) < 15 {
		t.Errorf("%d alerts", len(rules.Groups[0].Rules))
	}
}
