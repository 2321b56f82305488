package cmd

import "slices"

// What a reload takes, and what it does not. Each key of config.example.yaml is in one of the two:
// TestReloadable holds that, and that doc/operating.md says the same.

// reloadable are the keys that count, when they have changed, from the next request on, or for what
// doc/operating.md says.
func reloadable() []string {
	return []string{
		"clients", "proxy-users", "ca-dir", "ca-cert", "ca-key", "log-level", "verbose", "quiet",
		"shutdown-timeout", "readers", "page-control", "api-token",
		"record-dns", "insecure-upstream", "deny", "allow", "resolver", "source-address", "no-record",
		"tunnel", "upstream", "upstream-ca", "client-certs", "on-client-abort",
		"complete", "complete-max", "complete-quiet", "complete-within", "complete-timeout",
		"complete-again", "complete-per-host", "complete-at-once", "complete-waiting",
		"complete-running", "codings", "anticache",
		"max-header-size", "max-header-memory", "max-body-size", "max-connections",
		"timeout-header", "timeout-connect", "timeout-tls", "timeout-first-byte", "timeout-idle",
		"timeout-total",
		"warc-prefix", "warc-name", "warc-max-size", "warc-idle", "warc-max-age",
		"commit-interval", "index-interval", "commit-size", "min-free-space", "keep-for", "queue-size",
		"upload", "upload-cdxj", "keep-local", "push", "push-every",
		"dedup", "dedup-min-size", "dedup-for", "dedup-ttl",
		"warcinfo-operator", "warcinfo-is-part-of", "warcinfo-description", "warcinfo-robots",
	}
}

// fixed are the keys that count only after a restart, and why.
func fixed() map[string]string {
	const (
		atStart  = "the address is taken at the start"
		place    = "the collection is opened at the start"
		records  = "the collection would have records of two kinds"
		lines    = "the index would have lines of two kinds"
		others   = "other archives are opened at the start"
		replays  = "replays that go on find by them"
		promises = "what is on disk already was promised by it"
	)
	return map[string]string{
		"listen": atStart, "replay-listen": atStart, "preview-listen": atStart, "debug-listen": atStart,
		"collection": place, "dir": place, "archive-mode": "what is made already is for others to read or not",
		"replay-rules": replays, "log": "who reads the log reads one form of it",
		"warc-version": records, "digest": records, "payload-digest": records, "sl": records,
		"sync": promises, "dedup-from": others, "dedup-shared": others, "keys-extra": lines, "keys-profiles": lines,
	}
}

// isReloadable reports whether a key counts when it has changed.
func isReloadable(key string) bool { return slices.Contains(reloadable(), key) }
