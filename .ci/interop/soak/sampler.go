package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// sampler looks at the recorder's process from outside, and asks it for its state.
type sampler struct {
	proxy, proc string // its address, its folder in /proc
	client      http.Client
	problems    *problems
	started     time.Time
}

func newSampler(proxy string, pid int, p *problems) *sampler {
	return &sampler{
		proxy:    proxy,
		proc:     filepath.Join("/proc", strconv.Itoa(pid)),
		problems: p,
		started:  time.Now(),
		client: http.Client{
			Timeout:   20 * time.Second,
			Transport: &http.Transport{DisableKeepAlives: true},
		},
	}
}

// take measures once. What cannot be measured is a problem, and 0.
func (s *sampler) take() sample {
	var got sample
	state, err := s.status()
	if err != nil {
		s.problems.add("the recorder tells its state", err)
	}
	if err == nil && (!state.Recording || state.Lost > 0) {
		s.problems.add("the recorder records all the time",
			fmt.Errorf("%s, %d lost", state.Reason, state.Lost))
	}
	got.at, got.goroutines = time.Since(s.started), float64(state.Goroutines)
	files, err := os.ReadDir(filepath.Join(s.proc, "fd"))
	if err != nil {
		s.problems.add("the recorder runs", err)
	}
	got.files = float64(len(files))
	got.anon, got.rss = s.memory()
	return got
}

// every takes samples until stop is closed.
func (s *sampler) every(pause time.Duration, stop <-chan struct{}) []sample {
	var samples []sample
	tick := time.NewTicker(pause)
	defer tick.Stop()
	for {
		select {
		case <-stop:
			return samples
		case <-tick.C:
			samples = append(samples, s.take())
		}
	}
}

// settle waits until the recorder is at rest, which takes as long as it keeps idle connections.
func (s *sampler) settle(start sample, patience time.Duration) (last sample, rested bool) {
	deadline := time.Now().Add(patience)
	for {
		last = s.take()
		if rested = atRest(start, last); rested || time.Now().After(deadline) {
			return last, rested
		}
		time.Sleep(time.Second)
	}
}

type state struct {
	Recording  bool
	Reason     string
	Lost       int64
	Goroutines int
}

func (s *sampler) status() (state, error) {
	var got state
	res, err := s.client.Get("http://" + s.proxy + "/status")
	if err != nil {
		return got, err
	}
	defer res.Body.Close()
	return got, json.NewDecoder(res.Body).Decode(&got)
}

// memory reads RssAnon and VmRSS, in bytes.
func (s *sampler) memory() (anon, all float64) {
	file, err := os.Open(filepath.Join(s.proc, "status"))
	if err != nil {
		return 0, 0
	}
	defer file.Close()
	for lines := bufio.NewScanner(file); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), ":")
		kilobytes, _ := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 64)
		switch name {
		case "RssAnon":
			anon = kilobytes * 1024
		case "VmRSS":
			all = kilobytes * 1024
		}
	}
	return anon, all
}
