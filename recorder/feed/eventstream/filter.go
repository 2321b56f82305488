package eventstream

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"warcorder/recorder/feed"
)

// filter is what a reader wants of all that happens. What is missed is always told.
type filter struct {
	kinds    []feed.Kind // nil is all
	host     string      // in lower case; with a dot in front all hosts below it
	mime     string      // what the media type begins with, in lower case
	text     string      // that stands in the URL
	from, to int         // of the status
}

// filterOf reads what a query asks for.
func filterOf(query url.Values) (f filter, err error) {
	for name := range query {
		if !slices.Contains(known, name) {
			return f, fmt.Errorf("unknown parameter %q: it is one of %s", name, strings.Join(known[:6], ", "))
		}
	}
	f.host, f.mime = strings.ToLower(query.Get("host")), strings.ToLower(query.Get("mime"))
	f.text = query.Get("text")
	if kinds := query.Get("kinds"); kinds != "" {
		for name := range strings.SplitSeq(kinds, ",") {
			at := slices.Index(feed.Kinds[:], name)
			if at <= 0 {
				return f, fmt.Errorf("unknown kind %q: it is one of %s", name,
					strings.Join(feed.Kinds[1:], ", "))
			}
			f.kinds = append(f.kinds, feed.Kind(at))
		}
	}
	if status := query.Get("status"); status != "" {
		if f.from, f.to, err = statuses(status); err != nil {
			return f, err
		}
	}
	return f, nil
}

// known are the parameters; those behind the first six are for other parts of the program.
var known = []string{"since", "kinds", "host", "mime", "status", "text", "pid", "token"}

// statuses reads 404, or 4xx.
func statuses(text string) (from, to int, err error) {
	if first, found := strings.CutSuffix(text, "xx"); found && len(first) == 1 &&
		'1' <= first[0] && first[0] <= '9' {
		from = 100 * int(first[0]-'0')
		return from, from + 99, nil
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n < 100 || n > 999 {
		return 0, 0, fmt.Errorf("status is a number such as 404, or 4xx, and not %q", text)
	}
	return int(n), int(n), nil
}

// has reports whether an event is wanted. What the filter asks about, and the event does not have,
// is not as asked; but files, pauses and removals are of all.
func (f *filter) has(e *feed.Event) bool {
	switch e.Kind {
	case feed.Missed:
		return true
	case feed.Forgotten:
		return false
	}
	if f.kinds != nil && !slices.Contains(f.kinds, e.Kind) {
		return false
	}
	switch e.Kind {
	case feed.Capture, feed.Gap, feed.Note:
	default:
		return true
	}
	return strings.Contains(e.URL, f.text) &&
		(f.mime == "" || e.Kind != feed.Gap && strings.HasPrefix(strings.ToLower(e.MIME), f.mime)) &&
		(f.from == 0 || e.Kind == feed.Capture && f.from <= e.Status && e.Status <= f.to) &&
		(f.host == "" || f.hasHost(e.Host()))
}

func (f *filter) hasHost(host string) bool {
	return host == f.host || f.host[0] == '.' && strings.HasSuffix(host, f.host)
}
