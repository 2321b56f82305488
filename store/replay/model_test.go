package replay

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// The model says which capture answers a request as doc/replay.md says it, and as plainly: it looks
// at every capture for each way of finding one, and has no keys, no index and no bounds.

// modelled is a request and how it was answered.
type modelled struct {
	method, scheme, host, path string
	args                       []string // NAME=VALUE
	body                       []string // the same, of a form
	fields                     []string // of the request

	at         int // minutes
	status     int
	cut        bool
	to         string // Location
	coding     string
	vary, mime string
}

func (m *modelled) url() string {
	u := m.scheme + "://" + m.host + m.path
	if len(m.args) > 0 {
		u += "?" + strings.Join(m.args, "&")
	}
	return u
}

// way is a way of finding what was captured of a request; fits reports whether a capture is found.
type modelWay struct {
	rule string
	fits func(*modelled) bool
}

// ways are those of doc/replay.md, the strictest first.
func (m *modelled) ways() []modelWay {
	sameKey := func(method string) func(*modelled) bool {
		return func(c *modelled) bool {
			return c.method == method && c.site() == m.site() && c.cutArgs() == m.cutArgs()
		}
	}
	var all []modelWay
	if len(m.body) > 0 {
		all = append(all, modelWay{ruleQuery, func(c *modelled) bool {
			return c.method == m.method && c.site() == m.site() && sorted(c.args) == sorted(m.args) &&
				slices.Equal(c.body, m.body)
		}})
	}
	isCut := len(strings.Join(m.body, "&")) >= maxQuery
	if !isCut {
		all = append(all, modelWay{rulePywb, sameKey(m.method)})
	}
	if m.method == "HEAD" {
		all = append(all, modelWay{rulePywb, sameKey("GET")})
	}
	all = append(all, m.waysByRules()...)
	if isCut {
		all = append(all, modelWay{rulePywb, sameKey(m.method)})
	}
	return all
}

// modelRules are the rules of the model: the arguments r and s say nothing; r is always shorter.
const modelRules = `
- {name: r, for: the model, query: {r: any}, same: [["http://a.test/?r=1", "http://a.test/?r=2"]],
   differs: [["http://a.test/?r=1", "http://a.test/?s=1"]]}
- {name: s, for: the model, query: {s: any}, same: [["http://a.test/?s=1", "http://a.test/?s=2"]],
   differs: [["http://a.test/?r=1", "http://a.test/?s=1"]]}
`

// waysByRules are what leaves out r, s, or both, as far as they are asked. Of captures in which
// nothing is left, those that had something go before those that had nothing.
func (m *modelled) waysByRules() (all []modelWay) {
	has := func(name string) bool {
		return slices.ContainsFunc(m.args, func(a string) bool { return strings.HasPrefix(a, name) })
	}
	method := m.method
	if method == "HEAD" {
		method = "GET"
	}
	for _, names := range []string{"r", "s", "r+s"} {
		if !has(names[:1]+"=") || len(names) > 1 && !has("s=") {
			continue
		}
		left := func(c *modelled) string {
			return sorted(slices.DeleteFunc(slices.Clone(c.args), func(a string) bool {
				return strings.Contains(names, a[:1])
			}))
		}
		fits := func(c *modelled) bool {
			return c.method == method && plainHost(c.host) == plainHost(m.host) && c.path == m.path &&
				left(c) == left(m) && sorted(c.body) == sorted(m.body)
		}
		all = append(all,
			modelWay{names, func(c *modelled) bool {
				return fits(c) && (method != "GET" || len(c.args) > 0)
			}},
			modelWay{names, func(c *modelled) bool {
				return fits(c) && method == "GET" && len(c.args) == 0
			}})
	}
	return all
}

// site is what a URL key has of host and path.
func (m *modelled) site() string { return plainHost(m.host) + strings.ToLower(m.path) }

func plainHost(host string) string { return strings.TrimPrefix(host, "www.") }

