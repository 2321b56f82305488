package cmd

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/alecthomas/kong"

	"warcorder/proxy/raced"
)

// most of what the reading of a configuration may take: bytes of memory that it asks for, in all, for
// each of the file, and beside; and time, on the slowest of machines.
const (
	bytesPerByte  = 400
	bytesInAll    = 16 << 20
	configTimeout = 20 * time.Second
	longestSaid   = 16 << 10
)

// checkReading reads a configuration and judges its keys, and fails if that costs more than it may.
func checkReading(t *testing.T, app *kong.Application, text string) (fileConfig, error) {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	began := time.Now()
	config, err := parseConfig(strings.NewReader(text))
	if err == nil {
		err = config.Validate(app)
	}
	took := time.Since(began)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; n > uint64(bytesInAll+bytesPerByte*len(text)) {
		t.Errorf("%d bytes of memory for %d of text", n, len(text))
	}
	if took > configTimeout {
		t.Errorf("%v for %d bytes", took, len(text))
	}
	if err != nil && len(err.Error()) > longestSaid {
		t.Errorf("an error of %d bytes: %.200s", len(err.Error()), err)
	}
	return config, err
}

// TestConfigHostile: a file that is no configuration is refused, in time and memory that grow with its
// length alone, and in few words.
func TestConfigHostile(t *testing.T) {
	length := raced.Of(maxConfig - 100)
	numbered := func(format string) string {
		var b strings.Builder
		for i := 0; b.Len() < length; i++ {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	repeated := func(text string) string { return strings.Repeat(text, length/len(text)) }
	laughs := "a0: &a0 [x, x]\n"
	for i := range 30 {
		laughs += fmt.Sprintf("a%d: &a%[1]d [*a%d, *a%[2]d]\n", i+1, i)
	}
	app := model(t)
	deep := "a" + strings.Repeat(": {"+strings.Repeat("k", 100), 5000)
	for name, c := range map[string]struct{ text, want string }{
		"too long":             {"a: " + strings.Repeat("x", maxConfig), "longer than 1048576 bytes"},
		"a line of 1 MB":       {"collection: " + repeated("x"), ""},
		"a key of 1 MB":        {"? " + repeated("x") + "\n: a", "unknown key"},
		"a billion laughs":     {laughs, "line 1: a value that begins with & or *"},
		"an alias":             {"deny: &a [b]\nallow: *a\n", "line 1: a value that begins with & or *"},
		"one that has itself":  {"deny: &a [*a]\n", "a value that begins with"},
		"a merge":              {"timeout: &a {idle: 1s}\nkeys: {<<: *a}\n", "a value that begins with"},
		"lists in lists":       {repeated("["), "yaml"},
		"mappings in mappings": {deep + strings.Repeat("}", 5000), "nested deeper than any key"},
		"deep, in a list":      {"deny: " + strings.Repeat("[", 9000) + strings.Repeat("]", 9000), "nested deeper"},
		"dashes":               {repeated("- "), "yaml"},
		"questions":            {repeated("? "), "yaml"},
		"keys that none knows": {numbered("k%d: v\n"), "there are more keys that nobody knows"},
		"a key again":          {repeated("log: text\n"), "line 2: log is set twice"},
		"no values":            {numbered("k%d: [[a]]\n"), "line 1: k0: a list may hold plain values only"},
		"a long list":          {"deny: [" + repeated("a,") + "]", ""},
		"a long list of lines": {"deny:\n" + repeated("- b # c\n"), ""},
		"comments":             {repeated("#\n"), ""},
		"blanks":               {"log: text" + repeated(" "), ""},
		"lines without end":    {"log: >\n" + repeated("\n"), ""},
		"NULs":                 {repeated("\x00"), "control characters"},
		"UTF-16":               {"\xff\xfe" + repeated("a\x00"), "expected key: value"},
		"tags":                 {repeated("!a "), "yaml"},
		"documents":            {repeated("---\n"), "a second document"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := checkReading(t, app, c.text)
			if (c.want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("%.300v, want %q", err, c.want)
			}
		})
	}
}

// FuzzConfig: whatever a configuration file has in it, reading it costs no more than its length allows,
// and a key that is taken is one that there is.
func FuzzConfig(f *testing.F) {
	example, err := os.ReadFile("../config.example.yaml")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(example))
	f.Add(everyKey)
	f.Add(secrets)
	f.Add("timeout: {idle: 1s}\ndeny: [\"*\"]\n---\n")
	f.Add("a: &a [*a]\n<<: *a\n? [a]\n: b\n")
	parser, err := newParser(&commandLine{})
	if err != nil {
		f.Fatal(err)
	}
	app, known := parser.Model, configKeys(parser.Model)
	f.Fuzz(func(t *testing.T, text string) {
		config, err := checkReading(t, app, text)
		for name := range config {
			if err == nil && !known[name] {
				t.Errorf("%q is taken", name)
			}
		}
	})
}
