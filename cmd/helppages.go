package cmd

// helpPage is what the help of a command has beside the texts of its flags.
type helpPage struct {
	usage    string // what stands behind the name of the command; "" if its arguments say it
	about    string // beyond its line in warcorder --help
	examples []example
	flags    []flagGroup // all of its own, in their order; those of most commands come behind
	few      string      // those of them that --help shows; "" is all
	end      string      // the last words
	more     string      // the very last ones where --help shows few
	settings bool        // it takes settings of record too, which its help does not repeat
}

// flagGroup is flags of one matter.
type flagGroup struct{ title, names string }

// example is a command line that works as it stands, and what it does.
type example struct{ line, does string }

// The flags of most commands, which stand at the end.
const (
	generalFew  = "config help help-all"
	generalRest = "log verbose quiet ca-dir ca-cert ca-key"
)

// commandGroups are the commands by what they are for, in the order in which warcorder --help lists
// them.
var commandGroups = []flagGroup{
	{"Record", "record browser run status pause resume rotate"},
	{"Read what is there", "replay lookup export gaps key"},
	{"Check, mend and add", "verify recover rebuild index import"},
	{"Around it", "ca trust untrust password completion version"},
}

var overviewExamples = []example{
	{"warcorder browser https://example.org/", "record what a browser shows"},
	{"warcorder replay https://example.org/", "show it from the archive"},
	{"warcorder", "record, as a proxy at 127.0.0.1:8080"},
}

const overviewEnd = "warcorder COMMAND --help is about one of them, and --help-all has each of its " +
	"flags with its default. The settings of recording: warcorder record --help."

