package cmd

import (
	"os"
	"strings"
	"testing"

	"warcorder/store/replay/rules"
)

// TestReplayRules: own rules are read from the configuration file, and an error says which, and
// where. The example of the documentation is one that is sound.
func TestReplayRules(t *testing.T) {
	doc, err := os.ReadFile("../doc/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(doc), "```yaml\nreplay-rules:")
	example, _, found := strings.Cut("replay-rules:"+example, "```")
	if !found {
		t.Fatal("doc/operating.md has no example")
	}
	line, err := parse(t, "--config", writeFile(t, example))
	if err != nil {
		t.Fatal(err)
	}
	own, err := rules.Parse([]byte(line.Record.Rules))
	if err != nil {
		t.Fatal(err)
	}
	asked := rules.Asked{Method: "GET", URL: "https://a.shop.example/api/x?visit=7"}
	if found := own.For(&asked); len(found) == 0 || found[0].Rule != "shop-visit" {
		t.Errorf("the example finds %v", found)
	}
	for _, c := range []struct{ file, want string }{
		{"log: text\nreplay-rules:\n  - name: a\n    query: {x: any}\n  - name: b\n    query: {x: number}\n",
			`line 2: rule "b", line 5: query: x: "number" is no kind`},
		{"replay-rules:\n  - name: a\n    query: {x: any}\n    same: [[\"http://a/?y=1\", \"http://a/?y=2\"]]\n",
			`rule "a", line 2: same: it tells http://a/?y=1 and http://a/?y=2 apart`},
		{"replay-rules: any\n", "expected a list of rules"},
		{"replay-rules: [a]\n", "expected a list of rules"},
	} {
		if _, err := parse(t, "--config", writeFile(t, c.file)); err == nil ||
			!strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", c.file, err, c.want)
		}
	}
}
