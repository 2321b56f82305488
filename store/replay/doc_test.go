package replay

import (
	"os"
	"strings"
	"testing"

	"warcorder/store/replay/rules"
)

// pageOfDoc is doc/replay.md.
func pageOfDoc(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../doc/replay.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestDocReasons: the page on replay has each reason of a miss, and each name by which a capture is
// found.
func TestDocReasons(t *testing.T) {
	text := pageOfDoc(t)
	for _, word := range []string{
		whyNotCaptured, whyOtherBody, whyBeyond, whyPart, whyCut, whyNotModified, whyItself, whyRound,
		whyFrames, whyMissing, whyNoOriginal, whyOutside, whyNoMessage, whyDamaged, whyUnread, whyStorage,
		ruleExact, ruleQuery, rulePywb, ruleForm, ruleParts, rulePreflight,
	} {
		if !strings.Contains(text, "`"+word+"`") {
			t.Errorf("doc/replay.md does not have %q", word)
		}
	}
}

// TestDocRule: without the rule of the page the request in front of it is missed, with the capture
// that the page has as the nearest one; with the rule that capture answers.
func TestDocRule(t *testing.T) {
	_, text, _ := strings.Cut(pageOfDoc(t), "\nGET ")
	missed, text, _ := strings.Cut(text, "\n")
	nearest, text, _ := strings.Cut(text, "\n")
	_, text, _ = strings.Cut(text, "replay-rules:\n")
	own, _, found := strings.Cut(text, "```")
	if !found {
		t.Fatal("doc/replay.md has no example")
	}
	nearest = strings.TrimSpace(nearest)
	set, err := rules.Parse([]byte(own))
	if err != nil {
		t.Fatal(err)
	}
	r := archived(t, Config{}, exchange{url: nearest, text: "listed"})
	if answer, _ := r.ask(exchange{url: missed}); answer.status() != "404" {
		t.Errorf("without the rule: %s", answer)
	}
	miss := r.Report().Documents[0].Misses[0]
	if miss.URL != missed || miss.Why != whyNotCaptured || miss.Nearest == nil ||
		miss.Nearest.URL != nearest {
		t.Errorf("the report has %+v", miss)
	}
	r.cfg.Rules = rules.Shipped()
	if answer, _ := r.ask(exchange{url: missed}); answer.status() != "404" {
		t.Errorf("by the rules that are built in: %s", answer)
	}
	r.cfg.Rules = set
	if answer, got := r.ask(exchange{url: missed}); answer.status() != "200" || got != "listed" {
		t.Errorf("with the rule: %s%s", answer, got)
	}
	other := strings.Replace(missed, "page=2", "page=3", 1)
	if answer, _ := r.ask(exchange{url: other}); other == missed || answer.status() != "404" {
		t.Errorf("%s: %s", other, answer)
	}
}
