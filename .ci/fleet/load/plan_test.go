package main

import (
	"bytes"
	"math"
	"slices"
	"testing"
)

// TestPlan: the same seed is the same plan, with the share of repeats that is asked for, over all
// recorders, none too near to what it repeats.
func TestPlan(t *testing.T) {
	p := plan{seed: 7, count: 10000, recorders: 3, repeats: 0.6, apart: 500, large: 500}
	all := p.all()
	if !slices.Equal(all, p.all()) {
		t.Error("another plan of the same seed")
	}
	first, places, repeats, over := map[body]int{}, map[string]bool{}, 0, [3]int{}
	for _, one := range all {
		over[one.recorder]++
		begun, isRepeat := first[one.body]
		if !isRepeat {
			first[one.body] = one.number
		} else if repeats++; one.number-begun < p.apart {
			t.Fatalf("%d repeats %d", one.number, begun)
		}
		places[one.url] = true
	}
	if share := float64(repeats) / 10000; math.Abs(share-0.6) > 0.02 {
		t.Errorf("%.3f repeat", share)
	}
	if elsewhere := len(places) - len(first); elsewhere < repeats/3 || elsewhere > repeats*2/3 {
		t.Errorf("%d of %d repeats have URLs of their own", elsewhere, repeats)
	}
	if slices.Min(over[:]) < 3000 {
		t.Errorf("over recorders: %v", over)
	}
}

// TestBody: a name is a body of its size, the same each time; another name is another body.
func TestBody(t *testing.T) {
	seen := map[string]body{}
	for _, b := range []body{{1, 0}, {1, 1024}, {2, 1024}, {4, 70000}, {5, 70000}} {
		again, err := parseBody(b.String())
		var one, two bytes.Buffer
		if b.writeTo(&one); again.writeTo(&two) != nil || err != nil || one.String() != two.String() {
			t.Errorf("%v is not %v: %v", again, b, err)
		}
		if other, ok := seen[one.String()]; one.Len() != b.size || ok {
			t.Errorf("%v has %d bytes, those of %v", b, one.Len(), other)
		}
		seen[one.String()] = b
	}
}
