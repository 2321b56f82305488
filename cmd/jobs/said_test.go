package jobs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestSaid: lines are lines in whatever pieces they come; of a long one its beginning is kept.
func TestSaid(t *testing.T) {
	text := "one\r\ntwo\n\n" + strings.Repeat("x", 3*longest) + "\nb\xffd\nlast"
	want := []string{"one", "two", "", strings.Repeat("x", longest) + "…", "b\uFFFDd", "last"}
	for _, size := range []int{1, 2, 7, 999, len(text)} {
		var s said
		for rest := text; rest != ""; {
			n := min(size, len(rest))
			s.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		s.end()
		s.end()
		if lines, leftOut := s.last(); strings.Join(lines, "|") != strings.Join(want, "|") || leftOut != 0 {
			t.Errorf("by %d: %q", size, lines)
		}
	}
}

// TestSaidIsBounded: whatever a process says, no more is kept than the bounds say, and the last
// lines are.
func TestSaidIsBounded(t *testing.T) {
	for name, line := range map[string]string{
		"short": "\n", "long": strings.Repeat("y", 900) + "\n", "no text": strings.Repeat("\xff\x00", 600) + "\n",
	} {
		var s said
		const times = 5000
		for range times {
			s.Write([]byte(line))
		}
		s.Write([]byte("end\n"))
		lines, leftOut := s.last()
		size := 0
		for _, l := range lines {
			size += len(l)
			if !utf8.ValidString(l) {
				t.Errorf("%s: %q", name, l)
			}
		}
		if len(lines) > mostLines || size > mostBytes || leftOut+len(lines) != times+1 ||
			lines[len(lines)-1] != "end" || cap(s.lines) > 4*mostLines || cap(s.open) > 2*longest {
			t.Errorf("%s: %d lines of %d bytes, %d left out, room for %d", name, len(lines), size, leftOut,
				cap(s.lines))
		}
	}
}
