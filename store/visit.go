package store

import "strings"

// Visit is what the two heads of an exchange say of the page for which it was made: facts, of which
// package store/pages makes pages. They come from the records alone, so that those who read the
// files years later find the same.
type Visit struct {
	Dest   Dest
	Site   Site
	Traits Traits

	// Referer is the URL that the request names as the one it comes from. With ByOrigin only the
	// origin is known. Of a resource record about a URL it is that URL.
	Referer URLHash

	// Next is where a redirect leads.
	Next URLHash
}

// Dest is what will become of the response, by Sec-Fetch-Dest (Fetch Metadata Request Headers).
type Dest byte

const (
	DestUnknown  Dest = iota // the field is not there
	DestDocument             // a page
	DestFrame                // perhaps a document within another: iframe, frame, object, embed
	DestWorker               // worker, sharedworker, serviceworker, and worklets
	DestStyle                // style, xslt
	DestScript
	DestLeaf  // what asks for nothing itself: images, fonts, media
	DestEmpty // what scripts fetch, and service workers in the place of anything
)

// Site is how the request's URL and the page that asks for it are related, by Sec-Fetch-Site.
type Site byte

const (
	SiteUnknown Site = iota // the field is not there
	SiteNone                // no page asks: the user, or the browser itself
	SiteSameOrigin
	SiteSameSite
	SiteCross
)

// Traits are what is true of an exchange.
type Traits uint16

const (
	Navigates Traits = 1 << iota // Sec-Fetch-Mode is navigate
	Told                         // there is a Sec-Fetch-Mode or a Sec-Fetch-Dest
	Ahead                        // a prefetch: by Sec-Purpose, Purpose or X-Moz
	ByOrigin                     // Referer was made of the field Origin
	AtRoot                       // the path of Referer is "/": all of it may be a mere origin
	Browser                      // the client is a browser: by its User-Agent, and what only browsers send
	Upgrades                     // there is Upgrade-Insecure-Requests: browsers ask for a document
	Scripted                     // there is X-Requested-With, or the Origin of a GET
	HTML                         // the response is of type HTML, or a 304 in the place of a document
	OK                           // the status is 200, or such a 304
	Aside                        // no document is shown: 204, 205, a download, a completion
	About                        // a resource record about the URL that is Referer
	NotGET                       // the method is another
	Reserved                     // the response's Referrer-Policy lets no more be told than an origin
)

// URLHash stands for a URL without its fragment: the upper 32 bits for its origin, the lower for
// all of it. 0 is none. Whoever makes two URLs of one hash muddles up their pages, and nothing else.
type URLHash uint64

// HashURL returns the hash of an absolute http or https URL; 0 of any other.
func HashURL(url string) URLHash {
	scheme, rest, found := strings.Cut(url, "://")
	port := ":80"
	switch {
	case !found:
		return 0
	case strings.EqualFold(scheme, "https"):
		port = ":443"
	case !strings.EqualFold(scheme, "http"):
		return 0
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	h := hashStart.text(port)
	for _, c := range []byte(strings.TrimSuffix(rest[:end], port)) {
		if 'A' <= c && c <= 'Z' {
			c |= 0x20
		}
		h = h.byte(c)
	}
	rest, _, _ = strings.Cut(rest[end:], "#")
	all := h.byte('/').text(strings.TrimPrefix(rest, "/"))
	return max(URLHash(h.fold())<<32|URLHash(all.fold()), 1)
}

// Origin returns the hash of the origin alone.
func (h URLHash) Origin() uint32 { return uint32(h >> 32) }

// urlSum is FNV-1a of 64 bits: of it a hash of any beginning can be had on the way.
type urlSum uint64

const hashStart urlSum = 14695981039346656037

func (h urlSum) byte(c byte) urlSum { return (h ^ urlSum(c)) * 1099511628211 }

func (h urlSum) text(s string) urlSum {
	for i := range len(s) {
		h = h.byte(s[i])
	}
	return h
}

func (h urlSum) fold() uint32 { return uint32(h>>32) ^ uint32(h) }
