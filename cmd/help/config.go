package help

var config = Command{
	Name:  "config",
	Line:  "Check the settings, or show them and where each comes from",
	Usage: "check|show",
	About: "It takes what record takes, and so stands in its place in any command line: what record would " +
		"be told is checked or shown, and nothing is begun, made or opened. check says all that is wrong; " +
		"the exit status is 1 then.",
	Examples: []Example{
		{"warcorder config check --config config.yaml", "would record take it?"},
		{"warcorder config show --changed", "what is not as by default"},
		{"warcorder config show --listen 127.0.0.1:8081", "as record would have it"},
	},
	Flags: []FlagGroup{{"What is shown", "changed json running"}},
	End: "What it shows is YAML, which record --config takes again, but for secrets: *** stands in their " +
		"place, and is refused. Settings: warcorder record --help-all.",
	Settings: true,
	Texts: map[string]string{
		"<what>":    "check, or show",
		"--changed": "Only what differs from the defaults.",
		"--json":    "Print JSON: key, value, source, and file and line or variable.",
		"--running": "Ask the recorder of the collection what it runs with.",
	},
}
