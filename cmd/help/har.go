package help

var har = Command{
	Name: "har",
	Line: "Write what was recorded as HAR, which browsers' tools read",
	About: "Each exchange is there with its heads and its body, in the order of time; what was posted " +
		"and cookies too.",
	Examples: []Example{
		{"warcorder har -o all.har", "all that was recorded"},
		{"warcorder har --page https://example.org/ -o a.har", "a page"},
		{"warcorder har --from 202605 --to 202605 -o -", "a month"},
	},
	Flags: []FlagGroup{
		{"Which captures", "url match from to page file"},
		{"What is written", "out archive-mode"},
	},
	Texts: map[string]string{
		"--out":          "File to write, - for standard output.",
		"--archive-mode": "Who may read and write the file; octal.",
	},
}
