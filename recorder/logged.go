package recorder

// maxLogged is how much of a text that came from outside is in a line of the log. A URL or a media
// type may be as long as a head, six times that when each byte of it is escaped, and come with
// every exchange: min-free-space does not see the disk of the log.
const maxLogged = 2 << 10

// Logged is such a text as the log shows it. The record has all of it.
func Logged(text string) string {
	if len(text) <= maxLogged {
		return text
	}
	return text[:maxLogged] + "…"
}
