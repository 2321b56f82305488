//go:build faults

package cmd

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"warcorder/store"
	"warcorder/store/fault"
	"warcorder/store/warc"
)

var (
	crashRounds = flag.Int("crash-rounds", 20, "how often TestCrash ends the recorder")
	crashSeed   = flag.Uint64("crash-seed", 0, "what TestCrash draws its chances from; 0 is a new one")
)

// roundsOfCollection is how many rounds use the same collection: each looks at all of it.
const roundsOfCollection = 8

// strike is a moment at which the recorder ends itself: when it comes to a point for the hit-th
// time.
type strike struct {
	point fault.Point
	hit   int
	with  string // other faults that lead there
}

// name is the point and the hit.
func (s strike) name() string { return fmt.Sprintf("%s %d", s.point, s.hit) }

// faults is what the recorder is told.
func (s strike) faults() string { return strings.TrimPrefix(s.with+",kill "+s.name(), ",") }

// strikesUnderLoad are the points that a recorder comes to while it records, first the first hits
// of all. A file is cut when a write has failed.
func strikesUnderLoad() []strike {
	return strikes([][]strike{
		hits(fault.Record, 1, 2,
			30), hits(fault.WARCCreate, 1, 2, 5), hits(fault.WARCCreated, 1, 2, 5), hits(fault.WARCWrite, 1, 2, 30), hits(fault.WARCSync, 1, 2, 9),
		hits(fault.WARCSynced, 1, 2,
			9), {{fault.WARCTruncate, 1, "fail warc-write 6-6"}, {fault.WARCTruncate, 2, ""}, {fault.WARCTruncate, 4, "fail warc-write 20-20"}},
		hits(fault.WARCRename, 1, 2,
			4), hits(fault.WARCRenamed, 1, 2, 4), hits(fault.IndexAddFile, 1, 2, 4), hits(fault.IndexCommit, 1, 2, 9),
		hits(fault.IndexCommitted, 1, 2, 9), hits(fault.Spill, 1, 2, 5), hits(fault.SpillNote, 1, 2, 5),
	})
}

// strikesAtStart are those that it comes to when it starts on what a crash has left.
func strikesAtStart() []strike {
	return strikes([][]strike{
		hits(fault.RecoverScan, 1, 2,
			1), hits(fault.RebuildFile, 1, 2, 5), hits(fault.RecoverCopy, 1, 2, 1), hits(fault.RebuildSwap, 1, 1, 1),
		hits(fault.RecoverCut, 1, 2,
			1), hits(fault.RebuildDone, 1, 1, 1), hits(fault.RecoverFinish, 1, 2, 1), hits(fault.RecoverSeal, 1, 2, 1), hits(fault.RecoverRewrite, 1, 2, 3),
		hits(fault.RecoverSpill, 1, 1, 1), hits(fault.RecoverSpilled, 1, 1, 1),
	})
}

func hits(point fault.Point, numbers ...int) (all []strike) {
	for _, n := range numbers {
		all = append(all, strike{point, n, ""})
	}
	return all
}

// strikes takes the first of each, then the second of each, and so on.
func strikes(byPoint [][]strike) (all []strike) {
	for i := range byPoint[0] {
		for _, of := range byPoint {
			all = append(all, of[i])
		}
	}
	return all
}

// strikeList gives out strikes, one after another and then again from the first one.
type strikeList struct {
	all   []strike
	given int
	tries int // of the one given last
}

// next gives the same strike again, a few times, as long as it has not ended a recorder: chance
// decides whether there was something to strike at.
func (l *strikeList) next(struck map[string]int) strike {
	if l.tries > 0 {
		last := l.all[(l.given-1)%len(l.all)]
		if struck[last.name()] == 0 && l.tries < 4 {
			l.tries++
			return last
		}
	}
	l.given, l.tries = l.given+1, 1
	return l.all[(l.given-1)%len(l.all)]
}

