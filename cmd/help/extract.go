package help

var extract = Command{
	Name: "extract",
	Line: "Write a part as WARC files that stand alone, with their CDXJ",
	About: "Each record is copied byte for byte, with its request; the originals of revisits are taken " +
		"along.",
	Examples: []Example{
		{"warcorder extract -o out", "all of it"},
		{"warcorder extract --page https://example.org/ -o page", "a page"},
		{"warcorder extract --from 202605 --no-revisits -o may", "for any reader"},
	},
	Flags: []FlagGroup{
		{"Which captures", "url match from to page file"},
		{"What is written", "out no-revisits file-size archive-mode"},
	},
	Texts: map[string]string{
		"--out": "Directory to write into, made if it is not there. It must hold no files of the same " +
			"names.",
		"--no-revisits": "Make revisits responses again. Each has its own header, and the body of its " +
			"original; for readers that know no revisits.",
		"--file-size": "Size that no file exceeds, unless one exchange does. A longer file of the " +
			"collection is cut.",
		"--archive-mode": "Who may read and write the files; octal.",
	},
}
