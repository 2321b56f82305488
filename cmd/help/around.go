package help

var ca = Command{
	Name:  "ca",
	Line:  "Print the certificate to trust, or write it in all its forms",
	About: "Nothing on the system is changed.",
	Examples: []Example{
		{"warcorder ca", "PEM, for curl --cacert"},
		{"warcorder ca --out certificate", "for browsers and phones"},
	},
	Flags: []FlagGroup{
		{"What", "out spki"},
		{"Which certificate", "ca-dir ca-cert ca-key"},
	},
	Texts: map[string]string{
		"--out": "Directory to write it to as PEM, DER, PKCS#12 and Apple profile. Never with its key.",
		"--spki": "Print the hash of the public key. For Chromium's " +
			"--ignore-certificate-errors-spki-list.",
	},
}

var trust = Command{
	Name: "trust",
	Line: "Make this account's browsers trust the certificate",
	About: "It says what it did, what it could not do, and what is left to you. What is trusted " +
		"already stays as it is.",
	Examples: []Example{
		{"warcorder trust --dry-run", "see what would be done"},
		{"warcorder trust", "do it"},
	},
	Flags: []FlagGroup{
		{"How", "system dry-run"},
		{"Which certificate", "ca-dir ca-cert ca-key"},
	},
	Texts: map[string]string{
		"--system": "The system's store in place of the account's browsers. Which curl, wget, git " +
			"and Python ask on most systems; only root may change it.",
	},
}

var untrust = Command{
	Name: "untrust",
	Line: "Take that trust away again",
	About: "It removes what warcorder trust has added, and nothing else; the root and its key need " +
		"not be there any more.",
	Examples: []Example{
		{"warcorder untrust", "what this installation has added"},
		{"warcorder untrust --all", "roots of former installations too"},
	},
	Flags: []FlagGroup{
		{"How", "system all dry-run"},
		{"Which certificate", "ca-dir ca-cert ca-key"},
	},
	Texts: map[string]string{
		"--system": "The system's store in place of the account's browsers.",
		"--all": "Each root that a warcorder has made, here or elsewhere. Otherwise those of this " +
			"installation; or each, where nothing of it is left.",
	},
}

var password = Command{
	Name: "password",
	Line: "Print what proxy-users needs to let somebody in",
	About: "That is the name and the hash of a password, which is asked for, or read as one " +
		"line from standard input.",
	Examples: []Example{{"warcorder password anna", "a line for proxy-users"}},
	Texts: map[string]string{
		"<name>": "Name of the user. Default: the account's.",
	},
}

var completion = Command{
	Name:  "completion",
	Line:  "Print what makes a shell complete command lines",
	Usage: "SHELL",
	About: "Commands, flags, their values, files and collections are completed then. The first " +
		"lines of what it prints say where to put it.",
	Examples: []Example{
		{"warcorder completion bash", "for source <(…) in ~/.bashrc"},
		{"warcorder completion zsh", "for source <(…) in ~/.zshrc, behind compinit"},
		{"warcorder completion fish", "for ~/.config/fish/completions/warcorder.fish"},
	},
	Texts: map[string]string{
		"<shell>": "bash, zsh or fish.",
		"<words>": "What the script asks for: a command line as far as it is typed.",
	},
}

var version = Command{
	Name:     "version",
	Line:     "Print the version",
	Examples: []Example{{"warcorder version", "and what it is built with"}},
}