// cutArgs are the arguments of a URL key, in which those of a body are cut.
func (m *modelled) cutArgs() string {
	body := strings.Join(m.body, "&")
	return sorted(append(slices.Clone(m.args), strings.Split(body[:min(len(body), maxQuery)], "&")...))
}

func sorted(args []string) string {
	args = slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "" })
	slices.Sort(args)
	return strings.Join(args, "&")
}

// answers returns what answers m: a whole, or the parts of which the answer is made.
func (m *modelled) answers(captured []modelled, at time.Time) (rule string, found []*modelled) {
	for _, w := range m.ways() {
		var wholes, parts, unfit []*modelled
		for i := range captured {
			c := &captured[i]
			switch {
			case !w.fits(c) || c.status == 304 || c.status == 101 || m.isItself(c):
			case c.status == 416 || c.status == 412:
				unfit = append(unfit, c)
			case c.status == 206 || c.cut && !isRedirect(c.status):
				parts = append(parts, c)
			default:
				wholes = append(wholes, c)
			}
		}
		if found = m.best(wholes, at); found == nil {
			found = m.joinable(parts, at)
		}
		if found == nil {
			found = m.best(unfit, at)
		}
		if found != nil {
			return m.named(w.rule, found[0]), found
		}
	}
	return "", nil
}

// joinable returns the parts of which an answer to m is made: those of GETs with the nearest URL, or
// of what else was cut the nearest one.
func (m *modelled) joinable(parts []*modelled, at time.Time) (found []*modelled) {
	if len(parts) == 0 {
		return nil
	}
	order := func(a, b *modelled) int {
		return cmp.Or(m.near(a)-m.near(b), cmp.Compare(away(a, at), away(b, at)), b.at-a.at)
	}
	slices.SortFunc(parts, order)
	for _, c := range parts {
		if m.near(c) == m.near(parts[0]) && c.method == "GET" && (c.status == 200 || c.status == 206) {
			found = append(found, c)
		}
	}
	if found == nil {
		return parts[:1]
	}
	return found
}

// away is how far a capture is from the moment that is wanted.
func away(c *modelled, at time.Time) time.Duration {
	if at.IsZero() {
		return minute(1e6).Sub(minute(c.at))
	}
	return minute(c.at).Sub(at).Abs()
}

func (m *modelled) named(rule string, c *modelled) string {
	if rule == rulePywb && len(m.body)+len(c.body) == 0 && c.url() == m.url() {
		return ruleExact
	}
	return rule
}

// isItself reports whether a capture redirects to what is asked for, or to a spelling of it unless
// it was captured at the one that is asked for.
func (m *modelled) isItself(c *modelled) bool {
	if c.to == "" || m.method == "POST" && c.status <= 303 || m.method == "PUT" && c.status == 303 {
		return false
	}
	to := *m
	to.scheme, to.host, _ = strings.Cut(c.to, "://")
	to.host, to.path, _ = strings.Cut(to.host, "/")
	to.path, _, _ = strings.Cut("/"+to.path, "?")
	_, query, _ := strings.Cut(c.to, "?")
	to.args = strings.Split(query, "&")
	return c.to == m.url() ||
		c.url() != m.url() && to.site() == m.site() && sorted(to.args) == sorted(m.args)
}

// best returns the best of captures, if there is any.
func (m *modelled) best(all []*modelled, at time.Time) []*modelled {
	if len(all) == 0 {
		return nil
	}
	return []*modelled{slices.MinFunc(all, func(a, b *modelled) int {
		return slices.Compare(m.rank(a, at), m.rank(b, at))
	})}
}

