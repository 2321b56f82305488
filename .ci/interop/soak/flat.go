package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// sample is what the recorder's process held at a moment.
type sample struct {
	at         time.Duration
	anon, rss  float64 // bytes; rss is with the pages of files, of which the mapped index is one
	files      float64
	goroutines float64 // 0 if /status does not tell
}

// figure is one of a sample's numbers, and how much of it may be added in the course of a soak.
type figure struct {
	name  string
	of    func(sample) float64
	share float64 // of what it was
	slack float64 // and so much
	unit  float64
}

// figures are judged. Memory is without the pages of files: those of the index grow with it, and
// the system takes them back.
func figures() []figure {
	return []figure{
		{"anonymous RSS in MB", func(s sample) float64 { return s.anon }, 0.15, 10e6, 1e6},
		{"goroutines", func(s sample) float64 { return s.goroutines }, 0.10, 10, 1},
		{"descriptors", func(s sample) float64 { return s.files }, 0.10, 10, 1},
	}
}

// growth compares the median of an early part of the load with that of the last part: of ten
// minutes the minutes three and four with the last two. The first two are left out, as pools and
// caches fill, and so is what comes after the load.
func (f figure) growth(samples []sample, whole time.Duration) (from, to float64) {
	return f.median(samples, whole/5, whole*2/5), f.median(samples, whole*4/5, whole)
}

// isFlat judges a growth.
func (f figure) isFlat(from, to float64) bool { return to < from*(1+f.share)+f.slack }

// median of the samples in a span of time; 0 if there are none.
func (f figure) median(samples []sample, from, to time.Duration) float64 {
	var values []float64
	for _, s := range samples {
		if from <= s.at && s.at < to {
			values = append(values, f.of(s))
		}
	}
	if len(values) == 0 {
		return 0
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// verdict is the line about a figure.
func (f figure) verdict(samples []sample, whole time.Duration) string {
	from, to := f.growth(samples, whole)
	if from == 0 || to == 0 {
		return fmt.Sprintf("not ok - %s: not measured", f.name)
	}
	outcome := "ok"
	if !f.isFlat(from, to) {
		outcome = "not ok"
	}
	return fmt.Sprintf("%s - flat: %s, median %.0f early, %.0f at the end", outcome, f.name,
		from/f.unit, to/f.unit)
}

// course is the figure's median in each tenth of the load.
func (f figure) course(samples []sample, whole time.Duration) string {
	var values []string
	for i := range time.Duration(10) {
		values = append(values, fmt.Sprintf("%.0f", f.median(samples, whole*i/10, whole*(i+1)/10)/f.unit))
	}
	return fmt.Sprintf("%s in each tenth of the load: %s", f.name, strings.Join(values, " "))
}

// atRest reports whether descriptors and goroutines are again what they were before the load, but
// for a few that are made at the first use (the open WARC file, a worker).
func atRest(start, now sample) bool {
	return now.files <= start.files+restSlack && now.goroutines <= start.goroutines+restSlack
}

const restSlack = 5
