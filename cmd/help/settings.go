package help

// Settings are the texts of the settings of record, by flag. The first sentence of each is what
// --help shows, and --help-all shows the whole.
var Settings = map[string]string{
	"--listen": "Address to listen on. Port 0 takes a free one.",
	"--replay-listen": "Second address, where the collection is replayed meanwhile. What was recorded a " +
		"moment ago is shown there; what is missing is 404, and nothing of it is recorded. Default: none.",
	"--preview-listen": "Address where the live page has recorded images shown, apart from all else. " +
		"It gives nothing without a key that the page gives out. Default: a free port at the address of " +
		"listen.",
	"--debug-listen": "Address of loopback where profiles of the program are given, for go tool pprof. " +
		"/debug/pprof/ says how they are taken. Port 0 takes a free one, which the log names. Default: none.",
	"--replay-rules": "Rules for what changes by chance, beside those that are built in; in the " +
		"configuration file only.",
	"--readers": "Networks that may read status, gaps and export without the token. As addresses, " +
		"prefixes and words (@loopback, @private); an empty list asks everybody for it.",
	"--page-control": "Who may press the buttons of the live page that change something. loopback: who " +
		"sees it on this machine; readers: all who see it; token: nobody else than who has come to it with " +
		"the token, who may in any case.",
	"--api-token": "Secret that reads and changes over HTTP from everywhere. It is sent as " +
		"Authorization: Bearer TOKEN, to POST /record for example; beside the one of recorder.token " +
		"in the collection. Better in the environment or the file than on the command line, where " +
		"others may see it.",
	"--shutdown-timeout": "How long exchanges in flight may go on after SIGINT or SIGTERM. Large " +
		"ones that are finished and have no records 2 seconds later are left for the next start.",

	// of proxy.Config
	"--clients": "Networks that may use the proxy. Addresses (192.0.2.7), prefixes (192.0.2.0/24), " +
		"words (@loopback, @private, @link-local, @any). Default: @loopback, or @any with " +
		"proxy-users.",
	"--proxy-users": "Users, whom the proxy asks for a password. Each with the bcrypt hash of it, " +
		"as warcorder password and htpasswd -nB print it; all clients are then asked. Better in the " +
		"configuration file than on the command line, where others may see it.",
	"--insecure-upstream": "Record origins whose certificate is not valid. All, or a list of hosts " +
		"(\"*.example.org\" takes all names below it). Their records say what was wrong.",
	"--no-record": "Hosts that pass without being recorded. Named as in the URL " +
		"(\"*.example.org\" takes all names below it and not itself, \"*\" all). @browser-chatter is " +
		"what browsers ask for by themselves. Nothing of them is in the archive; the gap list counts them.",
	"--tunnel": "Hosts whose CONNECTs pass through untouched. For clients that take the origin's " +
		"own certificate only (\"*.example.org\" takes all names below it and not itself, \"*\" all). " +
		"Nothing of them is in the archive; the gap list counts them, and names each host once an hour.",
	"--upstream": "Ways out through other proxies, by host. PATTERN=URL for hosts that match, a URL " +
		"alone for all others, http://, https://, socks5:// (names are resolved here) or socks5h:// " +
		"(there), USER:PASSWORD@ before the host; several URLs with blanks between are a chain; direct " +
		"is no proxy. The first pattern that matches counts. If nothing is set, HTTP_PROXY, " +
		"HTTPS_PROXY, ALL_PROXY and NO_PROXY of the environment count. A password is better in the " +
		"file.",
	"--upstream-ca": "PEM file of roots by which origins are judged, beside the system's.",
	"--client-certs": "Certificates that origins are shown which ask for one, by host; in the " +
		"configuration file only.",
	"--deny": "Hosts and networks that nothing is fetched from. Names (\"*.example.org\" takes all " +
		"below it, \"*\" all), addresses, prefixes (192.0.2.0/24), @loopback, @private, @link-local, " +
		"@metadata, @any. Each address that is connected to is judged. @loopback, @private, " +
		"@link-local and @metadata are denied anyway when --listen is not on loopback.",
	"--allow": "What is fetched from although it is denied. Hosts and networks, written as for " +
		"--deny: with --deny='*' only these.",
	"--resolver": "Name servers, by address, that are asked in the place of the system's. In turn; " +
		"the hosts file still counts before them. Default: the system's.",
	"--source-address": "Address of this machine that connections to origins begin at. Or one of " +
		"IPv4 and one of IPv6. Default: as the system says.",
	"--on-client-abort": "When a client goes away, cut the fetch, or finish it for the archive. " +
		"However large it is and however long that takes; where complete does not ask for the whole " +
		"anyway.",
	"--complete": "What is had whole of what a client takes a part of. Or leaves before the " +
		"end: auto (media, PDF, fonts, archives, and documents, these also without a length), always " +
		"(whatever a GET gets), never.",
	"--complete-max": "Largest body that is asked for. Or that complete lets go on without its " +
		"client.",
	"--complete-quiet": "Time without an exchange of the URL after which the whole is asked for.",
	"--complete-within": "Time after the first part within which the whole is asked for. Be the " +
		"URL quiet or not.",
	"--complete-timeout": "Time for one whole, and for a fetch that goes on without its client. " +
		"As far as complete lets it; where the origin falls silent timeout-idle counts.",
	"--complete-again": "Time between two wholes of one URL that has changed. Or ten times as long " +
		"as the first has taken.",
	"--complete-per-host": "Wholes that are asked for at a time of one host.",
	"--complete-at-once":  "Wholes that are asked for at a time.",
	"--complete-waiting":  "Wholes that may wait; one more is a gap.",
	"--complete-running": "Fetches that complete lets go on without their client at a time. One more " +
		"is cut, and its whole asked for later.",
	"--codings": "Content codings that origins may be asked for. Where the client asks for them: " +
		"br, compress, dcb, dcz, deflate, gzip, x-compress, x-gzip, zstd; identity for none, any for " +
		"all. Others are taken out of Accept-Encoding, since pywb and replayweb.page cannot read " +
		"them; a response in one all the same is recorded, and in the gap list.",
	"--anticache": "Which conditions of caches are taken out of GETs and HEADs. If-None-Match and " +
		"If-Modified-Since: missing, those whose 304 would confirm what the collection does not have; " +
		"always, all; never, none.",
	"--max-connections": "Clients that may be connected at a time, tunnels included. At that " +
		"number the connection that has waited longest for a request makes room for a new one; if " +
		"none waits, the new one gets 503. The limit on open files may allow fewer.",
	"--max-header-size": "Largest message head that is accepted. At most 1088KiB.",
	"--max-header-memory": "Memory that message heads above 32 KiB may take together. Those " +
		"included whose sender is slow; while it is taken, another such head gets 503. With proxy-users " +
		"a quarter of it is what plain requests may take, whoever sends them. A client has " +
		"timeout-header for its head, an origin timeout-first-byte.",
	"--max-body-size": "Largest message body; 0 is no limit. Of a longer response the beginning " +
		"is recorded (WARC-Truncated: length) and the client's connection cut; a longer request " +
		"gets 413.",
	"--record-dns": "Record what name servers answer, as resource records dns:HOST. Names are " +
		"then looked up in the hosts file and by the name servers of the system, or those of " +
		"--resolver, and in no other way that the system may know.",
	"--timeout-header":     "Time for a client to send a request's head.",
	"--timeout-connect":    "Time for a connection to the origin.",
	"--timeout-tls":        "Time for a TLS handshake, with the client and with the origin.",
	"--timeout-first-byte": "Time for the origin to begin its answer once it has the request.",
	"--timeout-idle":       "Time between two pieces of a body, and two requests of a client.",
	"--timeout-total":      "Time for a whole exchange; 0 is no limit.",

	// of recorder.Config
	"--warc-prefix": "First part of the names of WARC files.",
	"--warc-name": "Names of WARC files, without .warc.gz. {timestamp} and {serial} must be in " +
		"it, {prefix} and {host} may.",
	"--warc-max-size": "Size that a WARC file does not exceed, unless one exchange does.",
	"--warc-idle":     "Time without exchanges after which a WARC file is finished.",
	"--warc-max-age": "Age at which a WARC file is finished. Whatever is written to it; 0 is no " +
		"limit.",
	"--commit-interval": "Time that a finished exchange waits at most for others to share its sync.",
	"--index-interval": "Time that captures on disk wait at most for the index. For others to share " +
		"its transaction; whoever reads the index sees them without that.",
	"--commit-size": "Bytes of finished exchanges that are not kept waiting for others.",
	"--sync": "When WARC files and index are forced to disk. batch (many exchanges share it), " +
		"always (one for each exchange), none (for scratch use: a power failure may cost the " +
		"collection).",
	"--min-free-space": "Free space below which recording stops. That is before the disk is full; " +
		"0 does not look.",
	"--keep-for": "Time for which what is recorded is kept, such as 90d or 36h. What is older is removed " +
		"for good, at the start and each hour, as warcorder remove does it, but for imports; 0 removes " +
		"nothing.",
	"--upload": "Where finished WARC files go while it is recorded: s3://BUCKET/PREFIX, in object storage. " +
		"Where that is, and who asks there, is said by AWS_ENDPOINT_URL, AWS_REGION and the usual " +
		"credentials of AWS. A file is verified there, and stays here too unless keep-local says otherwise.",
	"--upload-cdxj": "Whether the index lines of each file go there too, as FILE.cdxj beside it.",
	"--keep-local": "What stays here of files that were verified in object storage. A time (24h, 7d) since " +
		"then, a size (200GB) of the latest, 0 for nothing: below twice min-free-space the oldest go " +
		"earlier. Empty for all, whatever is free.",
	"--queue-size": "Bytes of exchanges that may wait to be recorded before clients are slowed.",
	"--archive-mode": "Who may read and write the files that are made; octal. WARC files, index and " +
		"exports; directories may be entered by whoever may read. There are cookies and passwords in " +
		"the files.",
	"--warc-version": "Version of the WARC format. 1.1, or 1.0, whose dates have whole seconds, " +
		"for readers that know no other.",
	"--digest": "Algorithm of the digests in records and index. sha1, which all tools of the " +
		"field join by, or sha256.",
	"--payload-digest": "What payload digests are of. wire (what follows the HTTP header as it " +
		"is stored, which most tools check) or entity (without the chunks of Transfer-Encoding, as " +
		"the standard's wording has it).",
	"--sl": "Skip lengths in the gzip members (field sl). By them a reader passes over records " +
		"without inflating them.",
	"--warcinfo-operator": "Who answers for the archive: a name, an address. For the warcinfo " +
		"record, as the next three.",
	"--warcinfo-is-part-of": "What the files belong to. The name of the collection's directory if " +
		"not set.",
	"--warcinfo-description": "What is recorded.",
	"--warcinfo-robots":      "What was done about robots.txt: ignore, obey.",
	"--dedup": "Where the same content is looked for. It is not stored again: collection (under any " +
		"URL), url (under the same one), off (all is stored).",
	"--dedup-min-size": "Size of a body below which it is always stored.",
	"--dedup-for": "Time after which content is stored again; 0 is for good. So that not all of an " +
		"archive depends on one old record.",
	"--dedup-from": "Other archives in which the same content is looked for, after this one. They are " +
		"only read: directories of collections that nobody records, and URLs of CDX servers " +
		"(http://HOST/cdx, http://HOST/web/timemap/cdx, or any with {url} in it). What is there is not " +
		"stored here: hand on both together.",
	"--dedup-shared": "A Redis or Valkey server by which several recorders store the same content once: " +
		"redis://HOST:6379/0, rediss:// with TLS, unix:///PATH, or " +
		"redis+sentinel://HOST:26379,HOST:26379/MASTER; with a password redis://:PASSWORD@HOST. What " +
		"another recorder has is not stored here: keep the files of all of them together.",
	"--dedup-ttl": "Time for which that server keeps what a recorder has told it of; 0 is for good. It " +
		"bounds the memory of the server.",
	"--push": "Who is given the index while it is recorded, as KIND=ADDRESS: outbackcdx=URL, the address " +
		"of a collection of an OutbackCDX; parquet=s3://BUCKET/PREFIX or parquet=DIRECTORY, for a table. " +
		"It comes late, at least once, and slows nothing.",
	"--push-every": "Time between two rounds of push.",
	"--keys-extra": "Secondary keys to make and store for each capture: path, wwwoffle, form.",
	"--keys-profiles": "Path profiles by host, for the key path; in the configuration " +
		"file only.",
}
