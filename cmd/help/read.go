package help

var replay = Command{
	Name: "replay",
	Line: "Show what was recorded, under its own addresses",
	About: "A browser that goes through it sees what was recorded, byte for byte; nothing is fetched. " +
		"With a URL it opens one, and ends with it. While somebody records, that recorder is asked.",
	Examples: []Example{
		{"warcorder replay https://example.org/", "in a browser of its own"},
		{"warcorder replay --at 2026-05 https://example.org/", "as it was then"},
		{"warcorder replay --report misses.json", "proxy at 127.0.0.1:8090"},
	},
	Flags: []FlagGroup{
		{"What is shown", "at fallback explain inject report"},
		{"The browser", "browser headless at-most"},
		{"Who may use it", "listen clients proxy-users readers api-token"},
	},
	Few: "at fallback explain inject report headless listen clients collection dir",
	End: "Other settings of record count here too: its limits, and with --fallback all " +
		"(warcorder record --help-all).",
	More:     "The rest: warcorder replay --help-all.",
	Settings: true,
	Texts: map[string]string{
		"<url>": "A page to open in a browser; without one it serves whoever asks",
		"--listen": "Address to listen on. It is not that of record. Default: 127.0.0.1:8090, or " +
			"with a URL a free port.",
		"--at": "Time that the captures shown are nearest to. YYYY to YYYYMMDDhhmmss (UTC), or 2026-05-01, " +
			"or 2026-05-01T12:30:00Z; of a year, a month or a day it is the middle. Default: the latest.",
		"--fallback": "Fetch what is missing, and record it. It takes the recorder that has the collection " +
			"open, or one that ends with the replay; the settings of recording count for that.",
		"--explain": "Say in each answer where it comes from. By Memento-Datetime, Link and X-Warcorder-…: " +
			"capture, rule, and why something is missing.",
		"--inject": "Put a fixed clock and fixed chance into documents. For pages that ask for other " +
			"addresses each time; it is the one thing that changes what was recorded, and says so in " +
			"X-Warcorder-Injected.",
		"--report": "File for what was answered and what was missing, as JSON. Written at the end; - is " +
			"standard output.",
	},
}

var lookup = Command{
	Name:  "lookup",
	Line:  "Find the captures of a URL, by any of its keys",
	About: "The exit status is 1 if there is none.",
	Examples: []Example{
		{"warcorder lookup https://example.org/", "its captures, as CDXJ"},
		{"warcorder lookup --key path https://example.org/%7Eanna", "in any spelling"},
		{"warcorder lookup --any-body https://example.org/api", "all POSTs to it, say"},
	},
	Flags: []FlagGroup{
		{"How it is found", "key method content-type body any-body"},
	},
	Texts: map[string]string{
		"--key": "Key to find by. url; query, which tells long bodies " +
			"apart; and path, wwwoffle and form, if --keys-extra had them stored.",
		"--keys-profiles": "Path profiles, from the configuration file.",
		"<url>":           "The URL, in any spelling that has the same key.",
		"--method":        "Method of the request. Default: GET, or with --any-body each other one.",
		"--any-body": "Captures of other methods than GET, whatever was sent. With --method those of " +
			"one: of the URL as it is given, with its own arguments and no others.",
	},
}

var pages = Command{
	Name: "pages",
	Line: "List the pages that were visited, with what belongs to each",
	About: "A page is a document that a browser went to, or that a crawler fetched; what it asked for " +
		"belongs to it. Each line has its time, how many captures belong to it, its URL, and its title as " +
		"it was recorded.",
	Examples: []Example{
		{"warcorder pages", "all, in the order of time"},
		{"warcorder pages --json --from 202605", "since May 2026, for programs"},
	},
	Flags: []FlagGroup{{"Which, and how", "from to json"}},
	Texts: map[string]string{
		"--json": "Print a JSON object a line. It has url, ts, title, id and resources.",
		"--from": "Only pages at or after this time (UTC). YYYY to YYYYMMDDhhmmss, or 2026-05-01.",
		"--to":   "Only pages until the end of this time.",
	},
}

var gaps = Command{
	Name: "gaps",
	Line: "List what could not be recorded, and why",
	Examples: []Example{
		{"warcorder gaps", "the newest 100"},
		{"warcorder gaps --reason upstream --limit 0", "all that no origin answered"},
	},
	Flags: []FlagGroup{{"Which, and how", "reason limit json"}},
	Texts: map[string]string{
		"--json":   "Print them as JSON.",
		"--reason": "Only gaps of this reason. ${list}.",
		"--limit":  "How many to list, the newest; 0 is all that are kept.",
	},
}

var key = Command{
	Name: "key",
	Line: "Print every key of a request, or of many as JSON lines",
	Examples: []Example{
		{"warcorder key https://example.org/%7Eanna", "of a GET"},
		{"warcorder key --method POST https://example.org/", "of a POST"},
	},
	Flags: []FlagGroup{
		{"The request", "method content-type body jsonl"},
		{"The keys", "dialect profile"},
	},
	Texts: map[string]string{
		"--method":  "Method of the request. Default: GET.",
		"--dialect": "How method and body become part of the key: pywb, spec, warciojs.",
		"<url>":     "The URL.",
		"--profile": "Path profile: generic, mediawiki, restbase, upload.",
		"--jsonl":   "Read requests as JSON lines from standard input. And write their keys in the same way.",
	},
}
