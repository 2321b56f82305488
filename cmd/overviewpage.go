package cmd

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"warcorder/recorder"
	"warcorder/recorder/tally"
)

// overviewLook is what was seen at one look, and is told to all who ask until the next.
type overviewLook struct {
	overview
	whole func() []byte // all of it as JSON; made once
}

// overviewBrief is what every view of the live page asks for every now and then: the samples of a day
// are some hundred times as much.
type overviewBrief struct {
	At       time.Time        `json:"at"`
	Totals   recorder.Totals  `json:"totals"`
	Recorder overviewRecorder `json:"recorder"`
}

// overviews looks once a second at most.
func (s *serving) overviews() *lookout[*overviewLook] {
	return &lookout[*overviewLook]{interval: time.Second, patience: 2 * time.Second, broke: s.broke,
		look: func() *overviewLook {
			look := overviewLook{overview: *s.overview()}
			look.whole = sync.OnceValue(func() []byte { return overviewJSON(look.overview) })
			return &look
		}}
}

// overviewJSON is of what has nothing that is no JSON.
func overviewJSON(of any) []byte {
	b, err := json.Marshal(of)
	if err != nil {
		panic(err)
	}
	return b
}

// overviewPage answers with the overview: all of it, with since the samples from that moment on, with
// brief=true hardly more than whether something is recorded.
func overviewPage(looks *lookout[*overviewLook]) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		since, brief, err := overviewAsked(r.URL.Query())
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
			return
		}
		now := looks.now()
		switch {
		case now == nil: // the first look has not come to its end
			w.Header().Set("Retry-After", "5")
			w.WriteHeader(http.StatusServiceUnavailable)
			json.NewEncoder(w).Encode(map[string]string{
				"error": "the recorder takes its time to look around: ask again in some seconds"})
		case brief:
			w.Write(overviewJSON(overviewBrief{now.At, now.Totals, now.Recorder}))
		case !since.IsZero():
			o := now.overview
			o.Rates, o.Day = samplesFrom(o.Rates, since), samplesFrom(o.Day, since)
			w.Write(overviewJSON(o))
		default:
			w.Write(now.whole())
		}
	})
}

// overviewAsked takes the parameters of a request apart.
func overviewAsked(values url.Values) (since time.Time, brief bool, err error) {
	for name := range values {
		value := values.Get(name)
		switch name {
		case "since":
			if since, err = time.Parse(time.RFC3339, value); err != nil {
				return since, brief, fmt.Errorf("since is %q: say a moment, as 2026-05-01T12:00:00Z", value)
			}
		case "brief":
			if brief = value == "true"; !brief {
				return since, brief, fmt.Errorf("brief is %q: say true, or leave it out", value)
			}
		default:
			return since, brief, fmt.Errorf("%q is no parameter here: there are since and brief", name)
		}
	}
	return since, brief, nil
}

// samplesFrom returns those of samples that had not ended at a moment: the others grow no more.
func samplesFrom(samples []tally.Sample, since time.Time) []tally.Sample {
	later := slices.IndexFunc(samples, func(s tally.Sample) bool { return s.TS.After(since) })
	if later < 0 {
		later = len(samples)
	}
	return samples[max(0, later-1):]
}
