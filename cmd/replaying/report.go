package replaying

import (
	"slices"

	"warcorder/store/replay"
)

// ReportPath is the page of a replay that has the report until now.
const ReportPath = "/report"

// joined is what several reports say together: of one replay, whose answers came from one place
// after another.
func joined(all []replay.Report) replay.Report {
	sum := replay.Report{Rules: map[string]int64{}, Documents: []replay.Document{}}
	at := map[string]int{} // of a document
	for _, r := range all {
		sum.Answered += r.Answered
		sum.Preflights += r.Preflights
		sum.NotModified += r.NotModified
		sum.Ranges += r.Ranges
		sum.Missed += r.Missed
		sum.Quiet += r.Quiet
		sum.FellBack += r.FellBack
		sum.Unlisted += r.Unlisted
		for rule, n := range r.Rules {
			sum.Rules[rule] += n
		}
		for _, d := range r.Documents {
			if i, there := at[d.URL]; there {
				add(&sum.Documents[i], d)
				continue
			}
			at[d.URL] = len(sum.Documents)
			d.Misses = slices.Clone(d.Misses)
			sum.Documents = append(sum.Documents, d)
		}
	}
	return sum
}

// add adds the misses of a document to those of the same one.
func add(to *replay.Document, more replay.Document) {
	to.Missed += more.Missed
	at := map[[2]string]int{}
	for i, m := range to.Misses {
		at[[2]string{m.Method, m.URL}] = i
	}
	for _, m := range more.Misses {
		if i, there := at[[2]string{m.Method, m.URL}]; there {
			to.Misses[i].Count += m.Count
			continue
		}
		to.Misses = append(to.Misses, m)
	}
}
