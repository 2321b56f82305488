package cdxapi

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// badParam says that a parameter cannot be answered.
type badParam struct{ name, text string }

func (e *badParam) Error() string { return e.name + ": " + e.text }

// bad returns the error of a parameter.
func bad(name, format string, args ...any) error {
	return &badParam{name, fmt.Sprintf(format, args...)}
}

// params are the parameters of a request. The first that cannot be answered is kept as err.
type params struct {
	values url.Values
	err    error
}

// paramsOf reads the parameters of a query string. Those of other names than known are passed over,
// unless they are one of them misspelt.
func paramsOf(query string, known []string) *params {
	p := &params{}
	if p.values, p.err = url.ParseQuery(query); p.err != nil {
		p.err = bad("query", "it is no query string: %v", p.err)
	}
	if len(p.values) > maxParams {
		p.values = nil
		p.fail("query", "it has more than %d parameters", maxParams)
	}
	for name, values := range p.values {
		if meant := misspelt(name, known); meant != "" {
			p.fail(name, "there is no such parameter: %s is meant, perhaps", meant)
		}
		for _, value := range values {
			if strings.ContainsFunc(value, isControl) {
				p.fail(name, "it has a control character")
			}
		}
	}
	return p
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// misspelt returns which of the names is meant by another one, if that is as good as certain.
func misspelt(name string, known []string) string {
	plain := func(s string) string {
		return strings.NewReplacer("_", "", "-", "").Replace(strings.ToLower(s))
	}
	if slices.Contains(known, name) {
		return ""
	}
	for _, one := range known {
		if plain(one) == plain(name) {
			return one
		}
	}
	return ""
}

// fail keeps an error, if it is the first.
func (p *params) fail(name, format string, args ...any) {
	if p.err == nil {
		p.err = bad(name, format, args...)
	}
}

// one returns the value of a parameter that there may be once; "" if it is not there.
func (p *params) one(name string) string {
	values := p.values[name]
	if len(values) == 0 {
		return ""
	}
	for _, other := range values[1:] {
		if other != values[0] {
			p.fail(name, "it is given %d times, and may be once", len(values))
		}
	}
	return values[0]
}

// first returns the value of the first of the parameters that has one, and its name.
func (p *params) first(names ...string) (value, name string) {
	for _, name := range names {
		if value := p.one(name); value != "" {
			return value, name
		}
	}
	return "", names[0]
}

// number returns a number from low to high; absent is its value if there is none.
func (p *params) number(name string, absent, low, high int) int {
	text := p.one(name)
	if text == "" {
		return absent
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < low || n > high {
		p.fail(name, "%s is no number from %d to %d", quoted(text), low, high)
	}
	return n
}

// yes returns whether a parameter is true, as pywb takes it.
func (p *params) yes(name string) bool {
	switch text := strings.ToLower(p.one(name)); text {
	case "", "0", "false", "f", "off", "no":
		return false
	case "1", "true", "t", "on", "yes":
		return true
	default:
		p.fail(name, "%s is neither true nor false", quoted(text))
		return false
	}
}

// among returns a value that must be one of some; "" is allowed.
func (p *params) among(name string, allowed ...string) string {
	value := p.one(name)
	if value != "" && !slices.Contains(allowed, value) {
		p.fail(name, "%s is not supported: it is one of %s", quoted(value), strings.Join(allowed, ", "))
	}
	return value
}

// time returns a timestamp of 1 to 14 digits, or "".
func (p *params) time(names ...string) string {
	value, name := p.first(names...)
	if len(value) > 14 || !isDigits(value) {
		p.fail(name, "%s is no timestamp: it has 1 to 14 digits, YYYYMMDDhhmmss", quoted(value))
	}
	return value
}

// text returns a value that is not too long.
func (p *params) text(name string) string {
	value := p.one(name)
	if len(value) > maxText {
		p.fail(name, "it has %d bytes, and may have %d", len(value), maxText)
	}
	return value
}

// moment returns a moment as pywb takes it: what is not said is the latest that it can be, and what
// is out of range the nearest that is in it.
func (p *params) moment(name string) (t time.Time, given bool) {
	text := p.one(name)
	switch {
	case text == "":
		return t, false
	case text == "now":
		return time.Now(), true
	case len(text) > 17 || !isDigits(text):
		p.fail(name, "%s is no timestamp: it has 1 to 17 digits, YYYYMMDDhhmmss, or is now", quoted(text))
		return t, false
	}
	return momentOf(text), true
}

// momentOf returns the moment of digits.
func momentOf(text string) time.Time {
	if len(text) < len(latest) {
		text += latest[len(text):]
	}
	part := func(start, end, low, high int) int {
		if len(text) < end {
			return high
		}
		n, _ := strconv.Atoi(text[start:end])
		return min(max(n, low), high)
	}
	year, month := part(0, 4, 1900, 2999), part(4, 6, 1, 12)
	days := time.Date(year, time.Month(month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
	return time.Date(year, time.Month(month), part(6, 8, 1, days), part(8, 10, 0, 23),
		part(10, 12, 0, 59), part(12, 14, 0, 59), 0, time.UTC)
}

// latest is what pywb fills short timestamps with.
const latest = "299912"

func isDigits(s string) bool { return strings.Trim(s, "0123456789") == "" }

// quoted returns a value as an error shows it.
func quoted(s string) string {
	const most = 100
	if len(s) > most {
		s = s[:most] + "…"
	}
	return strconv.Quote(s)
}