// TestCrash ends the recorder again and again, under load and in the middle of its recovery, and
// holds what is on disk against what clients got. Half of the ends come at a named point, and half
// after some number of exchanges. Now and then the index is lost too, or the end of a file.
func TestCrash(t *testing.T) {
	seed := *crashSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	c := &crash{
		t:         t,
		random:    rand.New(rand.NewPCG(seed, 0)),
		site:      newSite(t),
		ca:        filepath.Join(t.TempDir(), "ca"),
		struck:    map[string]int{},
		underLoad: strikeList{all: strikesUnderLoad()},
		atStart:   strikeList{all: strikesAtStart()},
	}
	began := time.Now()
	rounds := 0
	for ; rounds < *crashRounds || rounds < *crashRounds+20 && len(c.unstruck()) > 0; rounds++ {
		c.round(rounds)
		if t.Failed() {
			t.Fatalf("round %d; the same chances again: -crash-seed %d", rounds, seed)
		}
		if (rounds+1)%roundsOfCollection == 0 {
			c.endCollection()
		}
		if t.Failed() {
			t.Fatalf("at the end of the collection of round %d; the same chances again: -crash-seed %d",
				rounds, seed)
		}
	}
	if c.collections != "" {
		c.endCollection()
	}
	t.Logf(
		"seed %d: %d rounds in %v: %d ends at points, %d others; %d exchanges, %d captures, %d answers "+
			"not kept when it ended; %d refused",
		seed, rounds, time.Since(began).Round(time.Second), c.atPoints, c.byKill, c.serial.Load(),
		c.captures, c.unkept, c.refused)
	t.Logf("ends at points: %v", c.struck)
	if points := c.unstruck(); len(points) > 0 {
		t.Errorf("no recorder has ended at %v", points)
	}
}

// crash is what TestCrash knows.
type crash struct {
	t         *testing.T
	random    *rand.Rand
	site      *site
	ca        string
	serial    atomic.Int64
	underLoad strikeList
	atStart   strikeList
	struck    map[string]int // how often each strike has ended a recorder

	*kept                // of the collection
	collections string   // the directory that it lies in; "" before the first
	flags       []string // of its recorder
	keys        []string // the same for all commands
	alive       time.Time
	died        time.Time // when the last recorder was seen dead; zero if the gap list told of it

	atPoints, byKill, captures, unkept int
	refused                            int64
}

// chance is true once in n times.
func (c *crash) chance(n int) bool { return c.random.IntN(n) == 0 }

// round lets a recorder start on what the last one left, looks at that, and ends the recorder under
// load.
func (c *crash) round(n int) {
	c.t.Helper()
	var plan []strike
	if c.collections == "" {
		c.beginCollection()
	} else {
		plan = append(plan, c.atStart.next(c.struck))
		c.harm(plan[0].point)
	}
	atPoint := n%5%2 == 0
	if atPoint {
		plan = append(plan, c.underLoad.next(c.struck))
	}
	r := c.start(plan)
	c.checkCrashGap(r)
	if lines, ok := c.exportOf(r); ok {
		c.checkNames()
		c.check(lines, c.alive, false)
	}
	if c.t.Failed() {
		return
	}
	if atPoint {
		c.untilStruck(r)
	} else {
		c.untilKilled(r)
	}
	c.ended(r)
}

// beginCollection takes a new directory, and other settings than the one before.
func (c *crash) beginCollection() {
	c.collections = c.t.TempDir()
	c.kept = newKept(c.t, filepath.Join(c.collections, "default"), newReceived())
	c.alive, c.died = time.Time{}, time.Time{}
	c.keys = nil
	if c.chance(2) {
		c.keys = []string{"--keys-extra", "path,form"}
	}
	c.flags = slices.Concat([]string{"--min-free-space", "0"}, c.keys, [][]string{
		{"--warc-max-size", "300kB"},
		{"--warc-max-size", "100kB", "--commit-interval", "5ms", "--index-interval", "5ms"},
		{"--warc-max-size", "1MB", "--sync", "always"},
		{"--warc-max-size", "5MB", "--commit-interval", "200ms", "--index-interval", "300ms", "--queue-size", "2MB"},
	}[c.random.IntN(4)])
}

