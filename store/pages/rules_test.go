package pages

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"warcorder/store"
)

var testTime = time.Date(2026, 11, 21, 5, 45, 12, 0, time.UTC)

// momentOf reads a moment: milliseconds, a URL, and words: nav, frame, worker, style, script, leaf,
// empty (as browsers tell), html (of no told destination), from=URL, origin=URL, to=URL, and others.
func momentOf(t *testing.T, line string) (m store.Moment) {
	t.Helper()
	var ms int
	words := strings.Fields(line)
	if _, err := fmt.Sscan(words[0], &ms); err != nil {
		t.Fatal(line, err)
	}
	m.Time = testTime.Add(time.Duration(ms) * time.Millisecond)
	m.URL = store.HashURL(words[1])
	for _, word := range words[2:] {
		name, value, _ := strings.Cut(word, "=")
		told, isDest := map[string]store.Dest{"frame": store.DestFrame, "empty": store.DestEmpty,
			"worker": store.DestWorker, "style": store.DestStyle, "script": store.DestScript,
			"leaf": store.DestLeaf}[name]
		trait := map[string]store.Traits{"html": store.HTML | store.OK, "browser": store.Browser,
			"upgrades": store.Upgrades, "scripted": store.Scripted, "ahead": store.Ahead,
			"aside": store.Aside, "reserved": store.Reserved, "about": store.About, "post": store.NotGET}[name]
		site := map[string]store.Site{"none": store.SiteNone, "same": store.SiteSameOrigin}[name]
		switch {
		case name == "served":
			m.Dest, m.Traits = store.DestEmpty, m.Traits|store.Told|store.Navigates|store.Upgrades
		case name == "nav":
			m.Dest, m.Traits = store.DestDocument, m.Traits|store.Told|store.Navigates
		case isDest:
			m.Dest, m.Traits = told, m.Traits|store.Told
			if name == "frame" {
				m.Traits |= store.Navigates
			}
		case name == "from":
			m.Referer = store.HashURL(value)
			if strings.Count(value, "/") == 3 && strings.HasSuffix(value, "/") {
				m.Traits |= store.AtRoot
			}
		case name == "origin":
			m.Referer, m.Traits = store.HashURL(value), m.Traits|store.ByOrigin
		case name == "to":
			m.Next = store.HashURL(value)
		case trait != 0:
			m.Traits |= trait
		case site != 0:
			m.Site = site
		case word != "plain":
			t.Fatalf("%s: %s", line, word)
		}
	}
	return m
}

