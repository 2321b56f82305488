package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
)

// report is all that was measured.
type report struct {
	Proxies []string `json:"proxies"`
	Results []result `json:"results"`
	Sizes   []sizes  `json:"sizes,omitempty"`
}

// Figures of a result that ratios are made of.
var figures = map[string]func(result) float64{
	"CPU":  func(r result) float64 { return r.CPU },
	"/s":   func(r result) float64 { return r.PerSec },
	"MB/s": func(r result) float64 { return r.MBPerSec },
	"p50":  func(r result) float64 { return r.FirstP50 },
	"p99":  func(r result) float64 { return r.FirstP99 },
}

// write prints medians over the rounds, and of what counts in a scenario the median of the rounds'
// ratios to the reference: what the machine does beside it falls on both sides of a ratio.
func (r report) write(to io.Writer) {
	table := tabwriter.NewWriter(to, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(table,
		"scenario\tproxy\trounds\tCPU s/1000\trequests/s\tMB/s\tp50 ms\tp99 ms\tpeak MB\tratio to %s\t\n",
		r.reference())
	for _, s := range scenarios {
		for _, name := range r.Proxies {
			rounds := r.of(s.name, name)
			if len(rounds) == 0 {
				continue
			}
			m := func(of func(result) float64) float64 {
				var all []float64
				for _, one := range rounds {
					all = append(all, of(one))
				}
				return median(all)
			}
			fmt.Fprintf(table, "%s\t%s\t%d\t%.3f\t%.0f\t%.1f\t%.3f\t%.3f\t%.0f\t%s\t\n", s.name, name,
				len(rounds), m(figures["CPU"]), m(figures["/s"]),
				m(figures["MB/s"]), m(figures["p50"]), m(figures["p99"]),
				m(func(r result) float64 { return r.PeakMB }), r.ratios(s, name))
		}
	}
	if len(r.Results) > 0 {
		table.Flush()
	}
	for _, one := range r.Results {
		if one.Proxy == readFrom {
			fmt.Fprintf(to, "readers in round %d: %.0f queries/s, p50 %.1f ms, p99 %.1f ms; %.0f lines/s\n",
				one.Round, float64(one.Probes)/one.Seconds, one.QueryP50, one.QueryP99,
				float64(one.Lines)/one.Seconds)
		}
	}
	for _, s := range r.Sizes {
		fmt.Fprintf(to, "bytes of %d records with %q: %d here, %d as gzip -6, ratio %.3f\n", s.Records,
			s.Match, s.Ours, s.Level6, s.Ratio)
	}
}

// err tells the first thing that went wrong: figures of requests that failed are none.
func (r report) err() error {
	for _, one := range r.Results {
		if one.Errors > 0 || one.Requests == 0 {
			return fmt.Errorf("%s, %s, round %d: %d of %d requests failed: %s", one.Scenario, one.Proxy,
				one.Round, one.Errors, one.Requests+one.Errors, one.Error)
		}
	}
	return nil
}

// lossErr returns an error if a recorder that is read records less by more than so many percent, by
// the median of the rounds.
func (r report) lossErr(percent float64) error {
	for _, s := range scenarios {
		one, other := r.of(s.name, readFrom), r.of(s.name, ours)
		var losses []float64
		for i := range min(len(one), len(other)) {
			losses = append(losses, 100-100*one[i].PerSec/other[i].PerSec)
		}
		if len(losses) > 0 && median(losses) > percent {
			return fmt.Errorf("%s: while it is read warcorder records %.1f %% less, and not at most %.1f %%",
				s.name, median(losses), percent)
		}
	}
	return nil
}

// reference is the proxy that the others are compared with.
func (r report) reference() string {
	if slices.Contains(r.Proxies, baseline) {
		return baseline
	}
	return r.Proxies[0]
}

func (r report) of(scenario, proxy string) (rounds []result) {
	for _, one := range r.Results {
		if one.Scenario == scenario && one.Proxy == proxy {
			rounds = append(rounds, one)
		}
	}
	return rounds
}

// ratios are of the figures that a scenario is about.
func (r report) ratios(s scenario, proxy string) (text string) {
	reference := r.reference()
	if s.replay || s.read { // which only warcorder does
		reference = ours
	}
	one, other := r.of(s.name, proxy), r.of(s.name, reference)
	if len(one) != len(other) {
		return "-"
	}
	for _, about := range s.about {
		var ratios []float64
		for i := range one {
			ratios = append(ratios, figures[about](one[i])/figures[about](other[i]))
		}
		text += fmt.Sprintf(" %.2f %s", median(ratios), about)
	}
	if reference != r.reference() {
		text += " of " + reference
	}
	return text
}

func median(all []float64) float64 {
	slices.Sort(all)
	return (all[(len(all)-1)/2] + all[len(all)/2]) / 2
}
