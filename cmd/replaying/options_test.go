package replaying

import (
	"net/url"
	"reflect"
	"testing"
	"time"

	"warcorder/store/replay"
)

// TestOptions: what a recorder is told of a replay is what it is asked for, each option by itself and
// all together.
func TestOptions(t *testing.T) {
	all := Options{At: time.Date(2026, 5, 1, 12, 30, 0, 5, time.UTC), Explain: true, Inject: true,
		Fallback: true, Rules: "", Front: "[::]:8090"}
	for _, want := range []Options{{}, {At: all.At}, {Explain: true}, {Inject: true}, {Fallback: true},
		{Front: all.Front}, all} {
		form, err := url.ParseQuery(want.form().Encode())
		if err != nil {
			t.Fatal(err)
		}
		if got, err := OptionsOf(form); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%+v: %+v, %v", want, got, err)
		}
	}
	for name, value := range map[string]string{paramAt: "yesterday", paramRules: "- {", paramFront: "here"} {
		if got, err := OptionsOf(url.Values{name: {value}}); err == nil {
			t.Errorf("%s=%s: %+v", name, value, got)
		}
	}
}

// TestJoined: several reports of one replay are one.
func TestJoined(t *testing.T) {
	miss := func(url string, n int64) replay.Miss { return replay.Miss{Method: "GET", URL: url, Count: n} }
	one := replay.Report{Answered: 3, Rules: map[string]int64{"exact": 3}, Preflights: 1, NotModified: 1,
		Ranges: 1, Missed: 3, Quiet: 1, FellBack: 1, Unlisted: 1, Documents: []replay.Document{
			{URL: "a", Missed: 3, Misses: []replay.Miss{miss("x", 2), miss("y", 1)}}}}
	two := replay.Report{Answered: 2, Rules: map[string]int64{"exact": 1, "query": 1}, Preflights: 1,
		NotModified: 1, Ranges: 1, Missed: 3, Quiet: 1, FellBack: 1, Unlisted: 1,
		Documents: []replay.Document{
			{URL: "b", Missed: 1, Misses: []replay.Miss{miss("x", 1)}},
			{URL: "a", Missed: 2, Misses: []replay.Miss{miss("y", 1), miss("z", 1)}}}}
	want := replay.Report{Answered: 5, Rules: map[string]int64{"exact": 4, "query": 1}, Preflights: 2,
		NotModified: 2, Ranges: 2, Missed: 6, Quiet: 2, FellBack: 2, Unlisted: 2,
		Documents: []replay.Document{
			{URL: "a", Missed: 5, Misses: []replay.Miss{miss("x", 2), miss("y", 2), miss("z", 1)}},
			{URL: "b", Missed: 1, Misses: []replay.Miss{miss("x", 1)}}}}
	for range 2 { // nothing is counted twice
		if got := joined([]replay.Report{one, two}); !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nwant %+v", got, want)
		}
	}
	if none := joined(nil); none.Rules == nil || none.Documents == nil {
		t.Errorf("none as JSON has null in it: %+v", none)
	}
}
