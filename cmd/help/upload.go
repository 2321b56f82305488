package help

var upload = Command{
	Name: "upload",
	Line: "Bring finished WARC files into object storage, and verify them there",
	About: "What a crash or a removal has left there is put right too. A recorder that has the collection " +
		"open does it now; else it is done here. The exit status is 1 if something could not be done.",
	Examples: []Example{
		{"warcorder upload s3://archive/news", "all that is not there"},
		{"warcorder upload s3://archive/news --keep-local 0", "and let go"},
		{"warcorder upload --status", "how each file is"},
	},
	Flags: []FlagGroup{
		{"What is done", "cdxj keep-local"},
		{"How", "status json"},
	},
	End: "Object storage is found by AWS_ENDPOINT_URL, AWS_REGION and the usual credentials of AWS. Without " +
		"a recorder, what a crash has left is first brought into order, as recover does it: the settings of " +
		"record count for that.",
	Settings: true,
	Texts: map[string]string{
		"<url>":    "s3://BUCKET/PREFIX. Default: what upload says in the settings.",
		"--cdxj":   "Put the index lines of each file beside it there, as FILE.cdxj.",
		"--status": "Only say how each file is: open, finished, uploading, stored, away, missing or stale.",
		"--json":   "Print that as JSON.",
	},
}
