package replay

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"warcorder/store/replay/rules"
)

// modelWorld makes captures and requests by chance, which are so alike that they meet.
type modelWorld struct{ *rand.Rand }

func newModelWorld(seed uint64) modelWorld {
	return modelWorld{rand.New(rand.NewPCG(seed, 1))}
}

// oneOf returns one of some texts; the first is the usual one.
func (w modelWorld) oneOf(texts ...string) string {
	if w.IntN(2) == 0 {
		return texts[0]
	}
	return texts[w.IntN(len(texts))]
}

// some returns some of the texts, in any order.
func (w modelWorld) some(texts ...string) (all []string) {
	for _, i := range w.Perm(len(texts)) {
		if w.IntN(3) == 0 {
			all = append(all, texts[i])
		}
	}
	return all
}

// usual is what most worlds are answered with; some have no wholes.
var usual = []int{200, 200, 200, 200, 404, 503, 206, 304, 416, 412, 301, 303, 307}

// captures returns captures that are made one of another, each of another minute.
func (w modelWorld) captures() []modelled {
	all := []modelled{{method: w.oneOf("GET", "POST", "HEAD", "PUT"), scheme: "http",
		host: "example.com", path: "/a"}}
	for range 2 + w.IntN(12) {
		all = append(all, w.like(all))
	}
	minutes, statuses := w.Perm(2*len(all)), usual
	switch w.IntN(4) {
	case 0:
		statuses = []int{206, 206, 304, 416}
	case 1:
		statuses = []int{412, 416, 301, 304}
	}
	for i := range all {
		all[i].at = 1 + minutes[i]
		w.answer(&all[i], statuses)
	}
	return all
}

// like returns a request that is like that of one of the captures.
func (w modelWorld) like(captured []modelled) modelled {
	of := &captured[w.IntN(len(captured))]
	m := modelled{method: of.method, scheme: of.scheme, host: of.host, path: of.path,
		args: of.args, body: of.body}
	for w.IntN(3) > 0 {
		w.change(&m)
	}
	if m.fields = w.some("X-A: 1", "X-B: 1", "Accept-Encoding: gzip", "Accept: application/json",
		"Sec-Fetch-Dest: document"); w.IntN(3) == 0 {
		m.fields = append(m.fields, "X-C: "+w.oneOf("1", "2", "3"))
	}
	if m.method == "GET" || m.method == "HEAD" {
		m.body = nil
	}
	return m
}

// change changes one thing of a request.
func (w modelWorld) change(m *modelled) {
	switch w.IntN(8) {
	case 0:
		m.scheme = w.oneOf("http", "https")
	case 1:
		m.host = w.oneOf("example.com", "www.example.com")
	case 2:
		m.path = w.oneOf("/a", "/A", "/b")
	case 3:
		m.args = w.some("a=1", "b=2", "r="+w.oneOf("x", "yy"), "s="+w.oneOf("long-one", "long-other"))
	case 4:
		m.args = slices.Clone(m.args)
		w.Shuffle(len(m.args), func(i, j int) { m.args[i], m.args[j] = m.args[j], m.args[i] })
	case 5:
		m.method = w.oneOf("GET", "POST", "HEAD", "PUT")
	default:
		long := "a=" + strings.Repeat("x", 5000)
		m.body = [][]string{nil, {"a=1"}, {"b=2", "a=1"}, {"a=1", "b=2"}, {long + "1"}, {long + "2"}}[w.IntN(6)]
	}
}

// answer answers a request with one of some statuses. Of redirects none leads to one that leads back.
func (w modelWorld) answer(m *modelled, statuses []int) {
	m.status = statuses[w.IntN(len(statuses))]
	m.cut = w.IntN(8) == 0 && m.status != 304 && m.method != "HEAD"
	m.coding, m.mime = w.oneOf("", "gzip"), w.oneOf("", "text/html", "application/json")
	m.vary = w.oneOf("", "X-A", "X-B, X-C", "X-A, X-B, X-C", "*")
	if !isRedirect(m.status) {
		return
	}
	to := *m
	if w.IntN(2) == 0 {
		to.scheme = "https"
	}
	if w.IntN(3) == 0 {
		to.path = "/elsewhere"
	}
	m.to = to.url()
}

// moment returns the moment that is wanted; zero for the latest.
func (w modelWorld) moment() time.Time {
	if w.IntN(3) == 0 {
		return time.Time{}
	}
	return minute(w.IntN(30)).Add(time.Duration(w.IntN(3)) * 29 * time.Second)
}

// rules returns the rules of the model.
func (w modelWorld) rules(t *testing.T) *rules.Set {
	t.Helper()
	set, err := rules.Parse([]byte(modelRules))
	if err != nil {
		t.Fatal(err)
	}
	return set
}
