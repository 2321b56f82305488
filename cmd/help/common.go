package help

// Common are the texts of flags that several commands have, by flag.
var Common = map[string]string{
	// of all commands
	"--config": "YAML file with settings. Its keys are named like these flags; config.example.yaml " +
		"has all of them.",
	"--log": "How to log on standard error. text for people, json for machines, auto by whether " +
		"it is a terminal.",
	"--log-level": "The least that is logged. error, warn, or info, which is all; the first and the last " +
		"line of a run are there in any case.",
	"--verbose": "Whole lines for people. With time, file and offset of each capture; run shows its " +
		"captures then.",
	"--quiet": "No line for a capture, or for what a replay answers. Warnings and errors stay.",
	"--ca-dir": "Where the root certificate and its key are kept. Default: warcorder in the " +
		"user's configuration directory.",
	"--ca-cert": "An authority of your own in place of ca-dir, PEM. The certificate that signs, " +
		"and behind it the one that signed it, and so on.",
	"--ca-key": "The private key of the first certificate of ca-cert, PEM. Not encrypted, and for " +
		"its owner alone (chmod 600), or a mounted secret for its group to read (0440).",
	"--collection": "Name of the collection.",
	"--dir":        "Directory that holds the collections.",
	"--help":       "Print this.",
	"--help-all":   "Print every flag, with its default and variable.",

	// of browser and replay
	"--browser": "Which browser: chromium, chrome, edge, brave, firefox, or the path of its program. " +
		"Default: the first of these that is installed.",
	"--headless": "Show no window: end when the page has loaded, and nothing has come for 3 s. What " +
		"scrolling or clicking would load is not loaded.",
	"--at-most": "How long a page may load with --headless.",

	// of the captures that are selected
	"--url": "Only captures of this URL.",
	"--match": "What --url selects: exact, prefix, host, domain, or ports, the host at all ports but " +
		"the usual one.",
	"--from": "Only captures at or after this time (UTC). YYYY to YYYYMMDDhhmmss, or 2026-05-01.",
	"--to":   "Only captures until the end of this time.",
	"--page": "Only this page and its resources. Its URL, or one that redirected to it, or the ID that " +
		"warcorder pages prints.",
	"--file": "Only captures in this WARC file; can be given several times.",

	// of lookup and key
	"--content-type": "Content-Type of the request's body.",
	"--body":         "File with the request's body, - for standard input.",

	// of trust and untrust
	"--dry-run": "Show what would be done, and change nothing.",
}
