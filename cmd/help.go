package cmd

import (
	"fmt"

	"github.com/alecthomas/kong"
)

// explain gives each command, flag and argument its text in --help. A flag without a text is our
// own mistake, and no program starts with one.
func explain(parser *kong.Kong) error {
	for _, flag := range parser.Model.Flags {
		if err := explainFlag(flag, ""); err != nil {
			return err
		}
	}
	for _, command := range parser.Model.Children {
		if err := explainCommand(command); err != nil {
			return err
		}
	}
	return nil
}

func explainCommand(command *kong.Node) error {
	command.Help = helpTexts[command.Name]
	for _, flag := range command.Flags {
		if err := explainFlag(flag, command.Name); err != nil {
			return err
		}
	}
	for _, argument := range command.Positional {
		argument.Help = helpTexts[command.Name+" <"+argument.Name+">"]
	}
	return nil
}

// explainFlag takes the text that a flag has in this command alone, else the one that it has
// everywhere.
func explainFlag(flag *kong.Flag, command string) error {
	if flag.Name == "help" { // which is kong's own
		return nil
	}
	text, ok := helpTexts[command+" --"+flag.Name]
	if !ok {
		text, ok = helpTexts["--"+flag.Name]
	}
	if !ok {
		return fmt.Errorf("%s --%s has no help", command, flag.Name)
	}
	flag.Help = text
	return nil
}

