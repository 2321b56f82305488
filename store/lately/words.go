package lately

import (
	"fmt"
	"strings"

	"warcorder/store"
	"warcorder/store/report"
)

// words say why something lacks, or cannot be shown again: one sentence each.
var words = map[report.Kind]string{
	report.Failed:      "The server gave no answer.",
	report.Cut:         "The answer broke off before its end: only a part of it was recorded.",
	report.Part:        "Only a part was asked for, and the whole was never recorded.",
	report.Refused:     "The recorder turned the request away, as its settings or its limits say.",
	report.Unrecorded:  "It passed through without being recorded, as WebSockets and tunnels do.",
	report.Forbidden:   "The server refused it (403), or a firewall before the server did.",
	report.TooMany:     "The server said that there were too many requests (429).",
	report.Unavailable: "The server said that it was not available (503).",
	report.Challenge:   "The server asked for a proof that a human is there, and sent no content.",
	report.Coding:      "It is stored in a content coding that other readers of archives do not know.",
	report.Missing:     "It was recorded, and cannot be read any more.",
	report.Crash:       "The recorder was killed: what was on its way then may be missing.",
	report.Outside:     "Its body is stored in another archive; nothing is wrong with it.",
}

// wordsOfReasons say more than words, where the reason of a gap is known.
var wordsOfReasons = map[string]string{
	"write":   "The answer came, and could not be written to the disk.",
	"blocked": "It lies at an address to which the recorder may not connect.",
}

// reasonsOf are the reasons of the newest gaps of a page, by URL.
func reasonsOf(gaps []store.Gap) map[string]string {
	reasons := make(map[string]string)
	for i := range gaps {
		reasons[strings.ToValidUTF8(gaps[i].URL, "\uFFFD")] = gaps[i].Reason
	}
	return reasons
}

// wordsOf says why there is a finding.
func wordsOf(f *report.Finding, reasons map[string]string) string {
	reason := reasons[f.URL]
	if more, known := wordsOfReasons[reason]; known && report.KindOfGap(reason) == f.Kind {
		return more
	}
	if f.Kind == report.Cut && f.Expected > 0 {
		return fmt.Sprintf("The answer broke off: %d of %d bytes were recorded.", f.Received, f.Expected)
	}
	return words[f.Kind]
}
