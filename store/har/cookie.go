package har

import (
	"cmp"
	"strconv"
	"strings"
	"time"
)

// mostCookies is how many cookies of a head are taken apart, and how many arguments of a query or a
// form. All of them are in the fields, the URL and the body.
const mostCookies, mostArguments = 1000, 10_000

// sentCookies are the cookies of a request (RFC 6265 section 4.2).
func sentCookies(h *head) []cookie {
	cookies := []cookie{}
	for _, f := range h.fields {
		if !strings.EqualFold(f.name, "Cookie") {
			continue
		}
		for one := range strings.SplitSeq(f.value, ";") {
			name, value := halves(one)
			if name == "" && value == "" {
				continue
			}
			if len(cookies) == mostCookies {
				return cookies
			}
			cookies = append(cookies, cookie{Name: text(name), Value: text(value)})
		}
	}
	return cookies
}

// setCookies are the cookies that a response sets at a moment (RFC 6265 section 5.2).
func setCookies(h *head, at time.Time) []cookie {
	cookies := []cookie{}
	for _, f := range h.fields {
		if strings.EqualFold(f.name, "Set-Cookie") && len(cookies) < mostCookies {
			cookies = append(cookies, setCookie(f.value, at))
		}
	}
	return cookies
}

func setCookie(value string, at time.Time) (c cookie) {
	pair, rest, _ := strings.Cut(value, ";")
	name, set := halves(pair)
	c.Name, c.Value = text(name), text(set)
	expires, maxAge := "", ""
	for one := range strings.SplitSeq(rest, ";") {
		name, value, _ := strings.Cut(one, "=")
		value = text(strings.TrimSpace(value))
		switch strings.ToLower(strings.TrimSpace(name)) {
		case "path":
			c.Path = value
		case "domain":
			c.Domain = value
		case "expires":
			expires = expiry(value)
		case "max-age":
			maxAge = lasts(value, at)
		case "httponly":
			c.HTTPOnly = true
		case "secure":
			c.Secure = true
		case "samesite":
			c.SameSite = value
		}
	}
	c.Expires = cmp.Or(maxAge, expires)
	return c
}

// halves returns the name and the value of a cookie; one without a name is all value.
func halves(pair string) (name, value string) {
	name, value, found := strings.Cut(pair, "=")
	if !found {
		name, value = "", name
	}
	return strings.TrimSpace(name), strings.TrimSpace(value)
}

// expiry is a date of the attribute Expires as HAR has dates; "" if it is none.
func expiry(value string) string {
	for _, layout := range []string{"Mon, 02 Jan 2006 15:04:05 MST", "Mon, 02-Jan-2006 15:04:05 MST",
		"Monday, 02-Jan-06 15:04:05 MST", time.ANSIC} {
		if t, err := time.Parse(layout, value); err == nil {
			return date(t)
		}
	}
	return ""
}

// mostSeconds is more than any cookie lasts: browsers keep none for longer than 400 days.
const mostSeconds = 100 * 365 * 24 * 3600

// lasts is when a cookie ends that lasts so many seconds; "" if that is no number.
func lasts(value string, at time.Time) string {
	seconds, err := strconv.ParseInt(value, 10, 64)
	if err != nil {
		return ""
	}
	seconds = min(max(seconds, 0), mostSeconds)
	return date(at.Add(time.Duration(seconds) * time.Second))
}

// date is a moment as HAR has it: RFC 3339, with milliseconds.
func date(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000Z") }
