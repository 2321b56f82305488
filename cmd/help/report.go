package help

var report = Command{
	Name: "report",
	Line: "Say of each page what is missing, and what to do about it",
	About: "That is what broke off or came in parts, what no origin answered, what either side refused, " +
		"and what others cannot read. The exit status is 1 if there is any.",
	Examples: []Example{
		{"warcorder report", "of all pages"},
		{"warcorder report --page https://example.org/", "of one"},
		{"warcorder report --from 2026 --json", "for programs"},
	},
	Flags: []FlagGroup{{"Which pages, and how", "page from to json"}},
	Texts: map[string]string{
		"--page": "Only the pages of this URL, or to which it redirected, or the one with this ID.",
		"--from": "Only pages at or after this time (UTC). YYYY to YYYYMMDDhhmmss, or 2026-05-01.",
		"--to":   "Only pages until the end of this time.",
		"--json": "Print JSON lines. One for each page, then one with the total.",
	},
}
