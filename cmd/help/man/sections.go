package man

// about is what the description says beyond the first sentence.
const about = "Programs ask through it as through any other proxy, and what crosses the wire is kept " +
	"byte for byte. An index finds each capture. Without a command it records, until Ctrl-C. What a " +
	"command is asked for goes to standard output, all else to standard error."

// section is a section of the page that no flag makes.
type section struct {
	title, text string
	items       [][2]string // what it is of, and its text
}

// sections are those behind the commands.
var sections = [...]section{
	{"CONFIGURATION", "A file of YAML that --config or WARCORDER_CONFIG names. Its keys are the settings " +
		"of record, without the dashes in front; config.example.yaml has all of them with their defaults. " +
		"An empty file records correctly. An unknown key is refused with its line.", nil},
	{"ENVIRONMENT", "A variable wins over the configuration file, a flag over both.", [][2]string{
		{"WARCORDER_*", "Each setting of record: its name in capitals, with _ for each dash."},
		{"HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY", "The way out through another proxy, where " +
			"upstream names none."},
		{"SSL_CERT_FILE, SSL_CERT_DIR", "Roots that origins' certificates are judged by, in place of the " +
			"system's."},
		{"TMPDIR", "Where commands sort what does not fit into memory."},
	}},
	{"FILES", "", [][2]string{
		{"collections/NAME/archive/", "The WARC files of a collection. One that is being written has " +
			".open behind its name."},
		{"collections/NAME/index.bolt", "Its index, which warcorder rebuild makes anew from the files."},
		{"~/.config/warcorder/", "The root certificate and its key, unless ca-dir says where."},
		{"config.yaml", "Settings, wherever --config says."},
	}},
	{"EXIT STATUS", "", [][2]string{
		{"0", "Nothing is wrong."},
		{"1", "Something is: what was asked for could not be done, or there is a finding. Standard error, " +
			"or the output of a check, says what."},
		{"of the command", "What warcorder run ends with."},
	}},
	{"SIGNALS", "", [][2]string{
		{"SIGINT, SIGTERM", "End a recording: what is in flight is finished, written and synced. A second " +
			"one ends it at once; the next start brings files and index into agreement."},
	}},
	{"SEE ALSO", "The documents in doc/: operating.md, keys.md, replay.md, handing-on.md, crawlers.md. " +
		"The standard: WARC 1.1, ISO 28500.", nil},
}

// section writes a section.
func (r *roff) section(s section) {
	r.request("SH", s.title)
	r.text(s.text)
	for _, one := range s.items {
		r.item(bold(one[0]), one[1])
	}
}
