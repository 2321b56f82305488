// Package metrics answers a scrape by Prometheus: facts in, lines of its text format out. Begin with
// [New]; what there is stands in the tables of series.go.
//
// Invariant: no label has a value that a page, an origin or a client has chosen: hosts and URLs are
// never told apart, so that the number of series is bounded by the tables here and by what the operator
// has named (dedup-from). A scrape asks no disk and waits for none, atOnce of them go on at a time, and
// one that panics is an answer of 500 and ends nothing.
package metrics

import (
	"fmt"
	"net/http"
	"runtime"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Path is where Prometheus looks unless it is told otherwise.
const Path = "/metrics"

// atOnce is how many scrapes are answered at a time; others get 503.
const atOnce = 4

// Config says what is told of a program.
type Config struct {
	Version     string
	WARCVersion string // of what is written; "" if nothing is

	// Facts are asked for at each scrape; nil of a program that does not record, of which only what it
	// is built of and what its process takes is told.
	Facts func() *Facts

	// Broke is told of a panic in Facts, while its stack is still there; nil: nobody is.
	Broke func(panicked any)
}

// New returns the handler. What it has is in no registry but its own.
func New(cfg Config) http.Handler {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), buildInfo(&cfg))
	if cfg.Facts != nil {
		registry.MustRegister(newCollector(&cfg))
	}
	return promhttp.HandlerFor(registry, promhttp.HandlerOpts{MaxRequestsInFlight: atOnce})
}

// buildInfo is 1, and says by its labels what runs.
func buildInfo(cfg *Config) prometheus.Collector {
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "warcorder_build_info", Help: "What is running, by its labels; the value is 1.",
		ConstLabels: prometheus.Labels{"version": cfg.Version, "goversion": runtime.Version(),
			"warc_version": cfg.WARCVersion},
	})
	info.Set(1)
	return info
}

// collector makes the series of the tables of one set of facts.
type collector struct {
	facts      func() *Facts
	broke      func(panicked any)
	numbers    []number
	histograms []histogram
	described  []*prometheus.Desc // numbers, and behind them histograms
}

func newCollector(cfg *Config) *collector {
	c := &collector{facts: cfg.Facts, broke: cfg.Broke, numbers: numbers(), histograms: histograms()}
	describe := func(name, help string, labels []string) {
		c.described = append(c.described, prometheus.NewDesc("warcorder_"+name, help, labels, nil))
	}
	for i := range c.numbers {
		describe(c.numbers[i].name, c.numbers[i].help, c.numbers[i].labels)
	}
	for i := range c.histograms {
		describe(c.histograms[i].name, c.histograms[i].help, c.histograms[i].labels)
	}
	return c
}

// Describe sends what there may be.
func (c *collector) Describe(to chan<- *prometheus.Desc) {
	for _, one := range c.described {
		to <- one
	}
}

// Collect sends what there is. It runs in a goroutine of the registry's, where nobody else would catch
// a panic.
func (c *collector) Collect(to chan<- prometheus.Metric) {
	defer func() {
		if value := recover(); value != nil {
			if c.broke != nil {
				c.broke(value)
			}
			to <- prometheus.NewInvalidMetric(c.described[0], fmt.Errorf("the facts broke: %v", value))
		}
	}()
	facts := c.facts()
	for i := range c.numbers {
		c.collectNumber(to, i, facts)
	}
	for i := range c.histograms {
		c.collectHistogram(to, i, facts)
	}
}

func (c *collector) collectNumber(to chan<- prometheus.Metric, i int, facts *Facts) {
	one := &c.numbers[i]
	one.tell(facts, func(value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(c.described[i], one.kind, value, labels...)
	})
}

func (c *collector) collectHistogram(to chan<- prometheus.Metric, i int, facts *Facts) {
	described := c.described[len(c.numbers)+i]
	for _, s := range c.histograms[i].of(facts) {
		buckets := make(map[float64]uint64, len(s.Buckets))
		for _, b := range s.Buckets {
			buckets[b.AtMost.Seconds()] = b.Count
		}
		to <- prometheus.MustNewConstHistogram(described, s.Count, s.Sum.Seconds(), buckets, s.labels...)
	}
}
