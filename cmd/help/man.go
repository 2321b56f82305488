package help

var manual = Command{
	Name:  "man",
	Line:  "Print the manual page, which has all that --help-all says",
	About: "It is a page for man, mandoc and groff.",
	Examples: []Example{
		{"warcorder man", "into a file, for man -l FILE, or for a folder of MANPATH"},
	},
}
