package store

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"strings"

	"warcorder/canon"
)

// Query selects captures. The zero Query selects all.
type Query struct {
	// URL selects by URL; "" selects every one. With a Key other than URLKey it is the text of such a
	// key.
	URL   string
	Match Match // how URL selects; "" is Exact; keys other than URLKey know Exact and Prefix
	// Method selects by the method of the request, where Match is AnyBody; "" selects each.
	Method string
	From   string // the first moment, 1 to 14 digits of YYYYMMDDhhmmss; "" is the beginning
	To     string // the last moment, inclusive: "2026" takes the whole year; "" is the end
	Key    Key    // by which captures are found and sorted; "" is URLKey

	// Dialect is that of the lines that Export writes, and of the URL keys by which it finds and sorts
	// them; "" is canon.Pywb.
	Dialect canon.Dialect

	// NoBodies leaves request bodies out of the lines that Export writes: they have no requestBody,
	// and their URL keys say the method alone. Captures does not look at it.
	NoBodies bool

	// All lets Export, in the dialect pywb, and Replayable give captures too that pywb would show as
	// an empty page or take for the whole: 304s, and parts of what is there as a whole. Captures, and
	// Export in another dialect, always give them.
	All bool

	// Since, if it is not nil, narrows what Export writes to what has come since another Export.
	// Captures and Replayable do not look at it.
	Since *Since

	// Context ends the reading, with its error, also while that stands back; nil is one that never ends.
	Context context.Context
}

// Match is how the URL of a Query selects captures; the values but AnyBody are pywb's matchType.
type Match string

const (
	Exact  Match = "exact"  // the same URL key
	Prefix Match = "prefix" // keys that begin like the URL's
	Host   Match = "host"   // every page of the URL's host
	Domain Match = "domain" // every page of the URL's host and of the hosts below it

	// Ports selects every page of the URL's host at a port that its URL keys name: any but the usual
	// one. Host is of one port, that of the URL, as in pywb.
	Ports Match = "ports"

	// AnyBody selects what was asked of that URL by other methods than GET, whatever was sent. What
	// was sent stands in the URL key, in order among the arguments of the URL: so all keys of the
	// URL's path that have arguments are gone through.
	AnyBody Match = "any-body"
)

// span is what a Query selects: a range of URL keys and one of time. The URL keys are compared with
// a space behind them, as they stand in a line: so a range can begin or end with one key alone.
type span struct {
	low, high []byte // low <= "urlkey " < high; a nil high is no bound
	from, to  string // YYYYMMDDhhmmss, inclusive

	start, end []byte // the range of the index: start <= key < end; a nil end is no bound. Of one key it
	// is that of time too, unless the key is long: captures of one URL may be millions
	long bool // the index range may hold SURTs that are not in the other

	// A range that ends within a run has the run's cut keys at its end. The keys from gap to cut do
	// not belong to it; a nil gap says that there are none.
	gap, cut []byte

	key     Key // what is said of URL keys here holds for the keys of this name
	methods methods
	extras  bool // those of what is not GET are wanted

	asked  string // with AnyBody, the URL key of the URL alone
	method string // with AnyBody, the only one; "" is each

	leaveOut bool // captures that pywb would show as an empty or partial page: parts.go

	since *Since // of an Export
	ctx   context.Context
}

// methods are those whose captures a span selects.
type methods int

const (
	allMethods methods = iota
	onlyGET
	onlyOthers
)

// span returns what q selects: the ranges are those of pywb's CDX API.
func (q Query) span() (span, error) {
	s := span{key: q.Key, leaveOut: q.LeavesOut(), ctx: cmp.Or(q.Context, context.Background())}
	if err := q.check(); err != nil {
		return s, err
	}
	var err error
	if s.from, err = padTime(q.From, '0'); err != nil {
		return s, err
	}
	if s.to, err = padTime(q.To, '9'); err != nil {
		return s, err
	}
	if q.URL != "" {
		if s.low, s.high, err = q.bounds(); err != nil {
			return s, err
		}
	}
	if q.Match == AnyBody {
		s.methods, s.asked, s.method = onlyOthers, askedOf(q.URL), q.Method
	}
	s.start, s.end = s.low, s.high
	if len(s.low) > maxURLKey {
		s.long = true
		s.start = append(bytes.Clone(s.low[:maxURLKey]), ' ')
	}
	if len(s.high) > maxURLKey {
		s.long = true
		s.end = append(bytes.Clone(s.high[:maxURLKey]), longMark+1)
	}
	if s.key.primary() {
		s.addCut()
	}
	if q.URL != "" && (q.Match == Exact || q.Match == "") && len(s.low) <= maxCutKey {
		s.start = append(bytes.Clone(s.low), s.from...)
		s.end = append(append(bytes.Clone(s.low), s.to...), '9'+1)
	}
	return s, nil
}

// addCut lets the range of the index hold the cut keys whose SURT may be in the other range.
func (s *span) addCut() {
	s.long = s.long || len(s.low) > maxCutKey
	if len(s.high) > maxCutKey {
		s.long, s.gap = true, s.end
		s.cut = append(bytes.Clone(s.high[:maxCutKey]), longMark)
		s.end = append(bytes.Clone(s.high[:maxCutKey]), longMark+1)
	}
}

// LeavesOut reports whether Export may have captures without a line that q selects.
func (q Query) LeavesOut() bool { return !q.All && cmp.Or(q.Dialect, canon.Pywb) == canon.Pywb }

// Check returns an error unless Export takes q.
func (q Query) Check() error {
	_, err := q.span()
	return err
}

// SelectsAll reports whether q selects every capture, so that at most those that are left out have
// no line.
func (q Query) SelectsAll() bool {
	return q.URL == "" && q.From == "" && q.To == "" && (q.Key == "" || q.Key == URLKey)
}

