package trust

import "strings"

// system is one for which the page has steps.
type system struct {
	ID, Name string
	phone    bool // it is never the recorder's own machine
}

// systems are in the order in which they are shown.
var systems = []system{
	{ID: "windows", Name: "Windows"},
	{ID: "macos", Name: "macOS"},
	{ID: "linux", Name: "Linux"},
	{ID: "firefox", Name: "Firefox, on every computer"},
	{"ios", "iPhone and iPad", true},
	{"android", "Android", true},
	{ID: "programs", Name: "Programs: curl, Python, Node.js, Java"},
}

// SystemOf tells by the User-Agent whose steps come first; "" if it does not tell. An iPad calls
// itself a Mac.
func SystemOf(userAgent string) string {
	for _, sign := range []struct{ text, id string }{
		{"Android", "android"}, {"iPhone", "ios"}, {"iPad", "ios"}, {"Firefox/", "firefox"},
		{"Windows", "windows"}, {"Macintosh", "macos"}, {"Linux", "linux"},
	} {
		if strings.Contains(userAgent, sign.text) {
			return sign.id
		}
	}
	return ""
}

// systemsFor returns the system of an ID, if there is one, and the others.
func systemsFor(id string) (first *system, others []system) {
	for _, s := range systems {
		if s.ID == id {
			first = &s
		} else {
			others = append(others, s)
		}
	}
	return first, others
}