// start starts a recorder that is to end by itself at certain points. If it comes to one before it
// records it is started again, until it does. Sometimes the collection is recovered first, or its
// index made anew.
func (c *crash) start(plan []strike) *recording {
	c.t.Helper()
	switch c.random.IntN(6) {
	case 0, 1:
		plan = c.repair("recover", plan)
	case 2:
		plan = c.repair("rebuild", plan)
	}
	for {
		r := launch(c.t, c.collections, c.ca, faultsOf(plan), c.flags...)
		if r.address != "" {
			return r
		}
		plan = c.without(plan, r)
	}
}

// repair runs a command on a collection that nobody records, again and again until it comes to its
// end, and looks at what it has left. It returns the strikes that it has not come to.
func (c *crash) repair(command string, plan []strike) []strike {
	c.t.Helper()
	if _, err := os.Stat(c.dir); err != nil {
		return plan // nothing has been recorded
	}
	for {
		r := launchCommand(
			c.t,
			c.collections,
			c.ca,
			faultsOf(plan),
			append([]string{command}, c.keys...)...)
		if r.cmd.ProcessState.Success() {
			c.checkCopies(r)
			c.checkNames()
			c.check(c.export(), c.alive, false)
			return plan
		}
		plan = c.without(plan, r)
	}
}

func faultsOf(plan []strike) string {
	var faults []string
	for _, s := range plan {
		faults = append(faults, s.faults())
	}
	return strings.Join(faults, ",")
}

// without takes the strike that has ended a recorder before it recorded from a plan.
func (c *crash) without(plan []strike, r *recording) []strike {
	c.t.Helper()
	point := c.ended(r)
	left := slices.DeleteFunc(slices.Clone(plan), func(s strike) bool { return s.point == point })
	if len(left) == len(plan) {
		c.t.Fatalf("it does not start: %v: %s", r.cmd.ProcessState, r.tail())
	}
	return left
}

// ended takes down how a recorder has ended, and at which point.
func (c *crash) ended(r *recording) fault.Point {
	c.t.Helper()
	c.note(r)
	c.checkCopies(r)
	if r.address != "" {
		c.alive = r.alive
		if r.killed() {
			c.died = r.alive
		}
	}
	if n := len(r.lines("recording is off: new requests are refused until writing works again")); n > len(
		r.lines("recording is on again"),
	) {
		c.alive = time.Time{} // what came before it was killed may have waited long
	}
	for _, line := range r.log {
		if line.Fault != "" {
			c.struck[fmt.Sprint(line.Fault, " ", line.Hit)]++
			c.atPoints++
			return fault.Point(line.Fault)
		}
	}
	return ""
}

// untilStruck loads the recorder until it ends itself; if it does not, it may still do so while it
// is stopped.
func (c *crash) untilStruck(r *recording) {
	c.t.Helper()
	c.load(r, 400)
	if !r.hasEnded() {
		r.stop()
	}
	if r.cmd.ProcessState.ExitCode() != 0 && !r.killed() {
		c.t.Errorf("%v: %s", r.cmd.ProcessState, r.tail())
	}
}

// untilKilled ends the recorder after some number of exchanges. In half of the rounds it first
// waits until the log names a number of them, and then nothing but those may be missing that came
// later.
func (c *crash) untilKilled(r *recording) {
	c.t.Helper()
	if c.chance(2) {
		c.load(r, 1+c.random.IntN(100))
		eventually(c.t, "all that clients got is in the log", func() bool {
			c.note(r)
			return r.hasEnded() || c.allCaptured()
		})
	}
	c.load(r, c.random.IntN(200))
	if r.hasEnded() {
		c.t.Errorf("it ended by itself: %v: %s", r.cmd.ProcessState, r.tail())
	}
	r.kill()
	c.byKill++
}

func (c *crash) allCaptured() bool {
	c.got.mu.Lock()
	defer c.got.mu.Unlock()
	for url := range c.got.got {
		if !c.captured[url] && c.indexed[url] == nil {
			return false
		}
	}
	return true
}

