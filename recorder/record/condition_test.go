package record

import (
	"slices"
	"strings"
	"testing"
)

// FuzzCondition: of whatever a client sends, a condition that counts names as many tags as are
// looked for, or a date, and is covered by nothing but versions that bear each of them.
func FuzzCondition(f *testing.F) {
	for _, fields := range []string{
		"If-None-Match: \"1\", W/\"2\"\r\n", "If-None-Match: *\r\n", "if-none-match : 1,2\n",
		"If-Modified-Since: Mon, 14 Nov 1994 08:12:31 GMT\r\n", "If-None-Match: \"1\"\r\n \"2\"\r\n",
		"If-None-Match: " + strings.Repeat("\"x\",", 20) + "\r\n", "If-None-Match: \"a,b\" , c\r\n",
	} {
		f.Add("GET / HTTP/1.1\r\n" + fields + "\r\n")
	}
	f.Fuzz(func(t *testing.T, head string) {
		c, ok := ConditionOf([]byte(head))
		if !ok {
			return
		}
		if len(c.tags) > MaxTags || len(c.tags) == 0 && c.since == "" || slices.Contains(c.tags, "*") {
			t.Fatalf("%+v", c)
		}
		if c.Covers(Validators{}) {
			t.Fatalf("%+v is covered by a version without validators", c)
		}
		for i, tag := range slices.Clone(c.tags) {
			if !strings.Contains(head, tag) {
				t.Fatalf("%q is not in the request", tag)
			}
			rest := slices.ContainsFunc(c.tags, func(other string) bool { return other != tag })
			if c.Covers(Validators{ETag: "W/" + tag}) == rest && len(c.tags) > 0 {
				t.Fatalf("covered by tag %d of %q: %v", i, head, !rest)
			}
		}
		if c.since != "" && !c.Covers(Validators{Modified: c.since}) {
			t.Fatalf("not covered by its own date %q", c.since)
		}
	})
}
