package help

var push = Command{
	Name: "push",
	Line: "Give an index server or a table what is new",
	About: "It gives what was captured since it was run last, and deletes what was removed. What an " +
		"OutbackCDX would keep under another key is left out, and counted: among it all that is no GET. A " +
		"table has a part for each WARC file, which is written anew when that has changed.",
	Examples: []Example{
		{"warcorder push --to outbackcdx http://localhost:8080/web", "what is new"},
		{"warcorder push --to parquet s3://archive/table", "as a table"},
	},
	Flags: []FlagGroup{
		{"Where to, and from where", "to token-file authorization archive-mode"},
	},
	Texts: map[string]string{
		"<url>": "Address of the collection there, which is made if there is none; a user and a password in " +
			"it are shown to the server. Of a table s3://BUCKET/PREFIX, or a directory.",
		"--to": "What is given: lines to an outbackcdx, or the parts of a table: parquet.",
		"--token-file": "File that says what it has been given, also of a push that broke off. Without it all is " +
			"given. Default: a file in " +
			"the collection, for each server one.",
		"--authorization": "Text of the field Authorization, such as Bearer …; better in WARCORDER_AUTHORIZATION, " +
			"since everybody on a machine sees how programs were begun.",
		"--archive-mode": "Who may read and write the token file; octal.",
	},
}