// load lets eight clients ask until so many more exchanges have ended.
func (c *crash) load(r *recording, exchanges int) {
	before := c.got.len()
	l := &load{
		r:      r,
		site:   c.site,
		trust:  trustOf(c.t, c.ca),
		got:    c.got,
		kind:   mixed,
		serial: &c.serial,
	}
	l.run(8, func() bool { return c.got.len()-before >= exchanges })
	c.refused += l.refused.Load()
}

// mixed is a mixture of requests: most are small, some so large that they are written by
// themselves.
func mixed(n int64) (method, path string, body []byte) {
	kind := [2]string{"text", "bytes"}[n%2]
	switch {
	case n%25 == 7:
		return "GET", fmt.Sprintf("/%s/%d/%d", kind, n, 2<<20+n*7919%(1<<20)), nil
	case n%101 == 9:
		return "POST", fmt.Sprintf(
			"/%s/%d/%d",
			kind,
			n,
			10,
		), content(fmt.Sprintf("/text/%d/%d", n, 1300<<10))
	case n%4 == 1:
		return "POST", fmt.Sprintf(
			"/%s/%d/%d",
			kind,
			n,
			n*31%3000,
		), content(fmt.Sprintf("/bytes/%d/%d", n, n*17%2000))
	}
	return "GET", fmt.Sprintf("/%s/%d/%d", kind, n, n*7919%20000), nil
}

// harm does to a collection what a point at the start needs to be come to, and sometimes what a
// power cut or a bad disk does.
func (c *crash) harm(point fault.Point) {
	c.t.Helper()
	if point == fault.RecoverCopy || point == fault.RecoverCut || c.chance(4) {
		c.tear()
	} else if c.chance(3) {
		c.cutPower()
	}
	c.noteWhole()
	switch {
	case strings.HasPrefix(string(point), "recover-spill"):
		c.leaveInSpill()
	case point == fault.RecoverRewrite:
		c.removeIndex() // for with an index nobody reads again what is committed
		c.insert()
	case strings.HasPrefix(string(point), "rebuild-") || c.chance(10):
		c.indexed = c.parse(c.export()) // which the new index must have too
		c.breakIndex()
	}
}

// leaveInSpill leaves an exchange that was under way.
func (c *crash) leaveInSpill() {
	c.t.Helper()
	n := c.serial.Add(1)
	url := fmt.Sprintf("%s/bytes/%d/3000000", c.site.plain.URL, n)
	dir := filepath.Join(c.dir, "spill")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		c.t.Fatal(err)
	}
	request := base64.StdEncoding.EncodeToString([]byte("GET / HTTP/1.1\r\nHost: a\r\n\r\n"))
	id := func(kind int) string { return fmt.Sprintf("<urn:uuid:00000000-0000-4000-800%d-%012x>", kind, n) }
	c.write(filepath.Join(dir, fmt.Sprintf("20260101000000.000-%012x.jsonl", n)), fmt.Appendf(
		nil,
		`{"format":1,"url":%q,"started":%q,"ids":{"response":%q,"request":%q,"metadata":%q},"request":{"bytes":%q}}`+"\n",
		url,
		time.Now().Format(time.RFC3339Nano),
		id(0),
		id(1),
		id(2),
		request,
	))
	c.write(filepath.Join(dir, fmt.Sprintf("20260101000000.000-%012x.response", n)),
		[]byte("HTTP/1.1 200 OK\r\nContent-Length: 3000000\r\n\r\nThis is"))
}

// noteWhole takes down which exchanges are whole in the files being written: they must be there
// afterwards, even if no index knows them yet.
func (c *crash) noteWhole() {
	for _, path := range c.openFiles() {
		members, _ := membersOf(path) // up to what is torn
		for i, m := range members {
			if m.kind == "request" && i > 0 && members[i-1].kind == "response" &&
				m.concurrent == members[i-1].id {
				c.captured[m.uri] = true
			}
		}
	}
}

