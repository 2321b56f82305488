package help

var serve = Command{
	Name: "serve",
	Line: "Serve collections over HTTP: index, WARC files, what was recorded",
	About: "The tools of web archives read them: as from a CDX server of pywb or of the Wayback Machine, " +
		"and as WARC files. A recorder serves its own collection by itself. Ctrl-C ends it.",
	Examples: []Example{
		{"warcorder serve", "all collections, at 127.0.0.1:8070"},
		{"warcorder serve --collection news", "this one"},
	},
	Flags: []FlagGroup{
		{"What is served", "collection dir"},
		{"To whom", "listen readers api-token debug-listen"},
	},
	End: "Which paths there are: doc/serving.md, and the front page.",
	Texts: map[string]string{
		"--collection": "Name of a collection; can be given several times. Default: all that are there when " +
			"it starts.",
		"--listen": "Address to listen on.",
		"--readers": "Networks that may read without the token. As addresses, prefixes and words (@loopback, " +
			"@private); an empty list asks everybody for it.",
		"--api-token": "Secret that reads from everywhere, sent as Authorization: Bearer TOKEN or in the " +
			"URL. Better in the environment or the file than on the command line, where others may see it.",
	},
}