// check refuses names that are not known, and keys that are made of what is to be left out.
func (q Query) check() error {
	if err := q.Key.check(); err != nil {
		return err
	}
	if q.NoBodies && (q.Key == FormKey || q.Key == QueryKey) {
		return fmt.Errorf(
			"the key %s is made of the request's body: it cannot be exported without bodies", string(q.Key))
	}
	if err := q.checkAnyBody(); err != nil || q.Dialect == "" {
		return err
	}
	return new(canon.Dialect).UnmarshalText([]byte(q.Dialect))
}

// checkAnyBody refuses what AnyBody cannot be joined with.
func (q Query) checkAnyBody() error {
	switch {
	case q.Match != AnyBody && q.Method != "":
		return fmt.Errorf("a method is for match %s", string(AnyBody))
	case q.Match == AnyBody && (q.URL == "" || !q.Key.primary() || q.NoBodies ||
		cmp.Or(q.Dialect, canon.Pywb) != canon.Pywb):
		return fmt.Errorf("match %s is for a URL, and for lines with the URL keys of the dialect pywb",
			string(AnyBody))
	}
	return nil
}

// bounds returns the range of "key " that q selects.
func (q Query) bounds() (low, high []byte, err error) {
	if q.Match == AnyBody {
		key, _ := canon.SURT(canon.Pywb.Append(q.URL, "POST", ""))
		key, _, _ = strings.Cut(string(appendURLKey(nil, key)), "?")
		return []byte(key + "?"), next(key + "?"), nil
	}
	key := q.URL
	if q.Key.primary() {
		key, _ = q.Dialect.Key(q.URL)
	} else if q.Match == Host || q.Match == Domain || q.Match == Ports {
		return nil, nil, fmt.Errorf(
			"match %s is for URL keys; the key %s has only exact and prefix", string(q.Match), string(q.Key))
	}
	return q.Match.bounds(string(appendURLKey(nil, key)), q.URL)
}

// bounds returns the range of "urlkey " that m selects, for the URL key of url.
func (m Match) bounds(key, url string) (low, high []byte, err error) {
	switch m {
	case Exact, "":
		return []byte(key + " "), []byte(key + "!"), nil
	case Prefix:
		for _, end := range []string{"/", "?"} { // what a SURT drops at its end
			if strings.HasSuffix(url, end) && !strings.HasSuffix(key, end) {
				key += end
			}
		}
		return []byte(key), next(key), nil
	case Host, Domain, Ports:
	default:
		return nil, nil, fmt.Errorf("unknown match %q: it is one of exact, prefix, host, domain and ports",
			string(m))
	}
	host, _, found := strings.Cut(key, ")/")
	switch {
	case !found:
		return nil, nil, fmt.Errorf("match %s needs a URL with a host, not %q", string(m), url)
	case m == Ports:
		name := withoutPort(host)
		return []byte(name + ":"), []byte(name + ";"), nil
	case m == Host:
		return []byte(host + ")/"), []byte(host + "*"), nil
	case !strings.Contains(host, ","): // a top-level domain: it has no pages of its own
		return []byte(host + ","), []byte(host + "-"), nil
	}
	return []byte(host + ")/"), []byte(host + "-"), nil
}

// withoutPort is the host of a URL key without its port.
func withoutPort(host string) string {
	if at := strings.LastIndexByte(host, ':'); at > strings.LastIndexByte(host, ']') {
		return host[:at]
	}
	return host
}

// next returns what follows all that begins with key.
func next(key string) []byte {
	b := []byte(key)
	b[len(b)-1]++ // at most '~'
	return b
}

// padTime fills a timestamp up to 14 digits.
func padTime(ts string, fill byte) (string, error) {
	if len(ts) > 14 || strings.Trim(ts, "0123456789") != "" {
		return "", fmt.Errorf("timestamp %q: it has 1 to 14 digits, YYYYMMDDhhmmss", ts)
	}
	return ts + strings.Repeat(string(fill), 14-len(ts)), nil
}

// askedOf returns the URL key of a URL, as it stands in the index.
func askedOf(url string) string {
	key, _ := canon.SURT(url)
	return string(appendURLKey(nil, key))
}

// has reports whether s selects a capture of the range of the index, by what only the whole of it
// tells.
func (s *span) has(c *Capture) bool {
	if s.long && !s.hasKey(*c.key(s.key)) {
		return false
	}
	return s.asked == "" || askedOf(c.URL) == s.asked &&
		(s.method == "" || strings.EqualFold(s.method, c.Method))
}

// between reports whether key is behind the range, but before cut keys that may belong to it.
func (s *span) between(key indexKey) bool {
	return s.gap != nil && bytes.Compare(key, s.gap) >= 0 && bytes.Compare(key, s.cut) < 0
}

// past reports whether key, and all keys that follow it, are behind the range.
func (s *span) past(key indexKey) bool { return s.end != nil && bytes.Compare(key, s.end) >= 0 }

// hasTime reports whether the range of time holds key.
func (s *span) hasTime(key indexKey) bool {
	ts := key.seconds()
	return string(ts) >= s.from && string(ts) <= s.to
}

// hasMethod reports whether the methods hold that of a capture, by its value.
func (s *span) hasMethod(value []byte) bool {
	return s.methods == allMethods || hasFlag(value, flagOther) == (s.methods == onlyOthers)
}

// hasKey reports whether the range of URL keys holds urlKey. It is of use where the range of the
// index does not decide that.
func (s *span) hasKey(urlKey string) bool {
	if s.low == nil && s.high == nil {
		return true
	}
	line := urlKey + " "
	return line >= string(s.low) && (s.high == nil || line < string(s.high))
}
