package man

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// TestEscape: what roff would read as its own stands in the page as text.
func TestEscape(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"plain":            {"a text", "a text"},
		"a flag":           {"--no-record", `\-\-no\-record`},
		"an escape":        {`\fBbold\n`, `\(rsfBbold\(rsn`},
		"signs":            {"'`^~\"", `\(aq\(ga\(ha\(ti\(dq`},
		"beyond ASCII":     {"FLAG…é😀", `FLAG\[u2026]\[u00E9]\[u1F600]`},
		"lines":            {"a\n.so /etc/passwd\t b", "a .so /etc/passwd b"},
		"control":          {"a\x1b[1mb\x7f", `a\[u001B][1mb\[u007F]`},
		"what is no UTF-8": {"a\xffb", `a\[uFFFD]b`},
	} {
		t.Run(name, func(t *testing.T) {
			if got := escape(test.text); got != test.want {
				t.Errorf("%q, not %q", got, test.want)
			}
		})
	}
}

// TestText: a sentence is a line, and no line is a request.
func TestText(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"sentences":                {"One. Two.", "One.\nTwo.\n"},
		"an abbreviation of one":   {"A. B", "A. B\n"},
		"none":                     {" ", ""},
		"a point in front":         {".a is a file. .so is one.", "\\&.a is a file.\n\\&.so is one.\n"},
		"a quote in front":         {"'tis one", "\\(aqtis one\n"},
		"a point within":           {"the file .open", "the file .open\n"},
		"lines of a hostile value": {"Default: a\n.sy rm -r\n", "Default: a .sy rm \\-r\n"},
	} {
		t.Run(name, func(t *testing.T) {
			var r roff
			r.text(test.text)
			if r.String() != test.want {
				t.Errorf("%q, not %q", r.String(), test.want)
			}
		})
	}
}

// FuzzText: whatever a text is, the page stays ASCII, and each request in it is one of ours. The work
// is linear: what comes out is bounded by what went in.
func FuzzText(f *testing.F) {
	for _, seed := range []string{"", ".so x", "a. .b", "\\", "…", "'\n'", "a.\u00a0.so x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var r roff
		r.request("SH", escape(text))
		r.item(bold(text), text)
		if r.Len() > 64+40*len(text) {
			t.Errorf("%d bytes of %d", r.Len(), len(text))
		}
		for line := range strings.Lines(r.String()) {
			request := strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'")
			if request && !strings.HasPrefix(line, ".SH ") && !strings.HasPrefix(line, ".TP\n") {
				t.Errorf("a request of the text's: %q", line)
			}
			if strings.ContainsFunc(line, func(sign rune) bool { return sign >= 0x7f || sign < ' ' && sign != '\n' }) {
				t.Errorf("no ASCII: %q", line)
			}
		}
	})
}

// TestNested: commands below a command, and flags that no group has, are in the page.
func TestNested(t *testing.T) {
	var line struct {
		Settings struct {
			Check struct {
				Whole bool `help:"All of it."`
			} `cmd:"" help:"Look at them"`
		} `cmd:"" help:"Read them"`
	}
	parser, err := kong.New(&line, kong.Name("warcorder"), kong.Description("A program."))
	if err != nil {
		t.Fatal(err)
	}
	page := Page(parser.Model, Program{Version: "1.0.0", Date: "2026-11-28"})
	for _, want := range []string{"\n.SS \"settings\"\n", "\n.SS \"settings check\"\n", `\fB\-\-whole\fR`} {
		if !strings.Contains(page, want) {
			t.Errorf("%q is not in the page", want)
		}
	}
	lint(t, page)
}

// lint lets mandoc judge a page, where there is one.
func lint(t *testing.T, page string) {
	if _, err := exec.LookPath("mandoc"); err != nil {
		t.Skip("there is no mandoc here")
	}
	cmd := exec.Command("mandoc", "-T", "lint", "-W", "warning")
	cmd.Stdin = strings.NewReader(page)
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}
