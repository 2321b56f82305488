package help

var export = Command{
	Name: "export",
	Line: "Write the captures as sorted CDXJ, or in another format",
	Examples: []Example{
		{"warcorder export", "a file for pywb"},
		{"warcorder export -o -", "printed"},
		{"warcorder export --url https://example.org/ --match host -o -", "of a site"},
		{"warcorder export --format parquet -o table/", "for DuckDB"},
	},
	Flags: []FlagGroup{
		{"Which captures", "url match from to key all since"},
		{"What is written", "out token-file format dialect no-request-bodies zipnum part-lines file-size archive-mode"},
	},
	Texts: map[string]string{
		"--out": "File to write, - for standard output, or directory. Default for cdxj: " +
			"indexes/index.cdxj of the collection.",
		"--key": "Key that lines begin with, and are found by. It is url, path, wwwoffle, form or " +
			"query.",
		"--dialect": "Dialect of keys and bodies: pywb, spec, warciojs.",
		"--all": "Lines too that pywb would show as an empty or partial page. Those of 304s, and " +
			"of parts (206) and what was cut whose whole is there. The other dialects have them in any case.",
		"--since": "Only what is new since this token. And what is void by now; an empty one is the " +
			"beginning; @FILE reads it from a file. Nothing new is no line. doc/feeding.md says what the lines mean.",
		"--token-file": "File for the token of what was written. It is written when the lines are safe, and " +
			"never read.",
		"--archive-mode":  "Who may read and write the file; octal.",
		"--keys-profiles": "Path profiles, from the configuration file.",
		"--format": "Lines, or a directory that -o names (zipnum, parquet, warc-0.9). cdxj is a line " +
			"for each capture; cdx11 the same in the older CDX with 11 fields; zipnum the lines of cdxj " +
			"in gzip members, with a list of these; parquet a table as Common Crawl has it, in a folder " +
			"crawl=NAME of the collection's name; warc-0.9 the WARC files as files of the draft WARC 0.9.",
		"--zipnum": "Dialect of the list of zipnum: pywb, wacz. wacz is for replayweb.page, which finds " +
			"lines by --dialect warciojs.",
		"--part-lines": "Lines of a part of zipnum, parquet. It ends with a key. With --zipnum wacz there is one part.",
		"--file-size":  "Size of the files of WARC 0.9. Longer records are cut into segments.",
		"--no-request-bodies": "Leave request bodies out, which may hold passwords. Lines have no " +
			"requestBody, and their keys say the method alone, so that what was posted cannot be found " +
			"by what was posted. What stands in a URL stays.",
	},
}
