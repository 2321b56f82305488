package pages

import (
	"fmt"
	"strings"
	"testing"

	"warcorder/recorder"
	"warcorder/store"
)

// TestLost: to which page a gap belongs. Each line is a capture or, with the reason of one, a gap, as those
// of TestRules are; of a gap it ends with what that belongs to.
func TestLost(t *testing.T) {
	if reasonCut != recorder.GapCut {
		t.Errorf("%q is not %q", reasonCut, recorder.GapCut)
	}
	for name, lines := range map[string]string{
		"what names its page": `
			0 https://a/p nav none
			1 https://a/q nav none
			90000 https://a/i.png leaf from=https://a/p gap=upstream > 0
			90000 https://a/i.png leaf from=https://a/p gap=cut > 0`,
		"what names no page": `
			0 https://a/p nav none
			1 https://a/film leaf
			20000 https://a/film leaf gap=upstream > 0
			60000 https://a/film leaf gap=upstream > -
			60000 https://a/film leaf gap=cut > 0
			60000 https://a/other leaf gap=cut > -`,
		"what names no page, while another page loads": `
			0 https://a/p nav none
			1 https://a/film leaf
			10000 https://a/q nav none
			20000 https://a/film leaf gap=cut > 0
			20000 https://a/film leaf gap=upstream > 2`,
		"what names the origin alone, while another page of it loads": `
			0 https://a/p nav none
			1 https://cdn/film leaf from=https://a/
			10000 https://a/q nav none
			20000 https://cdn/film leaf from=https://a/ gap=cut > 0
			20000 https://cdn/film leaf from=https://a/ gap=upstream > 2`,
		"a page": `
			0 https://a/p nav none
			90000 https://a/p nav none gap=cut > 0
			90000 https://a/none nav none gap=upstream > -`,
		"a page of a browser that does not tell, from another page": `
			0 http://a/p html browser upgrades
			9000 http://a/q html browser upgrades from=http://a/p
			90000 http://a/q browser upgrades from=http://a/p gap=cut > 1
			90000 http://a/q browser upgrades from=http://a/p gap=upstream > 0`,
		"an hour later": `
			0 https://a/p nav none
			1 https://a/film leaf
			3500000 https://a/i.png leaf from=https://a/p
			3700000 https://a/film leaf gap=cut > -`,
	} {
		w := newWalk()
		var want, got []string
		w.lost.belong = func(_ *store.Gap, to *visited) {
			if to == nil {
				got = append(got, "-")
			} else {
				got = append(got, fmt.Sprint(to.moment.Offset))
			}
		}
		var moments []store.Moment
		for line := range strings.SplitSeq(strings.TrimSpace(lines), "\n") {
			line, page, _ := strings.Cut(line, " > ")
			line, reason, isGap := strings.Cut(line, " gap=")
			m := momentOf(t, line)
			if m.Offset = int64(len(moments)); !isGap {
				moments = append(moments, m)
				continue
			}
			w.lost.gaps = append(w.lost.gaps, store.Gap{Time: m.Time, URL: strings.Fields(line)[1],
				Reason: reason, Visit: m.Visit})
			want = append(want, page)
		}
		for i := range moments {
			w.add(&moments[i], nil)
		}
		w.until(w.now.Add(2 * pause))
		if fmt.Sprint(got) != fmt.Sprint(want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}
