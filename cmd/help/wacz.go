package help

var wacz = Command{
	Name: "wacz",
	Line: "Pack what was recorded into a WACZ file",
	About: "One file with records, index and pages, which replayweb.page opens. Also of a collection " +
		"that is being recorded.",
	Examples: []Example{
		{"warcorder wacz -o all.wacz", "all of it"},
		{"warcorder wacz --page https://example.org/ -o page.wacz", "a page"},
		{"warcorder wacz -o parts.wacz --split 10GB --text", "to search in"},
	},
	Flags: []FlagGroup{
		{"Which captures", "url match from to page file"},
		{"What is written", "out title text sign split cookies archive-mode"},
	},
	Texts: map[string]string{
		"--out": "File to write, which ends in .wacz; - is a pipe. What is there is replaced when all of " +
			"the new one is written.",
		"--title": "Title of the package.",
		"--text": "Put the text of each page into the page lists. replayweb.page searches it. It is what " +
			"is seen of the HTML as it was sent, at most 1 MiB of a page.",
		"--sign": "Sign it, by a key that nobody keeps. The signature says that nothing was changed since, " +
			"and not by whom it was made.",
		"--split": "Parts of at most so many bytes, and a list of them. -o all.wacz makes all-0001.wacz and " +
			"so on, each of which stands alone, and all.json, which opens all. A part is longer if what was " +
			"captured in one second is.",
		"--cookies": "Put the cookies of requests into the index too. replayweb.page shows them to the " +
			"scripts of pages. The records of the requests hold them in any case.",
		"--archive-mode": "Who may read and write the file; octal.",
	},
}
