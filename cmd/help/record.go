package help

var record = Command{
	Name:  "record",
	Line:  "Record all that passes through the proxy",
	About: "It is what warcorder does without a command. Ctrl-C ends it.",
	Examples: []Example{
		{"warcorder", "into collections/default"},
		{"warcorder --collection news --listen 127.0.0.1:8081", "beside the first"},
		{"warcorder --config config.yaml", "see config.example.yaml"},
	},
	Flags: []FlagGroup{
		{"Where", "listen replay-listen preview-listen debug-listen collection dir"},
		{"Who may use it", "clients proxy-users readers page-control api-token"},
		{"What is recorded", "no-record tunnel insecure-upstream codings anticache record-dns " +
			"on-client-abort complete dedup dedup-min-size dedup-for dedup-from dedup-shared " +
			"dedup-ttl keys-extra"},
		{"What complete does", "complete-max complete-quiet complete-within complete-timeout " +
			"complete-again complete-per-host complete-at-once complete-waiting complete-running"},
		{"Where it goes", "upstream deny allow resolver source-address upstream-ca"},
		{"Files", "archive-mode warc-prefix warc-name warc-max-size warc-idle warc-max-age " +
			"warc-version digest payload-digest sl warcinfo-operator warcinfo-is-part-of " +
			"warcinfo-description warcinfo-robots commit-interval commit-size index-interval sync"},
		{"Object storage", "upload upload-cdxj keep-local"},
		{"What others are given meanwhile", "push push-every"},
		{"Limits", "min-free-space keep-for queue-size max-connections max-header-size max-header-memory " +
			"max-body-size timeout-header timeout-connect timeout-tls timeout-first-byte " +
			"timeout-idle timeout-total shutdown-timeout"},
	},
	Few: "listen collection dir clients proxy-users no-record insecure-upstream dedup complete " +
		"upstream",
	End: "Each flag is also a key of the file (listen: 127.0.0.1:8081) and a variable " +
		"(WARCORDER_LISTEN).",
	More: "There are some 60 more: warcorder record --help-all.",
}

var browser = Command{
	Name: "browser",
	Line: "Open a browser whose pages are recorded",
	About: "Its profile is made for it and thrown away, and nothing of the system is changed. Close " +
		"its window to end: what was recorded is said then. A recorder that has the collection open is " +
		"used, or else one that ends with the browser.",
	Examples: []Example{
		{"warcorder browser https://example.org/", "into collections/default"},
		{"warcorder browser --headless https://example.org/", "without a window"},
		{"warcorder browser --browser firefox", "another one"},
	},
	Flags: []FlagGroup{{"The browser", "browser headless at-most all"}},
	End: "The settings of recording count here too (warcorder record --help-all); listen is a " +
		"free port of this machine unless it is set.",
	Settings: true,
	Texts: map[string]string{
		"<url>": "The page to open; without one, the recorder's own",
		"--all": "Record also what the browser asks for by itself. Without it, no-record has " +
			"@browser-chatter.",
	},
}

var run = Command{
	Name:  "run",
	Line:  "Run a command, and record what its programs fetch",
	Usage: "[FLAG…] -- COMMAND…",
	About: "Its programs are led through a recorder, and trust it: one that has the collection " +
		"open, or else one that ends with the command. The exit status is the command's.",
	Examples: []Example{
		{"warcorder run -- curl https://example.org/", "curl's fetches"},
		{"warcorder run --collection news -- wget https://example.org/", "into another"},
	},
	End: "The settings of recording count here too (warcorder record --help-all); listen is a " +
		"free port of this machine unless it is set.",
	Settings: true,
	Texts: map[string]string{
		"<command>": "The command and its arguments, which are not ours.",
	},
}

var status = Command{
	Name: "status",
	Line: "Say what a collection holds and lacks, and how recording goes",
	About: "It asks the recorder that has the collection open, or reads what is there. With --of it asks " +
		"recorders at addresses, each for 5 s at most, and sums them up; the exit status is 1 then unless " +
		"all are recording.",
	Examples: []Example{
		{"warcorder status", "of collections/default"},
		{"warcorder status --collection news --json", "for programs"},
		{"warcorder status --check", "fails if nothing is recorded"},
		{"warcorder status --of one:8080,two:8080", "of both"},
	},
	Flags: []FlagGroup{{"How", "json check"}, {"Of several recorders", "of token-file api-token"}},
	Texts: map[string]string{
		"--check": "Print one line, and fail unless a recorder has the collection open and takes what " +
			"clients ask for. The state of the files is not looked at. One that is paused is no failure.",
		"--json": "Print JSON: what /status answers, or the state of the files. With --of that of each, and " +
			"the sum.",
		"--of": "Addresses of recorders, with commas between: HOST:PORT, or a URL such as https://HOST. " +
			"Whoever listens there is sent the token.",
		"--token-file": "File that holds the token of the recorders of --of. Default: what api-token says.",
		"--api-token": "The api-token of the recorders of --of; better in WARCORDER_API_TOKEN, since everybody " +
			"on a machine sees how programs were begun.",
	},
}

var pause = Command{
	Name:     "pause",
	Line:     "Let what crosses the recorder pass unrecorded, only counted",
	About:    "That holds until warcorder resume, or until the recorder is started anew.",
	Examples: []Example{{"warcorder pause", "before one logs in, say"}},
}

var resume = Command{
	Name:     "resume",
	Line:     "Record again after a pause",
	Examples: []Example{{"warcorder resume", "after warcorder pause"}},
}

var rotate = Command{
	Name: "rotate",
	Line: "Finish the WARC files that are open now, and print their paths",
	About: "They end in .open until then, and pywb and others pass over them. All that was " +
		"recorded before is in them; the next exchange begins the next file.",
	Examples: []Example{{"warcorder rotate", "before the files are copied, say"}},
}

var reload = Command{
	Name: "reload",
	Line: "Have the recorder read its settings anew, and print what changed",
	About: "It reads the configuration file, under the flags and the environment of its start. What is " +
		"wrong changes nothing at all, and the exit status is 1; config check says all that is wrong. " +
		"What counts only after a restart is said. SIGHUP does the same, of a recorder that no terminal " +
		"controls.",
	Examples: []Example{{"warcorder reload", "after an edit of the file"}},
}