// TestRules: what is a page, and whose resource everything else is. Each line ends with what it
// belongs to: the number of the line of a page, or "-".
func TestRules(t *testing.T) {
	for name, lines := range map[string]string{
		"a page": `
			0 https://a/p nav none > 0
			10 https://a/i.png leaf from=https://a/p > 0
			20 https://a/c.css style from=https://a/p > 0
			30 https://a/f.woff leaf from=https://a/c.css > 0`,
		"two pages at once": `
			0 https://a/p nav none > 0
			1 https://a/q nav none > 1
			2 https://a/i.png leaf from=https://a/p > 0
			3 https://a/i.png leaf from=https://a/q > 1`,
		"one URL twice": `
			0 https://a/p nav none > 0
			5 https://a/i.png leaf from=https://a/p > 0
			90 https://a/p nav none > 2
			95 https://a/i.png leaf from=https://a/p > 2`,
		"frames, workers and what they ask for": `
			0 https://a/p nav none > 0
			1 https://b/f frame from=https://a/ > 0
			2 https://b/i.png leaf from=https://b/f > 0
			3 https://c/g frame from=https://b/ > 0
			4 https://d/i.png leaf from=https://c/ > 0
			5 https://a/w.js worker from=https://a/p > 0
			6 https://a/data leaf from=https://a/w.js > 0
			7 https://a/m.js script from=https://a/p > 0
			8 https://a/n.js script from=https://a/m.js > 0`,
		"only the origin is told": `
			0 https://a/p nav none > 0
			1 https://b/q nav none > 1
			2 https://cdn/x.js script from=https://a/ > 0
			3 https://cdn/y.js script from=https://b/ > 1
			4 https://cdn/z.js leaf origin=https://a > 0`,
		"the root and another page of its origin": `
			0 https://a/ nav none > 0
			1 https://a/p nav none > 1
			2 https://a/i.png leaf from=https://a/ > 0
			3 https://b/i.png leaf from=https://a/ > 1`,
		"what keeps its URL to itself": `
			0 https://a/ nav none > 0
			1 https://a/p nav none reserved > 1
			2 https://a/i.png leaf same from=https://a/ > 1
			3 https://b/i.png leaf > 1
			4 https://a/q nav none > 4
			5 https://a/i.png leaf same from=https://a/ > 0`,
		"styles by a service worker": `
			0 https://a/p nav none > 0
			1 https://a/c.css empty from=https://a/p > 0
			2 https://a/i.png empty from=https://a/c.css > 0`,
		"a URL that a script has made": `
			0 https://a/p nav none > 0
			1 https://a/data leaf from=https://a/p/made > 0`,
		"redirects": `
			0 http://a/ nav none to=https://a/ > 2
			1 https://a/ nav none to=https://a/p > 2
			2 https://a/p nav none > 2
			3 https://a/i.png leaf from=https://a/p > 2`,
		"redirects in a circle": `
			0 https://a/ nav to=https://b/ > -
			1 https://b/ nav to=https://a/ > -
			2 https://a/ nav to=https://b/ > -
			3600000 https://c/ nav > 3`,
		"a redirect that leads nowhere": `
			0 https://a/ nav to=https://b/ > -
			60000 https://b/ nav > 1`,
		"a redirect of a resource": `
			0 https://a/p nav none > 0
			1 https://a/i leaf from=https://a/p to=https://b/i.png > 0
			2 https://b/i.png leaf from=https://a/ > 0`,
		"a prefetch, a download, and nothing": `
			0 https://a/p nav none > 0
			1 https://a/q nav ahead from=https://a/p > 0
			2 https://a/z nav aside from=https://a/p > 0`,
		"a prefetch that is shown": `
			0 https://a/p nav none > 0
			1000 https://a/q nav html ahead from=https://a/p > 1
			2000 https://a/q.png leaf same from=https://a/q > 1
			9000 https://a/r nav same from=https://a/q > 3
			9001 https://a/r.png leaf same from=https://a/r > 3`,
		"a prefetch in the cache, shown by going on": `
			0 https://a/p nav none > 0
			1000 https://a/q empty html ahead from=https://a/p > 1
			9000 https://a/r nav same from=https://a/q > 2`,
		"a prefetch that is asked for again": `
			0 https://a/p nav none > 0
			1000 https://a/q nav html ahead from=https://a/p > 0
			2000 https://a/q nav from=https://a/p > 2
			2001 https://a/q.png leaf from=https://a/q > 2`,
		"a prefetch too long ago": `
			0 https://a/p nav none > 0
			1000 https://a/q nav html ahead from=https://a/p > 0
			601000 https://a/q.png leaf from=https://a/q > 0`,
		"what was rendered ahead, and shown": `
			0 https://a/p nav none > 0
			1000 https://a/q nav html ahead from=https://a/p > 1
			1001 https://a/q.css style ahead from=https://a/q > 1
			1002 https://a/q.woff leaf ahead from=https://a/q.css > 1
			5000 https://b/s nav none > 4
			6000 https://a/q2.png leaf same from=https://a/q > 1
			6001 https://a/late leaf same > 1`,
		"what was rendered ahead, and not shown": `
			0 https://a/p nav none > 0
			1000 https://a/q nav html ahead from=https://a/p > 0
			1001 https://a/q.css style ahead from=https://a/q > 0
			2000 https://a/r nav from=https://a/p > 3
			2001 https://a/data empty origin=https://a > 3`,
		"the whole of a page, later": `
			0 https://a/p nav none > 0
			1 https://a/q nav from=https://a/p > 1
			2 https://a/q nav aside from=https://a/p > 1
			3 https://a/r nav aside from=https://a/p > 0
			4 https://a/p aside html > 0`,
		"without a Referer": `
			0 https://a/p nav none > 0
			1 https://b/q nav none > 1
			2 https://a/i.png leaf same > 0
			3 https://c/i.png leaf > 1
			4 https://c/update leaf none > -
			40000 https://a/i.png leaf same > -`,
		"of a browser that tells nothing": `
			0 http://a/p html browser upgrades > 0
			10 http://a/i.png plain browser from=http://a/p > 0
			20 http://a/f html browser upgrades from=http://a/p > 0
			30 http://a/x html browser from=http://a/p > 0
			40 http://a/y html scripted from=http://a/p > 0
			4000 http://a/q html browser upgrades from=http://a/p > 5`,
		"of a crawler that calls itself a browser": `
			0 http://a/ html > 0
			1000 http://a/1 html from=http://a/ > 1
			2000 http://a/2 html from=http://a/ > 2
			2001 http://a/2.png plain from=http://a/2 > 2`,
		"not modified, of a browser that tells nothing": `
			0 http://a/ html browser upgrades > 0
			60000 http://a/1 html browser upgrades from=http://a/ > 1
			120000 http://a/ html browser upgrades > 2
			120010 http://a/1.png plain browser from=http://a/ > 2`,
		"the whole of what names no page, later": `
			0 https://a/p nav none > 0
			1 https://a/film leaf > 0
			40000 https://a/film leaf aside > 0
			40001 https://a/zip leaf aside > -
			40002 https://a/film leaf > -
			40003 https://a/film leaf none aside > -
			40004 https://a/q nav none > 6
			40005 https://a/film leaf aside > 6
			40006 https://b/ nav none > 8
			80000 https://a/film leaf aside > 6`,
		"behind a service worker": `
			0 https://a/p nav none > 0
			1 https://a/sw.js worker from=https://a/p > 0
			9000 https://a/q served same from=https://a/p > 2
			9010 https://a/i.png leaf same from=https://a/q > 2
			9020 https://a/f served same from=https://a/q > 2
			9030 https://a/j.png leaf same from=https://a/f > 2
			9040 https://a/r served same > 6
			9050 https://a/k.png leaf same from=https://a/r > 6`,
		"of a crawler": `
			0 http://a/p html > 0
			1 http://a/q html from=http://a/p > 1
			2 http://a/i.png plain from=http://a/q > 1
			3 http://a/old plain from=http://a/p to=http://a/new > 4
			4 http://a/new html from=http://a/p > 4
			5 http://a/form html post from=http://a/p > 0`,
		"records about a page": `
			0 https://a/p nav none > 0
			1 https://b/ nav none > 1
			2 urn:view:https://a/p about from=https://a/p > 0
			3 urn:text:https://x/ about from=https://x/ > -`,
		"Referers in a circle": `
			0 https://a/1 style from=https://a/2 > -
			1 https://a/2 style from=https://a/1 > -
			2 https://a/1 nav none > 2
			3 https://a/2 style from=https://a/1 > 2
			4 https://a/1 style from=https://a/2 > 2`,
		"an hour later": `
			0 https://a/p nav none > 0
			3599999 https://a/i.png leaf from=https://a/p > 0
			7200000 https://a/j.png leaf from=https://a/p > -`,
	} {
		t.Run(name, func(t *testing.T) {
			all := strings.Split(strings.TrimSpace(lines), "\n")
			var moments []store.Moment
			for i, line := range all {
				line, _, _ = strings.Cut(line, ">")
				m := momentOf(t, line)
				m.Offset = int64(i)
				moments = append(moments, m)
			}
			got := make([]string, len(all))
			w := newWalk()
			w.belongs = func(m *store.Moment, to *visited) {
				got[m.Offset] = "-"
				if to != nil {
					got[m.Offset] = fmt.Sprint(to.moment.Offset)
				}
			}
			for i := range moments {
				w.add(&moments[i], nil)
			}
			w.end()
			for i, line := range all {
				if _, want, _ := strings.Cut(line, "> "); got[i] != want {
					t.Errorf("%s: %s", strings.TrimSpace(line), got[i])
				}
			}
		})
	}
}
