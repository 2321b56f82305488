package removal

import (
	"fmt"
	"testing"
)

// TestFirst: the first URLs by key are there, with all of their captures, in whatever order these come.
func TestFirst(t *testing.T) {
	var f first
	for _, step := range []int{1, 7, 99} { // each goes through all numbers below 100
		for i := range 100 {
			n := i * step % 100
			f.add(fmt.Sprintf("https://key.example/%02d", n))
		}
	}
	urls := f.urls()
	if len(urls) != mostFirst || len(f.all) != 100 {
		t.Fatal(len(f.all), urls)
	}
	for i, got := range urls {
		if want := (URL{fmt.Sprintf("https://key.example/%02d", i), 3}); got != want {
			t.Errorf("%d: %v", i, got)
		}
	}
}
