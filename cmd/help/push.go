package help

var push = Command{
	Name: "push",
	Line: "Give an index server what is new",
	About: "It sends the lines of what was captured since it was run last, and deletes those of what was " +
		"removed. What the server would keep under another key is left out, and counted: among it all that " +
		"is no GET.",
	Examples: []Example{
		{"warcorder push --to outbackcdx http://localhost:8080/web", "what is new"},
	},
	Flags: []FlagGroup{
		{"Where to, and from where", "to token-file authorization archive-mode"},
	},
	Texts: map[string]string{
		"<url>": "Address of the collection there, which is made if there is none. A user and a password in " +
			"it are shown to the server.",
		"--to": "What the server is: outbackcdx.",
		"--token-file": "File that says what it has been given, also of a push that broke off. Without it all is " +
			"given. Default: a file in " +
			"the collection, for each server one.",
		"--authorization": "Text of the field Authorization, such as Bearer …; better in WARCORDER_AUTHORIZATION, " +
			"since everybody on a machine sees how programs were begun.",
		"--archive-mode": "Who may read and write the token file; octal.",
	},
}
