package cdxserver

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
)

// TestEachLine: lines are whole however they come; one without its line break is an answer that was
// broken off.
func TestEachLine(t *testing.T) {
	const text = "{}\n\n{\"a\":1}\n"
	lines := []string{"{}\n", "\n", "{\"a\":1}\n"}
	long := strings.Repeat("x", 100_000) + "\n"
	for name, c := range map[string]struct {
		in   io.Reader
		want []string
		err  error
	}{
		"at once":       {strings.NewReader(text), lines, nil},
		"byte by byte":  {iotest.OneByteReader(strings.NewReader(text)), lines, nil},
		"a long one":    {strings.NewReader(text + long + text), append(append(lines[:3:3], long), lines...), nil},
		"broken off":    {strings.NewReader(text + "{"), lines, ErrBrokeOff},
		"nothing there": {strings.NewReader(""), nil, nil},
	} {
		var got []string
		err := eachLine(c.in, func(line []byte) error {
			got = append(got, string(line))
			return nil
		})
		if !slices.Equal(got, c.want) || !errors.Is(err, c.err) {
			t.Errorf("%s: %d lines %.200q, %v", name, len(got), got, err)
		}
	}
}

// TestLongLineOnce: what has come of a line is not looked at again when more of it comes.
func TestLongLineOnce(t *testing.T) {
	var s lineSplitter
	data := []byte("abc")
	if advance, line, err := s.split(data, false); advance != 0 || line != nil || err != nil {
		t.Fatal(advance, line, err)
	}
	copy(data, "\n\n\n") // which only who looks again can see
	advance, line, err := s.split(append(data, "d\nf"...), false)
	if advance != 5 || len(line) != 5 || err != nil {
		t.Errorf("%d, %q, %v", advance, line, err)
	}
}