// tear puts bytes behind the end of the files being written that are no whole record.
func (c *crash) tear() {
	c.t.Helper()
	for _, path := range c.openFiles() {
		b, err := os.ReadFile(path)
		if err != nil {
			c.t.Fatal(err)
		}
		torn := make([]byte, 1+c.random.IntN(5000)) // zeros
		switch c.random.IntN(3) {
		case 0:
			copy(torn, "neither a member nor zeros")
		case 1:
			// less than the warcinfo record that the file begins with
			torn = b[:min(len(b), 1+c.random.IntN(200))]
		}
		c.write(path, append(b, torn...))
	}
}

// insert puts bytes between two exchanges of the files being written. Where the lines lead will
// change.
func (c *crash) insert() {
	c.t.Helper()
	for _, path := range c.openFiles() {
		b, err := os.ReadFile(path)
		if err != nil {
			c.t.Fatal(err)
		}
		members, _ := membersOf(path) // of a torn file those before
		at := 0
		for _, m := range members[:c.random.IntN(len(members)+1)] {
			if m.kind != "response" {
				at = int(m.offset + m.length)
			}
		}
		c.write(path, slices.Concat(b[:at], []byte("not from us"), b[at:]))
	}
	c.indexed = nil
}

// cutPower takes from the files being written what nobody has forced to disk, or a part of that,
// and may leave zeros in its place.
func (c *crash) cutPower() {
	c.t.Helper()
	safe := c.synced()
	for _, path := range c.openFiles() {
		b, err := os.ReadFile(path)
		if err != nil {
			c.t.Fatal(err)
		}
		safe := safe[path]
		if safe > int64(len(b)) {
			c.t.Errorf("%s has %d bytes, of which %d are on disk", path, len(b), safe)
			continue
		}
		left := safe + c.random.Int64N(int64(len(b))-safe+1)
		if c.chance(2) {
			clear(b[left:])
			left = int64(len(b))
		}
		c.write(path, b[:left])
	}
}

// openFiles are the files that were being written when the recorder ended.
func (c *crash) openFiles() []string {
	paths, _ := filepath.Glob(filepath.Join(c.dir, "archive", "*"+warc.OpenSuffix))
	return paths
}

// synced is how much of each file that was being written is on disk: what the index knows, and what
// the log names, with the request behind it.
func (c *crash) synced() map[string]int64 {
	c.t.Helper()
	safe, committed := map[string]int64{}, c.committed()
	for _, path := range c.openFiles() {
		name := strings.TrimSuffix(filepath.Base(path), warc.OpenSuffix)
		safe[path] = max(committed[name], c.logged[name])
		members, _ := membersOf(path) // what cannot be read is not on disk
		for _, m := range members {
			if m.offset == c.logged[name] && (m.kind == "request" || m.kind == "metadata") {
				c.logged[name] += m.length
				safe[path] = max(safe[path], c.logged[name])
			}
		}
	}
	return safe
}

// committed is how much of each file the index knows.
func (c *crash) committed() map[string]int64 {
	c.t.Helper()
	index, err := store.OpenReadOnly(filepath.Join(c.dir, "index.bolt"))
	if err != nil {
		c.t.Fatal(err)
	}
	defer index.Close()
	files, err := index.Files()
	if err != nil {
		c.t.Fatal(err)
	}
	committed := map[string]int64{}
	for _, f := range files {
		committed[f.Name] = f.Committed
	}
	return committed
}

func (c *crash) write(path string, b []byte) {
	c.t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		c.t.Fatal(err)
	}
}

// breakIndex removes the index, or damages it. One that is cut may still be whole: a part of the
// file is unused.
func (c *crash) breakIndex() {
	c.t.Helper()
	path := filepath.Join(c.dir, "index.bolt")
	b, err := os.ReadFile(path)
	if err != nil {
		c.t.Fatal(err)
	}
	switch c.random.IntN(5) {
	case 0:
		c.removeIndex()
	case 1:
		c.write(path, nil)
	case 2:
		c.write(path, b[:c.random.IntN(len(b))])
	case 3:
		clear(b[:2*os.Getpagesize()]) // both meta pages
		c.write(path, b)
	case 4:
		page := os.Getpagesize()
		for range 1 + len(b)/page/4 { // among them some that are in use
			at := c.random.IntN(len(b)/page) * page
			clear(b[at : at+page])
		}
		c.write(path, b)
	}
}