// helpPages are the pages, by command.
var helpPages = map[string]helpPage{
	"record": {
		about: "It is what warcorder does without a command. Ctrl-C ends it.",
		examples: []example{
			{"warcorder", "into collections/default"},
			{"warcorder --collection news --listen 127.0.0.1:8081", "beside the first"},
			{"warcorder --config config.yaml", "see config.example.yaml"},
		},
		flags: []flagGroup{
			{"Where", "listen replay-listen collection dir"},
			{"Who may use it", "clients proxy-users readers api-token"},
			{"What is recorded", "no-record tunnel insecure-upstream codings anticache record-dns " +
				"on-client-abort complete dedup dedup-min-size dedup-for keys-extra"},
			{"What complete does", "complete-max complete-quiet complete-within complete-timeout " +
				"complete-again complete-per-host complete-at-once complete-waiting complete-running"},
			{"Where it goes", "upstream deny allow resolver source-address upstream-ca"},
			{"Files", "archive-mode warc-prefix warc-name warc-max-size warc-idle warc-max-age " +
				"warc-version digest payload-digest sl warcinfo-operator warcinfo-is-part-of " +
				"warcinfo-description warcinfo-robots commit-interval commit-size index-interval sync"},
			{"Limits", "min-free-space queue-size max-connections max-header-size max-header-memory " +
				"max-body-size timeout-header timeout-connect timeout-tls timeout-first-byte " +
				"timeout-idle timeout-total shutdown-timeout"},
		},
		few: "listen collection dir clients proxy-users no-record insecure-upstream dedup complete " +
			"upstream",
		end: "Each flag is also a key of the file (listen: 127.0.0.1:8081) and a variable " +
			"(WARCORDER_LISTEN).",
		more: "There are some 60 more: warcorder record --help-all.",
	},
	"browser": {
		about: "Its profile is made for it and thrown away, and nothing of the system is changed. Close " +
			"its window to end: what was recorded is said then. A recorder that has the collection open is " +
			"used, or else one that ends with the browser.",
		examples: []example{
			{"warcorder browser https://example.org/", "into collections/default"},
			{"warcorder browser --headless https://example.org/", "without a window"},
			{"warcorder browser --browser firefox", "another one"},
		},
		flags: []flagGroup{{"The browser", "browser headless at-most all"}},
		end: "The settings of recording count here too (warcorder record --help-all); listen is a " +
			"free port of this machine unless it is set.",
		settings: true,
	},
	"run": {
		usage: "[FLAG…] -- COMMAND…",
		about: "Its programs are led through a recorder, and trust it: one that has the collection " +
			"open, or else one that ends with the command. The exit status is the command's.",
		examples: []example{
			{"warcorder run -- curl https://example.org/", "curl's fetches"},
			{"warcorder run --collection news -- wget https://example.org/", "into another"},
		},
		end: "The settings of recording count here too (warcorder record --help-all); listen is a " +
			"free port of this machine unless it is set.",
		settings: true,
	},
	"replay": {
		about: "A browser that goes through it sees what was recorded, byte for byte; nothing is fetched. " +
			"With a URL it opens one, and ends with it. While somebody records, that recorder is asked.",
		examples: []example{
			{"warcorder replay https://example.org/", "in a browser of its own"},
			{"warcorder replay --at 2026-05 https://example.org/", "as it was then"},
			{"warcorder replay --report misses.json", "proxy at 127.0.0.1:8090"},
		},
		flags: []flagGroup{
			{"What is shown", "at fallback explain inject report"},
			{"The browser", "browser headless at-most"},
			{"Who may use it", "listen clients proxy-users readers api-token"},
		},
		few: "at fallback explain inject report headless listen clients collection dir",
		end: "Other settings of record count here too: its limits, and with --fallback all " +
			"(warcorder record --help-all).",
		more:     "The rest: warcorder replay --help-all.",
		settings: true,
	},
	"export": {
		examples: []example{
			{"warcorder export", "a file for pywb"},
			{"warcorder export -o -", "printed"},
			{"warcorder export --url https://example.org/ --match host -o -", "of a site"},
		},
		flags: []flagGroup{
			{"Which captures", "url match from to key all"},
			{"What is written", "out dialect no-request-bodies format file-size archive-mode"},
		},
	},
	"lookup": {
		about: "The exit status is 1 if there is none.",
		examples: []example{
			{"warcorder lookup https://example.org/", "its captures, as CDXJ"},
			{"warcorder lookup --key path https://example.org/%7Eanna", "in any spelling"},
			{"warcorder lookup --any-body https://example.org/api", "all POSTs to it, say"},
		},
		flags: []flagGroup{
			{"How it is found", "key method content-type body any-body"},
		},
	},
	"key": {
		examples: []example{
			{"warcorder key https://example.org/%7Eanna", "of a GET"},
			{"warcorder key --method POST https://example.org/", "of a POST"},
		},
		flags: []flagGroup{
			{"The request", "method content-type body jsonl"},
			{"The keys", "dialect profile"},
		},
	},
	"status": {
		about: "It asks the recorder that has the collection open, or reads what is there.",
		examples: []example{
			{"warcorder status", "of collections/default"},
			{"warcorder status --collection news --json", "for programs"},
		},
		flags: []flagGroup{{"How", "json"}},
	},
	"gaps": {
		examples: []example{
			{"warcorder gaps", "the newest 100"},
			{"warcorder gaps --reason upstream --limit 0", "all that no origin answered"},
		},
		flags: []flagGroup{{"Which, and how", "reason limit json"}},
	},
	"pause": {
		about:    "That holds until warcorder resume, or until the recorder is started anew.",
		examples: []example{{"warcorder pause", "before one logs in, say"}},
	},
	"resume": {
		examples: []example{{"warcorder resume", "after warcorder pause"}},
	},
	"rotate": {
		about: "They end in .open until then, and pywb and others pass over them. All that was " +
			"recorded before is in them; the next exchange begins the next file.",
		examples: []example{{"warcorder rotate", "before the files are copied, say"}},
	},
	"recover": {
		about: "The next recording would do the same. The exit status is 1 if something is missing.",
		examples: []example{
			{"warcorder recover", "collections/default"},
			{"warcorder recover --collection news", "another one"},
		},
		end: "What a crash has left in spill/ is written as record would: its settings of files, " +
			"deduplication and keys count here too (warcorder record --help-all).",
		settings: true,
	},
	"rebuild": {
		about: "The old index is kept if it knows of files that are gone.",
		examples: []example{
			{"warcorder rebuild", "of collections/default"},
			{"warcorder rebuild --keys-extra path,form", "with more keys"},
		},
		flags: []flagGroup{{"The index", "keys-extra dedup dedup-min-size dedup-for archive-mode"}},
	},
	"verify": {
		about: "It changes nothing. The exit status is 1 if there is a finding.",
		examples: []example{
			{"warcorder verify", "collections/default"},
			{"warcorder verify crawl.warc", "a file of any tool"},
		},
		flags: []flagGroup{{"How", "json"}},
	},
	"index": {
		about: "They are linked into archive/, so do not change the originals.",
		examples: []example{
			{"warcorder index crawl.warc", "to collections/default"},
			{"warcorder index --copy --collection news crawl.warc", "to another one"},
		},
		flags: []flagGroup{
			{"How", "copy"},
			{"The index", "keys-extra dedup dedup-min-size dedup-for archive-mode"},
		},
	},
	"import": {
		about:    "The files stay as they are.",
		examples: []example{{"warcorder import --from-format 0.9 old.warc", "to collections/default"}},
		flags: []flagGroup{
			{"How", "from-format"},
			{"The index", "keys-extra dedup dedup-min-size dedup-for archive-mode"},
		},
	},
	"ca": {
		about: "Nothing on the system is changed.",
		examples: []example{
			{"warcorder ca", "PEM, for curl --cacert"},
			{"warcorder ca --out certificate", "for browsers and phones"},
		},
		flags: []flagGroup{
			{"What", "out spki"},
			{"Which certificate", "ca-dir ca-cert ca-key"},
		},
	},
	"trust": {
		about: "It says what it did, what it could not do, and what is left to you. What is trusted " +
			"already stays as it is.",
		examples: []example{
			{"warcorder trust --dry-run", "see what would be done"},
			{"warcorder trust", "do it"},
		},
		flags: []flagGroup{
			{"How", "system dry-run"},
			{"Which certificate", "ca-dir ca-cert ca-key"},
		},
	},
	"untrust": {
		about: "It removes what warcorder trust has added, and nothing else; the root and its key need " +
			"not be there any more.",
		examples: []example{
			{"warcorder untrust", "what this installation has added"},
			{"warcorder untrust --all", "roots of former installations too"},
		},
		flags: []flagGroup{
			{"How", "system all dry-run"},
			{"Which certificate", "ca-dir ca-cert ca-key"},
		},
	},
	"password": {
		about: "That is the name and the hash of a password, which is asked for, or read as one " +
			"line from standard input.",
		examples: []example{{"warcorder password anna", "a line for proxy-users"}},
	},
	"completion": {
		usage: "SHELL",
		about: "Commands, flags, their values, files and collections are completed then. The first " +
			"lines of what it prints say where to put it.",
		examples: []example{
			{"warcorder completion bash", "for source <(…) in ~/.bashrc"},
			{"warcorder completion zsh", "for source <(…) in ~/.zshrc, behind compinit"},
			{"warcorder completion fish", "for ~/.config/fish/completions/warcorder.fish"},
		},
	},
	"version": {
		examples: []example{{"warcorder version", "and what it is built with"}},
	},
}
