package help

var verify = Command{
	Name:  "verify",
	Line:  "Check WARC files byte for byte, and the index against them",
	About: "It changes nothing. The exit status is 1 if there is a finding.",
	Examples: []Example{
		{"warcorder verify", "collections/default"},
		{"warcorder verify --remote", "what is in object storage, too"},
		{"warcorder verify crawl.warc", "a file of any tool"},
	},
	Flags: []FlagGroup{{"How", "remote json"}},
	Texts: map[string]string{
		"--remote": "Read what the collection has in object storage as well, byte for byte.",
		"--json":   "Print JSON lines. One for each finding, then one with the summary.",
		"<file>":   "WARC files of any tool. Default: all of the collection, and its index.",
	},
}

var recovery = Command{
	Name:  "recover",
	Line:  "Bring files and index into agreement after a crash",
	About: "The next recording would do the same. The exit status is 1 if something is missing.",
	Examples: []Example{
		{"warcorder recover", "collections/default"},
		{"warcorder recover --collection news", "another one"},
	},
	End: "What a crash has left in spill/ is written as record would: its settings of files, " +
		"deduplication and keys count here too (warcorder record --help-all).",
	Settings: true,
}

var rebuild = Command{
	Name:  "rebuild",
	Line:  "Make the index anew from the WARC files alone",
	About: "The old index is kept if it knows of files that are gone. What is away is read from there.",
	Examples: []Example{
		{"warcorder rebuild", "of collections/default"},
		{"warcorder rebuild --from s3://bucket/prefix", "from nothing but a bucket"},
		{"warcorder rebuild --keys-extra path,form", "with more keys"},
	},
	Flags: []FlagGroup{
		{"How", "from"},
		{"The index", "keys-extra dedup dedup-min-size dedup-for archive-mode"},
	},
	Texts: map[string]string{
		"--from": "s3://BUCKET/PREFIX: all WARC files below it too, which are away then. Where object " +
			"storage is, AWS_ENDPOINT_URL and the like say.",
	},
}

var index = Command{
	Name:  "index",
	Line:  "Add WARC files of any tool, without writing them anew",
	About: "They are linked into archive/, so do not change the originals.",
	Examples: []Example{
		{"warcorder index crawl.warc", "to collections/default"},
		{"warcorder index --copy --collection news crawl.warc", "to another one"},
	},
	Flags: []FlagGroup{
		{"How", "copy"},
		{"The index", "keys-extra dedup dedup-min-size dedup-for archive-mode"},
	},
	Texts: map[string]string{
		"<file>": "WARC files of any tool: .warc, .warc.gz, .warc.zst.",
		"--copy": "Copy a file that cannot be linked into the collection. One on another disk for example.",
	},
}

var imports = Command{
	Name: "import",
	Line: "Add what is in WACZ files and HARs, or in WARC 0.9 files",
	About: "A file is known by its bytes, not by its name, and stays as it is. All of what is given " +
		"is added, or nothing.",
	Examples: []Example{
		{"warcorder import crawl.wacz", "WARC files and pages"},
		{"warcorder import session.har", "saved by a browser"},
		{"warcorder import --from-format 0.9 old.warc", "converted to WARC 1.1"},
	},
	Flags: []FlagGroup{
		{"How", "from-format"},
		{"The index", "keys-extra dedup dedup-min-size dedup-for archive-mode"},
	},
	Texts: map[string]string{
		"<file>": "WACZ files, a multi-WACZ JSON whose parts lie beside it, HARs as they are, .gz or " +
			"in a .zip. Of WARC 0.9, segments of one record may lie in several of them.",
		"--from-format": "Convert files of the draft of 2006, WARC 0.9. All other forms are found " +
			"without it.",
	},
	End: "WARC files of WACZ are taken byte for byte, and their digests checked; who has signed them " +
		"is not judged. What is made of a HAR is derived, and says so.",
}