// helpTexts are the texts of --help: of a command by its name, of a flag by its name or, where it
// means something else in one command, by both, and of an argument by both.
var helpTexts = map[string]string{
	"record": "Record all that passes through the proxy (the default command).",
	"export": "Write the captures of a collection as sorted CDXJ.",
	"lookup": "Find the captures of a URL, by any of its keys.",
	"key":    "Print every key of a request, or of many as JSON lines.",
	"gaps":   "List what could not be recorded, and why.",
	"pause": "Let what crosses the running recorder pass unrecorded, only counted, until resume or " +
		"the next start.",
	"resume": "Record again after a pause.",
	"recover": "Bring files and index of a collection into agreement after a crash, as the next " +
		"recording would.",
	"rebuild": "Make the index of a collection anew from its WARC files alone.",
	"verify":  "Check WARC files byte for byte, and the index of a collection against them.",
	"import":  "Convert WARC 0.9 files to WARC 1.1 and add them to a collection.",
	"index":   "Add WARC files of any tool to a collection, without writing them anew.",
	"ca":      "Print the certificate to trust, or write it in every form that browsers take.",
	"password": "Print what proxy-users needs to let somebody in: the name, and the hash of a " +
		"password that is asked for, or read as one line from standard input.",
	"version": "Print the version.",

	// of all commands
	"--config": "YAML file with settings; its keys are named like these flags. See " +
		"config.example.yaml.",
	"--log": "How to log, on standard error: text for people, json for machines, auto by whether " +
		"it is a terminal.",
	"--ca-dir": "Where the root certificate and its key are kept. Default: warcorder in the " +
		"user's configuration directory.",
	"--ca-cert": "An authority of your own in place of ca-dir: PEM file with the certificate that " +
		"signs, and behind it the one that signed it, and so on.",
	"--ca-key": "The private key of the first certificate of ca-cert, PEM, not encrypted; for its " +
		"owner alone (chmod 600).",
	"--collection": "Name of the collection.",
	"--dir":        "Directory that holds the collections.",

	// of record
	"--listen": "Address to listen on; port 0 takes a free one.",
	"--readers": "Networks that may read status, gaps and export without the token, as " +
		"addresses, prefixes and words (@loopback, @private); an empty list asks everybody for it.",
	"--api-token": "Secret that reads and changes over HTTP from everywhere, such as POST /record, " +
		"sent as Authorization: Bearer TOKEN; beside the one of recorder.token in the collection. " +
		"Better in the environment or the file than on the command line, where others may see it.",
	"--shutdown-timeout": "How long exchanges in flight may go on after SIGINT or SIGTERM. Large " +
		"ones that are finished and have no records 2 seconds later are left for the next start.",

	// of proxy.Config
	"--clients": "Networks whose clients may use the proxy: addresses (192.0.2.7), prefixes " +
		"(192.0.2.0/24), words (@loopback, @private, @link-local, @any). Default: @loopback, " +
		"or @any with proxy-users.",
	"--proxy-users": "Users of the proxy, each with the bcrypt hash of the password, as warcorder " +
		"password and htpasswd -nB print it; all clients are then asked for a name and a password. " +
		"Better in the configuration file than on the command line, where others may see it.",
	"--insecure-upstream": "Record origins whose certificate is not valid: all, or a list of " +
		"hosts (\"*.example.org\" takes all names below it). Their records say what was wrong.",
	"--no-record": "Hosts whose exchanges pass without being recorded, named as in the URL " +
		"(\"*.example.org\" takes all names below it and not itself, \"*\" all). Nothing of them is " +
		"in the archive; the gap list counts them.",
	"--tunnel": "Hosts whose CONNECTs pass through untouched, for clients that take the origin's " +
		"own certificate only (\"*.example.org\" takes all names below it and not itself, \"*\" all). " +
		"Nothing of them is in the archive; the gap list counts them, and names each host once an hour.",
	"--upstream": "Ways out through other proxies: PATTERN=URL for hosts that match, a URL alone for " +
		"all others, http://, https://, socks5:// (names are resolved here) or socks5h:// (there), " +
		"USER:PASSWORD@ before the host; several URLs with blanks between are a chain; direct is no " +
		"proxy. The first pattern that matches counts. If nothing is set, HTTP_PROXY, HTTPS_PROXY, " +
		"ALL_PROXY and NO_PROXY of the environment count. A password is better in the file.",
	"--upstream-ca": "PEM file of roots by which origins' certificates are judged, beside the " +
		"system's.",
	"--client-certs": "Certificates that origins are shown which ask for one, by host; in the " +
		"configuration file only.",
	"--deny": "Hosts and networks that nothing is fetched from: names (\"*.example.org\" takes all " +
		"below it, \"*\" all), addresses, prefixes (192.0.2.0/24), @loopback, @private, @link-local, " +
		"@metadata, @any. Each address that is connected to is judged. @loopback, @private, " +
		"@link-local and @metadata are denied anyway when --listen is not on loopback.",
	"--allow": "Hosts and networks, written as for --deny, that are fetched from although they are " +
		"denied: with --deny='*' only these.",
	"--resolver": "Name servers, by address, that are asked in turn in the place of those of the " +
		"system; the hosts file still counts before them. Default: the system's.",
	"--source-address": "Address of this machine that connections to origins begin at, or one of " +
		"IPv4 and one of IPv6. Default: as the system says.",
	"--on-client-abort": "When a client goes away: cut the fetch, or finish it for the archive; " +
		"where complete does not ask for the whole anyway.",
	"--complete": "What the archive is to have whole when a client has taken a part of it or gone " +
		"before its end: auto (media, PDF, fonts, archives, and documents, these also without a " +
		"length), always (whatever a GET gets), never.",
	"--complete-max":   "Largest body that is asked for, or fetched to its end without its client.",
	"--complete-quiet": "Time without an exchange of the URL after which the whole is asked for.",
	"--complete-within": "Time after the first part within which the whole is asked for, be the " +
		"URL quiet or not.",
	"--complete-timeout": "For one whole; also for a fetch that goes on without its client.",
	"--complete-again": "Time between two wholes of one URL that has changed; or ten times as long " +
		"as the first has taken.",
	"--complete-per-host": "Wholes that are asked for at a time of one host.",
	"--complete-at-once":  "Wholes that are asked for at a time.",
	"--complete-waiting":  "Wholes that may wait; one more is a gap.",
	"--complete-running": "Fetches that may go on without their client at a time; one more is cut, " +
		"and its whole asked for later.",
	"--codings": "Content codings that origins may be asked for, where the client asks for them: " +
		"br, compress, dcb, dcz, deflate, gzip, x-compress, x-gzip, zstd; identity for none, any for " +
		"all. Others are taken out of Accept-Encoding, since pywb and replayweb.page cannot read " +
		"them; a response in one all the same is recorded, and in the gap list.",
	"--anticache": "Which conditions (If-None-Match, If-Modified-Since) are taken out of GETs and " +
		"HEADs: missing, those whose 304 would confirm what the collection does not have; always, " +
		"all; never, none.",
	"--max-connections": "Clients that may be connected at a time, tunnels included. At that " +
		"number the connection that has waited longest for a request makes room for a new one; if " +
		"none waits, the new one gets 503. The limit on open files may allow fewer.",
	"--max-header-size": "Largest message head that is accepted; at most 1088KiB.",
	"--max-header-memory": "Memory that message heads above 32 KiB may take together, those " +
		"included whose sender is slow; while it is taken, another such head gets 503. With proxy-users " +
		"a quarter of it is what plain requests may take, whoever sends them. A client has " +
		"timeout-header for its head, an origin timeout-first-byte.",
	"--max-body-size": "Largest message body; 0 is no limit. Of a longer response the beginning " +
		"is recorded (WARC-Truncated: length) and the client's connection cut; a longer request " +
		"gets 413.",
	"--record-dns": "Record what name servers answer, as resource records dns:HOST. Names are " +
		"then looked up in the hosts file and by the name servers of the system, or those of " +
		"--resolver, and in no other way that the system may know.",
	"--timeout-header":     "For a client to send a request's head.",
	"--timeout-connect":    "For a connection to the origin.",
	"--timeout-tls":        "For a TLS handshake, with the client and with the origin.",
	"--timeout-first-byte": "For the origin to begin its answer once it has the request.",
	"--timeout-idle":       "Between two pieces of a body, and between two requests of a client.",
	"--timeout-total":      "For a whole exchange; 0 is no limit.",

	// of recorder.Config
	"--warc-prefix": "First part of the names of WARC files.",
	"--warc-name": "Names of WARC files, without .warc.gz: {timestamp} and {serial} must be in " +
		"it, {prefix} and {host} may.",
	"--warc-max-size": "Size that a WARC file does not exceed, unless one exchange does.",
	"--warc-idle":     "Time without exchanges after which a WARC file is finished.",
	"--warc-max-age": "Age at which a WARC file is finished, whatever is written to it; 0 is no " +
		"limit.",
	"--commit-interval": "Time that a finished exchange waits at most for others to share its sync.",
	"--index-interval": "Time that captures which are on disk wait at most for others to share a " +
		"transaction of the index. Whoever reads the index sees them without that.",
	"--commit-size": "Bytes of finished exchanges that are not kept waiting for others.",
	"--sync": "When WARC files and index are forced to disk: batch (many exchanges share it), " +
		"always (one for each exchange), none (for scratch use: a power failure may cost the " +
		"collection).",
	"--min-free-space": "Free space below which recording stops, before the disk is full; 0 does " +
		"not look.",
	"--queue-size": "Bytes of exchanges that may wait to be recorded before clients are slowed.",
	"--archive-mode": "Who may read and write what is made of a collection: WARC files, " +
		"index, exports; octal. Directories may be entered by whoever may read. There are cookies " +
		"and passwords in the files.",
	"--warc-version": "Version of the WARC format: 1.1, or 1.0, whose dates have whole seconds, " +
		"for readers that know no other.",
	"--digest": "Algorithm of the digests in records and index: sha1, which all tools of the " +
		"field join by, or sha256.",
	"--payload-digest": "What payload digests are of: wire (what follows the HTTP header as it " +
		"is stored, which most tools check) or entity (without the chunks of Transfer-Encoding, as " +
		"the standard's wording has it).",
	"--sl": "Skip lengths in the gzip members (field sl), by which a reader passes over records " +
		"without inflating them.",
	"--warcinfo-operator": "Who answers for the archive, for the warcinfo record: a name, an " +
		"address.",
	"--warcinfo-is-part-of": "Collection that the files belong to, for the warcinfo record; the " +
		"name of the collection's directory if not set.",
	"--warcinfo-description": "What is recorded, for the warcinfo record.",
	"--warcinfo-robots":      "What was done about robots.txt, for the warcinfo record: ignore, obey.",
	"--dedup": "Where content is looked for that need not be stored again: collection (under any " +
		"URL), url (under the same one), off (all is stored).",
	"--dedup-min-size": "Size of a body below which it is always stored.",
	"--dedup-for": "Time after which content is stored again, so that not all of an archive " +
		"depends on one old record; 0 is for good.",
	"--keys-extra": "Secondary keys to make and store for each capture: path, wwwoffle, form.",
	"--keys-profiles": "Path profiles by host, for the key path; in the configuration " +
		"file only.",

	// of export
	"--url":   "Only captures of this URL.",
	"--match": "What --url selects: exact, prefix, host, domain.",
	"--from":  "Only captures at or after this time, YYYY to YYYYMMDDhhmmss (UTC).",
	"--to":    "Only captures until the end of this time.",
	"export --key": "Key that the lines begin with, are sorted by and --url is found by: url, " +
		"path, wwwoffle, form, query.",
	"export --dialect": "Dialect of the keys and request bodies: pywb, spec, warciojs.",
	"--format": "cdxj: a line for each capture. warc-0.9: the WARC files of the collection as " +
		"files of the draft WARC 0.9, into the directory that -o names.",
	"--file-size": "Size of the files of --format warc-0.9; longer records are cut into segments.",
	"--no-request-bodies": "Leave request bodies out, which may hold passwords: lines have no " +
		"requestBody, and their keys say the method alone, so that what was posted cannot be found " +
		"by what was posted. What stands in a URL stays.",
	"--all": "Also write lines that pywb would show as an empty or a partial page: of 304s, and of " +
		"parts (206) and what was cut whose whole is there. The other dialects have them in any case.",
	"export --archive-mode":  "Who may read and write the file; octal.",
	"export --keys-profiles": "Path profiles, from the configuration file.",
	"export --out": "File to write, - for standard output. Default: indexes/index.cdxj of the " +
		"collection.",

	// of lookup and key
	"lookup --key": "Key to find by: url; query, which tells long bodies apart; or one that " +
		"--keys-extra had stored: path, wwwoffle, form.",
	"lookup --keys-profiles": "Path profiles, from the configuration file.",
	"lookup <url>":           "The URL, in any spelling that has the same key.",
	"--method":               "Method of the request.",
	"--content-type":         "Content-Type of the request's body.",
	"--body":                 "File with the request's body, - for standard input.",
	"key --dialect":          "How method and body become part of the key: pywb, spec, warciojs.",
	"--profile": "Profile that the path is written under: generic, mediawiki, restbase, " +
		"upload.",
	"--jsonl": "Read requests as JSON, one a line, from standard input, and write their keys in " +
		"the same way.",
	"key <url>": "The URL.",

	// of gaps
	"--reason":    "Only gaps of this reason: ${reasons}.",
	"--limit":     "How many to list, the newest; 0 is all that are kept.",
	"gaps --json": "Print them as JSON.",

	// of verify
	"verify --json": "Print JSON lines: one for each finding, then one with the summary.",
	"verify <file>": "WARC files of any tool. Default: all files of the collection, and its index.",

	// of rebuild, index and import
	"rebuild --archive-mode": "Who may read and write the files that are made; octal.",
	"index --archive-mode":   "Who may read and write the files that are made; octal.",
	"--copy": "Copy a file into the collection that cannot be linked there, one on another disk " +
		"for example.",
	"index <file>":          "WARC files of any tool: .warc, .warc.gz, .warc.zst.",
	"import --archive-mode": "Who may read and write the files that are made; octal.",
	"--from-format":         "Format of the files: 0.9, the draft of 2006.",
	"import <file>":         "Files to import; segments of one record may lie in several of them.",

	// of password
	"password <name>": "Name of the user. Default: the account's.",

	// of ca
	"ca --out": "Directory to write the certificate to as PEM, DER, PKCS#12 and Apple configuration " +
		"profile; without its key.",
	"--spki": "Print the hash of the public key, for Chromium's " +
		"--ignore-certificate-errors-spki-list.",
}
