package cmd

// helpTexts are the texts of --help but for those of the settings: of a command by its name, of a
// flag by its name or, where it means something else in one command, by both, and of an argument by
// both. The first sentence of a flag's text is what --help shows, and --help-all shows the whole.
var helpTexts = map[string]string{
	"record":   "Record all that passes through the proxy",
	"browser":  "Open a browser whose pages are recorded",
	"run":      "Run a command, and record what its programs fetch",
	"replay":   "Show what was recorded, under its own addresses",
	"export":   "Write the captures as sorted CDXJ, or as WARC 0.9",
	"lookup":   "Find the captures of a URL, by any of its keys",
	"key":      "Print every key of a request, or of many as JSON lines",
	"gaps":     "List what could not be recorded, and why",
	"pause":    "Let what crosses the recorder pass unrecorded, only counted",
	"resume":   "Record again after a pause",
	"status":   "Say what a collection holds and lacks, and how recording goes",
	"rotate":   "Finish the WARC files that are open now, and print their paths",
	"recover":  "Bring files and index into agreement after a crash",
	"rebuild":  "Make the index anew from the WARC files alone",
	"verify":   "Check WARC files byte for byte, and the index against them",
	"import":   "Convert WARC 0.9 files to WARC 1.1, and add them",
	"index":    "Add WARC files of any tool, without writing them anew",
	"ca":       "Print the certificate to trust, or write it in all its forms",
	"trust":    "Make this account's browsers trust the certificate",
	"untrust":  "Take that trust away again",
	"password": "Print what proxy-users needs to let somebody in",
	"version":  "Print the version",

	"completion": "Print what makes a shell complete command lines",

	// of all commands
	"--config": "YAML file with settings. Its keys are named like these flags; config.example.yaml " +
		"has all of them.",
	"--log": "How to log on standard error. text for people, json for machines, auto by whether " +
		"it is a terminal.",
	"--verbose": "Whole lines for people. With time, file and offset of each capture; run shows its " +
		"captures then.",
	"--quiet": "No line for a capture, or for what a replay answers. Warnings and errors stay.",
	"--ca-dir": "Where the root certificate and its key are kept. Default: warcorder in the " +
		"user's configuration directory.",
	"--ca-cert": "An authority of your own in place of ca-dir, PEM. The certificate that signs, " +
		"and behind it the one that signed it, and so on.",
	"--ca-key": "The private key of the first certificate of ca-cert, PEM. Not encrypted, and for " +
		"its owner alone (chmod 600).",
	"--collection": "Name of the collection.",
	"--dir":        "Directory that holds the collections.",
	"--help":       "Print this.",
	"--help-all":   "Print every flag, with its default and variable.",

	// of browser
	"browser <url>": "The page to open; without one, the recorder's own",
	"--browser": "Which browser: chromium, chrome, edge, brave, firefox, or the path of its program. " +
		"Default: the first of these that is installed.",
	"--headless": "Show no window: end when the page has loaded, and nothing has come for 3 s. What " +
		"scrolling or clicking would load is not loaded.",
	"--at-most": "How long a page may load with --headless.",
	"browser --all": "Record also what the browser asks for by itself. Without it, no-record has " +
		"@browser-chatter.",

	// of run
	"run <command>": "The command and its arguments, which are not ours.",

	// of replay
	"replay <url>": "A page to open in a browser; without one it serves whoever asks",
	"replay --listen": "Address to listen on. It is not that of record. Default: 127.0.0.1:8090, or " +
		"with a URL a free port.",
	"--at": "Time that the captures shown are nearest to. YYYY to YYYYMMDDhhmmss (UTC), or 2026-05-01, " +
		"or 2026-05-01T12:30:00Z; of a year, a month or a day it is the middle. Default: the latest.",
	"--fallback": "Fetch what is missing, and record it. It takes the recorder that has the collection " +
		"open, or one that ends with the replay; the settings of recording count for that.",
	"--explain": "Say in each answer where it comes from. By Memento-Datetime, Link and X-Warcorder-…: " +
		"capture, rule, and why something is missing.",
	"--inject": "Put a fixed clock and fixed chance into documents. For pages that ask for other " +
		"addresses each time; it is the one thing that changes what was recorded, and says so in " +
		"X-Warcorder-Injected.",
	"--report": "File for what was answered and what was missing, as JSON. Written at the end; - is " +
		"standard output.",

	// of export
	"--url":   "Only captures of this URL.",
	"--match": "What --url selects: exact, prefix, host, domain.",
	"--from":  "Only captures at or after this time (UTC). YYYY to YYYYMMDDhhmmss.",
	"--to":    "Only captures until the end of this time.",
	"export --key": "Key that lines begin with, and are found by. It is url, path, wwwoffle, form or " +
		"query.",
	"export --dialect": "Dialect of keys and bodies: pywb, spec, warciojs.",
	"--format": "Lines, or whole files. cdxj is a line for each capture; warc-0.9 the WARC files " +
		"of the collection as files of the draft WARC 0.9, into the directory that -o names.",
	"--file-size": "Size of the files of WARC 0.9. Longer records are cut into segments.",
	"--no-request-bodies": "Leave request bodies out, which may hold passwords. Lines have no " +
		"requestBody, and their keys say the method alone, so that what was posted cannot be found " +
		"by what was posted. What stands in a URL stays.",
	"export --all": "Lines too that pywb would show as an empty or partial page. Those of 304s, and " +
		"of parts (206) and what was cut whose whole is there. The other dialects have them in any case.",
	"export --archive-mode":  "Who may read and write the file; octal.",
	"export --keys-profiles": "Path profiles, from the configuration file.",
	"--out":                  "File to write, - for standard output. Default: indexes/index.cdxj of the collection.",

	// of lookup and key
	"lookup --key": "Key to find by. url; query, which tells long bodies " +
		"apart; and path, wwwoffle and form, if --keys-extra had them stored.",
	"lookup --keys-profiles": "Path profiles, from the configuration file.",
	"lookup <url>":           "The URL, in any spelling that has the same key.",
	"lookup --method":        "Method of the request. Default: GET, or with --any-body each other one.",
	"key --method":           "Method of the request. Default: GET.",
	"--any-body": "Captures of other methods than GET, whatever was sent. With --method those of " +
		"one: of the URL as it is given, with its own arguments and no others.",
	"--content-type": "Content-Type of the request's body.",
	"--body":         "File with the request's body, - for standard input.",
	"key --dialect":  "How method and body become part of the key: pywb, spec, warciojs.",
	"--profile":      "Path profile: generic, mediawiki, restbase, upload.",
	"--jsonl":        "Read requests as JSON lines from standard input. And write their keys in the same way.",
	"key <url>":      "The URL.",

	// of gaps
	"--reason":      "Only gaps of this reason. ${list}.",
	"--limit":       "How many to list, the newest; 0 is all that are kept.",
	"gaps --json":   "Print them as JSON.",
	"status --json": "Print JSON: what /status answers, or the state of the files.",

	// of verify
	"verify --json": "Print JSON lines. One for each finding, then one with the summary.",
	"verify <file>": "WARC files of any tool. Default: all of the collection, and its index.",

	// of rebuild, index and import
	"--copy":        "Copy a file that cannot be linked into the collection. One on another disk for example.",
	"index <file>":  "WARC files of any tool: .warc, .warc.gz, .warc.zst.",
	"--from-format": "Format of the files: 0.9, the draft of 2006.",
	"import <file>": "Files to import; segments of one record may lie in several of them.",

	// of password
	"password <name>": "Name of the user. Default: the account's.",

	// of completion
	"completion <shell>": "bash, zsh or fish.",
	"completion <words>": "What the script asks for: a command line as far as it is typed.",

	// of ca
	"ca --out": "Directory to write it to as PEM, DER, PKCS#12 and Apple profile. Never with its key.",
	"--spki": "Print the hash of the public key. For Chromium's " +
		"--ignore-certificate-errors-spki-list.",

	// of trust and untrust
	"trust --system": "The system's store in place of the account's browsers. Which curl, wget, git " +
		"and Python ask on most systems; only root may change it.",
	"untrust --system": "The system's store in place of the account's browsers.",
	"--dry-run":        "Show what would be done, and change nothing.",
	"untrust --all": "Each root that a warcorder has made, here or elsewhere. Otherwise those of this " +
		"installation; or each, where nothing of it is left.",
}
