package main

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"
)

// series makes samples as a recorder might give them: memory that wobbles by a fifth with the
// garbage collector and fills its pools in the first minute, numbers that come and go; leak adds to
// them what is lost with each of 140 exchanges a second.
func series(whole time.Duration, leak sample) []sample {
	random := rand.New(rand.NewPCG(1, 2))
	var samples []sample
	for at := time.Duration(0); at < whole; at += whole / 120 {
		exchanges := at.Seconds() * 140
		warm := min(1, at.Seconds()/whole.Seconds()*10)
		samples = append(samples, sample{
			at:         at,
			anon:       (40e6+30e6*warm)*(0.9+0.2*random.Float64()) + leak.anon*exchanges,
			files:      60 + 20*random.Float64() + leak.files*exchanges,
			goroutines: 100 + 40*random.Float64() + leak.goroutines*exchanges,
		})
	}
	return samples
}

func TestVerdict(t *testing.T) {
	for name, test := range map[string]struct {
		leak sample
		want string // of which figure it says not ok
	}{
		"nothing leaks":                             {sample{}, ""},
		"memory is given back late":                 {sample{anon: 30}, ""},
		"1 KB of each exchange stays":               {sample{anon: 1000}, "anonymous"},
		"a goroutine of 1000 exchanges stays":       {sample{goroutines: 0.001}, "goroutines"},
		"a descriptor of 1000 exchanges stays open": {sample{files: 0.001}, "descriptors"},
	} {
		t.Run(name, func(t *testing.T) {
			samples := series(10*time.Minute, test.leak)
			for _, f := range figures() {
				got := f.verdict(samples, 10*time.Minute)
				leaks := test.want != "" && strings.Contains(f.name, test.want)
				if strings.HasPrefix(got, "not ok") != leaks {
					t.Errorf("%s", got)
				}
			}
		})
	}
}

func TestVerdictNeedsSamples(t *testing.T) {
	for _, f := range figures() {
		if got := f.verdict(nil, time.Minute); !strings.HasPrefix(got, "not ok") {
			t.Errorf("without a sample: %s", got)
		}
	}
}

func TestAtRest(t *testing.T) {
	start := sample{files: 20, goroutines: 15}
	for name, test := range map[string]struct {
		now  sample
		want bool
	}{
		"as before":             {start, true},
		"one more file":         {sample{files: 21, goroutines: 15}, true},
		"descriptors have left": {sample{files: 40, goroutines: 15}, false},
		"goroutines stay":       {sample{files: 20, goroutines: 25}, false},
	} {
		if got := atRest(start, test.now); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