func (c *crash) removeIndex() {
	c.t.Helper()
	if err := os.Remove(filepath.Join(c.dir, "index.bolt")); err != nil {
		c.t.Fatal(err)
	}
}

// endCollection looks at all of a collection after a clean end, and once more after its index has
// been made anew.
func (c *crash) endCollection() {
	c.t.Helper()
	lines := c.restart()
	c.check(lines, c.alive, true)
	if c.chance(2) {
		c.repair("rebuild", nil)
	} else {
		c.breakIndex()
	}
	if again := c.restart(); again != lines {
		c.t.Errorf("a new index gives other lines: %s", difference(lines, again))
	}
	c.captures += strings.Count(lines, "\n")
	c.unkept += c.kept.unkept
	c.collections = ""
}

// restart starts a recorder, ends it as its operator would, and returns the lines.
func (c *crash) restart() string {
	c.t.Helper()
	r := c.start(nil)
	lines, _ := c.exportOf(r)
	r.stop()
	c.checkNames()
	if after := c.export(); after != lines {
		c.t.Errorf("the lines change when it stops: %s", difference(lines, after))
	}
	return lines
}

// difference is the first line that two exports do not share.
func difference(a, b string) string {
	was, is := bytes.SplitAfter([]byte(a), []byte("\n")), bytes.SplitAfter([]byte(b), []byte("\n"))
	for i := range min(len(was), len(is)) {
		if !bytes.Equal(was[i], is[i]) {
			return fmt.Sprintf("%q, it was %q", is[i], was[i])
		}
	}
	return fmt.Sprintf("%d lines, it was %d", len(is)-1, len(was)-1)
}

// unstruck are the points at which no recorder has ended: they are dead, or the test does not lead
// there.
func (c *crash) unstruck() (points []fault.Point) {
	for _, point := range fault.Points {
		n := 0
		for name, times := range c.struck {
			if strings.HasPrefix(name, string(point)+" ") {
				n += times
			}
		}
		if n == 0 {
			points = append(points, point)
		}
	}
	return points
}

// exportOf asks a recorder for the lines. It is false if that has ended.
func (c *crash) exportOf(r *recording) (lines string, ok bool) {
	c.t.Helper()
	code, lines, err := r.get("/export")
	if err != nil || code != http.StatusOK {
		if !r.hasEnded() {
			c.t.Errorf("/export: %d %s, %v: %s", code, lines, err, r.tail())
		}
		return "", false
	}
	return lines, true
}

// checkCrashGap: the gap list tells of the last recorder's death.
func (c *crash) checkCrashGap(r *recording) {
	c.t.Helper()
	var gaps store.Gaps
	code, body, err := r.get("/gaps")
	if err != nil || code != http.StatusOK || json.Unmarshal([]byte(body), &gaps) != nil {
		if !r.hasEnded() {
			c.t.Errorf("/gaps: %d %s, %v", code, body, err)
		}
		return
	}
	told := slices.ContainsFunc(gaps.Latest,
		func(g store.Gap) bool { return g.Reason == "crash" && !g.Until.Before(c.died) })
	if !c.died.IsZero() && !told {
		c.t.Errorf("a recorder died after %v, and no gap tells of it: %s", c.died, body)
	}
	c.died = time.Time{}
}

// checkCopies: of what a recovery says it cut off there is a copy, of just that size.
func (c *crash) checkCopies(r *recording) {
	c.t.Helper()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, line := range r.log {
		if line.Copy == "" {
			continue
		}
		info, err := os.Stat(line.Copy)
		if err != nil || line.File != "" && info.Size() != line.Cut+line.Kept {
			c.t.Errorf("no such copy: %v, %s", err, line.text)
		}
	}
}
