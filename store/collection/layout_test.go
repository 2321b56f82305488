package collection

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestLayout: a collection of a later layout is refused with a sentence, and so is one whose layout
// cannot be told; one without the file is of the first layout.
func TestLayout(t *testing.T) {
	for name, test := range map[string]struct {
		content string // of the file; "" is none
		newer   bool
		says    string // "" if all is well
	}{
		"no file":             {},
		"the first":           {content: "1\n"},
		"without a line end":  {content: "1"},
		"the second":          {content: "2\n"},
		"the next":            {"3\n", true, "newer warcorder (layout 3, this one knows 2): use that version"},
		"a far one":           {"18446744073709551615", true, "layout 18446744073709551615"},
		"none":                {"0\n", false, "no number of a layout"},
		"too large":           {"18446744073709551616", false, "cannot be told"},
		"no number":           {"two\n", false, "cannot be told"},
		"empty":               {" ", false, "cannot be told"},
		"a number and a text": {"1 2", false, "cannot be told"},
		"without an end":      {strings.Repeat("1", 1<<20), false, "cannot be told"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDir(t)
			if test.content != "" {
				put(t, filepath.Join(string(d), layoutName), test.content)
			}
			check(t, d.CheckLayout(), test.newer, test.says)
			check(t, d.Make(0), test.newer, test.says)
		})
	}
}

func check(t *testing.T, err error, newer bool, says string) {
	t.Helper()
	if (err != nil) != (says != "") || err != nil && !strings.Contains(err.Error(), says) {
		t.Errorf("%v, not %q", err, says)
	}
	if _, is := errors.AsType[*Newer](err); is != newer {
		t.Errorf("%v is of a newer one: %t", err, is)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestLayoutMakesNothing: of a directory with a later layout nothing is made.
func TestLayoutMakesNothing(t *testing.T) {
	d := Dir(t.TempDir())
	put(t, filepath.Join(string(d), layoutName), "3")
	if err := d.Make(0); err == nil {
		t.Error("made")
	}
	if entries, err := os.ReadDir(string(d)); len(entries) != 1 || err != nil {
		t.Errorf("%v, %v", entries, err)
	}
	if err := (Dir(filepath.Join(string(d), "none"))).CheckLayout(); err != nil {
		t.Error(err)
	}
}

// TestRaiseLayout: a collection whose files may be away says so, once; a later layout stays.
func TestRaiseLayout(t *testing.T) {
	for name, test := range map[string]struct{ before, after string }{
		"none":    {"", "2\n"},
		"first":   {"1\n", "2\n"},
		"second":  {"2", "2"},
		"a later": {"3\n", "3\n"},
		"no number, which nobody knows what to do about": {"two", "two"},
	} {
		t.Run(name, func(t *testing.T) {
			d := newDir(t)
			path := filepath.Join(string(d), layoutName)
			if test.before != "" {
				put(t, path, test.before)
			}
			err := d.RaiseLayout(0o600)
			if got, _ := os.ReadFile(path); string(got) != test.after || (err != nil) != (test.before == "two") {
				t.Errorf("%q, %v", got, err)
			}
		})
	}
}
