package cmd

import (
	"bytes"
	"math"
	"strconv"
	"strings"
)

// sharedSeries are what recorders tell of what they share (object storage, one deduplication, feeds), as
// /metrics names it, without warcorder_: there only while it is in use.
type sharedSeries map[string]float64

// sharedNames are how the names of these begin.
func sharedNames() []string { return []string{"upload_", "dedup_shared_", "push_"} }

// mostShared bounds the series that are taken of one recorder. Its own are some tens.
const mostShared = 200

// sharedOf reads them from a page in the text format of Prometheus, line by line: what is not of that
// form, or no number, is passed over.
func sharedOf(page []byte) sharedSeries {
	all := sharedSeries{}
	for line := range bytes.Lines(page) {
		name, value, ok := sampleOf(string(bytes.TrimSpace(line)))
		if ok && len(all) < mostShared {
			all[name] = value
		}
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// sampleOf is the name of a series with its labels, and its value.
func sampleOf(line string) (name string, value float64, ok bool) {
	line, ok = strings.CutPrefix(line, "warcorder_")
	at := strings.LastIndexByte(line, ' ')
	if !ok || at < 0 || at > 100 {
		return "", 0, false
	}
	name = line[:at]
	for _, begin := range sharedNames() {
		if strings.HasPrefix(name, begin) && !strings.Contains(name, "_bucket{") {
			value, err := strconv.ParseFloat(line[at+1:], 64)
			return ascii(name), value, err == nil && !math.IsNaN(value) && !math.IsInf(value, 0)
		}
	}
	return "", 0, false
}

// add adds what one recorder tells: counts together, of a delay the longest, of what is up or not the
// worst.
func (s sharedSeries) add(one sharedSeries) {
	for name, value := range one {
		was, there := s[name]
		family, _, _ := strings.Cut(name, "{")
		switch {
		case !there:
		case strings.HasSuffix(family, "_lag_seconds"):
			value = max(was, value)
		case strings.HasSuffix(family, "_up"):
			value = min(was, value)
		default:
			value += was
		}
		s[name] = value
	}
}

// of is the sum of a family over its labels; -1 if there is none.
func (s sharedSeries) of(family string) float64 {
	total, is := 0.0, false
	for name, value := range s {
		if of, _, _ := strings.Cut(name, "{"); of == family {
			total, is = total+value, true
		}
	}
	if !is {
		return -1
	}
	return total
}

// worst is the largest value of a family; -1 if there is none.
func (s sharedSeries) worst(family string) float64 {
	most := -1.0
	for name, value := range s {
		if of, _, _ := strings.Cut(name, "{"); of == family {
			most = max(most, value)
		}
	}
	return most
}
