package lately

import "warcorder/store/report"

// words say why something lacks, or cannot be shown again: one sentence each.
var words = map[report.Kind]string{
	report.Failed:      "The server gave no answer, or the answer could not be written to the disk.",
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