// rank is what counts among captures that are found alike, the most important first.
func (m *modelled) rank(c *modelled, at time.Time) []int {
	var unread, kind, absent, other int
	if c.coding != "" && !slices.Contains(m.fields, "Accept-Encoding: "+c.coding) {
		unread = 1
	}
	asksJSON := slices.Contains(m.fields, "Accept: application/json")
	if asksJSON && c.mime == "text/html" || slices.Contains(m.fields, "Sec-Fetch-Dest: document") &&
		c.mime == "application/json" {
		kind = 1
	}
	for name := range strings.SplitSeq(c.vary, ", ") {
		switch x, y := fieldOf(m.fields, name), fieldOf(c.fields, name); {
		case c.vary == "" || name == "*" || x == y:
		case x == "" || y == "":
			absent++
		default:
			other++
		}
	}
	star := strings.Count(c.vary, "*")
	return []int{m.near(c), unread, star, kind, absent, other, int(away(c, at) / time.Second), -c.at}
}

func fieldOf(fields []string, name string) string {
	for _, f := range fields {
		if value, is := strings.CutPrefix(f, name+": "); is {
			return value
		}
	}
	return ""
}

// near is how near the URL of a capture is to the one that is asked for: it is the same; another
// order or case; another scheme; another host.
func (m *modelled) near(c *modelled) int {
	switch {
	case c.url() == m.url():
		return 0
	case c.host != m.host:
		return 3
	case c.scheme != m.scheme:
		return 2
	}
	return 1
}

// exchange is how m was recorded.
func (m *modelled) exchange() exchange {
	x := exchange{method: m.method, url: m.url(), body: strings.Join(m.body, "&"), at: m.at,
		response: fmt.Sprintf("HTTP/1.1 %d Text", cmp.Or(m.status, 200))}
	for _, f := range m.fields {
		x.fields += f + "\r\n"
	}
	if x.body != "" {
		x.fields += formType
	}
	for _, f := range [][2]string{{"Location", m.to}, {"Content-Encoding", m.coding},
		{"Vary", m.vary}, {"Content-Type", m.mime}} {
		if f[1] != "" {
			x.response += "\n" + f[0] + ": " + f[1]
		}
	}
	if m.status == 206 {
		x.response += "\nContent-Range: bytes 0-3/10"
	}
	if m.method != "HEAD" && m.status != 304 {
		x.text = fmt.Sprintf("%04d", m.at)
	}
	if m.cut {
		x.truncated = "time"
	}
	return x
}

// FuzzModel: of captures that are made by chance, requests like them get the one that the model
// says, found by what it says.
func FuzzModel(f *testing.F) {
	for seed := range uint64(48) {
		f.Add(seed)
	}
	f.Fuzz(checkModel)
}

// checkModel holds an archive against the model.
func checkModel(t *testing.T, seed uint64) {
	w := newModelWorld(seed)
	captured := w.captures()
	r := archived(t, Config{At: w.moment(), Rules: w.rules(t)})
	for i := range captured {
		r.add(captured[i].exchange())
	}
	r.settle()
	for range 30 {
		asked := w.like(captured)
		wantRule, want := asked.answers(captured, r.cfg.At)
		got, err := r.choose(r.asked(asked.exchange()))
		if err != nil {
			t.Fatal(err)
		}
		got.close()
		if !isOf(&got, want) || got.found() && got.rule != wantRule {
			t.Errorf("seed %d, at %v, asked %+v: found %s, want %s", seed, r.cfg.At, asked, shown(&got),
				wantRule+shownModels(want))
		}
	}
}

// isOf reports whether a choice is what the model wants: the one whole, or all these parts.
func isOf(got *choice, want []*modelled) bool {
	if got.whole != nil {
		return len(want) == 1 && got.whole.Time.Equal(minute(want[0].at))
	}
	for i := range got.parts {
		if !slices.ContainsFunc(want, func(m *modelled) bool {
			return got.parts[i].Time.Equal(minute(m.at))
		}) {
			return false
		}
	}
	return len(got.parts) == len(want)
}

func shown(c *choice) string {
	if c.whole != nil {
		return fmt.Sprint(c.rule, " ", c.whole.Time.Sub(begun).Minutes(), " ", c.whole.URL)
	}
	return fmt.Sprint(c.rule, " ", len(c.parts), " parts")
}

func shownModels(all []*modelled) (text string) {
	for _, m := range all {
		text += fmt.Sprintf(" %+v", *m)
	}
	return text
}
