package help

var capture = Command{
	Name: "capture",
	Line: "Record pages as a browser shows them, from URL to file",
	About: "A Chromium without a window opens each page, waits until it is quiet, scrolls to its end, " +
		"and takes its picture and its text, which are recorded too. A line says what came of a page; the " +
		"exit status is 0 only if each is whole. It is for tens of pages: for more, lead a crawler through " +
		"a recorder.",
	Examples: []Example{
		{"warcorder capture https://example.org/ -o page.wacz", "from URL to file"},
		{"warcorder capture --depth 1 https://example.org/", "and what it links to"},
		{"warcorder capture --urls list.txt", "each line of a file"},
	},
	Flags: []FlagGroup{
		{"Which pages", "urls depth external max-pages"},
		{"How, and where to", "out wait at-most browser"},
	},
	End: "A recorder that has the collection open is used, or else one that ends with the capture. The " +
		"settings of recording count here too (warcorder record --help-all).",
	Settings: true,
	Texts: map[string]string{
		"<url>": "The pages.",
		"--out": "WACZ file of what was captured. With the text of the pages, for search. Beside a recorder it " +
			"has what others recorded meanwhile too.",
		"--urls":  "File with pages, one a line; - is standard input. Lines that begin with # are none.",
		"--depth": "Follow links, so many from the pages given. Those to other hosts are not followed.",
		"--external": "Go to other hosts too. Without it a link there is not followed, and a page that leads " +
			"there is lacking.",
		"--max-pages": "How many pages at most.",
		"--wait":      "How long a page must be quiet.",
		"--at-most": "How long a page may load and be scrolled. One that is still busy then is recorded as " +
			"far as it came, and lacking.",
		"--browser": "Which browser: chromium, chrome, edge, brave, or the path of its program. " +
			"Default: the first of these that is installed.",
	},
}
